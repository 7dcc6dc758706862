//! A log in place: in one file, or in several, one behind the other, if the file was replaced or cut while it was
//! followed.

use std::{
    fs::File,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::RwLock;

use crate::io::sys::PositionedIo;

/// Files kept open; the bytes of older ones are given up.
const MOST: usize = 16;

/// Positions of the log in files.
pub(super) struct FileParts {
    parts: RwLock<Vec<FilePart>>,
    /// Bytes before this position are no longer what was received.
    first: AtomicU64,
}

#[derive(Clone)]
struct FilePart {
    /// Position in the log of the file's first byte.
    start: u64,
    file: Arc<File>,
}

impl FileParts {
    pub(super) fn new(file: File) -> FileParts {
        let first = FilePart { start: 0, file: Arc::new(file) };
        FileParts { parts: RwLock::new(vec![first]), first: AtomicU64::new(0) }
    }

    pub(super) fn first(&self) -> u64 {
        self.first.load(Ordering::Acquire)
    }

    /// Bytes before `pos` can't be read any more.
    pub(super) fn forget_before(&self, pos: u64) {
        self.first.fetch_max(pos, Ordering::AcqRel);
    }

    /// The log goes on at `start` with the first byte of `file`.
    pub(super) fn go_on(&self, start: u64, file: Arc<File>) {
        let mut parts = self.parts.write();
        parts.push(FilePart { start, file });
        if parts.len() > MOST {
            parts.remove(0);
            self.forget_before(parts.first().map_or(start, |part| part.start));
        }
    }

    /// The file that bytes come from now, and the position in the log of its first byte.
    pub(super) fn newest(&self) -> Option<(Arc<File>, u64)> {
        self.parts.read().last().map(|part| (part.file.clone(), part.start))
    }

    /// Reads what one file holds from `pos` on; 0 at the end of the newest file.
    pub(super) fn read_at(&self, pos: u64, out: &mut [u8]) -> io::Result<usize> {
        let (part, end) = {
            let parts = self.parts.read();
            let next = parts.partition_point(|part| part.start <= pos);
            let Some(part) = next.checked_sub(1).and_then(|at| parts.get(at)) else { return Ok(0) };
            (part.clone(), parts.get(next).map(|part| part.start))
        };
        let most = end.map_or(usize::MAX, |end| usize::try_from(end - pos).unwrap_or(usize::MAX));
        let len = out.len().min(most);
        part.file.read_at(out.get_mut(..len).unwrap_or_default(), pos - part.start)
    }
}
