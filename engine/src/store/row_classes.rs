//! Row classes: the combinations of shape and keys in a segment. There are few, so a 16-bit number represents one. Each
//! segment has its own numbers, so that long streams do not run out of them.

use spytui_plugin_api::Row;

use super::{
    intern::Intern,
    shape::{Shape, ShapeKey, Shapes, Span},
    tables::{RowClass, Tables},
};

/// The classes of a segment.
#[derive(Debug, Default)]
pub(super) struct RowClasses {
    classes: Intern<RowClass>,
    /// Recently used classes, by hash; empty if no row is being added. Its memory serves one segment after the other.
    recent: Vec<Recent>,
}

/// A recently used class with its number.
#[derive(Debug, Clone, Copy, Default)]
struct Recent {
    shape: ShapeKey,
    obj: u64,
    item: u64,
    found: Option<(u16, RowClass)>,
}

/// Size of the cache of recent classes; a power of two.
const RECENT: usize = 2048;

impl RowClasses {
    #[inline]
    pub(super) fn get(&self, number: u16) -> RowClass {
        self.classes.key(number)
    }

    /// All classes, by number.
    pub(super) fn all(&self) -> &[RowClass] {
        self.classes.keys()
    }

    /// A row's class and its number; `None` if a table is full.
    #[inline]
    pub(super) fn of(&mut self, row: &Row, span: (Span, bool), tables: &mut Tables) -> Option<(u16, RowClass)> {
        let shape = Shapes::key(row, span.0, span.1);
        let place = place(shape, row);
        match self.recent.get(place) {
            Some(recent) if recent.shape == shape && recent.obj == row.obj && recent.item == row.item => recent.found,
            _ => self.look_up(row, span, tables),
        }
    }

    #[inline(never)]
    fn look_up(&mut self, row: &Row, span: (Span, bool), tables: &mut Tables) -> Option<(u16, RowClass)> {
        let class = RowClass {
            shape: tables.shapes.number(Shape::of(row, span.0, span.1))?,
            obj: tables.objs.number(row.obj)?,
            item: tables.items.number(row.item)?,
        };
        let found = Some((self.classes.number(class)?, class));
        let shape = Shapes::key(row, span.0, span.1);
        self.recent.resize(RECENT, Recent::default());
        self.recent[place(shape, row)] = Recent { shape, obj: row.obj, item: row.item, found };
        found
    }

    /// Memory use in bytes, without the cache of an open segment.
    pub(super) fn memory(&self) -> usize {
        self.classes.memory()
    }

    /// Frees unused capacity after the last row.
    pub(super) fn shrink(&mut self) {
        self.classes.shrink();
        self.recent = Vec::new();
    }

    /// Takes over the memory for finding classes from a segment that gets no more rows.
    pub(super) fn reuse_memory_of(&mut self, closed: &mut RowClasses) {
        self.classes.reuse_memory_of(&mut closed.classes);
        self.recent = std::mem::take(&mut closed.recent);
        self.recent.fill(Recent::default());
    }
}

/// Cache slot of a class.
#[inline]
fn place(shape: ShapeKey, row: &Row) -> usize {
    let mixed = shape.0 ^ shape.1.rotate_left(24) ^ row.obj.rotate_left(37) ^ row.item.rotate_left(11);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize % RECENT
}
