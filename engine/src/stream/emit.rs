//! Renders a block and passes its rows to the sink.

use std::io;

use spytui_plugin_api::{Activity, DictView, Rendered, RenderedRow, Row, RowIn, row::RowFlags};

use super::{
    block::{Block, cache_of, dict_view, seen},
    sink::Sink,
    target_context::TargetContext,
};
use crate::{
    present::Clock,
    render::{self, Item, subject::passes_all},
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
    };
    if sink.filter().is_some() {
        return emit_filtered(&mut rows, &names, rendered, sink);
    }
    let inputs = block.inputs();
    match sink.dictionary() {
        _ if sink.want().is_empty() => rendered.clear(),
        // Names that the sink has from elsewhere are for what is rendered alone.
        Some(dictionary) => {
            let names = Names { dictionary, ..names };
            let cached = cache_of(&names, block.rows.len());
            block.render(&inputs, &dict_view(&names, &cached), sink.want(), rendered);
        }
        None => block.render(&inputs, &dict_view(&names, &cached), sink.want(), rendered),
    }
    if !sink.single() {
        return sink.block(&render::RenderedBlock { rows: block.rows, rendered });
    }
    for (at, input) in inputs.iter().enumerate() {
        let place = rows.next(at);
        sink.item(&rows.item_of(&place, *input, rendered.row(at)))?;
    }
    Ok(())
}

/// Passes on the rows that a filter admits. Of a row that it can't decide otherwise, no more is rendered than it asks for.
fn emit_filtered(
    rows: &mut BlockRows<'_>,
    names: &Names<'_>,
    rendered: &mut Rendered,
    sink: &mut impl Sink,
) -> io::Result<()> {
    let want = sink.want();
    let Some(filter) = sink.filter() else { return Ok(()) };
    filter.begin_block(rows.names.plain(), rows.block.epoch, rows.block.renderer.traits());
    let (mut places, mut open) = (Vec::new(), Vec::new());
    for at in 0..rows.block.rows.len() {
        let place = rows.next(at);
        let row = &rows.block.rows[at];
        let item = || rows.item(&place, RenderedRow::default());
        match if passes_all(row) { Some(true) } else { filter.decide(row, item) } {
            Some(false) => continue,
            Some(true) => {}
            None => open.push(places.len()),
        }
        places.push((place, true));
    }
    let inputs = |places: &mut dyn Iterator<Item = &RowPlace<'_>>| -> Vec<RowIn<'_>> {
        places.map(|place| rows.block.input(place.at)).collect()
    };
    if !open.is_empty() {
        let undecided = inputs(&mut open.iter().map(|&at| &places[at].0));
        rows.block.render(&undecided, &DictView::new(names), filter.request(), rendered);
        for (i, &at) in open.iter().enumerate() {
            places[at].1 = filter.matches(&rows.item(&places[at].0, rendered.row(i)));
        }
        places.retain(|(_, passes)| *passes);
    }
    let cached = cache_of(names, places.len());
    let admitted = inputs(&mut places.iter().map(|(place, _)| place));
    rows.block.render(&admitted, &dict_view(names, &cached), want, rendered);
    for (i, (place, _)) in places.iter().enumerate() {
        let item = rows.item(place, rendered.row(i));
        sink.item(&item)?;
        if let Some(filter) = sink.filter().filter(|_| !passes_all(item.row)) {
            filter.count();
        }
    }
    Ok(())
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
    activities: &'a [Activity],
}

/// What a row has from those before it.
struct RowPlace<'a> {
    at: usize,
    n: Option<u64>,
    before: Option<u64>,
    activities: &'a [Activity],
}

impl<'a> BlockRows<'a> {
    /// Goes on to the row with this index.
    #[inline]
    fn next(&mut self, at: usize) -> RowPlace<'a> {
        let row = &self.block.rows[at];
        let own = self.activities.iter().take_while(|activity| activity.at as usize <= self.block.first + at).count();
        let (activities, later) = self.activities.split_at(own);
        self.activities = later;
        self.records += u64::from(row.is_record());
        let before = self.before;
        if row.has(RowFlags::TIME_OWN) {
            self.before = Some(row.time);
        }
        RowPlace { at, n: row.is_record().then_some(self.records), before, activities }
    }

    /// The row with what was rendered of it.
    fn item<'i>(&'i self, place: &RowPlace<'i>, rendered: RenderedRow<'i>) -> Item<'i> {
        self.item_of(place, self.block.input(place.at), rendered)
    }

    /// The same, with the decoder's input.
    #[inline]
    fn item_of<'i>(&'i self, place: &RowPlace<'i>, input: RowIn<'i>, rendered: RenderedRow<'i>) -> Item<'i> {
        let block = self.block;
        Item {
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
