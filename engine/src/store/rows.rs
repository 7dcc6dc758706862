//! All rows of a source, within a memory budget: beyond it the oldest segments drop their columns.

use std::sync::Arc;

use spytui_plugin_api::{Batch, Row};

use super::{
    columns::Columns,
    counters::Sums,
    segment::{Checkpoint, ROWS, Segment},
    shape::{Shape, Span},
    tables::Tables,
};
use crate::log::Cursor;

/// Default budget for columns, bytes.
pub const BUDGET: usize = 512 << 20;

/// Rows of one source, numbered from 0.
#[derive(Debug)]
pub struct Rows {
    segments: Vec<Segment>,
    /// Columns that are being filled: with the open segment and, in bulk, some closed ones before it.
    open: Columns,
    /// Number of their first row.
    open_first: u64,
    /// Records before them.
    open_records: u64,
    /// Index of the first segment in them.
    open_segments: usize,
    /// Start of the open segment.
    start: Option<Arc<Checkpoint>>,
    /// Rows in the open columns before the open segment, and records among them.
    skip: (usize, u32),
    /// Places in spans come with the rows of the open segment.
    spans: bool,
    tables: Tables,
    budget: usize,
    used: usize,
    /// Dropped segments that were decoded again, oldest use first.
    recent: Vec<usize>,
}

/// Where a row lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowLocation {
    /// In a closed segment: its index, and the row's in it.
    Closed(usize, usize),
    /// In the open segment: its index in the open columns.
    Open(usize),
}

/// Segments that stay decoded although they are beyond the budget.
const KEPT: usize = 8;

/// Segments looked at for the last use of a key.
const LOOKED_BACK: usize = 4;

/// Rows that a segment may have beyond [`ROWS`], mostly.
const BEYOND: usize = 4096;

/// Budgets smaller than this are kept segment by segment.
const SMALL: usize = 32 << 20;

