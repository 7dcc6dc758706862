//! Exports everything received so far for another tool.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use spytui_engine::{
    export::{
        capture::{ExportError, Inputs},
        perfetto,
        sequence::{self, Wanted},
    },
    present::clock::grouped,
    trace::session::Decoding,
    unwritable,
};
use spytui_plugin_api::Source;

use super::Edge;
use crate::model::Message;

impl Edge {
    /// Exports a trace in a thread, if a new file can be made there.
    pub(super) fn export_perfetto(&mut self, decoding: Arc<Decoding>, path: PathBuf) -> Option<Message> {
        self.export(path, move |path| {
            exported(&[decoding], |inputs| {
                let exported = perfetto::export_file(inputs, path, false, &AtomicBool::new(false))?;
                let counts = format!("{} tracks, {} events", grouped(exported.tracks), grouped(exported.events));
                Ok(said(counts, path, exported.notes.iter().chain(&exported.fault)))
            })
        })
    }

    /// The same for a sequence diagram.
    pub(super) fn export_sequence(
        &mut self,
        decodings: Vec<Arc<Decoding>>,
        wanted: Wanted,
        path: PathBuf,
    ) -> Option<Message> {
        self.export(path, move |path| {
            exported(&decodings, |inputs| {
                let exported = sequence::export_file(inputs, &wanted, (path, false), &AtomicBool::new(false))?;
                Ok(said(exported.counts(), path, exported.notes.iter().chain(&exported.fault)))
            })
        })
    }

    fn export(
        &mut self,
        path: PathBuf,
        work: impl FnOnce(&Path) -> Result<String, String> + Send + 'static,
    ) -> Option<Message> {
        match check(&path) {
            Ok(()) => self.threads.write(self.wake.clone(), move || work(&path)),
            Err(error) => Some(Message::Refused(error)),
        }
    }
}

/// Looks whether a new file can be made there, before the work begins.
///
/// # Errors
/// It can't; in words.
fn check(path: &Path) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let problem = match folder {
        _ if path.symlink_metadata().is_ok() => io::ErrorKind::AlreadyExists,
        Some(folder) if !folder.is_dir() => io::ErrorKind::NotFound,
        _ => return Ok(()),
    };
    Err(unwritable(path, &problem.into()))
}

/// Exports what these decodings of a target have decoded.
fn exported(
    decodings: &[Arc<Decoding>],
    export: impl FnOnce(&Inputs<'_>) -> Result<String, ExportError>,
) -> Result<String, String> {
    let Some(first) = decodings.first() else { return Err("there is nothing to export".to_owned()) };
    let source = |decoding: &Arc<Decoding>| Source { index: decoding.source, core: decoding.core };
    let sources: Vec<Source> = decodings.iter().map(source).collect();
    let logs: Vec<_> = decodings.iter().map(|decoding| decoding.log.clone()).collect();
    let inputs = Inputs { decoder: &first.decoder, options: &first.options, sources: &sources, logs: &logs };
    export(&inputs).map_err(|error| error.to_string())
}

/// `59 tracks, 210 events in oven.pftrace; …`
fn said<'n>(counts: String, path: &Path, notes: impl Iterator<Item = &'n String>) -> String {
    let mut text = format!("{counts} in {}", path.display());
    for note in notes {
        text.push_str("; ");
        text.push_str(note);
    }
    text
}
