//! The rows of a segment in columns, 12 bytes a row. What does not fit a column goes to a sparse list; every row
//! comes back exactly.

use spytui_plugin_api::{Batch, Extra, Row, batch::extra};

use super::{
    positions::Positions,
    shape::{Shape, Span},
    tables::{Numbers, Tables},
};

/// Rows between two entries of the rank index.
const RANK_STEP: usize = 512;
/// Number of a shape that stands for "in the sparse list".
const ODD: u16 = u16::MAX;

/// Rows with their extras.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    base_pos: u64,
    base_time: u64,
    shape: Vec<u16>,
    positions: Positions,
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
            positions: Positions::with_capacity(capacity),
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
        let all = first + rows.len();
        self.shape.resize(all, 0);
        self.obj.resize(all, 0);
        self.aux.resize(all, 0);
        self.dt.resize(all, 0);
        self.len.resize(all, 0);
        if spans.is_empty() {
            self.fill(first, rows.iter().map(|row| (row, Default::default())), tables, count);
        } else {
            let spans = spans.iter().copied().chain(std::iter::repeat_with(Default::default));
            self.fill(first, rows.iter().zip(spans), tables, count);
        }
        tables.counted();
        if !batch.extras.is_empty() {
            self.add_extras(batch, first as u32);
        }
    }

    /// Fills the columns from row `first` on.
    #[inline]
    fn fill<'r>(
        &mut self,
        first: usize,
        rows: impl Iterator<Item = (&'r Row, (Span, bool))>,
        tables: &mut Tables,
        count: bool,
    ) {
        let Columns { base_pos, base_time, odd, positions, rank, records, .. } = self;
        let keys = self.obj[first..].iter_mut().zip(&mut self.aux[first..]);
        let cells = self.shape[first..].iter_mut().zip(keys).zip(&mut self.dt[first..]).zip(&mut self.len[first..]);
        for ((i, (((shape, (obj, aux)), dt), len)), (row, place)) in (first..).zip(cells).zip(rows) {
            if i.is_multiple_of(RANK_STEP) {
                rank.push(*records);
            }
            *records += u32::from(row.is_record());
            let pos = row.pos.wrapping_sub(*base_pos);
            let time = row.time.wrapping_sub(*base_time);
            let fits = (pos | time) <= u64::from(u32::MAX) && row.len <= u32::from(u16::MAX);
            match tables.numbers(row, place, count) {
                Some(numbers) if fits => {
                    Numbers { shape: *shape, obj: *obj, aux: *aux } = numbers;
                    (*dt, *len) = (time as u32, row.len as u16);
                }
                _ => {
                    *shape = ODD;
                    odd.push((i as u32, *row, Shape::of(row, place.0, place.1)));
                }
            }
            positions.push(i, pos as u32, *len);
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
                pos: self.base_pos + u64::from(self.positions.get(i, &self.len)),
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
        self.shape.capacity() * 12
            + self.positions.memory()
            + self.odd.capacity() * size_of::<(u32, Row, Shape)>()
            + self.extras.capacity() * size_of::<Extra>()
            + self.bytes.capacity()
            + self.rank.capacity() * 4
    }

    /// Gives back what was reserved and not used, unless that is little.
    pub fn shrink(&mut self) {
        if self.shape.capacity() - self.shape.len() <= self.shape.len() / 8 {
            return;
        }
        self.shape.shrink_to_fit();
        self.positions.shrink();
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
    use spytui_plugin_api::row::flag;

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
