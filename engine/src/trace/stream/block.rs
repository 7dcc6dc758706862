//! Blocks: neighbouring rows of a batch that share one context (configuration, names, clock, epoch), so that they can
//! be rendered together and passed to the [`Sink`]. A block borrows everything it needs.

use std::{fmt, io, ops::Range, sync::Arc};

use spytui_plugin_api::{
    Activity, Attachment, Batch, Dict, Rendered, RenderedRow, Row, RowIn, Want, batch::attachments_of, row::RowFlags,
};

use super::parts::{LinePart, divide};
use crate::{
    decode::RowContext,
    io::log::RawLog,
    open::Decoder,
    present::Clock,
    query::Expr,
    row::{Renderer, RowFilter, RowView, Severities, gather, subject::passes_all},
    store::{BlockNames, Dictionary, RowNames, View, dictionary::CachedNames},
};

/// Maximum number of rows of a block.
const MOST: usize = 4096;

pub(super) struct RowBlock<'a> {
    pub(super) decoder: &'a Decoder,
    pub(super) renderer: &'a Renderer,
    pub(super) batch: &'a Batch,
    pub(super) first: usize,
    pub(super) rows: &'a [Row],
    pub(super) window: &'a StreamWindow,
    /// Bytes of a fragmented row, which is alone in its block.
    pub(super) pieces: Option<&'a [u8]>,
    /// Advanced to the first row.
    pub(super) context: &'a RowContext,
    pub(super) source: u16,
    pub(super) host_ns: Option<u64>,
    pub(super) host_times: &'a [(u64, u64)],
}

/// The leading rows that can be rendered together; `context` and `names` are advanced to the first one.
pub(super) fn together<'a>(
    batch: &'a Batch,
    rows: Range<usize>,
    context: &RowContext,
    names: &Dictionary,
) -> &'a [Row] {
    let end = context.next_change(batch, rows.end.min(rows.start + MOST), names);
    let rows = batch.rows.get(rows.start..end).unwrap_or_default();
    let Some((first, rest)) = rows.split_first() else { return rows };
    let count = match is_alone(first) {
        true => 0,
        false => rest.iter().take_while(|row| row.cfg == first.cfg && !is_alone(row)).count(),
    };
    &rows[..=count]
}

/// Whether a row needs its own block: the decoder does not know rows of the host, fragmented rows need a buffer, and a
/// reset starts an epoch.
fn is_alone(row: &Row) -> bool {
    row.kind.is_of_host() || row.flags.intersects(RowFlags::FRAGMENTED | RowFlags::EPOCH)
}

/// The bytes of a fragmented row; `None` if it is not fragmented.
pub(super) fn pieces(batch: &Batch, at: usize, window: &StreamWindow) -> Option<Vec<u8>> {
    let row = batch.rows.get(at).filter(|row| row.has(RowFlags::FRAGMENTED))?;
    let mut out = Vec::new();
    let read = |pos, len, out: &mut Vec<u8>| out.extend_from_slice(window.get(pos, len));
    gather(row, attachments_of(&batch.attachments, at), &mut out, read);
    Some(out)
}

/// Reusable buffers for a part of the rows that a filter judges; the first is also for other rows.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct FilteredPart {
    rendered: Rendered,
    passed: Vec<bool>,
}

