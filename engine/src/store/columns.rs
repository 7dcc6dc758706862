//! The rows of a segment in 8 bytes each; rows that don't fit go to an overflow list. Rows are restored exactly. Many
//! rows share a shape: a filter by kind, group, core or severity is one lookup by shape.

use std::{hash::Hash, ops::Range};

use rustc_hash::FxHashMap;
use spytui_plugin_api::{
    Attachment, Batch, Growth, Row, RowFlags, RowKind,
    batch::{attachments_of, wire_len},
};

/// Rows between two entries of the rank index.
const RANK_STEP: usize = 32;
/// Class number of rows in the overflow list.
const OVERFLOW: u16 = u16::MAX;

#[derive(Debug, Default)]
pub struct Columns {
    base_pos: u64,
    packed: Vec<PackedRow>,
    positions: Positions,
    times: Times,
    classes: RowClasses,
    /// Rows that don't fit into 8 bytes, by index.
    overflow: Vec<(u32, Row, Shape)>,
    attachments: Vec<Attachment>,
    /// Arena of the attachments.
    pub bytes: Vec<u8>,
    /// Records before row `i * RANK_STEP`.
    rank: Vec<u32>,
    pub(crate) records: u32,
}

impl Columns {
    /// Positions are relative to `base_pos`.
    pub fn new(base_pos: u64, capacity: usize) -> Columns {
        Columns {
            base_pos,
            packed: Vec::with_capacity(capacity),
            positions: Positions::with_capacity(capacity),
            ..Columns::default()
        }
    }

    pub fn len(&self) -> usize {
        self.packed.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a batch; `spans[i]` = place in a span and uncertainty of row `i`, empty if unknown. `count` is `false` for
    /// rows decoded again, which the tables already count.
    pub fn add(&mut self, batch: &Batch, spans: &[(Span, bool)], tables: &mut Tables, count: bool) {
        let first = self.len();
        self.packed.reserve(batch.rows.len());
        for (i, row) in batch.rows.iter().enumerate() {
            let span = spans.get(i).copied().unwrap_or_default();
            self.push(row, span, tables, count.then(|| batch.len_of(i)));
        }
        if !batch.attachments.is_empty() {
            self.add_attachments(batch, first as u32);
        }
    }

    #[inline]
    fn push(&mut self, row: &Row, span: (Span, bool), tables: &mut Tables, counted: Option<u64>) {
        let i = self.len();
        if i.is_multiple_of(RANK_STEP) {
            self.rank.push(self.records);
        }
        self.records += u32::from(row.is_record());
        let class = self.classes.of(row, span, tables);
        if let Some(bytes) = counted {
            // If a table is full, a row has no class, but perhaps a shape number.
            let shape = class.map(|(_, class)| class.shape);
            let shape = shape.or_else(|| tables.shapes.number(Shape::of(row, span.0, span.1)));
            shape.into_iter().for_each(|shape| tables.shapes.count(shape, bytes));
        }
        let pos = row.pos.wrapping_sub(self.base_pos);
        let fits = (pos >> 32) | u64::from(row.len >> 16) == 0;
        let (class, len) = match class {
            Some((class, _)) if fits => (class, row.len as u16),
            _ => {
                self.overflow.push((i as u32, *row, Shape::of(row, span.0, span.1)));
                (OVERFLOW, 0)
            }
        };
        self.positions.push(i, pos as u32, len);
        let dt = self.times.push(i, row.time);
        self.packed.push(PackedRow { dt, len, class });
    }

    fn add_attachments(&mut self, batch: &Batch, first: u32) {
        let base = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&batch.bytes);
        // A growing gap contains the sum itself.
        let kept = batch.attachments.iter().filter(|e| Growth::of(e).is_none());
        self.attachments.extend(kept.map(|e| Attachment {
            at: e.at + first,
            a: if !e.is_bytes { e.a } else { e.a + base },
            ..*e
        }));
    }

    fn overflow(&self, i: usize) -> Option<&(u32, Row, Shape)> {
        let at = self.overflow.binary_search_by_key(&(i as u32), |entry| entry.0).ok()?;
        self.overflow.get(at)
    }

    /// The row at this index; an all-zero row beyond the end.
    pub fn row(&self, i: usize, tables: &Tables) -> Row {
        let class = self.class(i, tables);
        match self.packed.get(i) {
            Some(packed) if packed.class != OVERFLOW => Row {
                pos: self.base_pos + u64::from(self.positions.get(i, &self.packed)),
                time: self.times.get(i, packed.dt),
                len: u32::from(packed.len),
                ..class
            },
            _ => class,
        }
    }

