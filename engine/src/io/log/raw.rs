//! The raw log of a source: every received byte with its stream events, and its reader. Bytes are in blocks, or in the
//! file that is read in place; in several files if that was replaced or truncated while followed.

use std::{
    fs::File,
    io::{self, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use parking_lot::{Mutex, RwLock};
use spytui_plugin_api::chunk::MAX_CHUNK;

use super::{
    event::{EventList, LogEvent, host_now, kind},
    format::size_text,
    spool::{Blocks, LogExtent, Spool},
};
use crate::io::sys::PositionedIo;

/// Size of a block, the unit moved to disk.
const BLOCK: usize = 1 << 20;
/// Bytes copied at once.
const PIECE: u64 = 256 << 10;

#[derive(Debug, Clone)]
pub struct LogOptions {
    /// Bytes kept in memory; older ones move to the spool. Default 64 MB.
    pub memory: u64,
    /// Storage of older bytes, shared by all logs that clone it; `None` = they are dropped. Default 8 GiB.
    pub spool: Option<Spool>,
}

impl Default for LogOptions {
    fn default() -> Self {
        LogOptions { memory: 64_000_000, spool: Some(Spool::new(8 << 30)) }
    }
}

pub(super) enum Backing {
    Blocks(Blocks),
    Files { parts: RwLock<Vec<FilePart>>, path: PathBuf },
}

/// A file that the log reads in place; if it was replaced or cut while it was followed, there are several.
#[derive(Clone)]
pub(super) struct FilePart {
    /// Log position of the file's first byte.
    start: u64,
    file: Arc<File>,
}

/// Maximum number of files kept open; the bytes of older ones are given up.
const MOST: usize = 16;

/// The append-only log of one source, shared by the link that writes it and all its readers.
pub struct RawLog {
    pub(super) backing: Backing,
    len: AtomicU64,
    ended: AtomicBool,
    extent: Arc<LogExtent>,
    side: Mutex<EventList>,
    followers: Mutex<Vec<Sender<()>>>,
    progress: (Sender<()>, Receiver<()>),
    /// Wakes the thread that moves blocks to the spool; started on first use.
    relief: OnceLock<Sender<()>>,
    me: Weak<RawLog>,
    /// Held while a block is moved or dropped.
    relieving: Mutex<()>,
    /// Maximum number of bytes in memory; 0 for a file read in place.
    pub memory: u64,
    spool_full: AtomicBool,
    problem: Mutex<Option<String>>,
}

impl std::fmt::Debug for RawLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawLog").field("first", &self.first()).field("len", &self.len()).finish_non_exhaustive()
    }
}

impl RawLog {
    pub fn new(options: &LogOptions) -> Arc<RawLog> {
        RawLog::with_blocks(BLOCK, options.memory, options.spool.clone())
    }

    pub(super) fn with_blocks(block: usize, memory: u64, spool: Option<Spool>) -> Arc<RawLog> {
        let budget = usize::try_from(memory / block as u64).unwrap_or(usize::MAX);
        let extent = Arc::<LogExtent>::default();
        let blocks = Backing::Blocks(Blocks::new(block, budget, spool, extent.clone()));
        let log = RawLog::empty(blocks, extent, memory);
        log.add_event(kind::START, 0, &[], host_now());
        log
    }

    /// Reads a regular file in place; its first `len` bytes are available at once.
    pub fn in_file(file: File, path: &Path, len: u64) -> Arc<RawLog> {
        let parts = RwLock::new(vec![FilePart { start: 0, file: Arc::new(file) }]);
        let log = RawLog::empty(Backing::Files { parts, path: path.to_path_buf() }, Arc::default(), 0);
        log.side.lock().push(LogEvent { pos: 0, host_ns: 0, kind: kind::START, arg: 0, text: Vec::new() });
        log.len.store(len, Ordering::Release);
        log
    }

    fn empty(backing: Backing, extent: Arc<LogExtent>, memory: u64) -> Arc<RawLog> {
        Arc::new_cyclic(|me| RawLog {
            backing,
            len: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            extent,
            side: Mutex::default(),
            followers: Mutex::default(),
            progress: bounded(1),
            relief: OnceLock::new(),
            me: me.clone(),
            relieving: Mutex::default(),
            memory,
            spool_full: AtomicBool::new(false),
            problem: Mutex::default(),
        })
    }

