//! Received bytes in blocks: the newest in memory, older ones in the spool, the oldest dropped if there is no room.
//!
//! The spool is an unlinked file of block-sized slots, shared by all logs of a link or a run. It stops growing at its
//! limit or when the disk is nearly full. Then the oldest bytes of all logs are dropped and their slots reused.

use std::{
    collections::VecDeque,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::{Mutex, RwLock};

use crate::io::sys::{PositionedIo, free_space};

/// How far a log is kept and decoded.
#[derive(Debug, Default)]
pub(super) struct LogExtent {
    first: AtomicU64,
    pub(super) consumed: AtomicU64,
    pub(super) lost: AtomicU64,
}

impl LogExtent {
    pub(super) fn first(&self) -> u64 {
        self.first.load(Ordering::Acquire)
    }

    /// Bytes before `pos` can't be read any more.
    pub(super) fn forget_before(&self, pos: u64) -> u64 {
        self.first.fetch_max(pos, Ordering::AcqRel)
    }

    /// Drops bytes before `pos`; those not decoded yet count as lost.
    fn drop_before(&self, pos: u64) {
        let before = self.forget_before(pos);
        let unread = pos.saturating_sub(self.consumed.load(Ordering::Acquire).max(before));
        self.lost.fetch_add(unread, Ordering::Relaxed);
    }
}

enum LogBlock {
    Memory(Arc<Vec<u8>>),
    Spooled(Arc<File>, usize),
}

struct BlocksState {
    /// Number of the first block in `slots`.
    front: u64,
    blocks: VecDeque<LogBlock>,
    /// Number of `blocks`, from the front, that are in the spool.
    spooled: usize,
    tail: Vec<u8>,
    /// A block kept for reuse, so that the heap does not fragment.
    spare: Option<Vec<u8>>,
}

pub(super) struct Blocks {
    size: usize,
    /// Maximum number of full blocks in memory.
    budget: usize,
    state: RwLock<BlocksState>,
    /// `None`: excess blocks are dropped.
    spool: Option<Spool>,
    extent: Arc<LogExtent>,
}

impl Blocks {
    pub(super) fn new(size: usize, budget: usize, spool: Option<Spool>, extent: Arc<LogExtent>) -> Blocks {
        let state = BlocksState { front: 0, blocks: VecDeque::new(), spooled: 0, tail: Vec::new(), spare: None };
        Blocks { size, budget: budget.max(1), state: RwLock::new(state), spool, extent }
    }

    pub(super) fn append(&self, mut bytes: &[u8]) {
        let mut state = self.state.write();
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(self.size - state.tail.len()));
            state.tail.extend_from_slice(now);
            bytes = later;
            if state.tail.len() == self.size {
                let next = state.spare.take().unwrap_or_else(|| Vec::with_capacity(self.size));
                let full = std::mem::replace(&mut state.tail, next);
                state.blocks.push_back(LogBlock::Memory(Arc::new(full)));
            }
        }
    }

    /// Number of full blocks in memory beyond the budget.
    pub(super) fn excess(&self) -> usize {
        let state = self.state.read();
        (state.blocks.len() - state.spooled).saturating_sub(self.budget)
    }

    /// Moves the oldest block in memory to the spool, or drops it. `age` = host time of the byte at a position.
    pub(super) fn relieve(&self, age: impl FnOnce(u64) -> u64) -> Result<(), String> {
        let (number, block) = {
            let state = self.state.read();
            let Some(LogBlock::Memory(block)) = state.blocks.get(state.spooled) else { return Ok(()) };
            (state.front + state.spooled as u64, block.clone())
        };
        let (pos, end) = (number * self.size as u64, (number + 1) * self.size as u64);
        let slot = || SpoolSlot { extent: Arc::downgrade(&self.extent), age: age(pos), end };
        let stored = self.spool.as_ref().map(|spool| spool.slots.lock().store(&block, slot()));
        let (place, refusal) = match stored {
            None => (None, Ok(())),
            Some(Ok((file, slot, refusal))) => (Some(LogBlock::Spooled(file, slot)), refusal.map_or(Ok(()), Err)),
            Some(Err(error)) => (None, Err(error)),
        };
        let mut state = self.state.write();
        let at = state.spooled;
        if let (Some(place), Some(kept)) = (place, state.blocks.get_mut(at)) {
            *kept = place;
            state.spooled += 1;
        } else {
            self.extent.drop_before(end);
        }
        while (state.front + 1) * self.size as u64 <= self.extent.first() && state.blocks.pop_front().is_some() {
            state.front += 1;
            state.spooled = state.spooled.saturating_sub(1);
        }
        // It may have readers.
        if let Ok(mut block) = Arc::try_unwrap(block) {
            block.clear();
            state.spare.get_or_insert(block);
        }
        refusal
    }

    /// Copies bytes from `pos` to `out`; fewer only at the end of the log. `Ok(None)` if no longer kept.
    pub(super) fn read(&self, pos: u64, out: &mut [u8]) -> io::Result<Option<usize>> {
        let mut done = 0;
        while let Some(rest) = out.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let at = pos + done as u64;
            let inside = (at % self.size as u64) as usize;
            let len = rest.len().min(self.size - inside);
            let rest = rest.get_mut(..len).unwrap_or_default();
            let state = self.state.read();
            let Some(number) = (at / self.size as u64).checked_sub(state.front) else { return Ok(None) };
            match state.blocks.get(number as usize) {
                Some(LogBlock::Memory(block)) => _ = copy(block, inside, rest),
                Some(LogBlock::Spooled(file, slot)) => {
                    let (file, slot) = (file.clone(), *slot);
                    drop(state);
                    file.read_exact_at(rest, (slot * self.size + inside) as u64)?;
                }
                None if number as usize == state.blocks.len() => {
                    done += copy(&state.tail, inside, rest);
                    break;
                }
                None => break,
            }
            done += len;
        }
        // A slot may have been used again meanwhile.
        Ok((pos >= self.extent.first()).then_some(done))
    }
}

