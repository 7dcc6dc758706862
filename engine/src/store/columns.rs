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

    /// Adds a batch; `spans[i]` = place and certainty of row `i`. With `count` its rows are counted: not when they
    /// are decoded again.
    pub fn add(&mut self, batch: &Batch, spans: &[(Span, bool)], tables: &mut Tables, count: bool) {
        let first = self.len() as u32;
        for (row, &(span, unsure)) in batch.rows.iter().zip(spans) {
            self.push(row, Shape::of(row, span, unsure), tables, count);
        }
        if !batch.extras.is_empty() {
            let base = self.bytes.len() as u64;
            self.bytes.extend_from_slice(&batch.bytes);
            self.extras.extend(batch.extras.iter().map(|e| Extra {
                at: e.at + first,
                a: if e.flags & extra::BYTES == 0 { e.a } else { e.a + base },
                ..*e
            }));
        }
    }

    #[inline]
    fn push(&mut self, row: &Row, shape: Shape, tables: &mut Tables, count: bool) {
        if self.shape.len().is_multiple_of(RANK_STEP) {
            self.rank.push(self.records);
        }
        self.records += u32::from(row.is_record());
        let pos = row.pos.wrapping_sub(self.base_pos);
        let dt = row.time.wrapping_sub(self.base_time);
        let fits = pos <= u64::from(u32::MAX) && dt <= u64::from(u32::MAX) && row.len <= u32::from(u16::MAX);
        let numbers = (
            tables.shapes.number(&shape),
            tables.objs.number(row.obj, count && row.flags & flag::HAS_OBJ != 0),
            tables.auxs.number(row.aux, count && row.flags & flag::HAS_AUX != 0),
        );
        if let (Some(number), true) = (numbers.0, count) {
            tables.shapes.count(number, row.len);
        }
        match numbers {
            (Some(number), Some(obj), Some(aux)) if fits => self.columns(number, pos, row.len, dt, obj, aux),
            _ => {
                self.odd.push((self.shape.len() as u32, *row, shape));
                self.columns(ODD, 0, 0, 0, 0, 0);
            }
        }
    }

    #[inline]
    fn columns(&mut self, shape: u16, pos: u64, len: u32, dt: u64, obj: u16, aux: u16) {
        self.shape.push(shape);
        self.pos.push(pos as u32);
        self.len.push(len as u16);
        self.dt.push(dt as u32);
        self.obj.push(obj);
        self.aux.push(aux);
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
