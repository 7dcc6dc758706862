//! All rows of a source within a memory budget: beyond it the oldest segments drop their columns.

use spytui_plugin_api::{Batch, Growth, Row};

use super::columns::{Columns, Shape, Span, Tables};
use crate::io::log::Cursor;

/// Default memory budget, bytes.
pub const BUDGET: usize = 384 << 20;

/// The rows of a source, numbered from 0.
#[derive(Debug, Default)]
pub struct Rows {
    pub segments: Vec<RowSegment>,
    open: Columns,
    open_first: u64,
    /// Records before the open segment.
    open_records: u64,
    /// `None` if not started.
    start: Option<SegmentStart>,
    pub tables: Tables,
    budget: usize,
    /// Memory of closed segments, bytes.
    used: usize,
    /// Dropped segments that were decoded again, least recently used first.
    reloaded: Vec<usize>,
    gone: Gone,
}

/// Leading segments that can't be decoded again, because the log dropped their bytes.
#[derive(Debug, Default)]
struct Gone {
    segments: usize,
    rows: u64,
    /// Marker row replacing the last of their rows.
    marker: Columns,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowLocation {
    /// Index of a closed segment, and the row's index in it.
    Closed(usize, usize),
    /// Index in the open segment.
    Open(usize),
    /// The marker row, see [`Rows::forget`].
    Gone,
}

/// Number of reloaded segments kept beyond the budget.
const KEPT: usize = 8;

/// How many rows beyond [`ROWS`] a segment usually gets at most.
const BEYOND: usize = 4096;

impl Rows {
    /// Memory budget in bytes.
    pub fn new(budget: usize) -> Rows {
        Rows { open: Columns::new(0, 1024), budget, ..Rows::default() }
    }

    /// Number of closed segments that begin before a log position.
    pub fn segments_before(&self, pos: u64) -> usize {
        self.segments.partition_point(|segment| segment.start.first_byte < pos)
    }

    /// Whether [`Rows::forget`] is due if the log begins there.
    pub fn forgets(&self, pos: u64) -> bool {
        self.segments_before(pos) > self.gone.segments
    }

    /// Number of leading rows that are gone, including the marker; see [`Rows::forget`].
    pub fn gone(&self) -> u64 {
        self.gone.rows
    }

    /// Forgets the rows of the first segments, whose bytes the log dropped. The row of `marker` replaces the last one.
    pub fn forget(&mut self, segments: usize, marker: &Batch) {
        let Some(last) = segments.checked_sub(1).and_then(|last| self.segments.get(last)) else { return };
        self.gone.segments = segments;
        self.gone.rows = last.first + last.rows as u64;
        self.gone.marker = Columns::new(marker.rows.first().map_or(0, |row| row.pos), 1);
        self.gone.marker.add(marker, &[], &mut self.tables, false);
        for segment in &mut self.segments[..segments] {
            self.used -= drop_columns(segment);
        }
        self.reloaded.retain(|&segment| segment >= segments);
    }

