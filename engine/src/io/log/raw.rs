//! The raw log of one source: every received byte, with the stream events beside it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use parking_lot::Mutex;

use super::{
    blocks::Blocks,
    clock::host_now,
    error::LogError,
    event::{LogEvent, kind},
    file_parts::FileParts,
    spool::Spool,
    stream_events::EventList,
};

/// Size of a block, the unit moved to disk.
const BLOCK: usize = 1 << 20;

/// Storage of a log.
#[derive(Debug, Clone)]
pub struct LogOptions {
    /// Bytes kept in memory; older ones are moved to the spool. Default 64 MB.
    pub memory: u64,
    /// Where older bytes go, shared by all logs with clones of it; `None`: they are dropped. Default 8 GiB.
    pub spool: Option<Spool>,
}

impl Default for LogOptions {
    fn default() -> Self {
        LogOptions { memory: 64_000_000, spool: Some(Spool::default()) }
    }
}

pub(super) enum Backing {
    Blocks(Blocks),
    Files { parts: FileParts, path: PathBuf },
}

/// The append-only log of one source, shared by the link that writes it and all its readers.
pub struct RawLog {
    pub(super) backing: Backing,
    len: AtomicU64,
    ended: AtomicBool,
    pub(super) side: Mutex<EventList>,
    followers: Mutex<Vec<Sender<()>>>,
    pub(super) consumed: AtomicU64,
    progress: (Sender<()>, Receiver<()>),
    /// Wakes the thread that moves blocks to the spool; started on first use.
    pub(super) relief: OnceLock<Sender<()>>,
    pub(super) me: Weak<RawLog>,
    /// Held while a block is moved or dropped, so that losses are counted once.
    pub(super) relieving: Mutex<()>,
    pub(super) lost: AtomicU64,
    memory: u64,
    pub(super) spool_full: AtomicBool,
    pub(super) problem: Mutex<Option<String>>,
}

impl std::fmt::Debug for RawLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawLog").field("first", &self.first()).field("len", &self.len()).finish_non_exhaustive()
    }
}

impl RawLog {
    /// An empty log for received bytes.
    pub fn new(options: &LogOptions) -> Arc<RawLog> {
        RawLog::with_blocks(BLOCK, options.memory, options.spool.clone())
    }

    pub(super) fn with_blocks(block: usize, memory: u64, spool: Option<Spool>) -> Arc<RawLog> {
        let budget = usize::try_from(memory / block as u64).unwrap_or(usize::MAX);
        let blocks = Backing::Blocks(Blocks::new(block, budget, spool.clone()));
        let log = RawLog::empty(blocks, memory);
        if let Some(spool) = spool {
            let me: Weak<RawLog> = log.me.clone();
            spool.join(me);
        }
        log.add_event(kind::START, 0, &[], host_now());
        log
    }

    /// A log that reads a regular file in place; its first `len` bytes are available at once.
    pub fn in_file(file: File, path: &Path, len: u64) -> Arc<RawLog> {
        let backing = Backing::Files { parts: FileParts::new(file), path: path.to_path_buf() };
        let log = RawLog::empty(backing, 0);
        log.side.lock().push(LogEvent { pos: 0, host_ns: 0, kind: kind::START, arg: 0, text: Vec::new() });
        log.len.store(len, Ordering::Release);
        log
    }

    fn empty(backing: Backing, memory: u64) -> Arc<RawLog> {
        Arc::new_cyclic(|me| RawLog {
            backing,
            len: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            side: Mutex::default(),
            followers: Mutex::default(),
            consumed: AtomicU64::new(0),
            progress: bounded(1),
            relief: OnceLock::new(),
            me: me.clone(),
            relieving: Mutex::default(),
            lost: AtomicU64::new(0),
            memory,
            spool_full: AtomicBool::new(false),
            problem: Mutex::default(),
        })
    }

    /// Number of bytes received.
    pub fn len(&self) -> u64 {
        self.len.load(Ordering::Acquire)
    }

    /// Whether no byte was received.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Position of the oldest byte still kept.
    pub fn first(&self) -> u64 {
        match &self.backing {
            Backing::Blocks(blocks) => blocks.first(),
            Backing::Files { parts, .. } => parts.first(),
        }
    }

