//! Renders a block and passes its rows to the sink.

use std::io;

use spytui_plugin_api::{Activity, Attachment, Dict, Rendered, RenderedRow, Row, RowIn, row::RowFlags};

use super::{
    block::{Block, cache_of, dict_view, seen},
    sink::Sink,
    target_context::TargetContext,
};
use crate::{
    present::Clock,
    row::{RenderedBlock, RowFilter, RowView, subject::passes_all},
    store::{Names, RowNames},
};

/// Source and host times of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowOrigin<'a> {
    /// Number of the source.
    pub(super) source: u16,
    /// Host time before the batch.
    pub(super) host_ns: Option<u64>,
    /// Host times within the batch, each with the position from which on it holds.
    pub(super) host_times: &'a [(u64, u64)],
}

impl RowOrigin<'_> {
    /// Host time of the last byte of a row.
    #[inline]
    fn host_ns(&self, row: &Row) -> Option<u64> {
        let last = (row.pos + u64::from(row.len)).saturating_sub(1);
        let known = self.host_times.partition_point(|(pos, _)| *pos <= last);
        known.checked_sub(1).and_then(|at| self.host_times.get(at)).map(|(_, ns)| *ns).or(self.host_ns)
    }
}

/// Renders a block and passes it to the sink. `rendered` is memory for what is rendered.
pub(super) fn emit(
    block: &Block<'_>,
    origin: RowOrigin<'_>,
    target: &mut TargetContext,
    rendered: &mut Rendered,
    sink: &mut impl Sink,
) -> io::Result<()> {
    emit_rows(block, origin, target, rendered, sink)?;
    if let Some(last) = block.rows.iter().rev().find(|row| row.has(RowFlags::TIME_OWN)) {
        target.before.set(last.time, target.clock_or(block.clock), block.epoch);
    }
    Ok(())
}

/// The same: as a whole where that will do, else row by row.
fn emit_rows(
    block: &Block<'_>,
    origin: RowOrigin<'_>,
    target: &TargetContext,
    rendered: &mut Rendered,
    sink: &mut impl Sink,
) -> io::Result<()> {
    let (view, short) = sink.names();
    let names = Names { dictionary: &target.dictionary, others: &[], row: u64::MAX, rows: &[], view, short };
    // A filter looks names up for few rows.
    let cached = if sink.filter().is_some() { None } else { cache_of(&names, block.rows.len()) };
    let clock = target.clock_or(block.clock);
    let mut rows = BlockRows {
        block,
        origin,
        names: seen(&names, &cached),
        several: target.several,
        apart: target.apart,
        clock,
        before: target.before.time(clock, block.epoch),
        // The first row is already counted.
        records: block.records - u64::from(block.rows.first().is_some_and(|row| row.is_record())),
        activities: block.activities(),
        attachments: block.attachments(),
    };
    let places = match sink.filter() {
        None => (0..block.rows.len()).map(|at| rows.next(at)).collect(),
        Some(filter) => admitted(&mut rows, &names, filter, rendered),
    };
    let inputs = inputs(&places);
    if sink.want().is_empty() {
        rendered.clear();
    } else {
        // A sink may have the names for what is rendered from elsewhere.
        let names = Names { dictionary: sink.dictionary().unwrap_or(names.dictionary), ..names };
        let cached = cache_of(&names, inputs.len());
        block.render(&inputs, &dict_view(&names, &cached), sink.want(), rendered);
    }
    if !sink.single() {
        return sink.block(&RenderedBlock { rows: block.rows, rendered });
    }
    for (at, place) in places.iter().enumerate() {
        let view = rows.view(place, rendered.row(at));
        sink.row(&view)?;
        if let Some(filter) = sink.filter().filter(|_| !passes_all(view.row)) {
            filter.count();
        }
    }
    Ok(())
}

