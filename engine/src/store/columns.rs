//! The rows of one segment or some, 8 bytes each. What does not fit goes to a sparse list; every row comes back exactly.

use spytui_plugin_api::{Batch, Extra, Row, batch::extra};

use super::{
    counters::Sums,
    packed_rows::{PackedRow, PackedRows},
    positions::{Positions, STEP},
    shape::{Shape, Span},
    tables::{RowClass, RowClasses, Tables},
    times::Times,
};

/// Rows between two entries of the rank index.
const RANK_STEP: usize = 512;
/// Number of a combination that stands for "in the sparse list".
const ODD: u16 = u16::MAX;

/// Rows with their extras.
#[derive(Debug, Default)]
pub struct Columns {
    base_pos: u64,
    cells: PackedRows,
    positions: Positions,
    times: Times,
    combos: RowClasses,
    /// Rows that do not fit, by index.
    odd: Vec<(u32, Row, Shape)>,
    extras: Vec<Extra>,
    bytes: Vec<u8>,
    /// Records before row `i * RANK_STEP`.
    rank: Vec<u32>,
    records: u32,
}

impl Columns {
    /// No rows yet; positions are kept relative to this one.
    #[must_use]
    pub fn new(base_pos: u64, capacity: usize) -> Columns {
        Columns {
            base_pos,
            cells: PackedRows::with_capacity(capacity),
            positions: Positions::with_capacity(capacity),
            ..Columns::default()
        }
    }

    /// The same in memory for several segments, where the system has such: quick to fill with many rows.
    #[must_use]
    pub fn for_many(base_pos: u64) -> Option<Columns> {
        let cells = PackedRows::in_slab()?;
        Some(Columns { base_pos, cells, ..Columns::default() })
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of records among the rows.
    #[must_use]
    pub fn records(&self) -> u32 {
        self.records
    }

    /// Adds a batch; `spans[i]` = place and certainty of row `i`, none known where the list is empty. What its rows
    /// add up to comes back. With `count` they are counted once [`Tables::settle`] is called: not when they are decoded
    /// again.
    pub fn add(&mut self, batch: &Batch, spans: &[(Span, bool)], tables: &mut Tables, count: bool) -> Sums {
        let first = self.len();
        tables.number(&mut self.combos);
        if !count {
            tables.settle();
        }
        let sums = if spans.is_empty() {
            self.fill(&batch.rows, |_| Default::default(), tables, count)
        } else {
            self.fill(&batch.rows, |i| spans.get(i).copied().unwrap_or_default(), tables, count)
        };
        if !count {
            tables.forget();
        }
        if !batch.extras.is_empty() {
            self.add_extras(batch, first as u32);
        }
        sums
    }

    /// Adds rows. Most are plain, follow each other, are near in time and have a combination that came lately.
    #[inline]
    fn fill(&mut self, rows: &[Row], place: impl Fn(usize) -> (Span, bool), tables: &mut Tables, count: bool) -> Sums {
        let mut cells = std::mem::take(&mut self.cells);
        let (first, mut run, mut sums) = (cells.len(), 0, Sums::default());
        let (base_pos, owner) = (self.base_pos, self.combos.owner());
        let (mut base_time, mut next) = (self.times.base(), self.positions.next());
        for (i, (row, cell)) in rows.iter().zip(cells.more(rows.len())).enumerate() {
            let (at, place) = (first + i, place(i));
            let (pos, dt) = (row.pos.wrapping_sub(base_pos), row.time.wrapping_sub(base_time));
            let slot = tables.slot(row, place);
            let unlike =
                (pos ^ u64::from(next)) | (dt >> 32) | u64::from(row.len >> 16) | slot.differs(owner, row, place);
            if unlike == 0 && slot.is_counting() && !at.is_multiple_of(STEP) {
                slot.count(row);
                next = next.wrapping_add(row.len);
                *cell = PackedRow::new(dt as u32, row.len as u16, slot.combo()).bytes();
                continue;
            }
            self.usual(i - run, next, &mut sums);
            *cell = self.unusual(at, row, place, tables, count).bytes();
            sums.add(row);
            (base_time, next, run) = (self.times.base(), self.positions.next(), i + 1);
        }
        self.usual(rows.len() - run, next, &mut sums);
        self.cells = cells;
        sums
    }

    /// Plain rows were added that follow each other; `next` = where the last one ends.
    #[inline]
    fn usual(&mut self, rows: usize, next: u32, sums: &mut Sums) {
        sums.add_plain(rows as u64, next.wrapping_sub(self.positions.next()).into());
        self.records += rows as u32;
        self.positions.follow(next);
    }

    /// The cell of any row.
    #[inline(never)]
    fn unusual(&mut self, i: usize, row: &Row, place: (Span, bool), tables: &mut Tables, count: bool) -> PackedRow {
        if i.is_multiple_of(RANK_STEP) {
            self.rank.push(self.records);
        }
        self.records += u32::from(row.is_record());
        let pos = row.pos.wrapping_sub(self.base_pos);
        let dt = self.times.push(i, row.time);
        let cell = match tables.combo(&mut self.combos, row, place, count) {
            Some(combo) if (pos >> 32) | u64::from(row.len >> 16) == 0 => PackedRow::new(dt, row.len as u16, combo),
            _ => {
                self.odd.push((i as u32, *row, Shape::of(row, place.0, place.1)));
                PackedRow::new(dt, 0, ODD)
            }
        };
        self.positions.push(i, pos as u32, cell.len());
        cell
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
        match self.cells.get(i) {
            None => Row::default(),
            Some(cell) if cell.combo() == ODD => self.odd(i).map(|o| o.1).unwrap_or_default(),
            Some(cell) => {
                let numbers = self.combos.get(cell.combo());
                Row {
                    pos: self.base_pos + u64::from(self.positions.get(i, &self.cells)),
                    time: self.times.get(i, cell.dt()),
                    obj: tables.objs.key(numbers.obj),
                    aux: tables.auxs.key(numbers.aux),
                    len: u32::from(cell.len()),
                    ..tables.shapes.get(numbers.shape).row()
                }
            }
        }
    }

    /// The shape of a row.
    #[must_use]
    pub fn shape(&self, i: usize, tables: &Tables) -> Shape {
        match self.cells.get(i) {
            None => Shape::default(),
            Some(cell) if cell.combo() == ODD => self.odd(i).map(|o| o.2).unwrap_or_default(),
            Some(cell) => tables.shapes.get(self.combos.get(cell.combo()).shape),
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
        self.last(|numbers| numbers.obj == number)
    }

    /// The last row whose second key has this number.
    #[must_use]
    pub fn last_aux(&self, number: u16) -> Option<usize> {
        self.last(|numbers| numbers.aux == number)
    }

    /// The last row with a combination that fits.
    fn last(&self, fits: impl Fn(&RowClass) -> bool) -> Option<usize> {
        let fits: Vec<bool> = self.combos.all().iter().map(fits).collect();
        if !fits.contains(&true) {
            return None;
        }
        self.cells.range(0, self.len()).rposition(|cell| fits.get(usize::from(cell.combo())) == Some(&true))
    }

    /// Whether hardly any combination more would get a number.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.combos.all().len() > usize::from(u16::MAX / 4 * 3)
    }

    /// Whether they are in memory that is for many rows, with room for a segment more.
    #[must_use]
    pub fn has_room(&self, rows: usize) -> bool {
        self.cells.room().is_some_and(|room| room >= rows) && self.combos.all().len() < usize::from(u16::MAX / 4)
    }

    /// Bytes of memory.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.cells.memory()
            + self.positions.memory()
            + self.times.memory()
            + self.combos.memory()
            + self.odd.capacity() * size_of::<(u32, Row, Shape)>()
            + self.extras.capacity() * size_of::<Extra>()
            + self.bytes.capacity()
            + self.rank.capacity() * 4
    }