    /// A row without position, time and length: the common part of its class. Overflowing rows are complete.
    #[inline]
    pub fn class(&self, i: usize, tables: &Tables) -> Row {
        match self.packed.get(i) {
            None => Row::default(),
            Some(packed) if packed.class == OVERFLOW => self.overflow(i).map(|entry| entry.1).unwrap_or_default(),
            Some(packed) => {
                let class = self.classes.all.key(packed.class);
                let (obj, item) = (tables.objs.key(class.obj), tables.items.key(class.item));
                Row { obj, item, ..tables.shapes.get(class.shape).row }
            }
        }
    }

    pub fn shape(&self, i: usize, tables: &Tables) -> Shape {
        match self.packed.get(i) {
            None => Shape::default(),
            Some(packed) if packed.class == OVERFLOW => self.overflow(i).map(|entry| entry.2).unwrap_or_default(),
            Some(packed) => tables.shapes.get(self.classes.all.key(packed.class).shape),
        }
    }

    /// Attachments of a row; their data is in [`Columns::bytes`].
    pub fn attachments(&self, i: usize) -> &[Attachment] {
        attachments_of(&self.attachments, i)
    }

    /// Attachments of a row and of later ones.
    pub fn attachments_from(&self, i: usize) -> &[Attachment] {
        &self.attachments[self.attachments.partition_point(|e| (e.at as usize) < i)..]
    }

    /// Applies a growth to a gap among these rows; returns its index.
    pub fn grow(&mut self, growth: Growth, tables: &Tables) -> Option<usize> {
        let gap = self.gap_at(growth.pos, tables)?;
        growth.add_to_row(gap, &mut self.attachments);
        Some(gap)
    }

    fn gap_at(&self, pos: u64, tables: &Tables) -> Option<usize> {
        let (mut first, mut end) = (0, self.len());
        while first < end {
            let middle = first + (end - first) / 2;
            if self.row(middle, tables).pos < pos { first = middle + 1 } else { end = middle }
        }
        let rows = (first..self.len()).map(|i| (i, self.row(i, tables))).take_while(|(_, row)| row.pos == pos);
        rows.filter(|(_, row)| row.kind == RowKind::GAP).map(|(i, _)| i).last()
    }

    /// Passes the first `count` rows, reduced to their shapes, and their bytes on the wire to `each`.
    pub(super) fn each_shape(&self, count: usize, tables: &Tables, mut each: impl FnMut(&Row, u64)) {
        for (i, packed) in self.packed.iter().take(count).enumerate() {
            let far = if packed.class == OVERFLOW { self.overflow(i) } else { None };
            let len = far.map_or(packed.len.into(), |entry| entry.1.len);
            let row = Row { len, ..self.shape(i, tables).row };
            let attached = if row.has(RowFlags::FRAGMENTED) { self.attachments(i) } else { &[] };
            each(&row, wire_len(&row, attached));
        }
    }

    pub fn records_before(&self, i: usize, tables: &Tables) -> u32 {
        let i = i.min(self.len());
        let step = (i / RANK_STEP).min(self.rank.len().saturating_sub(1));
        let base = self.rank.get(step).copied().unwrap_or(0);
        base + self.records_in(step * RANK_STEP..i, tables)
    }

    /// Records in a range.
    pub(crate) fn records_in(&self, rows: Range<usize>, tables: &Tables) -> u32 {
        rows.filter(|i| self.is_record(*i, tables)).count() as u32
    }

    fn is_record(&self, i: usize, tables: &Tables) -> bool {
        self.shape(i, tables).row.is_record()
    }

    /// Row of the `n`-th record, from 0.
    pub fn nth_record(&self, n: u32, tables: &Tables) -> Option<usize> {
        let step = self.rank.partition_point(|&r| r <= n).checked_sub(1)?;
        let mut records = (step * RANK_STEP..self.len()).filter(|i| self.is_record(*i, tables));
        records.nth((n - self.rank[step]) as usize)
    }

    /// Whether class numbers are almost exhausted.
    pub fn is_full(&self) -> bool {
        self.classes.all.keys.len() > usize::from(u16::MAX / 4 * 3)
    }

    /// Memory use in bytes, without the cache of an open segment.
    pub fn memory(&self) -> usize {
        self.packed.capacity() * size_of::<PackedRow>()
            + self.positions.every.capacity() * size_of::<u32>()
            + self.positions.jumps.capacity() * size_of::<(u32, u32)>()
            + self.times.bases.capacity() * size_of::<(u32, u64)>()
            + self.classes.all.memory()
            + self.overflow.capacity() * size_of::<(u32, Row, Shape)>()
            + self.attachments.capacity() * size_of::<Attachment>()
            + self.bytes.capacity()
            + self.rank.capacity() * size_of::<u32>()
    }

