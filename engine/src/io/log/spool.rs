//! The spool: an unlinked file for blocks that no longer fit into memory, in slots of one block, shared by all logs of a
//! link or a run.
//!
//! When it reaches its limit, or the disk is nearly full, it stops growing. Then the oldest bytes of all logs go, and
//! their slots are used again.

use crate::io::sys::{PositionedIo, free_space};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// Default limit.
const LIMIT: u64 = 8 << 30;
/// Space on the disk that is left to others.
const RESERVE: u64 = 1 << 30;

/// Opens the spool file on first use.
pub(super) type OpenSpool = Box<dyn FnMut() -> io::Result<File> + Send>;

/// A log that stores its oldest blocks in a spool.
pub(super) trait Member: Send + Sync {
    /// Host time of its oldest bytes, if they are in the spool; 0 = unknown.
    fn oldest_spooled(&self) -> Option<u64>;
    /// Drops its oldest block for another log; `false` if that can't be done at once.
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
    /// Slots in the file.
    len: u32,
    /// Those that hold no block.
    free: Vec<u32>,
    limit: u64,
    /// Free space on the disk of the file, if known.
    room: fn(&File) -> Option<u64>,
}

/// Why a block can't be stored.
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

    /// A spool in a file opened by the caller, on a disk with so much room.
    pub(super) fn with(open: OpenSpool, limit: u64, room: fn(&File) -> Option<u64>) -> Spool {
        let slots = Slots { open, file: None, len: 0, free: Vec::new(), limit, room };
        Spool { slots: Arc::new(Mutex::new(slots)), members: Arc::default() }
    }

    /// Stores a block; returns the file and the slot.
    pub(super) fn store(&self, bytes: &[u8]) -> Result<(Arc<File>, u32), SpoolError> {
        self.slots.lock().store(bytes)
    }

    /// The slot holds no block any more.
    pub(super) fn release(&self, slot: u32) {
        self.slots.lock().free.push(slot);
    }

    /// A log that stores its blocks here.
    pub(super) fn join(&self, log: Weak<dyn Member>) {
        let mut members = self.members.lock();
        members.retain(|member| member.strong_count() > 0);
        members.push(log);
    }

    /// All logs that store their blocks here.
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

/// Default folder of spool files: `TMPDIR`, otherwise `/var/tmp` (on disk, meant for large files), otherwise the
/// system's temporary folder.
pub fn default_dir() -> PathBuf {
    let disk = Path::new("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && disk.is_dir() { disk.to_path_buf() } else { std::env::temp_dir() }
}