impl<'a> RowBlock<'a> {
    /// Renders the rows and passes them to the sink, together if possible.
    pub(super) fn emit(
        &self,
        target: &TargetContext,
        parts: &mut [FilteredPart],
        sink: &mut impl Sink,
    ) -> io::Result<()> {
        let (view, short) = sink.names();
        let names = BlockNames::newest(&target.dictionary, view, short);
        // Filters and lines have caches of their own, one for each thread.
        let is_apart = sink.filter().is_some() || !sink.lines().is_empty();
        let cached = CachedNames::new(&names, if is_apart { 0 } else { self.rows.len() });
        let mut rows = self.rows(target, &cached);
        let admitted = sink.filter().map(|filter| {
            let (mut admitted, open) = rows.decided(filter);
            if !open.is_empty() {
                let passed = self.judge((target, &names), filter, &open, parts);
                admitted.extend(open.into_iter().zip(passed).filter(|(_, passes)| *passes).map(|(row, _)| row));
                admitted.sort_unstable_by_key(|(number, _)| *number);
            }
            admitted.into_iter().map(|(_, place)| place).collect::<Vec<RowPlace<'_>>>()
        });
        let (want, takes_severity) = (sink.want(), has_severity_from_rendering(sink));
        let lines = sink.lines();
        if !lines.is_empty() {
            let count = admitted.as_ref().map_or(self.rows.len(), Vec::len);
            let begin = |first: usize| {
                let missing = first.saturating_sub(rows.at.next);
                rows.by_ref().take(if admitted.is_none() { missing } else { 0 }).for_each(drop);
                (first, rows.at)
            };
            divide(count, !self.renderer.calls_files(), lines, begin, |(first, at), count, part| {
                let cached = CachedNames::new(&names, count);
                let (mut rows, names) = (self.rows(target, &cached), Dict::new(&cached));
                rows.at = at;
                match &admitted {
                    Some(places) => {
                        rows.lines(places.iter().copied().skip(first).take(count), &names, (want, false), part)
                    }
                    None => rows.lines(rows.clone().take(count), &names, (want, takes_severity), part),
                }
            });
            if let (Some(filter), Some(places)) = (sink.filter(), admitted) {
                filter.matched += places.iter().filter(|place| !passes_all(place.input.row)).count() as u64;
            }
            return sink.write_lines();
        }
        let inputs: Vec<RowIn<'_>> = match &admitted {
            None => rows.clone().map(|place| place.input).collect(),
            Some(places) => places.iter().map(|place| place.input).collect(),
        };
        let mut severities = takes_severity.then(Severities::new);
        let cfg = self.configuration();
        let [FilteredPart { rendered, .. }, ..] = parts else { return Ok(()) };
        match sink.dictionary() {
            _ if want.is_empty() => rendered.clear(),
            None if admitted.is_none() => {
                self.renderer.render(cfg, &inputs, &Dict::new(&cached), want.into(), severities.as_mut(), rendered);
            }
            // A sink may provide the names for rendering.
            other => {
                let names = BlockNames { dictionary: other.unwrap_or(names.dictionary), ..names };
                let cached = CachedNames::new(&names, inputs.len());
                self.renderer.render(cfg, &inputs, &Dict::new(&cached), want.into(), severities.as_mut(), rendered);
            }
        }
        if !sink.single() {
            return sink.block(self.rows, rendered);
        }
        let Some(places) = admitted else {
            let mut severities = severities.unwrap_or_default().into_iter().peekable();
            for at in 0..self.rows.len() {
                let Some(place) = rows.next() else { break };
                let mut view = rows.view(&place, rendered.row(at));
                if let Some((_, severity)) = severities.next_if(|(index, _)| *index == at) {
                    view.severity = view.severity.max(severity);
                }
                sink.row(&view)?;
            }
            return Ok(());
        };
        for (at, place) in places.iter().enumerate() {
            let view = rows.view(place, rendered.row(at));
            sink.row(&view)?;
            if let Some(filter) = sink.filter().filter(|_| !passes_all(view.row)) {
                filter.matched += 1;
            }
        }
        Ok(())
    }

    /// Whether rows pass that a filter could not decide; they are rendered as far as it needs.
    fn judge(
        &self,
        (target, names): (&TargetContext, &BlockNames<'_>),
        filter: &RowFilter,
        open: &[NumberedPlace<'_>],
        parts: &mut [FilteredPart],
    ) -> Vec<bool> {
        let (cfg, request, judge) = (self.configuration(), filter.request(), filter.of_rendered());
        parts.iter_mut().for_each(|part| part.passed.clear());
        let is_divided = judge.is_some() && !self.renderer.calls_files();
        divide(
            open.len(),
            is_divided,
            parts,
            |first| first,
            |first, count, part| {
                let cached = CachedNames::new(names, count);
                let (rows, open) = (self.rows(target, &cached), open.get(first..first + count).unwrap_or_default());
                let inputs: Vec<RowIn<'_>> = open.iter().map(|(_, place)| place.input).collect();
                self.renderer.render(cfg, &inputs, &Dict::new(&cached), request, None, &mut part.rendered);
                if let Some(judge) = &judge {
                    let views = open.iter().enumerate().map(|(at, (_, place))| rows.view(place, part.rendered.row(at)));
                    part.passed.extend(views.map(|view| judge(&view)));
                }
            },
        );
        if let (None, Some(part)) = (judge, parts.first_mut()) {
            let cached = CachedNames::new(names, open.len());
            let rows = self.rows(target, &cached);
            let views = open.iter().enumerate().map(|(at, (_, place))| rows.view(place, part.rendered.row(at)));
            part.passed.extend(views.map(|view| filter.matches(&view)));
        }
        parts.iter_mut().flat_map(|part| part.passed.drain(..)).collect()
    }

    #[inline]
    fn input(&self, row: &'a Row, attachments: &'a [Attachment]) -> RowIn<'a> {
        let raw = self.pieces.unwrap_or_else(|| self.window.get(row.pos, row.len.into()));
        RowIn { row, raw: raw.into(), attachments: attachments.into(), blob: self.batch.bytes.as_slice().into() }
    }

    /// Attachments of these and later rows.
    fn attachments(&self) -> &'a [Attachment] {
        let attachments = self.batch.attachments.as_slice();
        &attachments[attachments.partition_point(|one| (one.at as usize) < self.first)..]
    }

    fn rows(&'a self, target: &TargetContext, names: &'a dyn RowNames) -> BlockRows<'a> {
        let activities = self.batch.activities.as_slice();
        let clock = target.clock_or(self.context.clock);
        let at = PlaceInBlock {
            next: 0,
            before: target.time_before(clock, self.context.epochs.epoch),
            // The first row is already counted.
            records: self.context.epochs.records - u64::from(self.rows.first().is_some_and(|row| row.is_record())),
            activities: &activities[activities.partition_point(|activity| (activity.at as usize) < self.first)..],
            attachments: self.attachments(),
        };
        BlockRows { block: self, names, several: target.several, apart: target.apart, clock, at }
    }

    fn configuration(&self) -> &'a [u8] {
        self.context.configuration(self.rows.first().map_or(0, |row| row.cfg))
    }

    /// Host time of the last byte of a row.
    #[inline]
    fn host_ns(&self, row: &Row) -> Option<u64> {
        let last = (row.pos + u64::from(row.len)).saturating_sub(1);
        let known = self.host_times.partition_point(|(pos, _)| *pos <= last);
        known.checked_sub(1).and_then(|at| self.host_times.get(at)).map(|(_, ns)| *ns).or(self.host_ns)
    }
}

