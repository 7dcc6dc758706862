//! Where rows are kept: 8 bytes each, in order.

use std::ops::Deref;

/// What is kept of each row; the rest is found by its combination and the rows before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cell([u8; 8]);

impl Cell {
    /// Time above its base, length, combination.
    #[inline]
    pub(super) fn new(dt: u32, len: u16, combo: u16) -> Cell {
        Cell((u64::from(dt) | u64::from(len) << 32 | u64::from(combo) << 48).to_le_bytes())
    }

    #[inline]
    fn bits(self) -> u64 {
        u64::from_le_bytes(self.0)
    }

    /// Time above its base.
    #[inline]
    pub(super) fn dt(self) -> u32 {
        self.bits() as u32
    }

    /// Length.
    #[inline]
    pub(super) fn len(self) -> u16 {
        (self.bits() >> 32) as u16
    }

    /// Number of the combination.
    #[inline]
    pub(super) fn combo(self) -> u16 {
        (self.bits() >> 48) as u16
    }
}

/// The cells of some rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Cells(Vec<Cell>);

impl Cells {
    pub(super) fn with_capacity(capacity: usize) -> Cells {
        Cells(Vec::with_capacity(capacity))
    }

    /// Adds cells to be filled.
    pub(super) fn more(&mut self, count: usize) -> &mut [Cell] {
        let first = self.0.len();
        self.0.resize(first + count, Cell::default());
        &mut self.0[first..]
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.0.capacity() * size_of::<Cell>()
    }

    /// Gives back what was reserved and not used, unless that is little.
    pub(super) fn shrink(&mut self) {
        if self.0.capacity() - self.0.len() > self.0.len() / 8 {
            self.0.shrink_to_fit();
        }
    }
}

impl Deref for Cells {
    type Target = [Cell];

    fn deref(&self) -> &[Cell] {
        &self.0
    }
}