impl Rows {
    /// No rows; columns may take `budget` bytes.
    #[must_use]
    pub fn new(budget: usize) -> Rows {
        Rows {
            segments: Vec::new(),
            open: Columns::new(0, 1024),
            open_first: 0,
            open_records: 0,
            open_segments: 0,
            start: None,
            skip: (0, 0),
            spans: true,
            tables: Tables::default(),
            budget,
            used: 0,
            recent: Vec::new(),
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.open_first + self.open.len() as u64
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.open_records + u64::from(self.open.records())
    }

    /// Whether the next feed begins a segment, which wants a checkpoint.
    #[must_use]
    pub fn at_segment_start(&self) -> bool {
        self.open.len() == self.skip.0 && self.start.is_none()
    }

    /// Begins the open segment; `spans` = places in spans come with its rows, which is not so in bulk.
    pub fn begin(&mut self, checkpoint: Option<Checkpoint>, spans: bool) {
        if spans {
            self.finish();
        }
        if self.open.is_empty() {
            let base_pos = checkpoint.as_ref().map_or(0, |c| c.at.pos);
            let bulk = !spans && !self.segments.is_empty() && self.budget >= SMALL;
            let many = if bulk { Columns::for_many(base_pos) } else { None };
            let capacity = if self.segments.is_empty() { 1024 } else { ROWS + BEYOND };
            self.open = many.unwrap_or_else(|| Columns::new(base_pos, capacity));
        }
        self.spans = spans;
        self.start = checkpoint.map(Arc::new);
    }

    /// Adds what a feed brought; `end` = where the feed ended. What its rows add up to comes back. In the tables they
    /// are counted when the segment is closed, or with [`Rows::settle`].
    pub fn add(&mut self, batch: &Batch, spans: &[(Span, bool)], end: Cursor) -> Sums {
        let sums = self.open.add(batch, spans, &mut self.tables, true);
        if self.open.len() - self.skip.0 >= ROWS || self.open.is_full() {
            self.close(end);
        }
        sums
    }

    /// Counts the rows added in the tables.
    pub fn settle(&mut self) {
        self.tables.settle();
    }

    /// Closes the open segment.
    fn close(&mut self, end: Cursor) {
        self.settle();
        let (skip, skip_records) = self.skip;
        self.segments.push(Segment {
            first: self.open_first + skip as u64,
            rows: self.open.len() - skip,
            records_before: self.open_records + u64::from(skip_records),
            records: u64::from(self.open.records() - skip_records),
            start: self.start.take(),
            end,
            columns: None,
            skip,
            skip_records,
            spans: self.spans,
        });
        self.skip = (self.open.len(), self.open.records());
        if !self.open.has_room(ROWS + BEYOND) {
            self.finish();
        }
    }

    /// Closes the open columns, whose segments are all closed.
    fn finish(&mut self) {
        let mut columns = std::mem::take(&mut self.open);
        columns.shrink();
        self.open_first += columns.len() as u64;
        self.open_records += u64::from(columns.records());
        self.skip = (0, 0);
        let (columns, used) = (Arc::new(columns), &mut self.used);
        *used += columns.memory();
        for segment in self.segments.iter_mut().skip(self.open_segments) {
            segment.columns.get_or_insert_with(|| columns.clone());
        }
        self.open_segments = self.segments.len();
        release(used, columns);
        self.keep_budget();
    }

    /// Drops the columns of the oldest segments that can be decoded again.
    fn keep_budget(&mut self) {
        let mut i = 0;
        while self.used > self.budget && i < self.open_segments {
            let recent = self.recent.contains(&i);
            let segment = &mut self.segments[i];
            if !recent
                && segment.start.is_some()
                && let Some(columns) = segment.columns.take()
            {
                release(&mut self.used, columns);
            }
            i += 1;
        }
    }

    /// Puts a segment's columns back, or others with places in spans in their place.
    pub fn refill(&mut self, segment: usize, columns: Arc<Columns>) {
        let is_open = segment >= self.open_segments;
        let Some(slot) = self.segments.get_mut(segment) else { return };
        self.used += columns.memory();
        (slot.spans, slot.skip, slot.skip_records) = (true, 0, 0);
        if let Some(old) = slot.columns.replace(columns) {
            release(&mut self.used, old);
            return;
        }
        if is_open {
            return;
        }
        self.recent.push(segment);
        if self.recent.len() > KEPT {
            let oldest = self.recent.remove(0);
            if self.used > self.budget
                && let Some(columns) = self.segments[oldest].columns.take()
            {
                release(&mut self.used, columns);
            }
        }
    }

    /// The segment of a row, if it is closed and the places of its rows in spans are not known.
    #[must_use]
    pub fn without_spans(&self, row: u64) -> Option<usize> {
        match self.place(row)? {
            RowLocation::Closed(segment, _) => Some(segment).filter(|&s| !self.segments[s].spans),
            RowLocation::Open(_) => None,
        }
    }

    /// Where a row lies; `None` beyond the end.
    #[must_use]
    pub fn place(&self, row: u64) -> Option<RowLocation> {
        if let Some(i) = row.checked_sub(self.open_first).and_then(|i| usize::try_from(i).ok())
            && i >= self.skip.0
        {
            return (i < self.open.len()).then_some(RowLocation::Open(i));
        }
        let segment = self.segments.partition_point(|s| s.first <= row).checked_sub(1)?;
        Some(RowLocation::Closed(segment, usize::try_from(row - self.segments[segment].first).ok()?))
    }

    /// The columns at a place; `None` = dropped, decode the segment again.
    #[must_use]
    pub fn columns(&self, place: RowLocation) -> Option<(&Columns, usize)> {
        match place {
            RowLocation::Open(i) => Some((&self.open, i)),
            RowLocation::Closed(segment, i) => self.of_segment(segment).map(|(s, columns)| (columns, s.skip + i)),
        }
    }

    /// A closed segment and the columns in which it is.
    fn of_segment(&self, segment: usize) -> Option<(&Segment, &Columns)> {
        let open = (segment >= self.open_segments).then_some(&self.open);
        self.segments.get(segment).and_then(|s| Some((s, s.columns.as_deref().or(open)?)))
    }

    /// A row that is there.
    #[must_use]
    pub fn row(&self, row: u64) -> Option<Row> {
        let (columns, i) = self.columns(self.place(row)?)?;
        Some(columns.row(i, &self.tables))
    }

    /// The shape of a row that is there.
    #[must_use]
    pub fn shape(&self, row: u64) -> Option<Shape> {
        let (columns, i) = self.columns(self.place(row)?)?;
        Some(columns.shape(i, &self.tables))
    }

    /// Records before a row: the number `#N` of a record is one more.
    #[must_use]
    pub fn records_before(&self, row: u64) -> Option<u64> {
        let place = self.place(row)?;
        let (columns, i) = self.columns(place)?;
        let (before, skipped) = match place {
            RowLocation::Open(_) => (self.open_records, 0),
            RowLocation::Closed(segment, _) => {
                (self.segments[segment].records_before, self.segments[segment].skip_records)
            }
        };
        Some(before + u64::from(columns.records_before(i, &self.tables) - skipped))
    }

    /// The place of the `n`-th record, from 0: its row if its segment is there, else the segment to decode again.
    ///
    /// # Errors
    /// The index of the dropped segment.
    pub fn nth_record(&self, n: u64) -> Result<Option<u64>, usize> {
        if n >= self.open_records {
            let i = u32::try_from(n - self.open_records).ok().and_then(|n| self.open.nth_record(n, &self.tables));
            return Ok(i.map(|i| self.open_first + i as u64));
        }
        let Some(at) = self.segments.partition_point(|s| s.records_before <= n).checked_sub(1) else { return Ok(None) };
        let (segment, columns) = self.of_segment(at).ok_or(at)?;
        let n = u32::try_from(n - segment.records_before).unwrap_or(u32::MAX).saturating_add(segment.skip_records);
        Ok(columns.nth_record(n, &self.tables).map(|i| segment.first + (i - segment.skip) as u64))
    }

    /// Number (from 1) of the last record whose object (or second key, with `aux`) is this key, among the newest
    /// rows.
    #[must_use]
    pub fn last_use(&self, key: u64, aux: bool) -> Option<u64> {
        let table = if aux { &self.tables.auxs } else { &self.tables.objs };
        let number = table.find(key)?;
        let find = |columns: &Columns| if aux { columns.last_aux(number) } else { columns.last_obj(number) };
        if let Some(i) = find(&self.open) {
            return self.records_before(self.open_first + i as u64).map(|n| n + 1);
        }
        let mut closed: Vec<&Segment> = self.segments.iter().rev().take(LOOKED_BACK).collect();
        // Segments side by side in the same columns: one look is enough.
        closed.dedup_by_key(|s| s.columns.as_ref().map(Arc::as_ptr));
        let found = closed.into_iter().find_map(|s| {
            let i = s.columns.as_deref().and_then(find)?;
            Some(s.first + i as u64 - s.skip as u64)
        });
        found.and_then(|row| self.records_before(row)).map(|n| n + 1)
    }

    /// The closed segments.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The shared tables.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The shared tables, for columns that are put back.
    pub fn tables_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }

