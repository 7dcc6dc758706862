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
        Arc, OnceLock, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::{Mutex, RwLock};

use crate::io::sys::{PositionedIo, free_space};

enum BlockSlot {
    Memory(Arc<Vec<u8>>),
    Spooled(u32),
}

struct BlocksState {
    /// Number of the first block in `slots`.
    front: u64,
    slots: VecDeque<BlockSlot>,
    /// Number of `slots`, from the front, that are in the spool.
    spooled: usize,
    /// The block being filled.
    tail: Vec<u8>,
    /// A block kept for reuse, so that the heap does not fragment.
    spare: Option<Vec<u8>>,
}

/// Where some bytes are.
enum BlockPlace {
    Memory(Arc<Vec<u8>>),
    Spool(Arc<File>, u32),
    Copied(usize),
    Gone,
    Beyond,
}

/// Append-only bytes in bounded memory.
pub(super) struct Blocks {
    block: usize,
    /// Maximum number of full blocks in memory.
    budget: usize,
    state: RwLock<BlocksState>,
    /// `None`: excess blocks are dropped.
    spool: Option<Spool>,
    /// The spool's file, for reading without the spool's lock, which is held during disk writes.
    spool_file: OnceLock<Arc<File>>,
    first: AtomicU64,
}

impl Blocks {
    pub(super) fn new(block: usize, budget: usize, spool: Option<Spool>) -> Blocks {
        let state = BlocksState { front: 0, slots: VecDeque::new(), spooled: 0, tail: Vec::new(), spare: None };
        let (budget, first) = (budget.max(1), AtomicU64::new(0));
        Blocks { block, budget, state: RwLock::new(state), spool, spool_file: OnceLock::new(), first }
    }

    /// Oldest position still kept.
    pub(super) fn first(&self) -> u64 {
        self.first.load(Ordering::Acquire)
    }

