//! The spool: an unlinked file for blocks that no longer fit into memory, in slots of one block.
//!
//! When the disk is full or the limit is reached, it stops growing and reuses its oldest slots.

use crate::sys::PositionedIo;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the spool file on first use.
pub(super) type OpenSpool = Box<dyn FnMut() -> io::Result<File> + Send>;

/// A file of slots; the caller tracks which slot holds which block.
pub(super) struct Spool {
    open: OpenSpool,
    file: Option<Arc<File>>,
    slots: u32,
    limit: u32,
    block: usize,
}

impl Spool {
    /// A spool in `dir` (default [`default_dir`]) of at most `limit` bytes.
    pub(super) fn new(dir: Option<PathBuf>, limit: u64, block: usize) -> Spool {
        let dir = dir.unwrap_or_else(default_dir);
        Spool::with(Box::new(move || tempfile::tempfile_in(&dir)), limit, block)
    }

    /// A spool in a file opened by the caller.
    pub(super) fn with(open: OpenSpool, limit: u64, block: usize) -> Spool {
        let limit = u32::try_from(limit / block as u64).unwrap_or(u32::MAX);
        Spool { open, file: None, slots: 0, limit, block }
    }

    /// The file, if opened.
    pub(super) fn file(&self) -> Option<Arc<File>> {
        self.file.clone()
    }

    /// Writes a block to a new slot at the end.
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

/// Default folder of spool files: `TMPDIR`, otherwise `/var/tmp` (on disk, meant for large files), otherwise the
/// system's temporary folder.
pub fn default_dir() -> PathBuf {
    let disk = Path::new("/var/tmp");
    if std::env::var_os("TMPDIR").is_none() && disk.is_dir() { disk.to_path_buf() } else { std::env::temp_dir() }
}
