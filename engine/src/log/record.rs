//! The recorder: follows a raw log and writes bytes to `NAME.bin` and stream events to `NAME.meta`.
//!
//! Every byte is passed to the kernel at most [`PACE`] after its arrival, so a killed process leaves a complete file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, select};

use super::{
    clock::host_now,
    error::LogError,
    event::{LogEvent, kind},
    format::size_text,
    meta::{MetaHead, head_line, mark_line, recording_paths},
    raw::RawLog,
};
use crate::unwritable;

/// Pause between two writes at low rates.
const PACE: Duration = Duration::from_millis(50);
/// With this much waiting there is no pause.
const MUCH: u64 = 64 << 10;
/// Bytes written at once.
const FRAGMENT: usize = 256 << 10;

/// A recording could not be started.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file of that name exists.
    #[error("{} exists already, and a recording never overwrites: choose another name", .0.display())]
    Exists(PathBuf),
    /// The file can't be created.
    #[error("{}", unwritable(path, source))]
    Create {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Phase of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordPhase {
    /// Recording.
    Recording,
    /// Stopped by the user, or the input ended and is written completely.
    Stopped,
    /// Writing failed; the text says why and what to do. Receiving continues.
    Failed(String),
}

/// State of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordState {
    /// Path of the `.bin` file.
    pub path: PathBuf,
    /// Bytes written.
    pub bytes: u64,
    /// Bytes dropped from the log before they could be written.
    pub missed: u64,
    /// Phase.
    pub phase: RecordPhase,
}

/// A recording. Dropping it stops it.
#[derive(Debug)]
pub struct Recorder {
    state: Arc<Mutex<RecordState>>,
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Starts recording to `path` (see [`recording_paths`]), from the oldest byte still in the log.
    ///
    /// # Errors
    /// If one of the two files exists or can't be created.
    pub fn start(log: Arc<RawLog>, path: &Path, mut head: MetaHead) -> Result<Recorder, RecordError> {
        let (bin_path, meta_path) = recording_paths(path);
        let bin = create(&bin_path)?;
        let meta = create(&meta_path).inspect_err(|_| drop(std::fs::remove_file(&bin_path)))?;
        head.first = log.first();
        if head.start_ns == 0 {
            head.start_ns = log.host_time_at(head.first).unwrap_or_else(host_now);
        }
        Ok(Recorder::run(log, Files { bin, meta }, bin_path, head))
    }

    fn run(log: Arc<RawLog>, files: Files, path: PathBuf, head: MetaHead) -> Recorder {
        let phase = RecordPhase::Recording;
        let state = Arc::new(Mutex::new(RecordState { path, bytes: 0, missed: 0, phase }));
        let (stop, stopped) = bounded(1);
        let first = head.first;
        let mut work =
            RecordThread { log, files, shared: state.clone(), pos: first, bytes: 0, missed: 0, event: 0, base: first };
        let thread = std::thread::Builder::new().name("record".into()).spawn(move || work.run(&head, &stopped));
        if let Err(error) = &thread {
            lock(&state).phase = RecordPhase::Failed(format!("Recording did not start: {error}."));
        }
        Recorder { state, stop, thread: thread.ok() }
    }