    pub fn len(&self) -> u64 {
        self.len.load(Ordering::Acquire)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Position of the oldest byte still kept.
    pub fn first(&self) -> u64 {
        self.extent.first()
    }

    pub fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Number of received bytes dropped before they were decoded.
    pub fn lost(&self) -> u64 {
        self.extent.lost.load(Ordering::Relaxed)
    }

    pub fn file_path(&self) -> Option<&Path> {
        match &self.backing {
            Backing::Blocks(_) => None,
            Backing::Files { path, .. } => Some(path),
        }
    }

    /// The current file read in place, and the log position of its first byte.
    pub fn file(&self) -> Option<(Arc<File>, u64)> {
        match &self.backing {
            Backing::Blocks(_) => None,
            Backing::Files { parts, .. } => parts.read().last().map(|part| (part.file.clone(), part.start)),
        }
    }

    /// Stops reading from the file, because its bytes are no longer those received.
    pub fn give_up_file(&self) {
        self.extent.forget_before(self.len());
        self.wake();
    }

    /// From here on, bytes are read from the beginning of `file`.
    pub fn go_on_in(&self, file: Arc<File>) {
        let Backing::Files { parts, .. } = &self.backing else { return };
        let mut parts = parts.write();
        parts.push(FilePart { start: self.len(), file });
        if parts.len() > MOST {
            parts.remove(0);
            self.extent.forget_before(parts.first().map_or(0, |part| part.start));
        }
    }

    /// A storage problem as a message for the user; returned once.
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
    pub fn read_into(&self, pos: u64, len: usize, out: &mut Vec<u8>) -> Result<(), LogError> {
        let there = usize::try_from(self.len().saturating_sub(pos)).unwrap_or(usize::MAX);
        out.resize(len.min(there), 0);
        let read = self.read_at(pos, out);
        out.truncate(*read.as_ref().unwrap_or(&0));
        read.map(|_| ())
    }

    /// Copies bytes, piece by piece; returns how many, which are fewer only at the end of the log.
    ///
    /// # Errors
    /// If they can't be read or written.
    pub fn copy_to(&self, range: Range<u64>, out: &mut impl Write) -> io::Result<u64> {
        let (mut pos, mut piece) = (range.start, Vec::new());
        while pos < range.end {
            let len = usize::try_from((range.end - pos).min(PIECE)).unwrap_or(0);
            self.read_into(pos, len, &mut piece).map_err(io::Error::other)?;
            if piece.is_empty() {
                break;
            }
            out.write_all(&piece)?;
            pos += piece.len() as u64;
        }
        Ok(pos - range.start)
    }

    fn read_files(
        &self,
        parts: &RwLock<Vec<FilePart>>,
        path: &Path,
        pos: u64,
        out: &mut [u8],
    ) -> Result<usize, LogError> {
        let mut done = 0;
        while let Some(rest) = out.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match read_part(&parts.read(), pos + done as u64, rest) {
                Ok(0) => {
                    let is = self.file().and_then(|(file, _)| file.metadata().ok()).map_or(0, |meta| meta.len());
                    return Err(LogError::Shrunk { path: path.to_path_buf(), was: self.len(), is });
                }
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(LogError::Read { path: path.to_path_buf(), source }),
            }
        }
        // It may have been given up while it was read.
        let first = self.first();
        if pos < first { Err(LogError::Gone { pos, first }) } else { Ok(done) }
    }

    /// Appends received bytes with their arrival time. After the end, or on a file, they count as lost.
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

    /// Adds a stream event from a recording, in order of position and before there are readers.
    pub(super) fn take_over(&self, event: LogEvent) {
        if event.pos <= self.len() {
            self.side.lock().push(event);
        }
    }

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
    /// Events may be added at the current end after the preceding bytes were decoded. A reader that keeps this index
    /// (not only a position) sees each event once and in order, even when decoding again from a saved pair of both.
    pub fn events_from(&self, from: u64, upto: u64, out: &mut Vec<LogEvent>) -> u64 {
        let mut all = Vec::new();
        let next = self.all_events_from(from, upto, &mut all);
        out.extend(all.into_iter().filter(LogEvent::is_decoded));
        next
    }

    /// As [`RawLog::events_from`], including the host's own events (sent commands).
    pub fn all_events_from(&self, from: u64, upto: u64, out: &mut Vec<LogEvent>) -> u64 {
        self.side.lock().since(from, upto, out)
    }

    /// All stream events for decoders at positions `from..=to`.
    pub fn events(&self, from: u64, to: u64) -> Vec<LogEvent> {
        let mut out = Vec::new();
        let side = self.side.lock();
        side.since(side.index_at(from), to, &mut out);
        drop(side);
        out.retain(|event| event.pos >= from && event.is_decoded());
        out
    }

