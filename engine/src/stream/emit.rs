//! Renders a block and passes its rows to the sink.

use std::io;

use spytui_plugin_api::{Rendered, render::Want, row::RowFlags};

use super::{
    block::{Block, seen, view},
    sink::Sink,
    target_context::TargetContext,
};
use crate::{
    render::{self, Item},
    store::{Dictionary, Names},
};

/// Memory for what is rendered.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// The text of a block: quicker than row by row.
    block: Rendered,
    /// What is asked of one row beside its text.
    row: Rendered,
}

/// What the rows of a block have in common for a sink, beside their context.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowOrigin {
    /// Number of the source.
    pub(super) source: u16,
    /// Host time of the last bytes.
    pub(super) host_ns: Option<u64>,
}

/// Passes a block to the sink: as a whole where only text is wanted, else row by row.
pub(super) fn emit(
    block: &Block<'_>,
    origin: RowOrigin,
    target: &mut TargetContext,
    buffers: &mut Buffers,
    sink: &mut impl Sink,
) -> io::Result<()> {
    buffers.block.clear();
    if sink.want().contains(Want::TEXT) {
        // Names that the sink has from elsewhere are for the text alone.
        let names = names(sink.dictionary().unwrap_or(&target.dictionary), sink);
        block.render_text(&names, &mut buffers.block);
    }
    if !sink.single() {
        return sink.block(&render::Block { rows: block.rows(), rendered: &buffers.block });
    }
    emit_rows(block, origin, target, buffers, sink)
}

fn emit_rows(
    block: &Block<'_>,
    origin: RowOrigin,
    target: &mut TargetContext,
    buffers: &mut Buffers,
    sink: &mut impl Sink,
) -> io::Result<()> {
    let details = sink.want() & !Want::TEXT;
    let names = names(&target.dictionary, sink);
    let cached = block.cached(&names);
    let (names, view) = (seen(&names, &cached), view(&names, &cached));
    let (mut begin, mut activities) = (0, block.activities());
    // The first row is counted.
    let mut records = block.records - u64::from(block.rows().first().is_some_and(|row| row.is_record()));
    let clock = if block.clock.known() { block.clock } else { target.clock };
    for (i, input) in block.inputs.iter().enumerate() {
        let end = buffers.block.ends.get(i).map_or(buffers.block.text.len(), |&end| end as usize);
        let text = buffers.block.text.get(begin..end).unwrap_or_default();
        begin = end;
        let fault = block.render_details(input, &view, details, &mut buffers.row);
        let text = fault.as_deref().map_or(text, str::as_bytes);
        let own = activities.iter().take_while(|activity| activity.at as usize <= block.first + i).count();
        let (activities_of_row, later) = activities.split_at(own);
        activities = later;
        records += u64::from(input.row.is_record());
        let item = Item {
            info: &block.decoder.info,
            legend: block.decoder.legend(),
            source: (target.several || target.apart).then_some(origin.source),
            apart: target.apart,
            n: input.row.is_record().then_some(records),
            row: input.row,
            span: Default::default(),
            attachments: input.attachments.as_slice(),
            activities: activities_of_row,
            blob: &block.batch.bytes,
            cfg: block.configuration,
            raw: input.raw.as_slice(),
            text,
            rendered: &buffers.row,
            names,
            clock,
            before: target.before.time(clock),
            host_ns: origin.host_ns,
            epoch: block.epoch,
        };
        sink.item(&item)?;
        if input.row.has(RowFlags::TIME_OWN) {
            target.before.set(input.row.time, clock);
        }
    }
    Ok(())
}

/// Names as of now.
fn names<'a>(dictionary: &'a Dictionary, sink: &impl Sink) -> Names<'a> {
    let (view, short) = sink.names();
    Names { dictionary, others: &[], first: u64::MAX, fixed: true, view, short }
}
