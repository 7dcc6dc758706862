//! Exports everything received so far for another tool.

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

/// Writes a trace; returns the message about it.
pub(super) fn perfetto(decoding: &Arc<Decoding>, path: &Path) -> Result<String, String> {
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
