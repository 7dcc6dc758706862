//! Recordings of sources.

use std::path::{Path, PathBuf};

use spytui_engine::present::clock::grouped;

use super::{Edge, result};
use crate::{
    cli::links::{default_recording, recordings},
    model::{Message, Model},
};

impl Edge {
    /// Starts a recording of every source; returns the names of the files.
    ///
    /// # Errors
    /// One of the recordings cannot be started; those before it go on.
    pub fn record_all(&mut self, path: &Path) -> Result<String, String> {
        let sources: Vec<usize> = (0..self.ports.len()).collect();
        self.record_sources(path, &sources)
    }

    pub(super) fn record(
        &mut self,
        sources: &[usize],
        path: Option<PathBuf>,
        quit: bool,
        model: &Model,
    ) -> Vec<Message> {
        let started = self.record_sources(&path.unwrap_or_else(default_recording), sources);
        if !quit {
            let gone: u64 = model.links.shown().map(|source| source.log().first()).sum();
            let gone = if gone > 0 { format!("; the first {} B are gone", grouped(gone)) } else { String::new() };
            let said = |names| format!("recording to {names} with everything received so far{gone}");
            return vec![result(started.map(said))];
        }
        // The recording is complete when it is stopped.
        match started.and_then(|_| self.stop_recording(sources)) {
            Ok(said) => vec![Message::Done(said), Message::Quit(0)],
            Err(error) => vec![Message::Failed(error)],
        }
    }

    fn record_sources(&mut self, path: &Path, sources: &[usize]) -> Result<String, String> {
        let cores: Vec<Option<u16>> = sources.iter().map(|&source| self.ports[source].core()).collect();
        let paths = recordings(path, &cores);
        for (&source, path) in sources.iter().zip(&paths) {
            self.ports[source].record(path)?;
        }
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        Ok(names.join(", "))
    }

    pub(super) fn stop_recording(&mut self, sources: &[usize]) -> Result<String, String> {
        let mut words = Vec::new();
        for &source in sources {
            if let Some(mut recorder) = self.ports[source].recorder.take() {
                let state = recorder.stop();
                words.push(format!("{} B in {}", grouped(state.bytes), state.path.display()));
            }
        }
        if words.is_empty() { Err("nothing is being recorded".to_owned()) } else { Ok(words.join(", ")) }
    }
}
