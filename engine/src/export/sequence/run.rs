//! Runs both passes: names first, then the lines of the diagram.

use std::{
    io::{BufWriter, Write},
    path::Path,
    sync::atomic::AtomicBool,
};

use super::{diagram::Diagram, wanted::Wanted};
use crate::{
    export::capture::{ExportError, Inputs, into_file, unplaced},
    present::clock::grouped,
};

/// Result of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub lifelines: u64,
    /// Messages between them.
    pub messages: u64,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The decoder's fault, if it failed before the end.
    pub fault: Option<String>,
}

impl Exported {
    /// `5 lifelines, 210 messages`.
    pub fn counts(&self) -> String {
        let of = |count: u64, word: &str| format!("{} {word}{}", grouped(count), if count == 1 { "" } else { "s" });
        format!("{}, {}", of(self.lifelines, "lifeline"), of(self.messages, "message"))
    }
}

/// Writes the diagram to a new file, which appears when it is complete. An existing file is replaced only with `replace`.
///
/// # Errors
/// The file exists or can't be written; an input can't be read.
pub fn export_file(
    inputs: &Inputs<'_>,
    wanted: &Wanted,
    (path, replace): (&Path, bool),
    stop: &AtomicBool,
) -> Result<Exported, ExportError> {
    into_file(path, replace, |file| export(inputs, wanted, BufWriter::new(file), stop))
}

/// Writes the diagram to `out`.
///
/// # Errors
/// The output failed, or an input can't be read.
pub fn export(
    inputs: &Inputs<'_>,
    wanted: &Wanted,
    out: impl Write,
    stop: &AtomicBool,
) -> Result<Exported, ExportError> {
    let first = inputs.first_pass()?;
    let traits = inputs.decoder.renderer(inputs.options).traits();
    let diagram = Diagram::new(wanted, traits, &inputs.decoder.info, first.found.names());
    let mut diagram = diagram.map_err(unplaced)?;
    let fault = inputs.second_pass(&first, &mut diagram, stop)?;
    let (lifelines, messages, notes) = diagram.finish(out).map_err(unplaced)?;
    Ok(Exported { lifelines, messages, notes, fault })
}