    pub fn event_index_at(&self, pos: u64) -> u64 {
        self.side.lock().index_at(pos)
    }

    /// Arrival time of the byte at `pos`, Unix nanoseconds, if known.
    pub fn host_time_at(&self, pos: u64) -> Option<u64> {
        self.side.lock().time_at(pos)
    }

    /// Notified when bytes or events are added, or the input ends. Notifications are merged.
    pub fn subscribe(&self) -> Receiver<()> {
        let (sender, receiver) = bounded(1);
        self.followers.lock().push(sender);
        receiver
    }

    /// Everything before `pos` was decoded; throttled links continue when that is near the end.
    pub fn consumed(&self, pos: u64) {
        if self.extent.consumed.fetch_max(pos, Ordering::AcqRel) < pos {
            let _ = self.progress.0.try_send(());
        }
    }

    pub fn backlog(&self) -> u64 {
        self.len().saturating_sub(self.extent.consumed.load(Ordering::Acquire))
    }

    /// Notified when the decoder made progress; for the link that writes this log.
    pub fn progress(&self) -> &Receiver<()> {
        &self.progress.1
    }

    fn count_lost(&self, bytes: &[u8]) {
        self.extent.lost.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }

    /// Notifies all receivers of a change other than bytes and events.
    pub fn wake(&self) {
        self.followers.lock().retain(|f| !matches!(f.try_send(()), Err(TrySendError::Disconnected(()))));
    }

    fn keep_memory_bounded(&self, blocks: &Blocks) {
        let excess = blocks.excess();
        if excess == 0 {
            return;
        }
        let _ = self.relief.get_or_init(|| spawn_relief(self.me.clone())).try_send(());
        if excess > SLACK {
            self.relieve_once(blocks); // the disk is too slow: the reader helps instead of filling the memory
        }
    }

    fn relieve_once(&self, blocks: &Blocks) {
        let _turn = self.relieving.lock();
        while blocks.excess() > 0 {
            if let Err(error) = blocks.relieve(|pos| self.host_time_at(pos).unwrap_or(0)) {
                self.spool_failed(&error);
            }
        }
        self.side.lock().forget_before(self.first());
    }

    fn spool_failed(&self, error: &str) {
        if self.spool_full.swap(true, Ordering::AcqRel) {
            return;
        }
        let kept = size_text(self.len() - self.first());
        *self.problem.lock() =
            Some(format!("The log cannot grow: {error}. The newest {kept} stay, older bytes are dropped."));
    }
}

/// Excess blocks in memory at which the reader itself moves blocks.
const SLACK: usize = 16;

/// Starts the thread that moves blocks to the spool, so that a slow disk does not delay the reader.
fn spawn_relief(log: Weak<RawLog>) -> Sender<()> {
    let (sender, wanted) = bounded(1);
    let work = move || {
        while wanted.recv().is_ok() {
            while let Some(log) = log.upgrade() {
                match &log.backing {
                    Backing::Blocks(blocks) if blocks.excess() > 0 => log.relieve_once(blocks),
                    _ => break,
                }
            }
        }
    };
    // If the thread can't be started, the reader moves the blocks.
    let _ = std::thread::Builder::new().name("spool".into()).spawn(work);
    sender
}

/// Reads what one file holds from `pos` on; 0 at the end of the newest file.
fn read_part(parts: &[FilePart], pos: u64, out: &mut [u8]) -> io::Result<usize> {
    let next = parts.partition_point(|part| part.start <= pos);
    let Some(part) = next.checked_sub(1).and_then(|at| parts.get(at)) else { return Ok(0) };
    let end = parts.get(next).map_or(u64::MAX, |next| next.start);
    let len = out.len().min(usize::try_from(end - pos).unwrap_or(usize::MAX));
    part.file.read_at(out.get_mut(..len).unwrap_or_default(), pos - part.start)
}

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("byte {pos} is gone; the oldest byte kept is {first}")]
    Gone { pos: u64, first: u64 },
    /// A file read in place was truncated.
    #[error("{} shrank from {was} to {is} bytes while it was read; open it again", path.display())]
    Shrunk { path: PathBuf, was: u64, is: u64 },
    #[error("{}: cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    pub pos: u64,
    /// Index of the next stream event.
    pub event: u64,
}

#[derive(Debug)]
pub struct LogReader {
    log: Arc<RawLog>,
    pub(crate) at: Cursor,
    pub bytes: Vec<u8>,
    pub events: Vec<LogEvent>,
    pub pos: u64,
}

