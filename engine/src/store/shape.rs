//! Shapes: combinations of kind, flags, core and the like, shared by many rows. A filter by kind, group, core or
//! severity is one lookup by shape.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Row, RowFlags, RowKind, Severity};

/// Place of a row in a span (a run-to-completion step, a kernel call, an interrupt), for the gutter of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Span {
    #[default]
    None,
    /// First row of a span.
    Open,
    Inside,
    /// Last row of a span.
    Close,
    /// First row of a span that may be nested.
    Begin,
    /// Last row of a span that contains another one.
    End,
    /// First row of a detached span: rows between its ends do not belong to it.
    ApartBegin,
    /// Last row of a detached span.
    ApartEnd,
}

/// The shape packed into two words, for fast comparison.
pub(crate) type ShapeKey = (u64, u64);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    pub kind: RowKind,
    pub cfg: u16,
    pub core: u16,
    pub severity: Severity,
    pub group: u8,
    pub flags: RowFlags,
    pub span: Span,
    /// Uncertain since a loss.
    pub unsure: bool,
}

impl Shape {
    #[inline]
    pub fn of(row: &Row, span: Span, unsure: bool) -> Shape {
        Shape {
            kind: row.kind,
            cfg: row.cfg,
            core: row.core,
            severity: row.severity,
            group: row.group,
            flags: row.flags,
            span,
            unsure,
        }
    }

    /// A row of this shape; all other fields are 0.
    #[inline]
    pub fn row(&self) -> Row {
        Row {
            kind: self.kind,
            cfg: self.cfg,
            core: self.core,
            severity: self.severity,
            group: self.group,
            flags: self.flags,
            ..Row::default()
        }
    }
}

#[derive(Debug, Clone)]
pub struct Shapes {
    shapes: Intern<Shape>,
    /// Rows and bytes of each shape.
    tally: Vec<(u64, u64)>,
}

impl Default for Shapes {
    fn default() -> Self {
        let mut shapes = Shapes { shapes: Intern::default(), tally: Vec::new() };
        // The all-zero shape is number 0.
        shapes.number(Shape::default());
        shapes
    }
}

impl Shapes {
    /// Number of a shape, added if new; `None` if there are too many.
    pub fn number(&mut self, shape: Shape) -> Option<u16> {
        let number = self.shapes.number(shape)?;
        self.tally.resize(self.shapes.keys().len(), (0, 0));
        Some(number)
    }

    /// The shape of a row packed into two words.
    #[inline]
    pub(crate) fn key(row: &Row, span: Span, unsure: bool) -> ShapeKey {
        let head = u64::from(row.kind.0)
            | u64::from(row.cfg) << 16
            | u64::from(row.core) << 32
            | u64::from(row.severity.0) << 48
            | u64::from(row.group) << 56;
        (head, u64::from(row.flags.bits()) | (span as u64) << 32 | u64::from(unsure) << 40)
    }

    #[inline]
    pub(crate) fn count(&mut self, number: u16, bytes: u64) {
        if let Some((rows, sum)) = self.tally.get_mut(usize::from(number)) {
            *rows += 1;
            *sum += bytes;
        }
    }

    /// All shapes with their numbers of rows and bytes.
    pub fn tally(&self) -> impl Iterator<Item = (&Shape, u64, u64)> {
        self.shapes.keys().iter().zip(&self.tally).map(|(shape, &(rows, bytes))| (shape, rows, bytes))
    }

    pub fn rows_of(&self, fits: impl Fn(&Shape) -> bool) -> u64 {
        self.tally().filter(|(shape, ..)| fits(shape)).map(|(_, rows, _)| rows).sum()
    }

    #[inline]
    pub fn get(&self, number: u16) -> Shape {
        self.shapes.key(number)
    }
}

/// The keys seen so far, 65 535 at most.
#[derive(Debug, Clone, Default)]
pub struct Intern<K> {
    keys: Vec<K>,
    numbers: FxHashMap<K, u16>,
}

impl<K: Copy + Default + Eq + Hash> Intern<K> {
    /// Number of a key, added if new; `None` if the table is full.
    pub fn number(&mut self, key: K) -> Option<u16> {
        if let Some(&number) = self.numbers.get(&key) {
            return Some(number);
        }
        let number = u16::try_from(self.keys.len()).ok().filter(|&n| n < u16::MAX)?;
        self.keys.push(key);
        self.numbers.insert(key, number);
        Some(number)
    }

    /// The key with this number; the default one for unknown numbers.
    #[inline]
    pub fn key(&self, number: u16) -> K {
        self.keys.get(usize::from(number)).copied().unwrap_or_default()
    }

    pub fn keys(&self) -> &[K] {
        &self.keys
    }

    pub(super) fn memory(&self) -> usize {
        self.keys.capacity() * size_of::<K>() + self.numbers.capacity() * size_of::<(K, u16)>()
    }

    pub(super) fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.numbers = FxHashMap::default();
    }

    pub(super) fn reuse_memory_of(&mut self, closed: &mut Intern<K>) {
        self.numbers = std::mem::take(&mut closed.numbers);
        self.numbers.clear();
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back() {
        let mut intern = Intern::default();
        let a = intern.number(0x2000_1000).expect("a number");
        assert_eq!(Some(a), intern.number(0x2000_1000));
        assert_eq!(intern.key(a), 0x2000_1000);
    }

    #[test]
    fn more_keys_than_numbers_are_refused_not_confused() {
        let mut intern = Intern::default();
        for key in 0..70_000_u64 {
            if let Some(number) = intern.number(key) {
                assert_eq!(intern.key(number), key);
            }
        }
        assert_eq!(intern.number(69_999), None);
        assert_eq!(intern.number(5), Some(5));
    }
}