    /// No row will come any more: gives back what was reserved and not used, unless that is little.
    pub fn shrink(&mut self) {
        self.combos.shrink();
        self.cells.shrink();
        self.positions.shrink();
        self.times.shrink();
        self.extras.shrink_to_fit();
        self.bytes.shrink_to_fit();
        self.odd.shrink_to_fit();
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
            let mut columns = Columns::new(0, 16);
            let batch = Batch { rows: rows.clone().into(), ..Batch::default() };
            columns.add(&batch, &vec![(Span::Inside, true); rows.len()], &mut tables, true);
            for (i, row) in rows.iter().enumerate() {
                prop_assert_eq!(&columns.row(i, &tables), row);
                prop_assert_eq!(columns.shape(i, &tables).span, Span::Inside);
            }
        }
    }

    /// Rows of which most follow each other.
    fn following(rows: Vec<(Row, u8)>) -> Vec<Row> {
        let (mut pos, mut time) = (0, 0);
        let follow = |(row, like): (Row, u8)| {
            let usual = Row { pos, time, obj: row.obj % 3, len: row.len % 600, kind: row.kind % 4, ..Row::default() };
            let row = if like == 0 { row } else { Row { flags: [0, flag::NOTE][usize::from(like == 1)], ..usual } };
            (pos, time) = (row.pos.wrapping_add(row.len.into()), row.time.wrapping_add(7));
            row
        };
        rows.into_iter().map(follow).collect()
    }

    proptest! {
        #[test]
        fn rows_of_all_sorts_come_back_and_add_up(
            feeds in prop::collection::vec(prop::collection::vec((any_row(), 0..40u8), 0..200), 1..5),
            many in any::<bool>(),
        ) {
            let mut tables = Tables::default();
            let mut columns = if many { Columns::for_many(0).unwrap_or_default() } else { Columns::default() };
            let feeds: Vec<Vec<Row>> = feeds.into_iter().map(following).collect();
            for rows in &feeds {
                let batch = Batch { rows: rows.clone().into(), ..Batch::default() };
                let sums = columns.add(&batch, &[], &mut tables, true);
                prop_assert_eq!(sums, Sums::of(rows));
                // Decoded again between two feeds, it is not counted.
                let mut again = Columns::new(0, 0);
                again.add(&batch, &[], &mut tables, false);
                prop_assert!(rows.iter().enumerate().all(|(i, row)| again.row(i, &tables) == *row));
            }
            tables.settle();
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
                rows.iter().map(|row| u64::from(row.len)).sum::<u64>()
            );
        }
    }

    #[test]
    fn records_are_numbered_over_notes() {
        let mut tables = Tables::default();
        let mut columns = Columns::new(0, 16);
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
