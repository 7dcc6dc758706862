//! Runs both passes: names and clocks first, then packets.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use spytui_plugin_api::Source;

use super::{exporter::Exporter, label::SliceLabels};
use crate::{
    io::log::{Cursor, LogEvent, RawLog, kind, reader::LogReader},
    io::sys::ordinary_permissions,
    open::{Decoder, Options},
    trace::stream::{Pipeline, Prepass},
    unwritable,
};

/// The input: the sources of one target, with their logs up to their current end.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The decoder.
    pub decoder: &'a Arc<Decoder>,
    /// Its options.
    pub options: &'a Options,
    /// The sources.
    pub sources: &'a [Source],
    /// Their logs, in the same order.
    pub logs: &'a [Arc<RawLog>],
}

/// Result of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Tracks.
    pub tracks: u64,
    /// Events.
    pub events: u64,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The decoder's fault, if it failed before the end.
    pub fault: Option<String>,
}

/// Why the export failed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The output file exists.
    #[error("{} exists already; choose another name", .0.display())]
    Exists(PathBuf),
    /// The output can't be written.
    #[error("{}", unwritable(path, source))]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The decoder refused its options, or a log could not be read.
    #[error("{0}")]
    Input(io::Error),
    /// The export was cancelled.
    #[error("stopped")]
    Stopped,
}

/// Writes the trace to a new file, which appears when it is complete. An existing file is replaced only with `replace`.
///
/// # Errors
/// The file exists or can't be written; an input can't be read.
pub fn export_file(
    inputs: &Inputs<'_>,
    path: &Path,
    replace: bool,
    stop: &AtomicBool,
) -> Result<Exported, ExportError> {
    let failed = |source| ExportError::Write { path: path.to_owned(), source };
    if !replace && path.symlink_metadata().is_ok() {
        return Err(ExportError::Exists(path.to_owned()));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(failed(io::ErrorKind::NotFound.into()));
    }
    // The name of the temporary file would mean nothing to the user.
    let unnamed = |error: io::Error| failed(error.kind().into());
    let mut file = tempfile::Builder::new()
        .prefix(".spytui-")
        .permissions(ordinary_permissions())
        .tempfile_in(folder)
        .map_err(unnamed)?;
    let exported = export(inputs, BufWriter::new(file.as_file_mut()), stop).map_err(|error| match error {
        ExportError::Write { source, .. } => failed(source),
        other => other,
    })?;
    if replace {
        file.persist(path).map_err(|e| failed(e.error))?;
    } else {
        file.persist_noclobber(path).map_err(|e| match e.error.kind() {
            io::ErrorKind::AlreadyExists => ExportError::Exists(path.to_owned()),
            _ => failed(e.error),
        })?;
    }
    Ok(exported)
}

/// Writes the trace to `out`.
///
/// # Errors
/// The output failed, or an input can't be read.
pub fn export(inputs: &Inputs<'_>, out: impl Write, stop: &AtomicBool) -> Result<Exported, ExportError> {
    let Inputs { decoder, options, sources, logs } = *inputs;
    let limits: Vec<u64> = logs.iter().map(|log| log.len()).collect();
    let prepass = Prepass::of(decoder, options, sources, logs, &[]).map_err(ExportError::Input)?;
    let pipeline = Pipeline::in_order(decoder, options, sources, &prepass);
    let mut pipeline = pipeline.map_err(|e| ExportError::Input(io::Error::other(e)))?;
    let labels = SliceLabels::new(decoder.table, decoder.renderer(options));
    let mut exporter = Exporter::new(out, &decoder.info, labels, prepass.names());
    let input = |source: &usize| Input::new(&logs[*source], limits[*source]);
    let mut inputs: Vec<Input> = pipeline.inputs().iter().map(input).collect();
    let failed = |source| ExportError::Write { path: PathBuf::new(), source };
    while !pipeline.is_over() {
        if stop.load(Ordering::Relaxed) {
            return Err(ExportError::Stopped);
        }
        for (number, input) in inputs.iter_mut().enumerate() {
            if pipeline.wants(number) {
                input.feed(number, &mut pipeline, &mut exporter).map_err(ExportError::Input)?;
            }
        }
        pipeline.advance(&mut exporter, |_| false).map_err(failed)?;
    }
    exporter.finish().map_err(failed)?;
    let (tracks, events) = exporter.written();
    let rate = (0..sources.len()).any(|source| prepass.clocks(source).iter().any(|c| c.known()));
    let fault = pipeline.fault().map(ToString::to_string);
    Ok(Exported { tracks, events, notes: exporter.notes(rate), fault })
}

/// A log being fed, up to its length at the start of the export.
struct Input {
    reader: LogReader,
    limit: u64,
    /// The END event was fed.
    ended: bool,
}

impl Input {
    fn new(log: &Arc<RawLog>, limit: u64) -> Input {
        Input { reader: LogReader::new(log.clone(), Cursor::default()), limit, ended: false }
    }

    fn feed<W: Write>(&mut self, number: usize, pipeline: &mut Pipeline, sink: &mut Exporter<'_, W>) -> io::Result<()> {
        let reader = &mut self.reader;
        let more = !self.ended && reader.next(self.limit).map_err(io::Error::other)?;
        if more && reader.at().pos <= self.limit {
            self.ended = reader.events.iter().any(|m| m.kind == kind::END);
            pipeline.feed(number, reader.pos, &reader.bytes, &reader.events, sink);
        } else if !self.ended {
            // The source may go on; the trace ends here.
            self.ended = true;
            let end = LogEvent { pos: self.limit, host_ns: 0, kind: kind::END, arg: 0, text: Vec::new() };
            pipeline.feed(number, self.limit, b"", &[end], sink);
        } else {
            pipeline.end(number);
        }
        Ok(())
    }
}
