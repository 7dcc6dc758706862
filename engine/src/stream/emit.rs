//! Renders a block and passes its rows to the sink.

use std::io;

use spytui_plugin_api::{Rendered, row::RowFlags};

use super::{
    block::{Block, seen, view},
    sink::Sink,
    target_context::TargetContext,
};
use crate::{
    render::{self, Item},
    store::{Dictionary, Names},
};

/// What the rows of a block have in common for a sink, beside their context.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowOrigin {
    /// Number of the source.
    pub(super) source: u16,
    /// Host time of the last bytes.
    pub(super) host_ns: Option<u64>,
}

/// Renders a block and passes it to the sink: as a whole where that will do, else row by row. `rendered` is memory for
/// what is rendered.
pub(super) fn emit(
    block: &Block<'_>,
    origin: RowOrigin,
    target: &mut TargetContext,
    rendered: &mut Rendered,
    sink: &mut impl Sink,
) -> io::Result<()> {
    let names = names(&target.dictionary, sink);
    let cached = block.cached(&names);
    match sink.dictionary() {
        _ if sink.want().is_empty() => rendered.clear(),
        // Names that the sink has from elsewhere are for what is rendered alone.
        Some(dictionary) => {
            let names = Names { dictionary, ..names };
            let cached = block.cached(&names);
            block.render(&view(&names, &cached), sink.want(), rendered);
        }
        None => block.render(&view(&names, &cached), sink.want(), rendered),
    }
    if !sink.single() {
        return sink.block(&render::Block { rows: block.rows(), rendered });
    }
    let mut activities = block.activities();
    // The first row is counted.
    let mut records = block.records - u64::from(block.rows().first().is_some_and(|row| row.is_record()));
    let clock = if block.clock.known() { block.clock } else { target.clock };
    for (i, input) in block.inputs.iter().enumerate() {
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
            rendered: rendered.row(i),
            names: seen(&names, &cached),
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