    /// Bytes that the columns take.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.used + self.open.memory()
    }
}

/// One user less of some columns; the last one frees them.
fn release(used: &mut usize, columns: Arc<Columns>) {
    if let Some(columns) = Arc::into_inner(columns) {
        *used -= columns.memory();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use spytui_plugin_api::row::flag;

    fn row(n: u64) -> Row {
        let (flags, obj) = if n.is_multiple_of(5) { (flag::NOTE, 0) } else { (flag::HAS_OBJ, n % 77) };
        Row { pos: n * 10, time: n * 1_000, len: 10, kind: (n % 9) as u16, obj, flags, ..Row::default() }
    }

    fn batch(rows: std::ops::Range<u64>) -> Batch {
        Batch { rows: rows.map(row).collect(), ..Batch::default() }
    }

    /// Rows in feeds of this size; `bulk(segment)` = decoded without places in spans.
    fn filled(count: u64, feed: u64, bulk: impl Fn(usize) -> bool) -> Rows {
        let mut rows = Rows::new(BUDGET);
        while rows.len() < count {
            if rows.at_segment_start() && rows.len() == rows.segments().last().map_or(0, |s| s.first + s.rows as u64) {
                rows.begin(None, !bulk(rows.segments().len()));
            }
            rows.add(&batch(rows.len()..rows.len() + feed), &[], Cursor::default());
        }
        rows.settle();
        rows
    }

    fn check(rows: &Rows) -> Result<(), TestCaseError> {
        let records = |upto: u64| upto - upto.div_ceil(5);
        for n in (0..rows.len()).step_by(997).chain(rows.segments().iter().flat_map(|s| [s.first, s.first.max(1) - 1]))
        {
            prop_assert_eq!(rows.row(n), Some(row(n)));
            prop_assert_eq!(rows.records_before(n), Some(records(n)));
            let record = (n % 5 != 0).then_some(n);
            prop_assert!(record.is_none_or(|n| rows.nth_record(records(n)) == Ok(Some(n))), "row {}", n);
        }
        prop_assert_eq!(rows.records(), records(rows.len()));
        prop_assert_eq!(rows.tables().shapes.tally().map(|t| t.1).sum::<u64>(), rows.len());
        let last = (rows.len() - 400..rows.len()).rfind(|n| n % 5 != 0 && n % 77 == 7);
        prop_assert_eq!(rows.last_use(7, false), last.map(|n| records(n) + 1));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn rows_come_back_whichever_columns_they_share(
            feed in prop::sample::select(vec![1_500u64, 4_000, 13_000, 70_000]),
            count in 1..9u64,
            bulk in any::<u8>(),
            again in prop::collection::vec(0..8usize, 0..4),
        ) {
            let mut rows = filled(count * 50_000, feed, |segment| bulk >> (segment % 8) & 1 == 1);
            check(&rows)?;
            for segment in again {
                let Some((first, len)) = rows.segments().get(segment).map(|s| (s.first, s.rows)) else { continue };
                let mut columns = Columns::new(first * 10, len);
                columns.add(&batch(first..first + len as u64), &[], rows.tables_mut(), false);
                rows.refill(segment, Arc::new(columns));
                check(&rows)?;
            }
        }
    }

    #[test]
    fn what_segments_share_is_counted_once_and_freed_with_the_last() {
        let mut rows = filled(40 * ROWS as u64, 2_000, |_| true);
        let (memory, len) = (rows.memory(), rows.len() as usize);
        assert!((len * 8..len * 9).contains(&memory), "{memory} bytes for {len} rows");
        let (used, mut segments) = (rows.used, std::mem::take(&mut rows.segments));
        for segment in &mut segments {
            segment.columns.take().into_iter().for_each(|columns| release(&mut rows.used, columns));
        }
        assert!(used > 0);
        assert_eq!(rows.used, 0);
    }

    #[test]
    fn a_source_with_few_rows_takes_little_memory() {
        assert!(Rows::new(BUDGET).memory() < 10_000);
        assert!(filled(1_000, 1_000, |_| true).memory() < 40_000);
    }
}