    /// Current state.
    pub fn state(&self) -> RecordState {
        lock(&self.state).clone()
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

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Files {
    bin: File,
    meta: File,
}

struct RecordThread {
    log: Arc<RawLog>,
    files: Files,
    shared: Arc<Mutex<RecordState>>,
    /// Position in the log up to which everything is written.
    pos: u64,
    /// Bytes written to the file.
    bytes: u64,
    missed: u64,
    /// Index of the next stream event.
    event: u64,
    /// Position in the log of byte 0 of the file, if nothing had been missed.
    base: u64,
}

impl RecordThread {
    fn run(&mut self, head: &MetaHead, stopped: &Receiver<()>) {
        let result =
            self.files.meta.write_all(&head_line(head)).map_err(Trouble::Disk).and_then(|()| self.follow(stopped));
        let phase = match result {
            Ok(()) => RecordPhase::Stopped,
            Err(trouble) => RecordPhase::Failed(self.failure(&trouble)),
        };
        self.publish();
        lock(&self.shared).phase = phase;
    }

    fn follow(&mut self, stopped: &Receiver<()>) -> Result<(), Trouble> {
        let wake = self.log.subscribe();
        loop {
            let last = self.log.ended();
            self.catch_up()?;
            self.publish();
            if last {
                return Ok(());
            }
            select! {
                recv(stopped) -> _ => return self.catch_up(),
                recv(wake) -> _ => {}
            }
            if self.log.len() - self.pos < MUCH && stopped.recv_timeout(PACE).is_ok() {
                return self.catch_up();
            }
        }
    }

    /// Writes bytes and stream events up to the current end of the log.
    fn catch_up(&mut self) -> Result<(), Trouble> {
        let mut piece = Vec::new();
        let end = self.log.len();
        while self.pos < end {
            let want = FRAGMENT.min(usize::try_from(end - self.pos).unwrap_or(FRAGMENT));
            match self.log.read_into(self.pos, want, &mut piece) {
                Ok(()) => self.write_bytes(&piece)?,
                Err(LogError::Gone { first, .. }) => self.skip_to(first)?,
                // The link that follows the file will say where the log goes on.
                Err(LogError::Shrunk { .. }) if !self.log.ended() => break,
                Err(error) => return Err(Trouble::Log(error)),
            }
            self.write_events(self.pos)?;
        }
        self.write_events(self.pos)
    }

    /// Writes all bytes, and counts those written even if the disk becomes full on the way.
    fn write_bytes(&mut self, mut piece: &[u8]) -> Result<(), Trouble> {
        while !piece.is_empty() {
            match self.files.bin.write(piece) {
                Ok(0) => return Err(Trouble::Disk(io::ErrorKind::WriteZero.into())),
                Ok(n) => {
                    self.pos += n as u64;
                    self.bytes += n as u64;
                    piece = piece.get(n..).unwrap_or_default();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Trouble::Disk(error)),
            }
        }
        self.publish();
        Ok(())
    }

    fn skip_to(&mut self, first: u64) -> Result<(), Trouble> {
        self.write_events(first)?;
        let gone = first.saturating_sub(self.pos);
        self.missed += gone;
        self.pos = first;
        self.base += gone;
        let arg = u32::try_from(gone).unwrap_or(u32::MAX);
        let event = LogEvent { pos: first, host_ns: host_now(), kind: kind::HOST_LOSS, arg, text: Vec::new() };
        self.files.meta.write_all(&mark_line(&event, self.bytes)).map_err(Trouble::Disk)
    }

    /// Writes the stream events up to position `upto` of the log, with positions in the file.
    fn write_events(&mut self, upto: u64) -> Result<(), Trouble> {
        let mut lines = Vec::new();
        let mut events = Vec::new();
        loop {
            events.clear();
            let next = self.log.all_events_from(self.event, upto, &mut events);
            for event in &events {
                lines.extend(mark_line(event, event.pos.saturating_sub(self.base).min(self.bytes)));
            }
            if next == self.event || events.is_empty() {
                break;
            }
            self.event = next;
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.files.meta.write_all(&lines).map_err(Trouble::Disk)
    }

    fn publish(&self) {
        let mut state = lock(&self.shared);
        state.bytes = self.bytes;
        state.missed = self.missed;
    }

    fn failure(&self, trouble: &Trouble) -> String {
        let why = match trouble {
            Trouble::Disk(e) if matches!(e.kind(), io::ErrorKind::StorageFull | io::ErrorKind::WriteZero) => {
                "disk full".to_string()
            }
            Trouble::Disk(e) => e.to_string(),
            Trouble::Log(e) => e.to_string(),
        };
        let kept = match self.log.memory() {
            0 => String::new(),
            memory => format!("The newest {} stay in memory; ", size_text(memory)),
        };
        format!("Recording stopped at {}: {why}. {kept}:record PATH elsewhere.", size_text(self.bytes))
    }
}

enum Trouble {
    Disk(io::Error),
    Log(LogError),
}

fn create(path: &Path) -> Result<File, RecordError> {
    match File::options().write(true).create_new(true).open(path) {
        Ok(file) => Ok(file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(RecordError::Exists(path.to_path_buf())),
        Err(source) => Err(RecordError::Create { path: path.to_path_buf(), source }),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{LogOptions, read_meta};

    fn until(done: impl Fn() -> bool) {
        for _ in 0..2000 {
            if done() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("the state did not come");
    }

    #[test]
    fn all_so_far_and_then_on_is_recorded_and_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let log = RawLog::new(&LogOptions::default());
        log.append(b"before ", 5_000_000);
        let head = MetaHead { link: "tcp:a:1".into(), decoder: "qs".into(), ..MetaHead::default() };
        let mut recorder = Recorder::start(log.clone(), &dir.path().join("run"), head).unwrap();
        log.add_event(kind::LINK_DOWN, 0, b"unplugged", 6_000_000);
        log.add_event(kind::SENT, 0, &[0x7e, 0], 7_000_000);
        log.append(b"after", 8_000_000);
        let state = recorder.stop();
        assert_eq!((state.bytes, &state.phase), (12, &RecordPhase::Stopped));
        assert_eq!(std::fs::read(dir.path().join("run.bin")).unwrap(), b"before after");
        let meta = read_meta(&dir.path().join("run.meta")).unwrap().unwrap();
        assert_eq!((meta.head.link.as_str(), meta.head.start_ns, meta.skipped), ("tcp:a:1", 5_000_000, 0));
        let mut events = Vec::new();
        log.all_events_from(0, 12, &mut events);
        assert_eq!(meta.events, events);
    }

    #[test]
    fn it_never_overwrites() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.bin");
        std::fs::write(&path, b"precious").unwrap();
        let log = RawLog::new(&LogOptions::default());
        let error = Recorder::start(log.clone(), &path, MetaHead::default()).unwrap_err();
        assert!(error.to_string().contains("run.bin exists already"), "{error}");
        let other = dir.path().join("other");
        std::fs::write(dir.path().join("other.meta"), b"precious").unwrap();
        let error = Recorder::start(log, &other, MetaHead::default()).unwrap_err();
        assert!(error.to_string().contains("other.meta exists already"), "{error}");
        assert!(!dir.path().join("other.bin").exists(), "no half of a recording stays behind");
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    }

    #[test]
    fn a_full_disk_ends_the_recording_not_the_receiving() {
        let log = RawLog::new(&LogOptions::default());
        let full = File::options().write(true).open("/dev/full").unwrap();
        let files = Files { bin: full, meta: tempfile::tempfile().unwrap() };
        let recorder = Recorder::run(log.clone(), files, "x.bin".into(), MetaHead::default());
        log.append(b"bytes", 1);
        until(|| recorder.state().phase != RecordPhase::Recording);
        let text = "Recording stopped at 0 B: disk full. The newest 64 MB stay in memory; :record PATH elsewhere.";
        assert_eq!(recorder.state().phase, RecordPhase::Failed(text.into()));
        log.append(b"more", 2);
        assert_eq!((log.len(), log.lost()), (9, 0));
    }

    #[test]
    fn the_end_of_the_input_ends_the_recording() {
        let dir = tempfile::tempdir().unwrap();
        let log = RawLog::new(&LogOptions::default());
        let recorder = Recorder::start(log.clone(), &dir.path().join("a.bin"), MetaHead::default()).unwrap();
        log.append(&[7; 300_000], 1);
        log.end(2);
        until(|| recorder.state().phase == RecordPhase::Stopped);
        assert_eq!(recorder.state().bytes, 300_000);
        let meta = read_meta(&dir.path().join("a.meta")).unwrap().unwrap();
        assert_eq!(meta.events.last().map(|m| (m.kind, m.pos)), Some((kind::END, 300_000)));
    }

    #[test]
    fn bytes_that_were_gone_before_are_said_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let log = RawLog::new(&LogOptions { memory: 1 << 20, disk: 0, dir: None });
        log.append(&vec![1; 3 << 20], 1);
        until(|| log.first() == 2 << 20);
        let mut recorder = Recorder::start(log, &dir.path().join("a"), MetaHead::default()).unwrap();
        assert_eq!(recorder.stop().bytes, 1 << 20);
        let meta = read_meta(&dir.path().join("a.meta")).unwrap().unwrap();
        assert_eq!((meta.head.first, meta.events.iter().all(|m| m.pos == 0)), (2 << 20, true));
    }

    #[test]
    fn bytes_that_go_while_the_disk_lags_are_said_in_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let log = RawLog::new(&LogOptions { memory: 1 << 20, disk: 0, dir: None });
        let create = |name: &str| File::create(dir.path().join(name)).unwrap();
        let files = Files { bin: create("a.bin"), meta: create("a.meta") };
        let phase = RecordPhase::Recording;
        let shared = Arc::new(Mutex::new(RecordState { path: "a.bin".into(), bytes: 0, missed: 0, phase }));
        let mut work = RecordThread { log: log.clone(), files, shared, pos: 0, bytes: 0, missed: 0, event: 0, base: 0 };
        work.files.meta.write_all(&head_line(&MetaHead::default())).unwrap();
        log.append(b"0123456789", 1);
        work.catch_up().map_err(|_| "disk").unwrap();
        log.append(&vec![1; 4 << 20], 2_000_000);
        until(|| log.first() == 3 << 20);
        log.add_event(kind::LINK_DOWN, 0, b"", 3);
        work.catch_up().map_err(|_| "disk").unwrap();

        let kept = (1 << 20) + 10;
        assert_eq!((work.bytes, work.missed), (10 + kept, (3 << 20) - 10));
        assert_eq!(dir.path().join("a.bin").metadata().unwrap().len(), work.bytes);
        let events = read_meta(&dir.path().join("a.meta")).unwrap().unwrap().events;
        let loss = events.iter().find(|m| m.kind == kind::HOST_LOSS).unwrap();
        assert_eq!((loss.pos, u64::from(loss.arg)), (10, work.missed));
        assert_eq!(events.last().map(|m| (m.kind, m.pos)), Some((kind::LINK_DOWN, work.bytes)));
    }
}