#[derive(Clone)]
struct BlockRows<'a> {
    block: &'a RowBlock<'a>,
    names: &'a dyn RowNames,
    several: bool,
    apart: bool,
    clock: Clock,
    at: PlaceInBlock<'a>,
}

/// The next row of a block.
#[derive(Clone, Copy)]
struct PlaceInBlock<'a> {
    next: usize,
    /// Time of the previous row with a comparable time stamp.
    before: Option<u64>,
    records: u64,
    /// Activities and attachments from the next row on.
    activities: &'a [Activity],
    attachments: &'a [Attachment],
}

/// A row with its context from earlier rows.
#[derive(Clone, Copy)]
struct RowPlace<'a> {
    input: RowIn<'a>,
    n: Option<u64>,
    before: Option<u64>,
    activities: &'a [Activity],
}

/// A row and its number in the block.
type NumberedPlace<'a> = (usize, RowPlace<'a>);

impl<'a> Iterator for BlockRows<'a> {
    type Item = RowPlace<'a>;

    #[inline]
    fn next(&mut self) -> Option<RowPlace<'a>> {
        let (block, at) = (self.block, &mut self.at);
        let (row, number) = (block.rows.get(at.next)?, block.first + at.next);
        at.next += 1;
        let activities = take_while(&mut at.activities, |activity| activity.at as usize <= number);
        let input = block.input(row, take_while(&mut at.attachments, |attachment| attachment.at as usize <= number));
        at.records += u64::from(row.is_record());
        let before = at.before;
        if row.has(RowFlags::TIME_OWN) {
            at.before = Some(row.time);
        }
        Some(RowPlace { input, n: row.is_record().then_some(at.records), before, activities })
    }
}

