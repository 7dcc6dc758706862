//! Memory for many rows at once that costs one page fault instead of hundreds: one huge page.

use std::fmt;

use memmap2::MmapMut;

use super::packed_rows::Bytes;

/// A huge page, bytes.
const HUGE: usize = 2 << 20;

/// Rows in a huge page.
pub(super) struct Slab {
    /// Twice as large as used, so that an aligned half is in it; the rest is never touched.
    map: MmapMut,
    /// Where that half begins.
    from: usize,
    len: usize,
}

impl Slab {
    /// Rows in a slab.
    const CELLS: usize = HUGE / size_of::<Bytes>();

    /// Nothing in it yet; `None` where the system knows no huge pages.
    #[cfg(target_os = "linux")]
    pub(super) fn new() -> Option<Slab> {
        let map = MmapMut::map_anon(2 * HUGE).ok()?;
        let from = map.as_ptr().align_offset(HUGE);
        map.advise_range(memmap2::Advice::HugePage, from, HUGE).ok()?;
        Some(Slab { map, from, len: 0 })
    }

    /// Nothing in it yet; `None` where the system knows no huge pages.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn new() -> Option<Slab> {
        None
    }

    /// The cells added.
    #[inline]
    pub(super) fn cells(&self) -> &[Bytes] {
        let end = self.from + self.len * size_of::<Bytes>();
        self.map.get(self.from..end).unwrap_or_default().as_chunks().0
    }

    /// Adds cells, at most as many as there is room for.
    pub(super) fn more(&mut self, count: usize) -> &mut [Bytes] {
        let first = self.from + self.len * size_of::<Bytes>();
        let count = count.min(self.room());
        self.len += count;
        self.map.get_mut(first..first + count * size_of::<Bytes>()).unwrap_or_default().as_chunks_mut().0
    }

    /// Rows for which there is room.
    pub(super) fn room(&self) -> usize {
        Slab::CELLS - self.len
    }

    /// Bytes of memory, once a cell is in it.
    pub(super) fn memory(&self) -> usize {
        HUGE
    }
}

impl fmt::Debug for Slab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slab({} cells)", self.len)
    }
}