    /// Takes over memory that only the open segment needs, from a closed one.
    pub fn reuse_memory_of(&mut self, closed: &mut Columns) {
        self.classes.reuse_memory_of(&mut closed.classes);
    }

    /// Frees unused capacity after the last row.
    pub fn shrink(&mut self) {
        self.classes.shrink();
        self.packed.shrink_to_fit();
        self.positions.every.shrink_to_fit();
        self.positions.jumps.shrink_to_fit();
        self.times.bases.shrink_to_fit();
        self.attachments.shrink_to_fit();
        self.bytes.shrink_to_fit();
        self.overflow.shrink_to_fit();
        self.rank.shrink_to_fit();
    }
}

#[derive(Debug, Default)]
struct RowClasses {
    all: Intern<RowClass>,
    /// Recently used classes, by hash; empty if no rows are being added. Its memory is passed from segment to segment.
    recent: Vec<Recent>,
}

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
        let found = Some((self.all.number(class)?, class));
        let shape = Shapes::key(row, span.0, span.1);
        self.recent.resize(RECENT, Recent::default());
        self.recent[place(shape, row)] = Recent { shape, obj: row.obj, item: row.item, found };
        found
    }

    pub(super) fn shrink(&mut self) {
        self.all.shrink();
        self.recent = Vec::new();
    }

    /// Takes over the lookup memory from a closed segment.
    pub(super) fn reuse_memory_of(&mut self, closed: &mut RowClasses) {
        self.all.reuse_memory_of(&mut closed.all);
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

/// A packed row; the rest follows from its class and earlier rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedRow {
    /// Time relative to its base.
    pub(super) dt: u32,
    pub(super) len: u16,
    pub(super) class: u16,
}

/// Rows between two stored positions.
const STEP: usize = 64;

/// Positions relative to a base, modulo 2³².
#[derive(Debug, Clone, Default)]
pub(super) struct Positions {
    every: Vec<u32>,
    /// Rows that don't start where the previous one ends, by index.
    jumps: Vec<(u32, u32)>,
    next: u32,
}

impl Positions {
    pub(super) fn with_capacity(rows: usize) -> Positions {
        Positions { every: Vec::with_capacity(rows.div_ceil(STEP)), ..Positions::default() }
    }

    #[inline]
    pub(super) fn push(&mut self, i: usize, pos: u32, len: u16) {
        if i.is_multiple_of(STEP) {
            self.every.push(pos);
        } else if pos != self.next {
            self.jumps.push((i as u32, pos));
        }
        self.next = pos.wrapping_add(len.into());
    }

    /// Position of row `i`; `packed` = all rows with their lengths.
    pub(super) fn get(&self, i: usize, packed: &[PackedRow]) -> u32 {
        let step = i / STEP;
        let mut from = (step * STEP, self.every.get(step).copied().unwrap_or(0));
        let before = self.jumps.partition_point(|&(row, _)| row as usize <= i);
        if let Some(&(row, pos)) = before.checked_sub(1).and_then(|j| self.jumps.get(j))
            && row as usize > from.0
        {
            from = (row as usize, pos);
        }
        let before = packed.get(from.0..i).unwrap_or_default();
        before.iter().fold(from.1, |pos, row| pos.wrapping_add(row.len.into()))
    }
}

/// Times relative to bases.
#[derive(Debug, Clone, Default)]
pub(super) struct Times {
    /// First row and time of each base.
    bases: Vec<(u32, u64)>,
    /// Current base; 0 before the first.
    base: u64,
}

impl Times {
    #[inline]
    pub(super) fn push(&mut self, i: usize, time: u64) -> u32 {
        let dt = time.wrapping_sub(self.base);
        if dt <= u64::from(u32::MAX) { dt as u32 } else { self.rebase(i, time) }
    }

    /// Starts a base in the middle of the range, because times go back at a reset.
    #[inline(never)]
    fn rebase(&mut self, i: usize, time: u64) -> u32 {
        self.base = time.wrapping_sub(1 << 31);
        self.bases.push((i as u32, self.base));
        1 << 31
    }

    pub(super) fn get(&self, i: usize, dt: u32) -> u64 {
        let behind = self.bases.partition_point(|base| base.0 as usize <= i);
        let base = behind.checked_sub(1).and_then(|at| self.bases.get(at)).map_or(0, |base| base.1);
        base.wrapping_add(dt.into())
    }
}

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
    /// All other fields than kind, configuration, core, severity, group and flags are 0.
    pub row: Row,
    pub span: Span,
    /// Uncertain since a loss.
    pub unsure: bool,
}

