//! Perfetto trace export, from activities and names alone, for any protocol.
//!
//! Reads the logs twice, because names and clocks reported late apply to the whole trace. Memory use grows with the
//! number of tracks and names, not with the length of the trace.
//!
//! | module | what is in it |
//! |---|---|
//! | `exporter` | converts rows and activities to packets, on one time line: slices, counters, markers and values |
//! | `tracks` | class, title and tracks of each entity, created on first use |
//! | `slice_labels` | slice names given by the decoder or a formatter |
//! | [`packets`] | packet writer |
//! | [`proto`] | protobuf messages |

mod exporter;
pub mod packets;
pub mod proto;
mod slice_labels;
mod tracks;

use std::{
    io::{BufWriter, Write},
    path::Path,
    sync::atomic::AtomicBool,
};

use self::{exporter::Exporter, slice_labels::SliceLabels};
use crate::export::{
    capture::{ExportError, Exported, Inputs, into_file, unplaced},
    words::EntityNames,
};

/// Writes the trace to a new file that appears only when complete. An existing file is replaced only with `replace`.
pub fn export_file(
    inputs: &Inputs<'_>,
    path: &Path,
    replace: bool,
    stop: &AtomicBool,
) -> Result<Exported, ExportError> {
    into_file(path, replace, |file| export(inputs, BufWriter::new(file), stop))
}

pub fn export(inputs: &Inputs<'_>, out: impl Write, stop: &AtomicBool) -> Result<Exported, ExportError> {
    let first = inputs.first_pass()?;
    let Inputs { decoder, options, .. } = *inputs;
    let labels = SliceLabels::new(decoder.table, decoder.renderer(options));
    let names = EntityNames::new(&decoder.info, &first.found.names);
    let words = EntityNames { formatters: decoder.formatting.get(), ..names };
    let mut exporter = Exporter::new(out, words, labels);
    let fault = inputs.second_pass(&first, &mut exporter, stop)?;
    exporter.finish().map_err(unplaced)?;
    let (tracks, events) = exporter.written();
    let rate = (0..inputs.sources.len()).any(|source| first.found.clocks(source).iter().any(|c| c.known()));
    Ok(Exported { tracks, events, notes: exporter.notes(rate), fault })
}
