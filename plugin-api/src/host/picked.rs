//! Some of the rows of a block, with the names that each of them sees.

use crate::{
    batch::AttrId,
    render::{Dict, Lookup, RowIn},
};

/// Rows that were picked from a block.
pub(super) struct PickedRows<'r, 'n> {
    pub(super) rows: Vec<RowIn<'r>>,
    /// Where they are in the block.
    indexes: Vec<u32>,
    names: Dict<'n>,
}

impl<'r, 'n> PickedRows<'r, 'n> {
    /// None of the rows of a block with these names.
    pub(super) fn new(names: Dict<'n>) -> Self {
        PickedRows { rows: Vec::new(), indexes: Vec::new(), names }
    }

    /// Picks, instead of those before, all of the rows from `first` on but these, which are in order.
    pub(super) fn pick(&mut self, first: usize, rows: &[RowIn<'r>], but: impl Iterator<Item = usize>) {
        self.rows.clear();
        self.indexes.clear();
        let mut next = 0;
        for end in but.take_while(|end| *end < rows.len()).chain([rows.len()]) {
            self.rows.extend_from_slice(rows.get(next..end).unwrap_or_default());
            self.indexes.extend((first + next) as u32..(first + end) as u32);
            next = end + 1;
        }
    }

    /// Where a row is in the block; `None` if there are fewer.
    pub(super) fn index(&self, row: usize) -> Option<usize> {
        self.indexes.get(row).map(|index| *index as usize)
    }

    fn names_at(&self, row: u32) -> Dict<'n> {
        self.names.at(self.indexes.get(row as usize).copied().unwrap_or(row))
    }
}

impl Lookup for PickedRows<'_, '_> {
    fn get(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        self.names_at(row).name(space, key, scope)
    }

    fn attr(&self, row: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        self.names_at(row).attr(space, key, scope, attr)
    }
}