    pub(super) fn append(&self, mut bytes: &[u8]) {
        let mut state = self.state.write();
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(self.block - state.tail.len()));
            state.tail.extend_from_slice(now);
            bytes = later;
            if state.tail.len() == self.block {
                let next = state.spare.take().unwrap_or_else(|| Vec::with_capacity(self.block));
                let full = std::mem::replace(&mut state.tail, next);
                state.slots.push_back(BlockSlot::Memory(Arc::new(full)));
            }
        }
    }

    /// Number of full blocks in memory beyond the budget.
    pub(super) fn excess(&self) -> usize {
        let state = self.state.read();
        (state.slots.len() - state.spooled).saturating_sub(self.budget)
    }

    pub(super) fn spool(&self) -> Option<&Spool> {
        self.spool.as_ref()
    }

    /// Moves the oldest block in memory to the spool; without one, drops all excess blocks.
    ///
    /// # Errors
    /// The spool is full; nothing has changed.
    pub(super) fn relieve(&self) -> Result<(), SpoolError> {
        let Some(spool) = &self.spool else {
            self.drop_excess();
            return Ok(());
        };
        let Some(block) = self.oldest_in_memory() else { return Ok(()) };
        let (file, slot) = spool.store(&block)?;
        self.spool_file.get_or_init(|| file);
        self.spooled(slot);
        self.spare(block);
        Ok(())
    }

    /// Drops the oldest block; `false` if it is not in the spool, as dropping would free no slot.
    pub(super) fn drop_oldest_spooled(&self) -> bool {
        if !self.has_spooled() {
            return false;
        }
        let dropped = self.pop_front(&mut self.state.write());
        if let (Some(BlockSlot::Spooled(slot)), Some(spool)) = (dropped, &self.spool) {
            spool.release(slot);
        }
        true
    }

    pub(super) fn has_spooled(&self) -> bool {
        self.state.read().spooled > 0
    }

    /// Keeps a block for reuse if it has no readers.
    fn spare(&self, block: Arc<Vec<u8>>) {
        if let Ok(mut block) = Arc::try_unwrap(block) {
            block.clear();
            self.state.write().spare.get_or_insert(block);
        }
    }

    /// Copies bytes from `pos` to `out`; fewer only at the end of the log. `Ok(None)` if no longer kept.
    pub(super) fn read(&self, pos: u64, out: &mut [u8]) -> io::Result<Option<usize>> {
        let mut done = 0;
        while done < out.len() {
            let at = pos + done as u64;
            let rest = out.get_mut(done..).unwrap_or_default();
            let inside = usize::try_from(at % self.block as u64).unwrap_or(0);
            let len = rest.len().min(self.block - inside);
            let rest = rest.get_mut(..len).unwrap_or_default();
            match self.place(at / self.block as u64, inside, rest) {
                BlockPlace::Memory(block) => copy(&block, inside, rest),
                BlockPlace::Spool(file, slot) => {
                    file.read_exact_at(rest, u64::from(slot) * self.block as u64 + inside as u64)?;
                    if at < self.first() {
                        return Ok(None); // the slot may have been reused meanwhile
                    }
                }
                BlockPlace::Copied(n) => return Ok(Some(done + n)),
                BlockPlace::Gone => return Ok(None),
                BlockPlace::Beyond => break,
            }
            done += len;
        }
        Ok(Some(done))
    }

    fn place(&self, block: u64, inside: usize, out: &mut [u8]) -> BlockPlace {
        let state = self.state.read();
        let Some(at) = block.checked_sub(state.front).and_then(|n| usize::try_from(n).ok()) else {
            return BlockPlace::Gone;
        };
        match state.slots.get(at) {
            Some(BlockSlot::Memory(block)) => BlockPlace::Memory(block.clone()),
            Some(BlockSlot::Spooled(slot)) => {
                self.spool_file.get().map_or(BlockPlace::Gone, |file| BlockPlace::Spool(file.clone(), *slot))
            }
            None if at == state.slots.len() => {
                let len = out.len().min(state.tail.len().saturating_sub(inside));
                copy(&state.tail, inside, out.get_mut(..len).unwrap_or_default());
                BlockPlace::Copied(len)
            }
            None => BlockPlace::Beyond,
        }
    }

    fn oldest_in_memory(&self) -> Option<Arc<Vec<u8>>> {
        let state = self.state.read();
        match state.slots.get(state.spooled) {
            Some(BlockSlot::Memory(block)) => Some(block.clone()),
            _ => None,
        }
    }

    fn spooled(&self, slot: u32) {
        let mut state = self.state.write();
        let at = state.spooled;
        if let Some(place) = state.slots.get_mut(at) {
            *place = BlockSlot::Spooled(slot);
            state.spooled += 1;
        }
    }

    /// Drops the oldest blocks in memory until they are within the budget.
    pub(super) fn drop_excess(&self) {
        let mut state = self.state.write();
        while state.slots.len() - state.spooled > self.budget {
            let Some(BlockSlot::Memory(block)) = self.pop_front(&mut state) else { continue };
            if let Ok(mut block) = Arc::try_unwrap(block) {
                block.clear();
                state.spare = Some(block);
            }
        }
    }

    fn pop_front(&self, state: &mut BlocksState) -> Option<BlockSlot> {
        let slot = state.slots.pop_front()?;
        state.front += 1;
        state.spooled = state.spooled.saturating_sub(1);
        self.first.store(state.front * self.block as u64, Ordering::Release);
        Some(slot)
    }
}

impl Drop for Blocks {
    /// Returns the slots to the other logs.
    fn drop(&mut self) {
        while self.drop_oldest_spooled() {}
    }
}

fn copy(from: &[u8], at: usize, to: &mut [u8]) {
    if let Some(bytes) = at.checked_add(to.len()).and_then(|end| from.get(at..end)) {
        to.copy_from_slice(bytes);
    }
}

/// Default limit.
const LIMIT: u64 = 8 << 30;
/// Disk space left to others.
const RESERVE: u64 = 1 << 30;

/// Opens the spool file on first use.
type OpenSpool = Box<dyn FnMut() -> io::Result<File> + Send>;