/// Copies as many bytes as there are from `at` on.
fn copy(from: &[u8], at: usize, to: &mut [u8]) -> usize {
    let bytes = from.get(at..).unwrap_or_default();
    let len = bytes.len().min(to.len());
    to[..len].copy_from_slice(&bytes[..len]);
    len
}

/// Disk space left to others.
const RESERVE: u64 = 1 << 30;

type OpenSpool = Box<dyn FnMut() -> io::Result<File> + Send>;

/// A file of slots, shared by its clones; the logs track which slot holds which of their blocks.
#[derive(Clone)]
pub struct Spool {
    slots: Arc<Mutex<Slots>>,
}

struct Slots {
    open: OpenSpool,
    file: Option<Arc<File>>,
    slots: Vec<SpoolSlot>,
    limit: u64,
    /// Returns the free disk space, if known.
    room: fn(&File) -> Option<u64>,
}

struct SpoolSlot {
    extent: Weak<LogExtent>,
    /// Host time of its first byte; 0 = unknown.
    age: u64,
    /// Position after its last byte.
    end: u64,
}

impl SpoolSlot {
    fn is_free(&self) -> bool {
        self.extent.upgrade().is_none_or(|extent| extent.first() >= self.end)
    }
}

fn disk_text(error: io::Error) -> String {
    if error.kind() == io::ErrorKind::StorageFull { "disk full".to_owned() } else { error.to_string() }
}

impl Spool {
    /// A spool in [`default_dir`] of at most `limit` bytes.
    pub fn new(limit: u64) -> Spool {
        Spool::with(Box::new(|| tempfile::tempfile_in(default_dir())), limit, |file| free_space(file))
    }

    /// A spool in a file opened by the caller; `room` = free space of its disk.
    pub(super) fn with(open: OpenSpool, limit: u64, room: fn(&File) -> Option<u64>) -> Spool {
        Spool { slots: Arc::new(Mutex::new(Slots { open, file: None, slots: Vec::new(), limit, room })) }
    }
}

impl std::fmt::Debug for Spool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spool").field("slots", &self.slots.lock().slots.len()).finish_non_exhaustive()
    }
}

impl Slots {
    /// Stores a block; returns the file, the slot, and why the oldest block of all logs had to go for it.
    fn store(&mut self, bytes: &[u8], block: SpoolSlot) -> Result<(Arc<File>, usize, Option<String>), String> {
        let file = match &self.file {
            Some(file) => file.clone(),
            None => self.file.insert(Arc::new((self.open)().map_err(disk_text)?)).clone(),
        };
        let size = bytes.len() as u64;
        let write = |slot: usize| file.write_all_at(bytes, slot as u64 * size).map(|()| slot).map_err(disk_text);
        let free = match self.slots.iter().position(SpoolSlot::is_free) {
            Some(slot) => write(slot),
            None => self.check_growth(&file, size).and_then(|()| write(self.slots.len())),
        };
        let (slot, refusal) = match free {
            Ok(slot) => (slot, None),
            Err(error) => {
                let kept = self.slots.iter().enumerate().filter(|(_, slot)| !slot.is_free());
                let Some((slot, oldest)) = kept.min_by_key(|(_, slot)| (slot.age, slot.end)) else { return Err(error) };
                oldest.extent.upgrade().into_iter().for_each(|extent| extent.drop_before(oldest.end));
                (write(slot)?, Some(error))
            }
        };
        if slot == self.slots.len() {
            self.slots.push(block);
        } else {
            self.slots[slot] = block;
        }
        Ok((file, slot, refusal))
    }

    fn check_growth(&self, file: &File, size: u64) -> Result<(), String> {
        if (self.slots.len() as u64 + 1) * size > self.limit {
            return Err("its limit is reached".to_owned());
        }
        if (self.room)(file).is_some_and(|room| room < RESERVE + size) {
            return Err("less than 1 GiB is free on the disk".to_owned());
        }
        Ok(())
    }
}

/// Folder of spool files: `TMPDIR`, `/var/tmp` (on disk, for large files), or the system's temporary folder.
pub fn default_dir() -> PathBuf {
    let disk = Path::new("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && disk.is_dir() { disk.to_path_buf() } else { std::env::temp_dir() }
}
