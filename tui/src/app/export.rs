//! `:export`: everything received so far in the form of another tool; on a thread of its own.

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use spytui_engine::{
    export::perfetto::{export_file, run::Inputs},
    present::clock::grouped,
    session::Decoding,
};
use spytui_plugin_api::Source;

use super::state::App;

impl App {
    /// Writes a trace of the source shown, up to now.
    pub(super) fn export_perfetto(&mut self, path: &Path) {
        let (decoded, path) = (self.decoded.clone(), path.to_owned());
        self.write_beside(move || perfetto(&decoded, &path));
    }
}

fn perfetto(decoded: &Arc<Decoding>, path: &Path) -> Result<String, String> {
    let source = Source { index: decoded.source, ..Source::default() };
    let inputs = Inputs {
        decoder: &decoded.decoder,
        options: &decoded.options,
        sources: &[source],
        logs: std::slice::from_ref(&decoded.log),
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
