//! Tables shared by all segments of a source: keys as numbers, shapes as numbers with their counts.

use spytui_plugin_api::Row;

use super::{
    intern::Intern,
    shape::{Shape, Shapes, Span},
};

/// Shapes and keys of a source.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// Shapes.
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

impl Tables {
    /// Counts a row of a class.
    #[inline]
    pub(super) fn count(&mut self, row: &Row, class: RowClass) {
        self.shapes.count(class.shape, row.len.into());
    }

    /// Counts a row without a class (because a table is full), if its shape has a number.
    pub(super) fn count_unclassed(&mut self, row: &Row, span: (Span, bool)) {
        if let Some(shape) = self.shapes.number(Shape::of(row, span.0, span.1)) {
            self.shapes.count(shape, row.len.into());
        }
    }
}
