//! Exports everything received so far for another tool.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use spytui_engine::{
    export::perfetto::{export_file, run::Inputs},
    present::clock::grouped,
    trace::session::Decoding,
    unwritable,
};
use spytui_plugin_api::Source;

use super::Edge;
use crate::model::Message;

impl Edge {
    /// Exports in a thread, if a new file can be made there.
    pub(super) fn export_perfetto(&mut self, decoding: Arc<Decoding>, path: PathBuf) -> Option<Message> {
        match check(&path) {
            Ok(()) => self.threads.write(self.wake.clone(), move || perfetto(&decoding, &path)),
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

/// Writes a trace; returns the message about it.
fn perfetto(decoding: &Arc<Decoding>, path: &Path) -> Result<String, String> {
    let source = Source { index: decoding.source, ..Source::default() };
    let inputs = Inputs {
        decoder: &decoding.decoder,
        options: &decoding.options,
        sources: &[source],
        logs: std::slice::from_ref(&decoding.log),
    };
    let exported = export_file(&inputs, path, false, &AtomicBool::new(false)).map_err(|e| e.to_string())?;
    let (tracks, events) = (grouped(exported.tracks), grouped(exported.events));
    let mut text = format!("{tracks} tracks, {events} events in {}", path.display());
    for note in exported.notes.iter().chain(&exported.fault) {
        text.push_str("; ");
        text.push_str(note);
    }
    Ok(text)
}