    pub fn len(&self) -> u64 {
        self.open_first + self.open.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Applies a growth to a gap; returns its segment and row. If not loaded, it must be applied after loading.
    pub fn grow(&mut self, growth: Growth) -> (usize, Option<u64>) {
        if let Some(i) = self.open.grow(growth, &self.tables) {
            return (self.segments.len(), Some(self.open_first + i as u64));
        }
        // The first row of a segment may have begun before it.
        let last = self.segments.partition_point(|segment| segment.start.first_byte <= growth.pos);
        let likely = last.saturating_sub(1)..(last + 1).min(self.segments.len());
        for segment in likely.rev() {
            let RowSegment { columns, first, .. } = &mut self.segments[segment];
            if let Some(i) = columns.as_mut().and_then(|columns| columns.grow(growth, &self.tables)) {
                return (segment, Some(*first + i as u64));
            }
        }
        (last.saturating_sub(1), None)
    }

    pub fn records(&self) -> u64 {
        self.open_records + u64::from(self.open.records)
    }

    /// Whether the next feed starts a segment; call [`Rows::begin`] before adding it.
    pub fn at_segment_start(&self) -> bool {
        self.start.is_none()
    }

    pub fn begin(&mut self, start: SegmentStart) {
        let capacity = if self.segments.is_empty() { 1024 } else { ROWS + BEYOND };
        let mut closed = std::mem::replace(&mut self.open, Columns::new(start.at.pos, capacity));
        self.open.reuse_memory_of(&mut closed);
        self.start = Some(start);
    }

    /// Adds the batch of a feed; `end` = end of the feed.
    pub fn add(&mut self, batch: &Batch, spans: &[(Span, bool)], end: Cursor) {
        self.open.add(batch, spans, &mut self.tables, true);
        if self.open.len() >= ROWS || self.open.is_full() {
            self.close(end);
        }
    }

    fn close(&mut self, end: Cursor) {
        let mut columns = std::mem::take(&mut self.open);
        self.open.reuse_memory_of(&mut columns);
        columns.shrink();
        self.used += columns.memory();
        let (rows, records) = (columns.len(), columns.records);
        self.segments.push(RowSegment {
            first: self.open_first,
            rows,
            records_before: self.open_records,
            start: self.start.take().unwrap_or_default(),
            end,
            columns: Some(columns),
        });
        self.open_first += rows as u64;
        self.open_records += u64::from(records);
        self.keep_budget();
    }

    /// Drops the columns of the oldest segments that can be decoded again.
    fn keep_budget(&mut self) {
        for (i, segment) in self.segments.iter_mut().enumerate() {
            if self.used <= self.budget {
                return;
            }
            if segment.start.reloadable && !self.reloaded.contains(&i) {
                self.used -= drop_columns(segment);
            }
        }
    }

    /// Restores a segment's columns, or replaces them by ones with spans.
    pub fn reload(&mut self, segment: usize, mut columns: Columns) {
        let Some(slot) = self.segments.get_mut(segment) else { return };
        columns.shrink();
        let was_dropped = slot.columns.is_none();
        self.used -= drop_columns(slot);
        self.used += columns.memory();
        slot.columns = Some(columns);
        slot.start.spans = true;
        if was_dropped {
            self.reloaded.push(segment);
            self.drop_oldest_reloaded();
        }
    }

    fn drop_oldest_reloaded(&mut self) {
        if self.reloaded.len() <= KEPT {
            return;
        }
        let oldest = self.reloaded.remove(0);
        if self.used > self.budget
            && let Some(segment) = self.segments.get_mut(oldest)
        {
            self.used -= drop_columns(segment);
        }
    }

    /// The segment of a row, if closed and without known spans.
    pub fn without_spans(&self, row: u64) -> Option<usize> {
        match self.location(row)? {
            RowLocation::Closed(segment, _) => Some(segment).filter(|&s| !self.segments[s].start.spans),
            RowLocation::Open(_) | RowLocation::Gone => None,
        }
    }

    /// Index of the segment of a location; the open one follows the closed ones. The marker belongs to the first
    /// segment that is not gone.
    pub fn segment(&self, location: RowLocation) -> usize {
        match location {
            RowLocation::Closed(segment, _) => segment,
            RowLocation::Open(_) => self.segments.len(),
            RowLocation::Gone => self.gone.segments,
        }
    }

    /// Location of a row; `None` beyond the end, or if gone.
    pub fn location(&self, row: u64) -> Option<RowLocation> {
        if let Some(i) = row.checked_sub(self.open_first) {
            return usize::try_from(i).ok().filter(|&i| i < self.open.len()).map(RowLocation::Open);
        }
        if row < self.gone.rows {
            return (row + 1 == self.gone.rows).then_some(RowLocation::Gone);
        }
        let segment = self.segments.partition_point(|s| s.first <= row).checked_sub(1)?;
        Some(RowLocation::Closed(segment, usize::try_from(row - self.segments[segment].first).ok()?))
    }

    /// The columns of a location and the row's index in them; `None` if dropped.
    pub fn columns(&self, location: RowLocation) -> Option<(&Columns, usize)> {
        match location {
            RowLocation::Open(i) => Some((&self.open, i)),
            RowLocation::Closed(segment, i) => Some((self.segments.get(segment)?.columns.as_ref()?, i)),
            RowLocation::Gone => Some((&self.gone.marker, 0)),
        }
    }

    /// The row, if loaded.
    pub fn row(&self, row: u64) -> Option<Row> {
        let (columns, i) = self.columns(self.location(row)?)?;
        Some(columns.row(i, &self.tables))
    }

    pub fn shape(&self, row: u64) -> Option<Shape> {
        let (columns, i) = self.columns(self.location(row)?)?;
        Some(columns.shape(i, &self.tables))
    }

    /// Number of records before a row; `#N` of a record is one more.
    pub fn records_before(&self, row: u64) -> Option<u64> {
        let location = self.location(row)?;
        let (columns, i) = self.columns(location)?;
        let segment = self.segments.get(self.segment(location));
        let before = segment.map_or(self.open_records, |segment| segment.records_before);
        Some(before + u64::from(columns.records_before(i, &self.tables)))
    }

    /// Number of records before a segment; the open one follows the closed ones.
    pub fn records_before_segment(&self, segment: usize) -> u64 {
        self.segments.get(segment).map_or(self.open_records, |segment| segment.records_before)
    }

    /// Row of the `n`-th record, from 0; `Err` = index of its segment, which is dropped.
    pub fn nth_record(&self, n: u64) -> Result<Option<u64>, usize> {
        let (first, before, columns) = if n >= self.open_records {
            (self.open_first, self.open_records, &self.open)
        } else {
            let at = self.segments.partition_point(|s| s.records_before <= n).saturating_sub(1);
            let Some(segment) = self.segments.get(at) else { return Ok(None) };
            (segment.first, segment.records_before, segment.columns.as_ref().ok_or(at)?)
        };
        let Ok(n) = u32::try_from(n - before) else { return Ok(None) };
        Ok(columns.nth_record(n, &self.tables).map(|i| first + i as u64))
    }

    /// First row and start of a segment; the open one follows the closed ones.
    pub fn segment_start(&self, segment: usize) -> Option<(u64, Cursor)> {
        let closed = self.segments.get(segment).map(|closed| (closed.first, closed.start.at));
        let open = || self.start.filter(|_| segment == self.segments.len()).map(|start| (self.open_first, start.at));
        closed.or_else(open)
    }

    pub fn memory(&self) -> usize {
        self.used + self.open.memory()
    }
}

/// Drops the columns of a segment and returns the bytes freed.
fn drop_columns(segment: &mut RowSegment) -> usize {
    segment.columns.take().map_or(0, |columns| columns.memory())
}

/// Number of rows after which a segment is closed at the end of a feed.
pub const ROWS: usize = 64 << 10;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SegmentStart {
    pub at: Cursor,
    /// Position of the first byte decoded: after `at` if the log dropped the bytes before it.
    pub first_byte: u64,
    /// It can be decoded again from there.
    pub reloadable: bool,
    pub spans: bool,
}

#[derive(Debug)]
pub struct RowSegment {
    /// Number of its first row.
    pub first: u64,
    pub rows: usize,
    /// Records before its first row.
    pub records_before: u64,
    pub start: SegmentStart,
    pub end: Cursor,
    /// `None` = dropped.
    pub columns: Option<Columns>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spytui_plugin_api::{RowFlags, RowKind};

