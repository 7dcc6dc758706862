//! Tables shared by all segments of a source: keys as numbers, shapes as numbers with their counts.

use super::{intern::Intern, shape::Shapes};

/// Shapes and keys of a source.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    pub shapes: Shapes,
    /// Keys of `Row::obj`.
    pub objs: Intern<u64>,
    /// Keys of `Row::item`.
    pub items: Intern<u64>,
}

/// Shape and keys of a row, as numbers in [`Tables`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct RowClass {
    pub(super) shape: u16,
    pub(super) obj: u16,
    pub(super) item: u16,
}