impl Shape {
    #[inline]
    pub fn of(row: &Row, span: Span, unsure: bool) -> Shape {
        Shape { row: Row { pos: 0, time: 0, obj: 0, item: 0, len: 0, ..*row }, span, unsure }
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
        self.tally.resize(self.shapes.keys.len(), (0, 0));
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
        self.shapes.keys.iter().zip(&self.tally).map(|(shape, &(rows, bytes))| (shape, rows, bytes))
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
    use proptest::prelude::*;
    use spytui_plugin_api::{Severity, batch::AttachmentId};

    use super::*;

    fn any_row() -> impl Strategy<Value = Row> {
        (any::<[u64; 4]>(), any::<u32>(), any::<u32>(), any::<[u16; 3]>(), any::<[u8; 2]>(), any::<bool>()).prop_map(
            |([pos, time, obj, item], len, flags, [kind, cfg, core], [severity, group], usual)| {
                let (flags, kind, severity) = (RowFlags::from_bits_retain(flags), RowKind(kind), Severity(severity));
                let row = Row { pos, time, obj, item, len, flags, kind, cfg, core, severity, group };
                if usual {
                    Row {
                        pos: pos % 1_000_000,
                        time: 5_000 + time % 10_000,
                        len: len % 600,
                        kind: RowKind(kind.0 % 100),
                        ..row
                    }
                } else {
                    row
                }
            },
        )
    }

    proptest! {
        #[test]
        fn every_row_comes_back(rows in prop::collection::vec(any_row(), 1..200)) {
            let mut tables = Tables::default();
            let mut columns = Columns::new(0, 16);
            let batch = Batch { rows: rows.clone().into(), ..Batch::default() };
            columns.add(&batch, &vec![(Span::Inside, true); rows.len()], &mut tables, true);
            for (i, row) in rows.iter().enumerate() {
                prop_assert_eq!(&columns.row(i, &tables), row);
                prop_assert_eq!(columns.shape(i, &tables).span, Span::Inside);
            }
        }
    }

    /// Mostly contiguous rows.
    fn following(rows: Vec<(Row, u8)>) -> Vec<Row> {
        let (mut pos, mut time) = (0, 0);
        let follow = |(row, like): (Row, u8)| {
            let usual = Row {
                pos,
                time,
                obj: row.obj % 3,
                len: row.len % 600,
                kind: RowKind(row.kind.0 % 4),
                ..Row::default()
            };
            let row =
                if like == 0 { row } else { Row { kind: if like == 1 { RowKind::GAP } else { usual.kind }, ..usual } };
            (pos, time) = (row.pos.wrapping_add(row.len.into()), row.time.wrapping_add(7));
            row
        };
        rows.into_iter().map(follow).collect()
    }

    proptest! {
        #[test]
        fn rows_of_all_sorts_come_back_and_add_up(
            feeds in prop::collection::vec(prop::collection::vec((any_row(), 0..40u8), 0..200), 1..5),
        ) {
            let mut tables = Tables::default();
            let mut columns = Columns::default();
            let feeds: Vec<Vec<Row>> = feeds.into_iter().map(following).collect();
            for rows in &feeds {
                let batch = Batch { rows: rows.clone().into(), ..Batch::default() };
                columns.add(&batch, &[], &mut tables, true);
                // Decoded again between two feeds, it is not counted.
                let mut again = Columns::new(0, 0);
                again.add(&batch, &[], &mut tables, false);
                prop_assert!(rows.iter().enumerate().all(|(i, row)| again.row(i, &tables) == *row));
            }
            columns.shrink();
            let rows = feeds.concat();
            for (i, row) in rows.iter().enumerate() {
                prop_assert_eq!(&columns.row(i, &tables), row);
                let before = rows[..i].iter().filter(|row| row.is_record()).count() as u32;
                prop_assert_eq!(columns.records_before(i, &tables), before);
            }
            prop_assert_eq!(tables.shapes.tally().map(|t| t.1).sum::<u64>(), rows.len() as u64);
            prop_assert_eq!(
                tables.shapes.tally().map(|t| t.2).sum::<u64>(),
                rows.iter().filter(|row| !row.has(RowFlags::SHARED)).map(|row| u64::from(row.len)).sum::<u64>()
            );
        }
    }

    #[test]
    fn every_row_is_counted_once_in_all_segments() {
        let mut tables = Tables::default();
        let mut segments = [Columns::default(), Columns::default()];
        for n in 0..50_000u64 {
            let flags = RowFlags::HAS_OBJECT | if n % 2 == 0 { RowFlags::HAS_ITEM } else { RowFlags::empty() };
            let row =
                Row { kind: RowKind((n % 7) as u16), obj: n % 1000, item: n % 3, len: 2, flags, ..Row::default() };
            let batch = Batch { rows: [row].into_iter().collect(), ..Batch::default() };
            segments[usize::from(n % 5 == 0)].add(&batch, &[], &mut tables, true);
        }
        assert_eq!(tables.shapes.tally().map(|t| t.1).sum::<u64>(), 50_000);
        assert_eq!(tables.shapes.tally().map(|t| t.2).sum::<u64>(), 100_000);
    }

    #[test]
    fn fragments_count_in_all_rows_and_in_the_first_ones() {
        let (mut tables, mut columns) = (Tables::default(), Columns::new(0, 16));
        let row = |flags| Row { len: 10, flags, ..Row::default() };
        let rows = vec![row(RowFlags::empty()), row(RowFlags::FRAGMENTED), row(RowFlags::SHARED)];
        let fragment = Attachment { at: 1, id: AttachmentId::FRAGMENT, b: 7, ..Attachment::default() };
        let batch = Batch { rows: rows.into(), attachments: vec![fragment].into(), ..Batch::default() };
        columns.add(&batch, &[], &mut tables, true);
        columns.add(&batch, &[], &mut tables, true);
        assert_eq!(tables.shapes.tally().map(|t| t.2).sum::<u64>(), 2 * 27);
        let mut bytes = Vec::new();
        columns.each_shape(5, &tables, |row, wire| bytes.push((row.len, wire)));
        assert_eq!(bytes, [(10, 10), (10, 17), (10, 0), (10, 10), (10, 17)]);
    }

    #[test]
    fn records_are_numbered_over_notes() {
        let mut tables = Tables::default();
        let mut columns = Columns::new(0, 16);
        let rows: Vec<Row> = (0..2000)
            .map(|i| Row { kind: if i % 3 == 0 { RowKind::GAP } else { RowKind(0) }, ..Row::default() })
            .collect();
        let batch = Batch { rows: rows.into(), ..Batch::default() };
        columns.add(&batch, &vec![(Span::None, false); 2000], &mut tables, true);
        for n in [0, 1, 500, 1331] {
            let row = columns.nth_record(n, &tables).expect("record");
            assert_eq!(columns.records_before(row, &tables), n);
            assert_ne!(row % 3, 0);
        }
        assert_eq!(columns.records, 1333);
        assert_eq!(columns.nth_record(1333, &tables), None);
        assert_eq!(columns.records_before(2000, &tables), 1333);
    }

    proptest! {
        #[test]
        fn every_position_comes_back(rows in prop::collection::vec((any::<u16>(), 0..4u8, any::<u32>()), 0..300)) {
            let (mut positions, mut packed, mut expected, mut end) = (Positions::default(), Vec::new(), Vec::new(), 7u32);
            for (i, &(len, jumps, elsewhere)) in rows.iter().enumerate() {
                let pos = if jumps == 0 { elsewhere } else { end };
                positions.push(i, pos, len);
                packed.push(PackedRow { dt: 0, len, class: 0 });
                expected.push(pos);
                end = pos.wrapping_add(len.into());
            }
            let got: Vec<u32> = (0..rows.len()).map(|i| positions.get(i, &packed)).collect();
            prop_assert_eq!(got, expected);
        }
    }

    #[test]
    fn rows_that_follow_each_other_cost_nothing() {
        let mut positions = Positions::default();
        (0..1000).for_each(|i| positions.push(i, 5 * i as u32, 5));
        assert_eq!((positions.every.len(), positions.jumps.len()), (16, 0));
    }

    proptest! {
        #[test]
        fn every_time_comes_back(rows in prop::collection::vec((any::<u64>(), any::<bool>()), 0..100)) {
            let mut times = Times::default();
            let all: Vec<u64> = rows.iter().map(|&(time, far)| if far { time } else { time % 5_000_000_000 }).collect();
            let kept: Vec<u32> = all.iter().enumerate().map(|(i, &time)| times.push(i, time)).collect();
            let got: Vec<u64> = kept.iter().enumerate().map(|(i, &dt)| times.get(i, dt)).collect();
            prop_assert_eq!(got, all);
        }
    }

    #[test]
    fn times_that_are_near_each_other_share_a_base() {
        let mut times = Times::default();
        (0..1000).for_each(|i| {
            times.push(i, 1 << 40 | (i as u64 * 0x123_4567) & 0x7FFF_FFFF);
        });
        assert_eq!(times.bases.len(), 1);
    }

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
