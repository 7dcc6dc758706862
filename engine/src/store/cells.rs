//! Where rows are kept: 8 bytes each, in order.

use super::slab::Slab;

/// What is kept of each row; the rest is found by its combination and the rows before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell(u64);

/// A cell in memory.
pub(super) type Bytes = [u8; size_of::<u64>()];

impl Cell {
    /// Time above its base, length, combination.
    #[inline]
    pub(super) fn new(dt: u32, len: u16, combo: u16) -> Cell {
        Cell(u64::from(dt) | u64::from(len) << 32 | u64::from(combo) << 48)
    }

    /// Time above its base.
    #[inline]
    pub(super) fn dt(self) -> u32 {
        self.0 as u32
    }

    /// Length.
    #[inline]
    pub(super) fn len(self) -> u16 {
        (self.0 >> 32) as u16
    }

    /// Number of the combination.
    #[inline]
    pub(super) fn combo(self) -> u16 {
        (self.0 >> 48) as u16
    }

    /// For memory.
    #[inline]
    pub(super) fn bytes(self) -> Bytes {
        self.0.to_le_bytes()
    }

    #[inline]
    fn of(bytes: &Bytes) -> Cell {
        Cell(u64::from_le_bytes(*bytes))
    }
}

/// The cells of some rows.
#[derive(Debug)]
pub(super) enum Cells {
    /// Memory that grows.
    Heap(Vec<Bytes>),
    /// Memory that many rows fill.
    Slab(Slab),
}

impl Default for Cells {
    fn default() -> Self {
        Cells::Heap(Vec::new())
    }
}

impl Cells {
    pub(super) fn with_capacity(capacity: usize) -> Cells {
        Cells::Heap(Vec::with_capacity(capacity))
    }

    /// Cells in a slab, if the system has such.
    pub(super) fn in_slab() -> Option<Cells> {
        Slab::new().map(Cells::Slab)
    }

    #[inline]
    fn all(&self) -> &[Bytes] {
        match self {
            Cells::Heap(cells) => cells,
            Cells::Slab(slab) => slab.cells(),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.all().len()
    }

    /// The cell of row `i`.
    #[inline]
    pub(super) fn get(&self, i: usize) -> Option<Cell> {
        self.all().get(i).map(Cell::of)
    }

    /// The cells of rows `from..end`.
    pub(super) fn range(&self, from: usize, end: usize) -> impl DoubleEndedIterator<Item = Cell> + ExactSizeIterator {
        self.all().get(from..end).unwrap_or_default().iter().map(Cell::of)
    }

    /// Adds cells to be filled.
    pub(super) fn more(&mut self, count: usize) -> &mut [Bytes] {
        if self.room().is_some_and(|room| room < count) {
            *self = Cells::Heap(self.all().to_vec());
        }
        match self {
            Cells::Heap(cells) => {
                let first = cells.len();
                cells.resize(first + count, Bytes::default());
                &mut cells[first..]
            }
            Cells::Slab(slab) => slab.more(count),
        }
    }

    /// Rows that a slab can still take; `None` = it is none.
    pub(super) fn room(&self) -> Option<usize> {
        match self {
            Cells::Heap(_) => None,
            Cells::Slab(slab) => Some(slab.room()),
        }
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        match self {
            Cells::Heap(cells) => cells.capacity() * size_of::<Bytes>(),
            Cells::Slab(slab) => slab.memory(),
        }
    }

    /// Gives back what was reserved and not used, unless that is little.
    pub(super) fn shrink(&mut self) {
        let used = self.len() * size_of::<Bytes>();
        if self.memory() - used <= used / 8 {
            return;
        }
        match self {
            Cells::Heap(cells) => cells.shrink_to_fit(),
            Cells::Slab(slab) => *self = Cells::Heap(slab.cells().to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cells_come_back_from_a_slab_and_when_they_outgrow_it(
            feeds in prop::collection::vec(1..40_000usize, 1..12),
            shrink in any::<bool>(),
        ) {
            let mut cells = Cells::in_slab().unwrap_or_default();
            let cell = |i: usize| Cell::new(i as u32 * 3, i as u16, (i * 7) as u16);
            let mut count = 0;
            for more in feeds {
                cells.more(more).iter_mut().zip(count..).for_each(|(bytes, i)| *bytes = cell(i).bytes());
                count += more;
            }
            if shrink {
                cells.shrink();
            }
            prop_assert_eq!(cells.len(), count);
            prop_assert!(cells.range(0, count).eq((0..count).map(cell)));
            prop_assert_eq!(cells.get(count - 1), Some(cell(count - 1)));
            prop_assert_eq!(cells.get(count), None);
            prop_assert!(cells.memory() >= count * 8);
        }
    }
}