impl<'a> BlockRows<'a> {
    /// The rows that a filter admits, and those that it can't decide before they are rendered, with their numbers.
    fn decided(&mut self, filter: &mut RowFilter) -> (Vec<NumberedPlace<'a>>, Vec<NumberedPlace<'a>>) {
        let block = self.block;
        filter.begin_block(self.names.plain(), block.context.epochs.epoch, block.renderer.traits());
        let (mut places, mut open) = (Vec::new(), Vec::new());
        while let Some(place) = self.next() {
            let (row, number) = (place.input.row, self.at.next);
            let unrendered = || self.view(&place, RenderedRow::default());
            match passes_all(row).then_some(true).or_else(|| filter.decide((row, self.names.plain().row), unrendered)) {
                Some(false) => {}
                Some(true) => places.push((number, place)),
                None => open.push((number, place)),
            }
        }
        (places, open)
    }

    /// Makes the lines of some of the rows.
    fn lines(
        &self,
        places: impl Iterator<Item = RowPlace<'a>>,
        names: &Dict<'_>,
        (want, takes_severity): (Want, bool),
        part: &mut LinePart,
    ) {
        let block = self.block;
        let LinePart { lines, rendered, plans, out } = part;
        let plans_of = block.decoder.plans.filter(|_| want.contains(Want::FIELDS));
        let plans = plans_of.and_then(|of| plans.open(of, block.configuration()));
        let planned = |place: &RowPlace<'a>| plans.and_then(|plans| plans.row(&place.input));
        let places: Vec<RowPlace<'a>> = places.collect();
        let mark = |place: &RowPlace<'a>| if planned(place).is_some() { RowFlags::HAS_PLAN } else { RowFlags::empty() };
        let marked = |place: &RowPlace<'a>| Row { flags: place.input.row.flags | mark(place), ..*place.input.row };
        let rows: Vec<Row> = places.iter().map(marked).collect();
        let inputs: Vec<RowIn<'_>> =
            rows.iter().zip(&places).map(|(row, place)| RowIn { row, ..place.input }).collect();
        let mut severities = takes_severity.then(Severities::new);
        block.renderer.render(block.configuration(), &inputs, names, want.into(), severities.as_mut(), rendered);
        let mut severities = severities.unwrap_or_default().into_iter().peekable();
        for (at, place) in places.iter().enumerate() {
            let mut view = self.view(place, rendered.row(at));
            view.planned = planned(place);
            if let Some((_, severity)) = severities.next_if(|(index, _)| *index == at) {
                view.severity = view.severity.max(severity);
            }
            lines.push(&view, out);
        }
    }

    #[inline]
    fn view<'i>(&'i self, place: &RowPlace<'i>, rendered: RenderedRow<'i>) -> RowView<'i> {
        let (block, decoder) = (self.block, self.block.decoder);
        let mut view = RowView::new(&decoder.info, decoder.labels(), place.input, self.names, rendered);
        view.source = (self.several || self.apart).then_some(block.source);
        view.apart = self.apart;
        view.n = place.n;
        view.activities = place.activities;
        view.cfg = block.configuration();
        view.clock = self.clock;
        view.before = place.before;
        view.host_ns = block.host_ns(view.row);
        view.epoch = block.context.epochs.epoch;
        view
    }
}

#[inline]
fn take_while<'a, T>(rest: &mut &'a [T], holds: impl Fn(&T) -> bool) -> &'a [T] {
    let count = rest.iter().take_while(|one| holds(one)).count();
    rest.split_off(..count).unwrap_or_default()
}

#[derive(Debug, Default)]
pub(super) struct StreamWindow {
    pos: u64,
    bytes: Vec<u8>,
}

impl StreamWindow {
    /// Clears the window; the stream continues at `pos`.
    pub(super) fn restart(&mut self, pos: u64) {
        self.bytes.clear();
        self.pos = pos;
    }