    /// Whether the input has ended for good.
    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Number of received bytes dropped before they were decoded.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Maximum number of bytes in memory; 0 for a file read in place.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Path of the file read in place, if any.
    pub fn file_path(&self) -> Option<&Path> {
        match &self.backing {
            Backing::Blocks(_) => None,
            Backing::Files { path, .. } => Some(path),
        }
    }

    /// The file that bytes are read from in place now, and the position in the log of its first byte.
    pub fn file(&self) -> Option<(Arc<File>, u64)> {
        match &self.backing {
            Backing::Blocks(_) => None,
            Backing::Files { parts, .. } => parts.newest(),
        }
    }

    /// The bytes of the file up to the end of the log are no longer those that were received: they are not read any more.
    pub fn give_up_file(&self) {
        if let Backing::Files { parts, .. } = &self.backing {
            parts.forget_before(self.len());
        }
        self.wake();
    }

    /// From here on, bytes come from the beginning of `file`.
    pub fn go_on_in(&self, file: Arc<File>) {
        if let Backing::Files { parts, .. } = &self.backing {
            parts.go_on(self.len(), file);
        }
    }

    /// A storage problem, as a message for the user; returned once.
    pub fn take_problem(&self) -> Option<String> {
        self.problem.lock().take()
    }

    /// Reads bytes from `pos` on; fewer than requested only at the end of the log.
    ///
    /// # Errors
    /// [`LogError::Gone`] if the bytes are no longer kept; otherwise if reading fails.
    pub fn read_at(&self, pos: u64, out: &mut [u8]) -> Result<usize, LogError> {
        let there = self.len().saturating_sub(pos);
        let len = out.len().min(usize::try_from(there).unwrap_or(usize::MAX));
        let out = out.get_mut(..len).unwrap_or_default();
        match &self.backing {
            Backing::Files { parts, path } => self.read_files(parts, path, pos, out),
            Backing::Blocks(blocks) => match blocks.read(pos, out) {
                Ok(Some(n)) => Ok(n),
                Ok(None) => Err(LogError::Gone { pos, first: self.first() }),
                Err(source) => Err(LogError::Read { path: PathBuf::from("spool file"), source }),
            },
        }
    }

    /// Replaces `out` by at most `len` bytes from `pos` on.
    ///
    /// # Errors
    /// As [`RawLog::read_at`].
    pub fn read_into(&self, pos: u64, len: usize, out: &mut Vec<u8>) -> Result<(), LogError> {
        let there = usize::try_from(self.len().saturating_sub(pos)).unwrap_or(usize::MAX);
        out.resize(len.min(there), 0);
        let read = self.read_at(pos, out);
        out.truncate(*read.as_ref().unwrap_or(&0));
        read.map(|_| ())
    }

