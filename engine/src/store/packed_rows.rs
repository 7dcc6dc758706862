//! Where rows are kept: 8 bytes each, in order.

use super::slab::Slab;

/// What is kept of each row; the rest is found by its combination and the rows before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedRow(u64);

/// A cell in memory.
pub(super) type Bytes = [u8; size_of::<u64>()];

impl PackedRow {
    /// Time above its base, length, combination.
    #[inline]
    pub(super) fn new(dt: u32, len: u16, combo: u16) -> PackedRow {
        PackedRow(u64::from(dt) | u64::from(len) << 32 | u64::from(combo) << 48)
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
    fn of(bytes: &Bytes) -> PackedRow {
        PackedRow(u64::from_le_bytes(*bytes))
    }
}

/// The cells of some rows.
#[derive(Debug)]
pub(super) enum PackedRows {
    /// Memory that grows.
    Heap(Vec<Bytes>),
    /// Memory that many rows fill.
    Slab(Slab),
}

impl Default for PackedRows {
    fn default() -> Self {
        PackedRows::Heap(Vec::new())
    }
}

impl PackedRows {
    pub(super) fn with_capacity(capacity: usize) -> PackedRows {
        PackedRows::Heap(Vec::with_capacity(capacity))
    }

    /// Rows in a slab, if the system has such.
    pub(super) fn in_slab() -> Option<PackedRows> {
        Slab::new().map(PackedRows::Slab)
    }

    #[inline]
    fn all(&self) -> &[Bytes] {
        match self {
            PackedRows::Heap(cells) => cells,
            PackedRows::Slab(slab) => slab.cells(),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.all().len()
    }

    /// The cell of row `i`.
    #[inline]
    pub(super) fn get(&self, i: usize) -> Option<PackedRow> {
        self.all().get(i).map(PackedRow::of)
    }

    /// The cells of rows `from..end`.
    pub(super) fn range(
        &self,
        from: usize,
        end: usize,
    ) -> impl DoubleEndedIterator<Item = PackedRow> + ExactSizeIterator {
        self.all().get(from..end).unwrap_or_default().iter().map(PackedRow::of)
    }

    /// Adds cells to be filled.
    pub(super) fn more(&mut self, count: usize) -> &mut [Bytes] {
        if self.room().is_some_and(|room| room < count) {
            *self = PackedRows::Heap(self.all().to_vec());
        }
        match self {
            PackedRows::Heap(cells) => {
                let first = cells.len();
                cells.resize(first + count, Bytes::default());
                &mut cells[first..]
            }
            PackedRows::Slab(slab) => slab.more(count),
        }
    }

    /// Rows that a slab can still take; `None` = it is none.
    pub(super) fn room(&self) -> Option<usize> {
        match self {
            PackedRows::Heap(_) => None,
            PackedRows::Slab(slab) => Some(slab.room()),
        }
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        match self {
            PackedRows::Heap(cells) => cells.capacity() * size_of::<Bytes>(),
            PackedRows::Slab(slab) => slab.memory(),
        }
    }

    /// Gives back what was reserved and not used, unless that is little.
    pub(super) fn shrink(&mut self) {
        let used = self.len() * size_of::<Bytes>();
        if self.memory() - used <= used / 8 {
            return;
        }
        match self {
            PackedRows::Heap(cells) => cells.shrink_to_fit(),
            PackedRows::Slab(slab) => *self = PackedRows::Heap(slab.cells().to_vec()),
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
            let mut cells = PackedRows::in_slab().unwrap_or_default();
            let cell = |i: usize| PackedRow::new(i as u32 * 3, i as u16, (i * 7) as u16);
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
