//! The rows of a segment in columns, 16 bytes a row. What does not fit a column goes to a sparse list; every row
//! comes back exactly.

use spytui_plugin_api::{Batch, Extra, Row, batch::extra, row::flag};

use super::{
    intern::Intern,
    shape::{Shape, Shapes, Span},
};

/// Rows between two entries of the rank index.
const RANK_STEP: usize = 512;
/// Number of a shape that stands for "in the sparse list".
const ODD: u16 = u16::MAX;

/// The tables that all segments of a source share.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// Shapes.
    pub shapes: Shapes,
    /// Keys of `Row::obj`.
    pub objs: Intern,
    /// Keys of `Row::aux`.
    pub auxs: Intern,
}

/// Rows with their extras.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    base_pos: u64,
    base_time: u64,
    shape: Vec<u16>,
    pos: Vec<u32>,
    len: Vec<u16>,
    dt: Vec<u32>,
    obj: Vec<u16>,
    aux: Vec<u16>,
    /// Rows that do not fit, by index.
    odd: Vec<(u32, Row, Shape)>,
    extras: Vec<Extra>,
    bytes: Vec<u8>,
    /// Records before row `i * RANK_STEP`.
    rank: Vec<u32>,
    records: u32,
}

impl Columns {
    /// No rows yet; positions and times are kept relative to these.
    #[must_use]
    pub fn new(base_pos: u64, base_time: u64, capacity: usize) -> Columns {
        Columns {
            base_pos,
            base_time,
            shape: Vec::with_capacity(capacity),
            pos: Vec::with_capacity(capacity),
            len: Vec::with_capacity(capacity),
            dt: Vec::with_capacity(capacity),
            obj: Vec::with_capacity(capacity),
            aux: Vec::with_capacity(capacity),
            ..Columns::default()
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shape.is_empty()
    }

    /// Number of records among the rows.
    #[must_use]
    pub fn records(&self) -> u32 {
        self.records
    }

    /// Adds a batch; `spans[i]` = place and certainty of row `i`, none known where the list is empty. With `count`
    /// its rows are counted: not when they are decoded again.
    pub fn add(&mut self, batch: &Batch, spans: &[(Span, bool)], tables: &mut Tables, count: bool) {
        let first = self.len();
        let rows = batch.rows.as_slice();
        if rows.iter().all(|row| self.fits(row)) {
            self.pos.extend(rows.iter().map(|row| row.pos.wrapping_sub(self.base_pos) as u32));
            self.dt.extend(rows.iter().map(|row| row.time.wrapping_sub(self.base_time) as u32));
            self.len.extend(rows.iter().map(|row| row.len as u16));
        } else {
            self.some_do_not_fit(rows);
        }
        self.numbers(rows, spans, tables, count);
        self.ranks(first, rows);
        if !batch.extras.is_empty() {
            self.add_extras(batch, first as u32);
        }
    }

    /// Whether position, time and length fit their columns.
    #[inline]
    fn fits(&self, row: &Row) -> bool {
        let pos = row.pos.wrapping_sub(self.base_pos);
        let dt = row.time.wrapping_sub(self.base_time);
        (pos | dt) <= u64::from(u32::MAX) && row.len <= u32::from(u16::MAX)
    }

    #[cold]
    fn some_do_not_fit(&mut self, rows: &[Row]) {
        for row in rows {
            let fits = self.fits(row);
            let or_zero = |n: u64| if fits { n } else { 0 };
            self.pos.push(or_zero(row.pos.wrapping_sub(self.base_pos)) as u32);
            self.dt.push(or_zero(row.time.wrapping_sub(self.base_time)) as u32);
            self.len.push(or_zero(u64::from(row.len)) as u16);
        }
    }

    /// Numbers for shapes and keys.
    fn numbers(&mut self, rows: &[Row], spans: &[(Span, bool)], tables: &mut Tables, count: bool) {
        self.shape.reserve(rows.len());
        self.obj.reserve(rows.len());
        self.aux.reserve(rows.len());
        for (i, row) in rows.iter().enumerate() {
            let (span, unsure) = spans.get(i).copied().unwrap_or_default();
            let shape = tables.shapes.number(row, span, unsure);
            if let (Some(number), true) = (shape, count) {
                tables.shapes.count(number, row.len);
            }
            let obj = tables.objs.number(row.obj, count && row.flags & flag::HAS_OBJ != 0);
            let aux = tables.auxs.number(row.aux, count && row.flags & flag::HAS_AUX != 0);
            match (shape, obj, aux) {
                (Some(shape), Some(obj), Some(aux)) if self.fits(row) => {
                    self.shape.push(shape);
                    self.obj.push(obj);
                    self.aux.push(aux);
                }
                _ => self.push_odd(row, Shape::of(row, span, unsure)),
            }
        }
    }

    #[cold]
    fn push_odd(&mut self, row: &Row, shape: Shape) {
        self.odd.push((self.shape.len() as u32, *row, shape));
        self.shape.push(ODD);
        self.obj.push(0);
        self.aux.push(0);
    }

    /// Goes on with the index of ranks over rows from `first` on.
    fn ranks(&mut self, first: usize, rows: &[Row]) {
        let mut rest = rows;
        let mut at = first;
        while !rest.is_empty() {
            if at.is_multiple_of(RANK_STEP) {
                self.rank.push(self.records);
            }
            let (some, others) = rest.split_at(rest.len().min(RANK_STEP - at % RANK_STEP));
            self.records += some.iter().map(|row| u32::from(row.is_record())).sum::<u32>();
            (rest, at) = (others, at + some.len());
        }
    }

    fn add_extras(&mut self, batch: &Batch, first: u32) {
        let base = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&batch.bytes);
        self.extras.extend(batch.extras.iter().map(|e| Extra {
            at: e.at + first,
            a: if e.flags & extra::BYTES == 0 { e.a } else { e.a + base },
            ..*e
        }));
    }

