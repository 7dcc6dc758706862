//! Names as some of the rows of a block see them.

use spytui_plugin_api::{Dict, batch::AttrId, render::Lookup};

/// Names for rows of a block, each with its index in the block.
pub(super) struct NamesOf<'n, I> {
    names: Dict<'n>,
    index: I,
}

impl<'n, I: Fn(u32) -> u32> NamesOf<'n, I> {
    /// The names that the block sees, for rows whose indexes in it are given by `index`.
    pub(super) fn new(names: Dict<'n>, index: I) -> Self {
        NamesOf { names, index }
    }
}

impl<I: Fn(u32) -> u32> Lookup for NamesOf<'_, I> {
    fn get(&self, row: u32, space: u16, key: u64, scope: u64) -> Option<&[u8]> {
        self.names.at((self.index)(row)).name(space, key, scope)
    }

    fn attr(&self, row: u32, space: u16, key: u64, scope: u64, attr: AttrId) -> Option<(u64, &[u8])> {
        self.names.at((self.index)(row)).attr(space, key, scope, attr)
    }
}
