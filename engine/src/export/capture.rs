//! Exports a whole capture for another tool into a new file, in two passes over its logs. Names and clocks reported
//! late apply to the whole capture, so the first pass collects them.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use spytui_plugin_api::{Source, Want};

use crate::{
    io::{file_error::folder_of, log::RawLog, sys::ordinary_permissions},
    open::{Decoder, Options},
    row::RowView,
    store::{BlockNames, View},
    trace::stream::{LogInput, Pipeline, Prepass, Sink},
    unwritable,
};

/// The sources of one target, with their logs up to their current end.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    pub decoder: &'a Arc<Decoder>,
    pub options: &'a Options,
    pub sources: &'a [Source],
    /// The logs, in the order of the sources.
    pub logs: &'a [Arc<RawLog>],
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{} exists already; choose another name", .0.display())]
    Exists(PathBuf),
    #[error("{}", unwritable(path, source))]
    Write { path: PathBuf, source: io::Error },
    /// The decoder refused its options, or a log can't be read.
    #[error("{0}")]
    Input(io::Error),
    #[error("stopped")]
    Stopped,
}

/// A note where no clock is known.
pub(super) const TICKS: &str = "unknown clock rate: one tick is shown as 1 ns";

/// What an export for a viewer wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub tracks: u64,
    pub events: u64,
    pub notes: Vec<String>,
    pub fault: Option<String>,
}

/// Whether a path is a device or a pipe, which takes bytes and has nothing to lose.
pub fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Checks that a file can be created, or with `replace` written, before the work begins.
pub fn can_create(path: &Path, replace: bool) -> Result<(), ExportError> {
    if !replace && path.symlink_metadata().is_ok() {
        return Err(ExportError::Exists(path.to_owned()));
    }
    let missing = || ExportError::Write { path: path.to_owned(), source: io::ErrorKind::NotFound.into() };
    if folder_of(path).is_dir() { Ok(()) } else { Err(missing()) }
}

/// Writes a new file that appears only when complete. An existing one is replaced only with `replace`. A device or a pipe
/// gets the bytes at once.
pub fn into_file<T>(
    path: &Path,
    replace: bool,
    write: impl FnOnce(&mut File) -> Result<T, ExportError>,
) -> Result<T, ExportError> {
    let failed = |source| ExportError::Write { path: path.to_owned(), source };
    let placed = |error| match error {
        ExportError::Write { source, .. } => failed(source),
        other => other,
    };
    if is_device(path) {
        return write(&mut File::options().write(true).open(path).map_err(failed)?).map_err(placed);
    }
    can_create(path, replace)?;
    // The name of the temporary file means nothing to the user.
    let unnamed = |error: io::Error| failed(error.kind().into());
    let mut file = tempfile::Builder::new()
        .prefix(".spytui-")
        .permissions(ordinary_permissions())
        .tempfile_in(folder_of(path))
        .map_err(unnamed)?;
    let written = write(file.as_file_mut()).map_err(placed)?;
    if replace {
        file.persist(path).map_err(|e| failed(e.error))?;
    } else {
        file.persist_noclobber(path).map_err(|e| match e.error.kind() {
            io::ErrorKind::AlreadyExists => ExportError::Exists(path.to_owned()),
            _ => failed(e.error),
        })?;
    }
    Ok(written)
}

impl Inputs<'_> {
    /// Collects names and clocks.
    pub(super) fn first_pass(&self) -> Result<FirstPass, ExportError> {
        let limits = self.logs.iter().map(|log| log.len()).collect();
        let found = Prepass::of(self.decoder, self.options, self.sources, self.logs, &[]);
        Ok(FirstPass { found: found.map_err(ExportError::Input)?, limits })
    }

    /// Passes all rows to a sink, unless `stop` is set. Returns the decoder's fault if it failed before the end.
    pub(super) fn second_pass(
        &self,
        first: &FirstPass,
        sink: &mut impl Sink,
        stop: &AtomicBool,
    ) -> Result<Option<String>, ExportError> {
        let pipeline = Pipeline::in_order(self.decoder, self.options, self.sources, &first.found);
        let mut pipeline = pipeline.map_err(|e| ExportError::Input(io::Error::other(e)))?;
        // A source may continue; the export ends here.
        let input = |source: &usize| LogInput::new(self.logs[*source].clone(), Some(first.limits[*source]));
        let mut inputs: Vec<LogInput> = pipeline.inputs().iter().map(input).collect();
        while !pipeline.is_over() {
            if stop.load(Ordering::Relaxed) {
                return Err(ExportError::Stopped);
            }
            for (number, input) in inputs.iter_mut().enumerate() {
                if pipeline.wants(number) {
                    input.feed(number, &mut pipeline, sink).map_err(ExportError::Input)?;
                }
            }
            pipeline.advance(sink, |_| false).map_err(unplaced)?;
        }
        Ok(pipeline.fault().map(ToString::to_string))
    }
}

/// Writes the text of the last row that has one to a new file.
pub fn export_last_text(inputs: &Inputs<'_>, path: &Path, stop: &AtomicBool) -> Result<(), ExportError> {
    into_file(path, false, |file| {
        let mut last = LastText::default();
        inputs.second_pass(&inputs.first_pass()?, &mut last, stop)?;
        file.write_all(&last.0).map_err(unplaced)
    })
}

#[derive(Default)]
struct LastText(Vec<u8>);

impl Sink for LastText {
    fn want(&self) -> Want {
        Want::TEXT
    }

    fn single(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        if !item.row.kind.is_of_host() && !item.rendered.text.is_empty() {
            self.0 = item.rendered.text.to_vec();
        }
        Ok(())
    }
}

/// Result of the first pass, and how far it read.
pub(super) struct FirstPass {
    pub(super) found: Prepass,
    limits: Vec<u64>,
}

impl FirstPass {
    /// The names known at the end.
    pub(super) fn names(&self) -> BlockNames<'_> {
        BlockNames::newest(&self.found.names, View::Effective, false)
    }
}

/// A failed output; [`into_file`] adds its path.
pub fn unplaced(source: io::Error) -> ExportError {
    ExportError::Write { path: PathBuf::new(), source }
}