/// The rows that a filter admits. Of a row that it can't decide otherwise, no more is rendered than it asks for.
fn admitted<'a>(
    rows: &mut BlockRows<'a>,
    names: &Names<'_>,
    filter: &mut RowFilter,
    rendered: &mut Rendered,
) -> Vec<RowPlace<'a>> {
    filter.begin_block(rows.names.plain(), rows.block.epoch, rows.block.renderer.traits());
    let (mut places, mut open) = (Vec::new(), Vec::new());
    for at in 0..rows.block.rows.len() {
        let place = rows.next(at);
        let row = place.input.row;
        match passes_all(row).then_some(true).or_else(|| filter.decide(row, || rows.view(&place, Default::default()))) {
            Some(false) => {}
            Some(true) => places.push((at, place)),
            None => open.push((at, place)),
        }
    }
    if open.is_empty() {
        return places.into_iter().map(|(_, place)| place).collect();
    }
    let undecided: Vec<_> = open.iter().map(|(_, place)| place.input).collect();
    rows.block.render(&undecided, &Dict::new(names), filter.request(), rendered);
    let matching = open.into_iter().enumerate();
    places.extend(
        matching.filter(|(i, (_, place))| filter.matches(&rows.view(place, rendered.row(*i)))).map(|(_, row)| row),
    );
    places.sort_unstable_by_key(|(at, _)| *at);
    places.into_iter().map(|(_, place)| place).collect()
}

fn inputs<'a>(places: &[RowPlace<'a>]) -> Vec<RowIn<'a>> {
    places.iter().map(|place| place.input).collect()
}

/// Iterates over the rows of a block.
struct BlockRows<'a> {
    block: &'a Block<'a>,
    origin: RowOrigin<'a>,
    names: &'a dyn RowNames,
    several: bool,
    apart: bool,
    clock: Clock,
    /// Time of the previous row with a time stamp, if it can be compared.
    before: Option<u64>,
    records: u64,
    /// Activities and attachments from the next row on.
    activities: &'a [Activity],
    attachments: &'a [Attachment],
}

/// A row with what it has from those before it.
struct RowPlace<'a> {
    input: RowIn<'a>,
    n: Option<u64>,
    before: Option<u64>,
    activities: &'a [Activity],
}

impl<'a> BlockRows<'a> {
    /// Goes on to the row with this index.
    #[inline]
    fn next(&mut self, at: usize) -> RowPlace<'a> {
        let (row, number) = (&self.block.rows[at], self.block.first + at);
        let activities = take_while(&mut self.activities, |activity| activity.at as usize <= number);
        let attachments = take_while(&mut self.attachments, |attachment| attachment.at as usize <= number);
        self.records += u64::from(row.is_record());
        let before = self.before;
        if row.has(RowFlags::TIME_OWN) {
            self.before = Some(row.time);
        }
        let input = self.block.input(at, attachments);
        RowPlace { input, n: row.is_record().then_some(self.records), before, activities }
    }

    /// The row with what was rendered of it.
    #[inline]
    fn view<'i>(&'i self, place: &RowPlace<'i>, rendered: RenderedRow<'i>) -> RowView<'i> {
        let (block, input) = (self.block, place.input);
        RowView {
            info: &block.decoder.info,
            labels: block.decoder.labels(),
            source: (self.several || self.apart).then_some(self.origin.source),
            apart: self.apart,
            n: place.n,
            row: input.row,
            span: Default::default(),
            attachments: input.attachments.as_slice(),
            activities: place.activities,
            blob: &block.batch.bytes,
            cfg: block.configuration,
            raw: input.raw.as_slice(),
            rendered,
            names: self.names,
            clock: self.clock,
            before: place.before,
            host_ns: self.origin.host_ns(input.row),
            epoch: block.epoch,
            marks: &[],
        }
    }
}

/// Takes the first elements for which this holds.
#[inline]
fn take_while<'a, T>(rest: &mut &'a [T], holds: impl Fn(&T) -> bool) -> &'a [T] {
    let count = rest.iter().take_while(|one| holds(one)).count();
    let (taken, left) = rest.split_at(count);
    *rest = left;
    taken
}
