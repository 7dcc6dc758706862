//! Runs both passes: names and clocks first, then packets.

use std::{
    io::{BufWriter, Write},
    path::Path,
    sync::atomic::AtomicBool,
};

use super::{exporter::Exporter, label::SliceLabels};
use crate::export::{
    capture::{ExportError, Inputs, into_file, unplaced},
    words::Words,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub tracks: u64,
    pub events: u64,
    pub notes: Vec<String>,
    pub fault: Option<String>,
}

/// Writes the trace to a new file that appears only when complete. An existing file is replaced only with `replace`.
pub fn export_file(
    inputs: &Inputs<'_>,
    path: &Path,
    replace: bool,
    stop: &AtomicBool,
) -> Result<Exported, ExportError> {
    into_file(path, replace, |file| export(inputs, BufWriter::new(file), stop))
}

/// Writes the trace to `out`.
pub fn export(inputs: &Inputs<'_>, out: impl Write, stop: &AtomicBool) -> Result<Exported, ExportError> {
    let first = inputs.first_pass()?;
    let Inputs { decoder, options, .. } = *inputs;
    let labels = SliceLabels::new(decoder.table, decoder.renderer(options));
    let words = Words::new(&decoder.info, first.found.names()).with_tracks(decoder.formatting.get());
    let mut exporter = Exporter::new(out, words, labels);
    let fault = inputs.second_pass(&first, &mut exporter, stop)?;
    exporter.finish().map_err(unplaced)?;
    let (tracks, events) = exporter.written();
    let rate = (0..inputs.sources.len()).any(|source| first.found.clocks(source).iter().any(|c| c.known()));
    Ok(Exported { tracks, events, notes: exporter.notes(rate), fault })
}