    use super::*;

    fn row(n: u64) -> Row {
        let row = Row { pos: n * 10, time: n * 1_000, len: 10, ..Row::default() };
        if n.is_multiple_of(5) {
            return Row { kind: RowKind::GAP, ..row };
        }
        Row { kind: RowKind((n % 9) as u16), obj: n % 77, flags: RowFlags::HAS_OBJECT, ..row }
    }

    fn batch(rows: std::ops::Range<u64>) -> Batch {
        Batch { rows: rows.map(row).collect(), ..Batch::default() }
    }

    /// Rows added in feeds of `feed` rows.
    fn filled(budget: usize, count: u64, feed: u64, reloadable: bool) -> Rows {
        let mut rows = Rows::new(budget);
        while rows.len() < count {
            if rows.at_segment_start() {
                let at = Cursor { pos: rows.len() * 10, event: 0 };
                rows.begin(SegmentStart { at, first_byte: at.pos, reloadable, spans: false });
            }
            rows.add(&batch(rows.len()..rows.len() + feed), &[], Cursor::default());
        }
        rows
    }

    fn check(rows: &Rows) -> Result<(), TestCaseError> {
        let records = |upto: u64| upto - upto.div_ceil(5);
        for n in (0..rows.len()).step_by(997).chain(rows.segments.iter().flat_map(|s| [s.first, s.first.max(1) - 1])) {
            prop_assert_eq!(rows.row(n), Some(row(n)));
            prop_assert_eq!(rows.records_before(n), Some(records(n)));
            let record = (n % 5 != 0).then_some(n);
            prop_assert!(record.is_none_or(|n| rows.nth_record(records(n)) == Ok(Some(n))), "row {}", n);
        }
        prop_assert_eq!(rows.records(), records(rows.len()));
        prop_assert_eq!(rows.tables.shapes.tally().map(|t| t.1).sum::<u64>(), rows.len());
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn rows_come_back_however_they_are_fed(
            feed in prop::sample::select(vec![1_500u64, 4_000, 13_000, 70_000]),
            count in 1..9u64,
            again in prop::collection::vec(0..8usize, 0..4),
        ) {
            let mut rows = filled(BUDGET, count * 50_000, feed, true);
            check(&rows)?;
            for segment in again {
                let Some((first, len)) = rows.segments.get(segment).map(|s| (s.first, s.rows)) else { continue };
                let mut columns = Columns::new(first * 10, len);
                columns.add(&batch(first..first + len as u64), &[], &mut rows.tables, false);
                rows.reload(segment, columns);
                prop_assert_eq!(rows.without_spans(first), None);
                check(&rows)?;
            }
        }
    }

