//! The recorder: follows a raw log and writes bytes to `NAME.bin` and stream events to `NAME.meta`; with a rotation it
//! goes on in `NAME.2.bin`, `NAME.3.bin` …
//!
//! Every byte is passed to the kernel at most [`thread::PACE`] after its arrival, so a killed process leaves a complete
//! file.

mod failure;
mod files;
mod header;
mod rotation;
#[cfg(test)]
mod tests;
mod thread;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Sender, bounded};
use parking_lot::Mutex;

use super::{clock::host_now, meta::MetaHead, raw::RawLog};
pub use failure::{RecordError, RecordFailure};
use files::Files;
use header::Header;
pub use rotation::Rotation;
use thread::RecordThread;

/// Phase of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordPhase {
    /// Recording.
    Recording,
    /// Stopped by the user, or the input ended and is written completely.
    Stopped,
    /// Writing failed. Receiving continues.
    Failed(RecordFailure),
}

/// State of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordState {
    /// Path of the (first) `.bin` file.
    pub path: PathBuf,
    /// Number of `.bin` files.
    pub files: u64,
    /// Bytes written to all of them.
    pub bytes: u64,
    /// Phase.
    pub phase: RecordPhase,
}

impl RecordState {
    fn new(path: PathBuf) -> RecordState {
        RecordState { path, files: 1, bytes: 0, phase: RecordPhase::Recording }
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<&RecordFailure> {
        match &self.phase {
            RecordPhase::Failed(failure) => Some(failure),
            RecordPhase::Recording | RecordPhase::Stopped => None,
        }
    }

    /// `run.bin`, or `run.bin and 3 more`.
    pub fn names(&self) -> String {
        match self.files {
            0 | 1 => self.path.display().to_string(),
            files => format!("{} and {} more", self.path.display(), files - 1),
        }
    }
}

/// A recording. Dropping it stops it.
pub struct Recorder {
    state: Arc<Mutex<RecordState>>,
    header: Arc<Mutex<Header>>,
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Starts recording to `path` (see [`super::recording_paths`]), from the oldest byte still in the log; with a rotation
    /// it goes on in further files.
    ///
    /// # Errors
    /// If one of the two files exists or can't be created.
    pub fn start(
        log: Arc<RawLog>,
        path: &Path,
        mut head: MetaHead,
        rotation: Option<Rotation>,
    ) -> Result<Recorder, RecordError> {
        let (files, bin_path) = Files::create(path)?;
        head.first = log.first();
        if head.start_ns == 0 {
            head.start_ns = log.host_time_at(head.first).unwrap_or_else(host_now);
        }
        let state = Arc::new(Mutex::new(RecordState::new(bin_path)));
        Ok(Recorder::run(RecordThread::new(log, files, state, head, rotation)))
    }

    fn run(mut work: RecordThread) -> Recorder {
        let (state, header) = (work.shared.clone(), work.header.clone());
        let (stop, stopped) = bounded(1);
        let thread = std::thread::Builder::new().name("record".into()).spawn(move || work.run(&stopped));
        if let Err(error) = &thread {
            state.lock().phase = RecordPhase::Failed(RecordFailure::not_started(error));
        }
        Recorder { state, header, stop, thread: thread.ok() }
    }

    /// Current state.
    pub fn state(&self) -> RecordState {
        self.state.lock().clone()
    }

    /// Names decoder and options with which the bytes are to be read, in the header of the present file and of those to
    /// come. Also after the end.
    ///
    /// # Errors
    /// If the header can't be written again; it is as it was then.
    pub fn name(&self, decoder: &str, options: &[(String, String)]) -> io::Result<()> {
        self.header.lock().name(decoder, options)
    }

    /// Writes the rest of the log, closes the files and returns the final state.
    pub fn stop(&mut self) -> RecordState {
        let _ = self.stop.try_send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.state()
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("state", &self.state()).finish_non_exhaustive()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop();
    }
}