impl LogReader {
    pub fn new(log: Arc<RawLog>, at: Cursor) -> LogReader {
        LogReader { log, at, bytes: Vec::new(), events: Vec::new(), pos: at.pos }
    }

    /// Reads the next chunk, at most up to position `limit`; `false` if there is nothing new.
    pub fn next(&mut self, limit: u64) -> Result<bool, LogError> {
        self.events.clear();
        let gone = self.skip_what_is_gone();
        self.pos = self.at.pos;
        let end = self.log.len().min(limit).max(self.at.pos);
        let len = usize::try_from(end - self.at.pos).unwrap_or(MAX_CHUNK).min(MAX_CHUNK);
        match self.log.read_into(self.at.pos, len, &mut self.bytes) {
            // The link that follows the file will notice too, and say where the log continues.
            Err(LogError::Shrunk { .. } | LogError::Gone { .. }) if !self.log.ended() => self.bytes.clear(),
            result => result?,
        }
        let upto = self.at.pos + self.bytes.len() as u64;
        self.at.event = self.log.events_from(self.at.event, upto, &mut self.events);
        self.place_events_of_gone_bytes(gone);
        self.at.pos += self.bytes.len() as u64;
        Ok(!self.bytes.is_empty() || !self.events.is_empty())
    }

    /// Skips dropped bytes; returns the event that reports them as lost by the host.
    fn skip_what_is_gone(&mut self) -> Option<LogEvent> {
        let first = self.log.first();
        let gone = first.checked_sub(self.at.pos).filter(|gone| *gone > 0)?;
        self.at.pos = first;
        let arg = u32::try_from(gone).unwrap_or(u32::MAX);
        Some(LogEvent { pos: first, host_ns: 0, kind: kind::HOST_LOSS, arg, text: Vec::new() })
    }

    /// Moves events of dropped bytes to the first remaining byte, before the report of the loss.
    fn place_events_of_gone_bytes(&mut self, gone: Option<LogEvent>) {
        let early = self.events.iter().take_while(|event| event.pos < self.pos).count();
        self.events.iter_mut().take(early).for_each(|event| event.pos = self.pos);
        if let Some(loss) = gone {
            self.events.insert(early, loss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LogOptions, *};

    #[test]
    fn every_byte_and_mark_comes_once() {
        let log = RawLog::new(&LogOptions::default());
        for i in 0..20_000_u64 {
            log.append(&i.to_le_bytes(), 1 + i * 2_000_000);
            if i % 3 == 0 {
                log.add_event(kind::LINK_UP, i as u32, b"x", 1 + i * 2_000_000);
            }
        }
        log.end(1);
        let mut reader = LogReader::new(log.clone(), Cursor::default());
        let (mut bytes, mut ups) = (Vec::new(), Vec::new());
        while reader.next(u64::MAX).expect("readable") {
            assert_eq!(reader.pos, bytes.len() as u64);
            bytes.extend_from_slice(&reader.bytes);
            let end = bytes.len() as u64;
            assert!(reader.events.iter().all(|m| m.pos >= reader.pos && m.pos <= end));
            ups.extend(reader.events.iter().filter(|m| m.kind == kind::LINK_UP).map(|m| m.arg));
        }
        assert_eq!(bytes.len(), 160_000);
        assert_eq!(ups, (0..20_000).filter(|i| i % 3 == 0).collect::<Vec<u32>>());
    }

    #[test]
    fn who_begins_behind_what_is_gone_gets_what_still_holds_and_then_the_loss() {
        let log = RawLog::new(&LogOptions { memory: 1 << 20, spool: None });
        log.add_event(kind::OPTIONS, 0, b"signal=2", 1);
        for second in 1..=3_000 {
            log.append(&[7; 1 << 10], second * 1_000_000_000);
        }
        for _ in 0..2_000 {
            if log.first() > 0 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let mut reader = LogReader::new(log.clone(), Cursor::default());
        assert!(reader.next(u64::MAX).expect("readable"));
        let first = reader.pos;
        assert!(first > 0 && reader.events.iter().all(|event| event.pos >= first));
        let kinds: Vec<u16> = reader.events.iter().map(|event| event.kind).filter(|k| *k != kind::TIME).collect();
        assert_eq!(kinds, [kind::START, kind::OPTIONS, kind::HOST_LOSS]);
        let loss = reader.events.iter().find(|event| event.kind == kind::HOST_LOSS).expect("a loss");
        assert_eq!((loss.pos, u64::from(loss.arg)), (first, first));
    }
}
