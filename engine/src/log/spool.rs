//! The spool: an unlinked file that takes blocks which no longer fit into memory, in slots of one block.
//!
//! When the disk is full (or the limit is reached) it stops growing and its oldest slots are used again.

use crate::sys::PositionedIo;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the spool file when it is needed first.
pub(super) type OpenSpool = Box<dyn FnMut() -> io::Result<File> + Send>;

/// A file of slots; the caller keeps the account of which slot holds what.
pub(super) struct Spool {
    open: OpenSpool,
    file: Option<Arc<File>>,
    slots: u32,
    limit: u32,
    block: usize,
}

impl Spool {
    /// A spool in `dir` (default: [`default_dir`]) of at most `limit` bytes.
    pub(super) fn new(dir: Option<PathBuf>, limit: u64, block: usize) -> Spool {
        let dir = dir.unwrap_or_else(default_dir);
        Spool::with(Box::new(move || tempfile::tempfile_in(&dir)), limit, block)
    }

    /// A spool in a file of the caller's choice.
    pub(super) fn with(open: OpenSpool, limit: u64, block: usize) -> Spool {
        let limit = u32::try_from(limit / block as u64).unwrap_or(u32::MAX);
        Spool { open, file: None, slots: 0, limit, block }
    }

    /// The file, once there is one.
    pub(super) fn file(&self) -> Option<Arc<File>> {
        self.file.clone()
    }

    /// Writes a block into a new slot at the end.
    pub(super) fn grow(&mut self, bytes: &[u8]) -> io::Result<u32> {
        if self.slots >= self.limit {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        self.write(self.slots, bytes)?;
        self.slots += 1;
        Ok(self.slots - 1)
    }

    /// Writes a block over an old slot.
    pub(super) fn reuse(&mut self, slot: u32, bytes: &[u8]) -> io::Result<()> {
        self.write(slot, bytes)
    }

    fn write(&mut self, slot: u32, bytes: &[u8]) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(Arc::new((self.open)()?)),
        };
        file.write_all_at(bytes, u64::from(slot) * self.block as u64)
    }
}

/// Where spool files go: `TMPDIR`, else `/var/tmp` (on disk, made for large files), else the system's choice.
pub fn default_dir() -> PathBuf {
    let disk = Path::new("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && disk.is_dir() { disk.to_path_buf() } else { std::env::temp_dir() }
}