    fn odd(&self, i: usize) -> Option<&(u32, Row, Shape)> {
        self.odd.binary_search_by_key(&(i as u32), |o| o.0).ok().and_then(|at| self.odd.get(at))
    }

    /// The row with this index; an all-zero row beyond the end.
    #[must_use]
    pub fn row(&self, i: usize, tables: &Tables) -> Row {
        match self.shape.get(i) {
            None => Row::default(),
            Some(&ODD) => self.odd(i).map(|o| o.1).unwrap_or_default(),
            Some(&shape) => Row {
                pos: self.base_pos + u64::from(self.pos[i]),
                time: self.base_time.wrapping_add(u64::from(self.dt[i])),
                obj: tables.objs.key(self.obj[i]),
                aux: tables.auxs.key(self.aux[i]),
                len: u32::from(self.len[i]),
                ..tables.shapes.get(shape).row()
            },
        }
    }

    /// The shape of a row.
    #[must_use]
    pub fn shape(&self, i: usize, tables: &Tables) -> Shape {
        match self.shape.get(i) {
            None => Shape::default(),
            Some(&ODD) => self.odd(i).map(|o| o.2).unwrap_or_default(),
            Some(&shape) => tables.shapes.get(shape),
        }
    }

    /// The extras of a row; their bytes are in [`Columns::bytes`].
    #[must_use]
    pub fn extras(&self, i: usize) -> &[Extra] {
        let i = i as u32;
        let first = self.extras.partition_point(|e| e.at < i);
        let end = first + self.extras[first..].partition_point(|e| e.at <= i);
        &self.extras[first..end]
    }

    /// The arena of the extras.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Records before row `i`.
    #[must_use]
    pub fn records_before(&self, i: usize, tables: &Tables) -> u32 {
        let i = i.min(self.len());
        let step = (i / RANK_STEP).min(self.rank.len().saturating_sub(1));
        let base = self.rank.get(step).copied().unwrap_or(0);
        base + (step * RANK_STEP..i).filter(|&j| self.is_record(j, tables)).count() as u32
    }

    /// The row of the `n`-th record (from 0).
    #[must_use]
    pub fn nth_record(&self, n: u32, tables: &Tables) -> Option<usize> {
        let step = self.rank.partition_point(|&r| r <= n).checked_sub(1)?;
        let mut left = n - self.rank[step];
        for i in step * RANK_STEP..self.len() {
            if self.is_record(i, tables) {
                if left == 0 {
                    return Some(i);
                }
                left -= 1;
            }
        }
        None
    }

    fn is_record(&self, i: usize, tables: &Tables) -> bool {
        self.shape(i, tables).row().is_record()
    }

    /// The last row whose object has this number.
    #[must_use]
    pub fn last_obj(&self, number: u16) -> Option<usize> {
        self.obj.iter().rposition(|&n| n == number)
    }

    /// The last row whose second key has this number.
    #[must_use]
    pub fn last_aux(&self, number: u16) -> Option<usize> {
        self.aux.iter().rposition(|&n| n == number)
    }

    /// Bytes of memory.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.shape.capacity() * 16
            + self.odd.capacity() * size_of::<(u32, Row, Shape)>()
            + self.extras.capacity() * size_of::<Extra>()
            + self.bytes.capacity()
            + self.rank.capacity() * 4
    }

    /// Gives back what was reserved and not used.
    pub fn shrink(&mut self) {
        self.shape.shrink_to_fit();
        self.pos.shrink_to_fit();
        self.len.shrink_to_fit();
        self.dt.shrink_to_fit();
        self.obj.shrink_to_fit();
        self.aux.shrink_to_fit();
        self.extras.shrink_to_fit();
        self.bytes.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_row() -> impl Strategy<Value = Row> {
        (any::<[u64; 4]>(), any::<u32>(), any::<u32>(), any::<[u16; 3]>(), any::<[u8; 2]>(), any::<bool>()).prop_map(
            |([pos, time, obj, aux], len, flags, [kind, cfg, lane], [severity, group], usual)| {
                let row = Row { pos, time, obj, aux, len, flags, kind, cfg, lane, severity, group };
                if usual {
                    Row { pos: pos % 1_000_000, time: 5_000 + time % 10_000, len: len % 600, kind: kind % 100, ..row }
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
            let mut columns = Columns::new(0, 5_000, 16);
            let batch = Batch { rows: rows.clone().into(), ..Batch::default() };
            columns.add(&batch, &vec![(Span::Inside, true); rows.len()], &mut tables, true);
            for (i, row) in rows.iter().enumerate() {
                prop_assert_eq!(&columns.row(i, &tables), row);
                prop_assert_eq!(columns.shape(i, &tables).span, Span::Inside);
            }
        }
    }

    #[test]
    fn records_are_numbered_over_notes() {
        let mut tables = Tables::default();
        let mut columns = Columns::new(0, 0, 16);
        let rows: Vec<Row> =
            (0..2000).map(|i| Row { flags: if i % 3 == 0 { flag::NOTE } else { 0 }, ..Row::default() }).collect();
        let batch = Batch { rows: rows.into(), ..Batch::default() };
        columns.add(&batch, &vec![(Span::None, false); 2000], &mut tables, true);
        for n in [0, 1, 500, 1331] {
            let row = columns.nth_record(n, &tables).expect("record");
            assert_eq!(columns.records_before(row, &tables), n);
            assert_ne!(row % 3, 0);
        }
        assert_eq!(columns.records(), 1333);
        assert_eq!(columns.nth_record(1333, &tables), None);
        assert_eq!(columns.records_before(2000, &tables), 1333);
    }
}