    fn read_files(&self, parts: &FileParts, path: &Path, pos: u64, out: &mut [u8]) -> Result<usize, LogError> {
        let mut done = 0;
        while let Some(rest) = out.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match parts.read_at(pos + done as u64, rest) {
                Ok(0) => {
                    let is = self.file().and_then(|(file, _)| file.metadata().ok()).map_or(0, |meta| meta.len());
                    return Err(LogError::Shrunk { path: path.to_path_buf(), was: self.len(), is });
                }
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(LogError::Read { path: path.to_path_buf(), source }),
            }
        }
        // Also if it was given up while it was read.
        let first = parts.first();
        if pos < first { Err(LogError::Gone { pos, first }) } else { Ok(done) }
    }

    /// Appends received bytes with their time of arrival. After the end, or on a file, they count as lost.
    pub fn append(&self, bytes: &[u8], host_ns: u64) {
        let Backing::Blocks(blocks) = &self.backing else { return self.count_lost(bytes) };
        let mut side = self.side.lock();
        if self.ended() {
            return self.count_lost(bytes);
        }
        side.time(self.len(), host_ns);
        blocks.append(bytes);
        self.len.fetch_add(bytes.len() as u64, Ordering::Release);
        drop(side);
        self.keep_memory_bounded(blocks);
        self.wake();
    }

    /// The file read in place has grown to `len` bytes.
    pub fn grown(&self, len: u64, host_ns: u64) {
        let mut side = self.side.lock();
        if matches!(self.backing, Backing::Files { .. }) && len > self.len() && !self.ended() {
            side.time(self.len(), host_ns);
            self.len.store(len, Ordering::Release);
        }
        drop(side);
        self.wake();
    }

    /// Adds a stream event at the current end. Events after the end of the input are ignored.
    pub fn add_event(&self, kind: u16, arg: u32, text: &[u8], host_ns: u64) {
        let mut side = self.side.lock();
        if self.ended() {
            return;
        }
        side.push(LogEvent { pos: self.len(), host_ns, kind, arg, text: text.to_vec() });
        drop(side);
        self.wake();
    }

    /// Adds a stream event of a recording; in order of position, before there are readers.
    pub(super) fn take_over(&self, event: LogEvent) {
        if event.pos <= self.len() {
            self.side.lock().push(event);
        }
    }

    /// Ends the input for good, with an END event.
    pub fn end(&self, host_ns: u64) {
        let mut side = self.side.lock();
        if !self.ended.swap(true, Ordering::AcqRel) {
            side.push(LogEvent { pos: self.len(), host_ns, kind: kind::END, arg: 0, text: Vec::new() });
        }
        drop(side);
        self.wake();
    }

    /// Appends the stream events for decoders from index `from` on, at positions up to and including `upto`, and
    /// returns the next index. Index 0 is the first event.
    ///
    /// Events may be added at the current end after the bytes before it were decoded. A reader that keeps this index
    /// (not only a position) sees each event once and in order, also when it decodes again from a saved pair of both.
    pub fn events_from(&self, from: u64, upto: u64, out: &mut Vec<LogEvent>) -> u64 {
        let start = out.len();
        let next = self.side.lock().since(from, upto, 4096, out);
        retain_from(out, start, LogEvent::is_decoded);
        next
    }

    /// As [`RawLog::events_from`], including the host's own events (sent commands).
    pub fn all_events_from(&self, from: u64, upto: u64, out: &mut Vec<LogEvent>) -> u64 {
        self.side.lock().since(from, upto, 4096, out)
    }

    /// All stream events for decoders at positions `from..=to`.
    pub fn events(&self, from: u64, to: u64) -> Vec<LogEvent> {
        let mut out = Vec::new();
        let side = self.side.lock();
        side.since(side.index_at(from), to, usize::MAX, &mut out);
        drop(side);
        out.retain(|event| event.pos >= from && event.is_decoded());
        out
    }

    /// Index of the first event at or after `pos`, for [`RawLog::events_from`].
    pub fn event_index_at(&self, pos: u64) -> u64 {
        self.side.lock().index_at(pos)
    }

    /// Arrival time of the byte at `pos`, Unix nanoseconds, if known.
    pub fn host_time_at(&self, pos: u64) -> Option<u64> {
        self.side.lock().time_at(pos)
    }

    /// A receiver that is notified when bytes or events were added or the input ended (notifications are merged).
    pub fn subscribe(&self) -> Receiver<()> {
        let (sender, receiver) = bounded(1);
        self.followers.lock().push(sender);
        receiver
    }

    /// Everything before `pos` was decoded. Throttled links continue when it comes near the end.
    pub fn consumed(&self, pos: u64) {
        if self.consumed.fetch_max(pos, Ordering::AcqRel) < pos {
            let _ = self.progress.0.try_send(());
        }
    }

    /// Bytes received but not yet decoded.
    pub fn backlog(&self) -> u64 {
        self.len().saturating_sub(self.consumed.load(Ordering::Acquire))
    }

    /// Notified when the decoder made progress; for the link that writes this log.
    pub fn progress(&self) -> &Receiver<()> {
        &self.progress.1
    }

    fn count_lost(&self, bytes: &[u8]) {
        self.lost.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }

    /// Notifies all receivers, for a change that is neither bytes nor events.
    pub fn wake(&self) {
        self.followers.lock().retain(|f| !matches!(f.try_send(()), Err(TrySendError::Disconnected(()))));
    }
}

fn retain_from(events: &mut Vec<LogEvent>, start: usize, keep: impl Fn(&LogEvent) -> bool) {
    let mut at = 0;
    events.retain(|event| {
        at += 1;
        at <= start || keep(event)
    });
}