    /// Appends bytes and drops those before `needed`, but keeps at most `most` old bytes.
    pub(super) fn add(&mut self, bytes: &[u8], needed: u64, most: usize) {
        let unneeded = usize::try_from(needed.saturating_sub(self.pos)).unwrap_or(usize::MAX).min(self.bytes.len());
        let gone = unneeded.max(self.bytes.len().saturating_sub(most));
        // Moving the rest costs its length, so only do it if more than that is dropped.
        if gone > 0 && gone >= self.bytes.len() / 2 {
            self.bytes.drain(..gone);
            self.pos += gone as u64;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// A range of the stream, as far as still kept.
    #[inline]
    pub(super) fn get(&self, pos: u64, len: u64) -> &[u8] {
        self.whole(pos, len).unwrap_or_else(|| self.left_of(pos, len))
    }

    /// A range of the stream, if completely kept.
    #[inline]
    pub(super) fn whole(&self, pos: u64, len: u64) -> Option<&[u8]> {
        // A position before the window wraps to one far after it.
        let start = usize::try_from(pos.wrapping_sub(self.pos)).ok()?;
        self.bytes.get(start..)?.get(..usize::try_from(len).ok()?)
    }

    #[cold]
    fn left_of(&self, pos: u64, len: u64) -> &[u8] {
        let at = |p: u64| usize::try_from(p.saturating_sub(self.pos)).unwrap_or(usize::MAX).min(self.bytes.len());
        &self.bytes[at(pos)..at(pos.saturating_add(len))]
    }
}

#[derive(Debug, Default)]
pub(super) struct TargetContext {
    pub(super) dictionary: Dictionary,
    /// Several sources are shown.
    pub(super) several: bool,
    /// Several targets are shown.
    pub(super) apart: bool,
    /// Clock for sources that reported none.
    pub(super) clock: Clock,
    /// Time of the previous row with a time stamp, with its clock and epoch.
    pub(super) before: Option<(u64, Clock, u32)>,
}

impl TargetContext {
    pub(super) fn names(&self) -> BlockNames<'_> {
        BlockNames::newest(&self.dictionary, View::Effective, true)
    }

    /// The clock of a source, or the target's clock if the source has reported none.
    pub(super) fn clock_or(&self, clock: Clock) -> Clock {
        if clock.known() { clock } else { self.clock }
    }

    /// The last time stamp of these rows is before what follows.
    pub(super) fn pass(&mut self, rows: &[Row], context: &RowContext) {
        if let Some(last) = rows.iter().rev().find(|row| row.has(RowFlags::TIME_OWN)) {
            self.before = Some((last.time, self.clock_or(context.clock), context.epochs.epoch));
        }
    }

    /// Time of the previous row in ticks of this clock in this epoch, if comparable.
    fn time_before(&self, clock: Clock, epoch: u32) -> Option<u64> {
        self.before.filter(|before| (before.1, before.2) == (clock, epoch)).map(|before| before.0)
    }
}

pub trait Sink {
    /// Parts to render; if more than text, rows are passed to [`Sink::row`].
    fn want(&self) -> Want {
        Want::empty()
    }

    /// Which names are used, and whether in short form.
    fn names(&self) -> (View, bool) {
        (View::AsOf, false)
    }

    /// Receives a block of rows with text only.
    fn block(&mut self, _rows: &[Row], _rendered: &Rendered) -> io::Result<()> {
        Ok(())
    }

    fn row(&mut self, _view: &RowView<'_>) -> io::Result<()> {
        Ok(())
    }

    /// The parts in which lines are made, if its rows are lines; they are used in place of [`Sink::row`].
    fn lines(&mut self) -> &mut [LinePart] {
        &mut []
    }