    #[test]
    fn rows_take_little_more_than_eight_bytes_each() {
        let rows = filled(BUDGET, 40 * ROWS as u64, 2_000, true);
        let (memory, len) = (rows.memory(), rows.len() as usize);
        assert!((len * 8..len * 9).contains(&memory), "{memory} bytes for {len} rows");
    }

    #[test]
    fn the_budget_holds_and_what_was_dropped_can_be_reloaded() {
        let budget = 4 << 20;
        let mut rows = filled(budget, 40 * ROWS as u64, 2_000, true);
        assert!(rows.memory() <= budget + (1 << 20), "{}", rows.memory());
        assert_eq!(rows.row(0), None);
        for segment in 0..20 {
            let (first, len) = (rows.segments[segment].first, rows.segments[segment].rows);
            let mut columns = Columns::new(first * 10, len);
            columns.add(&batch(first..first + len as u64), &[], &mut rows.tables, false);
            rows.reload(segment, columns);
            assert_eq!(rows.row(first), Some(row(first)));
            assert!(rows.memory() <= budget + (KEPT + 2) * ROWS * 9, "{}", rows.memory());
        }
        assert!(filled(budget, 40 * ROWS as u64, 2_000, false).row(0).is_some());
    }

    #[test]
    fn a_source_with_few_rows_takes_little_memory() {
        assert!(Rows::new(BUDGET).memory() < 10_000);
        assert!(filled(BUDGET, 1_000, 1_000, true).memory() < 40_000);
    }
}