/// A log that stores its oldest blocks in a spool.
pub(super) trait Member: Send + Sync {
    /// Host time of its oldest bytes if they are in the spool; 0 = unknown.
    fn oldest_spooled(&self) -> Option<u64>;
    /// Drops its oldest block for another log; `false` if that is not possible at once.
    fn gives_room(&self) -> bool;
}

/// A file of slots, shared by its clones; the logs track which slot holds which of their blocks.
#[derive(Clone)]
pub struct Spool {
    slots: Arc<Mutex<Slots>>,
    members: Arc<Mutex<Vec<Weak<dyn Member>>>>,
}

struct Slots {
    open: OpenSpool,
    file: Option<Arc<File>>,
    /// Number of slots in the file.
    len: u32,
    /// Unused slots.
    free: Vec<u32>,
    limit: u64,
    /// Returns the free disk space, if known.
    room: fn(&File) -> Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum SpoolError {
    #[error("its limit is reached")]
    Limit,
    #[error("less than 1 GiB is free on the disk")]
    Reserve,
    #[error("{}", match .0.kind() {
        io::ErrorKind::StorageFull => "disk full".to_owned(),
        _ => .0.to_string(),
    })]
    Disk(#[from] io::Error),
}

impl Spool {
    /// A spool in `dir` (default [`default_dir`]) of at most `limit` bytes.
    pub fn new(dir: Option<PathBuf>, limit: u64) -> Spool {
        let dir = dir.unwrap_or_else(default_dir);
        Spool::with(Box::new(move || tempfile::tempfile_in(&dir)), limit, |file| free_space(file))
    }

    /// A spool in a file opened by the caller; `room` = free space of its disk.
    pub(super) fn with(open: OpenSpool, limit: u64, room: fn(&File) -> Option<u64>) -> Spool {
        let slots = Slots { open, file: None, len: 0, free: Vec::new(), limit, room };
        Spool { slots: Arc::new(Mutex::new(slots)), members: Arc::default() }
    }

    /// Stores a block; returns the file and the slot.
    pub(super) fn store(&self, bytes: &[u8]) -> Result<(Arc<File>, u32), SpoolError> {
        self.slots.lock().store(bytes)
    }

    /// Frees a slot.
    pub(super) fn release(&self, slot: u32) {
        self.slots.lock().free.push(slot);
    }

    /// Adds a log.
    pub(super) fn join(&self, log: Weak<dyn Member>) {
        let mut members = self.members.lock();
        members.retain(|member| member.strong_count() > 0);
        members.push(log);
    }

    /// All logs that use the spool.
    pub(super) fn members(&self) -> Vec<Arc<dyn Member>> {
        let members = self.members.lock();
        members.iter().filter_map(Weak::upgrade).collect()
    }
}

impl std::fmt::Debug for Spool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let slots = self.slots.lock();
        f.debug_struct("Spool").field("slots", &slots.len).field("free", &slots.free.len()).finish_non_exhaustive()
    }
}

impl Default for Spool {
    fn default() -> Self {
        Spool::new(None, LIMIT)
    }
}

impl Slots {
    fn store(&mut self, bytes: &[u8]) -> Result<(Arc<File>, u32), SpoolError> {
        let file = match &self.file {
            Some(file) => file.clone(),
            None => self.file.insert(Arc::new((self.open)()?)).clone(),
        };
        let size = bytes.len() as u64;
        if let Some(&slot) = self.free.last() {
            file.write_all_at(bytes, u64::from(slot) * size)?;
            self.free.pop();
            return Ok((file, slot));
        }
        let end = u64::from(self.len) * size;
        if end + size > self.limit || self.len == u32::MAX {
            return Err(SpoolError::Limit);
        }
        if (self.room)(&file).is_some_and(|room| room < RESERVE + size) {
            return Err(SpoolError::Reserve);
        }
        file.write_all_at(bytes, end)?;
        self.len += 1;
        Ok((file, self.len - 1))
    }
}

/// Default folder of spool files: `TMPDIR`, then `/var/tmp` (on disk, meant for large files), then the system's
/// temporary folder.
pub fn default_dir() -> PathBuf {
    let disk = Path::new("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && disk.is_dir() { disk.to_path_buf() } else { std::env::temp_dir() }
}
