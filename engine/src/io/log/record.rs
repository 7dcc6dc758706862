//! The recorder: follows a raw log and writes bytes to `NAME.bin` and stream events to `NAME.meta`; with rotation it
//! continues in `NAME.2.bin`, `NAME.3.bin` …
//!
//! Every byte is passed to the kernel at most `PACE` after its arrival, so a killed process leaves a complete file.

use std::{
    fs::{File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, bounded, select};
use parking_lot::Mutex;

use super::{
    event::{LogEvent, host_now, kind},
    format::size_text,
    meta::{MetaHead, head_line, mark_line, recording_paths},
    raw::{LogError, RawLog},
};
use crate::{
    io::sys::{PositionedIo, identity},
    unwritable,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordPhase {
    Recording,
    /// Stopped by the user, or the input ended and was written completely.
    Stopped,
    /// Writing failed. Receiving continues.
    Failed(RecordFailure),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordState {
    /// Path of the (first) `.bin` file.
    pub path: PathBuf,
    /// Number of `.bin` files.
    pub files: u64,
    pub bytes: u64,
    /// Log position of the file's byte 0; `None` once bytes are missing from it, or there are several files.
    pub base: Option<u64>,
    pub phase: RecordPhase,
}

impl RecordState {
    fn new(path: PathBuf, base: u64) -> RecordState {
        RecordState { path, files: 1, bytes: 0, base: Some(base), phase: RecordPhase::Recording }
    }

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
    /// Starts recording to `path` (see [`super::recording_paths`]), from the oldest byte still in the log.
    pub fn start(
        log: Arc<RawLog>,
        path: &Path,
        mut head: MetaHead,
        rotation: Option<Rotation>,
    ) -> Result<Recorder, RecordError> {
        let files = Files::create(path)?;
        head.first = log.first();
        if head.start_ns == 0 {
            head.start_ns = log.host_time_at(head.first).unwrap_or_else(host_now);
        }
        let state = Arc::new(Mutex::new(RecordState::new(files.paths[0].clone(), head.first)));
        Ok(Recorder::run(RecordThread::new(log, files, state, head, rotation)))
    }

    fn run(mut work: RecordThread) -> Recorder {
        let (state, header) = (work.shared.clone(), work.header.clone());
        let (stop, stopped) = bounded(1);
        let thread = std::thread::Builder::new().name("record".into()).spawn(move || work.run(&stopped));
        if let Err(error) = &thread {
            state.lock().phase =
                RecordPhase::Failed(RecordFailure { text: format!("Recording did not start: {error}."), kept: 0 });
        }
        Recorder { state, header, stop, thread: thread.ok() }
    }

    pub fn state(&self) -> RecordState {
        self.state.lock().clone()
    }

    /// Sets decoder and options in the header of the present and later files, even after the end.
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

/// Pause between two writes at low rates.
const PACE: Duration = Duration::from_millis(50);
/// How often to check that the files still exist.
const LOOK: Duration = Duration::from_millis(300);
/// Number of waiting bytes from which on there is no pause.
const MUCH: u64 = 64 << 10;
const FRAGMENT: usize = 256 << 10;

pub(super) struct RecordThread {
    pub(super) shared: Arc<Mutex<RecordState>>,
    log: Arc<RawLog>,
    files: Files,
    pub(super) header: Arc<Mutex<Header>>,
    rotation: Option<Rotation>,
    number: u64,
    /// Start of the file.
    since: Instant,
    looked: Instant,
    /// Log position up to which everything is written.
    pos: u64,
    /// Bytes written to this file.
    pub(super) bytes: u64,
    event: u64,
    /// Log position of the file's byte 0, if nothing had been missed.
    base: u64,
    /// Events that a decoder needs wherever it begins.
    lasting: Vec<LogEvent>,
}

impl RecordThread {
    pub(super) fn new(
        log: Arc<RawLog>,
        files: Files,
        shared: Arc<Mutex<RecordState>>,
        head: MetaHead,
        rotation: Option<Rotation>,
    ) -> RecordThread {
        RecordThread {
            shared,
            log,
            files,
            rotation,
            number: 1,
            since: Instant::now(),
            looked: Instant::now(),
            pos: head.first,
            bytes: 0,
            event: 0,
            base: head.first,
            lasting: Vec::new(),
            header: Arc::new(Mutex::new(Header::new(head))),
        }
    }

    pub(super) fn run(&mut self, stopped: &Receiver<()>) {
        let result = self.begin().and_then(|()| self.note_gone()).and_then(|()| self.follow(stopped));
        let phase = match result {
            Ok(()) => RecordPhase::Stopped,
            Err(why) => {
                let text = format!("Recording stopped at {}: {why}.", size_text(self.shared.lock().bytes));
                RecordPhase::Failed(RecordFailure { text, kept: self.log.memory })
            }
        };
        self.shared.lock().phase = phase;
    }

    pub(super) fn begin(&mut self) -> Result<(), String> {
        self.header.lock().begin(&self.files.meta).map_err(disk)
    }

    /// Records how many bytes were lost before the start.
    fn note_gone(&mut self) -> Result<(), String> {
        let gone = self.header.lock().head.first;
        if gone == 0 { Ok(()) } else { self.write_loss(gone, 0) }
    }

    fn write_loss(&mut self, gone: u64, host_ns: u64) -> Result<(), String> {
        let arg = u32::try_from(gone).unwrap_or(u32::MAX);
        let event = LogEvent { pos: self.pos, host_ns, kind: kind::HOST_LOSS, arg, text: Vec::new() };
        self.files.meta.write_all(&mark_line(&event, self.bytes)).map_err(disk)
    }

    fn follow(&mut self, stopped: &Receiver<()>) -> Result<(), String> {
        let wake = self.log.subscribe();
        let mut is_stopped = false;
        loop {
            let is_last = is_stopped || self.log.ended();
            self.catch_up()?;
            if is_last {
                return self.check();
            }
            is_stopped = select! {
                recv(stopped) -> _ => true,
                recv(wake) -> _ => false,
                default(LOOK) => false,
            };
            let pauses = !is_stopped && self.log.len() - self.pos < MUCH;
            is_stopped |= pauses && stopped.recv_timeout(PACE).is_ok();
        }
    }

    /// Checks the files regularly, to notice a loss within a second.
    fn check_if_due(&mut self) -> Result<(), String> {
        if self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        self.check()
    }

    fn check(&self) -> Result<(), String> {
        self.files.damage(self.bytes).map_or(Ok(()), Err)
    }

    /// Writes bytes and stream events up to the current end of the log.
    pub(super) fn catch_up(&mut self) -> Result<(), String> {
        let mut piece = Vec::new();
        let end = self.log.len();
        while self.pos < end {
            self.check_if_due()?;
            self.rotate_if_due()?;
            let room = self.rotation.map_or(u64::MAX, |rotation| rotation.room(self.bytes));
            let want = FRAGMENT.min(usize::try_from((end - self.pos).min(room)).unwrap_or(FRAGMENT));
            match self.log.read_into(self.pos, want, &mut piece) {
                Ok(()) => self.write_bytes(&piece)?,
                Err(LogError::Gone { first, .. }) => self.skip_to(first)?,
                // The link that follows the file will say where the log continues.
                Err(LogError::Shrunk { .. }) if !self.log.ended() => break,
                Err(error) => return Err(error.to_string()),
            }
            self.write_events(self.pos)?;
        }
        self.check_if_due()?;
        self.write_events(self.pos)
    }

    fn rotate_if_due(&mut self) -> Result<(), String> {
        if !self.rotation.is_some_and(|rotation| rotation.is_due(self.bytes, self.since)) {
            return Ok(());
        }
        self.check()?;
        let first = self.shared.lock().path.clone();
        let (files, number) = Files::create_next(&first, self.number + 1).map_err(|error| match error {
            RecordError::Create { source, .. } if is_full(&source) => disk(source),
            error => error.to_string(),
        })?;
        self.files = files;
        self.number = number;
        self.since = Instant::now();
        self.bytes = 0;
        self.base = self.pos;
        {
            let head = &mut self.header.lock().head;
            head.first = self.pos;
            head.start_ns = self.log.host_time_at(self.pos).unwrap_or_else(host_now);
        }
        let mut shared = self.shared.lock();
        (shared.files, shared.base) = (shared.files + 1, None);
        drop(shared);
        self.begin()?;
        let lines: Vec<u8> = self.lasting.iter().flat_map(|event| mark_line(event, 0)).collect();
        self.files.meta.write_all(&lines).map_err(disk)
    }

    /// Writes all bytes, and counts those written even if the disk fills up meanwhile.
    fn write_bytes(&mut self, mut piece: &[u8]) -> Result<(), String> {
        while !piece.is_empty() {
            match self.files.bin.write(piece) {
                Ok(0) => return Err(disk(io::ErrorKind::WriteZero.into())),
                Ok(n) => {
                    self.pos += n as u64;
                    self.bytes += n as u64;
                    self.shared.lock().bytes += n as u64;
                    piece = piece.get(n..).unwrap_or_default();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(disk(error)),
            }
        }
        Ok(())
    }

    fn skip_to(&mut self, first: u64) -> Result<(), String> {
        self.write_events(first)?;
        let gone = first.saturating_sub(self.pos);
        self.pos = first;
        self.base += gone;
        self.shared.lock().base = None;
        self.write_loss(gone, host_now())
    }

    /// Writes the stream events up to log position `upto`, with positions in the file.
    fn write_events(&mut self, upto: u64) -> Result<(), String> {
        let mut events = Vec::new();
        self.event = self.log.all_events_from(self.event, upto, &mut events);
        let place = |event: &LogEvent| event.pos.saturating_sub(self.base).min(self.bytes);
        let lines: Vec<u8> = events.iter().flat_map(|event| mark_line(event, place(event))).collect();
        if self.rotation.is_some() {
            events.retain(|event| matches!(event.kind, kind::START | kind::OPTIONS));
            self.lasting.append(&mut events);
        }
        self.files.meta.write_all(&lines).map_err(disk)
    }
}

/// Names tried for the next file of a rotation.
const TRIES: u64 = 10_000;

pub(super) struct Files {
    pub(super) bin: File,
    pub(super) meta: File,
    pub(super) paths: [PathBuf; 2],
}

impl Files {
    fn create(path: &Path) -> Result<Files, RecordError> {
        let (bin_path, meta_path) = recording_paths(path);
        let bin = create(&bin_path)?;
        // Without a lock, it would be taken for finished ([`super::deliver`]). Not every file system has locks.
        if let Err(TryLockError::WouldBlock) = bin.try_lock() {
            return Err(RecordError::Exists(bin_path));
        }
        let meta = create(&meta_path).inspect_err(|_| drop(std::fs::remove_file(&bin_path)))?;
        Ok(Files { bin, meta, paths: [bin_path, meta_path] })
    }

    /// Damage that writing does not reveal: a file without its name can't be found by anybody.
    pub(super) fn damage(&self, bytes: u64) -> Option<String> {
        if self.bin.metadata().is_ok_and(|bin| bin.len() < bytes) {
            return Some(format!("{} was cut short by another program", self.paths[0].display()));
        }
        [&self.bin, &self.meta].into_iter().zip(&self.paths).find_map(|(file, path)| {
            let what = away(file, path)?;
            Some(format!("{} was {what}", path.display()))
        })
    }

    /// Creates the next files of a rotation, numbered from `number`; returns the number used.
    fn create_next(first: &Path, number: u64) -> Result<(Files, u64), RecordError> {
        let mut taken = RecordError::Exists(first.to_path_buf());
        for number in number..number.saturating_add(TRIES) {
            match Files::create(&numbered(first, number)) {
                Ok(files) => return Ok((files, number)),
                Err(error @ RecordError::Exists(_)) => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }
}

/// What happened to the name of a file. A folder that can't be read now proves nothing.
fn away(file: &File, path: &Path) -> Option<&'static str> {
    match path.symlink_metadata() {
        Ok(there) => (identity(&there) != identity(&file.metadata().ok()?)).then_some("replaced"),
        Err(error) => {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory).then_some("removed or moved")
        }
    }
}

/// `run.bin` → `run.2.bin`.
fn numbered(path: &Path, number: u64) -> PathBuf {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    path.with_extension(format!("{number}.{ending}"))
}

fn create(path: &Path) -> Result<File, RecordError> {
    match File::options().write(true).create_new(true).open(path) {
        Ok(file) => Ok(file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(RecordError::Exists(path.to_path_buf())),
        Err(source) => Err(RecordError::Create { path: path.to_path_buf(), source }),
    }
}

/// Spare room in the line for later additions.
const ROOM: usize = 512;

pub(super) struct Header {
    pub(super) head: MetaHead,
    /// Set once the line is written.
    meta: Option<File>,
    /// Length of the line without its newline.
    len: usize,
}

impl Header {
    pub(super) fn new(head: MetaHead) -> Header {
        Header { head, meta: None, len: 0 }
    }

    pub(super) fn begin(&mut self, mut meta: &File) -> io::Result<()> {
        self.len = head_line(&self.head).len() + ROOM;
        let mut line = self.line();
        line.push(b'\n');
        meta.write_all(&line)?;
        self.meta = Some(meta.try_clone()?);
        Ok(())
    }

    /// Sets decoder and options, unless they don't fit.
    pub(super) fn name(&mut self, decoder: &str, options: &[(String, String)]) -> io::Result<()> {
        self.head.decoder = decoder.to_owned();
        self.head.options = options.to_vec();
        let line = self.line();
        match &self.meta {
            Some(meta) if line.len() == self.len => meta.write_all_at(&line, 0),
            _ => Ok(()),
        }
    }

    /// The line without its newline, padded with blanks.
    fn line(&self) -> Vec<u8> {
        let mut line = head_line(&self.head);
        line.pop();
        line.resize(line.len().max(self.len), b' ');
        line
    }
}

/// When a recording continues in a new file: at the first of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rotation {
    pub size: Option<u64>,
    pub time: Option<Duration>,
}

impl Rotation {
    pub(super) fn is_due(self, bytes: u64, since: Instant) -> bool {
        // An empty file is never rotated.
        bytes > 0 && (self.room(bytes) == 0 || self.time.is_some_and(|most| since.elapsed() >= most))
    }

    pub(super) fn room(self, bytes: u64) -> u64 {
        self.size.map_or(u64::MAX, |most| most.max(1).saturating_sub(bytes))
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("{} exists already, and a recording never overwrites: choose another name", .0.display())]
    Exists(PathBuf),
    #[error("{}", unwritable(path, source))]
    Create { path: PathBuf, source: io::Error },
}

/// `Recording stopped at 4.1 MB: disk full.`
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct RecordFailure {
    text: String,
    /// Bytes of the log still in memory; 0 if they are in a file.
    kept: u64,
}

impl RecordFailure {
    /// The message for the screen, where a recording can be restarted.
    pub fn on_screen(&self) -> String {
        let kept = match self.kept {
            0 => String::new(),
            kept => format!("The newest {} stay in memory; ", size_text(kept)),
        };
        format!("{} {kept}:record PATH elsewhere.", self.text)
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::WriteZero)
}

fn disk(error: io::Error) -> String {
    match error.kind() {
        _ if is_full(&error) => "disk full".to_owned(),
        io::ErrorKind::FileTooLarge => "files may not be larger here (ulimit -f)".to_owned(),
        io::ErrorKind::QuotaExceeded => "the disk quota of this user is used up".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