    /// Writes what was made in [`Sink::lines`].
    fn write_lines(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Writes the header, even if there are no rows.
    fn header(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Called when no more rows are available at the moment: flushes buffers.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Names to use instead of the current ones.
    fn dictionary(&self) -> Option<&Dictionary> {
        None
    }

    /// Position up to which a log is read next, asked at `pos`; another filter may apply from there on.
    fn read_until(&mut self, _log: &Arc<RawLog>, _pos: u64) -> u64 {
        u64::MAX
    }

    /// Which rows are passed on; `None` = all. Filtered rows are passed on one by one, rendered with current names.
    fn filter(&mut self) -> Option<&mut RowFilter> {
        None
    }

    /// Whether activities are passed with the rows, which are then passed one by one, without spans.
    fn activities(&self) -> bool {
        false
    }

    /// Whether values and kinds are counted for statistics.
    fn measures(&self) -> bool {
        false
    }

    /// Whether rows are passed one by one even if only text is needed.
    fn single(&self) -> bool {
        self.want() != Want::TEXT || self.activities()
    }
}

/// Whether rows get their severity when rendered, as neither a filter nor activities need it before.
pub(super) fn has_severity_from_rendering(sink: &mut impl Sink) -> bool {
    !sink.activities() && sink.filter().is_none()
}

/// Discards rows that are only counted, or decoded for their names.
#[derive(Debug, Clone, Copy)]
pub struct NullSink;

impl Sink for NullSink {
    fn measures(&self) -> bool {
        true
    }

    fn single(&self) -> bool {
        false
    }
}

/// The next filter from a log position on, if it differs, and the position up to which the log can then be read.
pub type NextFilter<'a> = Box<dyn FnMut(&Arc<RawLog>, u64) -> (Option<Expr>, u64) + 'a>;

pub struct Filtered<'a> {
    sink: Box<dyn Sink + 'a>,
    filter: RowFilter,
    pub next: Option<NextFilter<'a>>,
    has_changed: bool,
    pub measures: bool,
}

impl fmt::Debug for Filtered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Filtered").field("filter", &self.filter).finish_non_exhaustive()
    }
}

impl<'a> Filtered<'a> {
    pub fn new(sink: Box<dyn Sink + 'a>, filter: Expr) -> Filtered<'a> {
        Filtered { sink, filter: RowFilter::new(filter), next: None, has_changed: false, measures: false }
    }

    /// The first filter, if there is one and it was used to the end.
    pub fn only_filter(&mut self) -> Option<&mut RowFilter> {
        self.filter.active().filter(|_| !self.has_changed)
    }
}

impl Sink for Filtered<'_> {
    fn want(&self) -> Want {
        self.sink.want()
    }

    fn names(&self) -> (View, bool) {
        self.sink.names()
    }

    fn header(&mut self) -> io::Result<()> {
        self.sink.header()
    }

    fn block(&mut self, rows: &[Row], rendered: &Rendered) -> io::Result<()> {
        self.sink.block(rows, rendered)
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        self.sink.row(view)
    }

    fn lines(&mut self) -> &mut [LinePart] {
        self.sink.lines()
    }

    fn write_lines(&mut self) -> io::Result<()> {
        self.sink.write_lines()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }

    fn read_until(&mut self, log: &Arc<RawLog>, pos: u64) -> u64 {
        let (expr, until) = self.next.as_mut().map_or((None, u64::MAX), |next| next(log, pos));
        if let Some(expr) = expr {
            self.filter = RowFilter::midway(expr);
            self.has_changed = true;
        }
        until
    }

    fn filter(&mut self) -> Option<&mut RowFilter> {
        self.filter.active()
    }

    fn measures(&self) -> bool {
        self.measures
    }

    fn single(&self) -> bool {
        self.sink.single()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::chunk::MAX_CHUNK;

    #[test]
    fn what_is_needed_stays_and_the_rest_goes() {
        let mut window = StreamWindow::default();
        window.restart(1000);
        let chunk = |n: u8| vec![n; MAX_CHUNK];
        let len = MAX_CHUNK as u64;
        window.add(&chunk(1), 1000, 1 << 20);
        window.add(&chunk(2), 1000, 1 << 20);
        assert_eq!(window.get(1000, 2), [1, 1]);
        window.add(&chunk(3), 1000 + 2 * len - 1, 1 << 20);
        assert_eq!(window.get(1000 + 2 * len - 1, 2), [2, 3]);
        assert_eq!(window.get(1000, 5), b"");
        assert_eq!(window.bytes.len(), MAX_CHUNK + 1);
    }

    #[test]
    fn it_stays_small_whatever_is_open() {
        let mut window = StreamWindow::default();
        for _ in 0..100 {
            window.add(&vec![0; MAX_CHUNK], 0, 4 * MAX_CHUNK);
            assert!(window.bytes.len() <= 10 * MAX_CHUNK, "{}", window.bytes.len());
        }
        assert_eq!(window.get(u64::MAX - 1, u64::MAX), b"");
    }
}
