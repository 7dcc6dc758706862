//! Shapes: combinations of kind, flags, core and the like, shared by many rows. A filter by kind, group, core or
//! severity is one lookup by shape.

use spytui_plugin_api::{Row, RowFlags, RowKind, Severity};

use super::intern::Intern;

/// Place of a row in a span (a run-to-completion step, a kernel call, an interrupt), for the gutter of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Span {
    /// In no span.
    #[default]
    None,
    /// First row of a span.
    Open,
    /// Inside a span.
    Inside,
    /// Last row of a span.
    Close,
    /// First row of a span that may lie in another.
    Begin,
    /// Last row of a span in which another one ended before.
    End,
    /// First row of a span that lies apart from others: rows between it and its end do not belong to it.
    ApartBegin,
    /// Last row of a span that lies apart from others.
    ApartEnd,
}

/// The shape packed into two words, for fast comparison.
pub(crate) type ShapeKey = (u64, u64);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    pub kind: RowKind,
    /// Configuration.
    pub cfg: u16,
    pub core: u16,
    pub severity: Severity,
    pub group: u8,
    pub flags: RowFlags,
    /// Place in a span.
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

    /// A row of this shape, all else 0.
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

/// All shapes of a source.
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

    /// The shape of a row as two words.
    #[inline]
    pub(crate) fn key(row: &Row, span: Span, unsure: bool) -> ShapeKey {
        let head = u64::from(row.kind.0)
            | u64::from(row.cfg) << 16
            | u64::from(row.core) << 32
            | u64::from(row.severity.0) << 48
            | u64::from(row.group) << 56;
        (head, u64::from(row.flags.bits()) | (span as u64) << 32 | u64::from(unsure) << 40)
    }

    /// Counts a row of a shape.
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

    /// Number of rows with matching shapes.
    pub fn rows_of(&self, fits: impl Fn(&Shape) -> bool) -> u64 {
        self.tally().filter(|(shape, ..)| fits(shape)).map(|(_, rows, _)| rows).sum()
    }

    #[inline]
    pub fn get(&self, number: u16) -> Shape {
        self.shapes.key(number)
    }
}
