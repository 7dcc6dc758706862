//! Tracks which bytes of the stream are in rows, and enforces the contract for rows.
//!
//! A decoder that panics leaves bytes without a row: fragments of records, and everything after the last row. The host
//! must know their positions to account for them.

use spytui_plugin_api::{Batch, Row, batch::AttachmentId, row::RowFlags};

/// Maximum number of rows per stream event and feed, in addition to one per byte.
const ROWS_PER_MARK: usize = 64;

#[derive(Debug, Clone)]
pub struct Coverage {
    /// End of the covered bytes; there may be holes before it.
    end: u64,
    fed: u64,
    last: u64,
    /// Ranges before `end` that are in no row, in order.
    holes: Vec<(u64, u64)>,
}

impl Coverage {
    /// Creates an empty coverage for a stream that starts at `pos`.
    pub fn new(pos: u64) -> Coverage {
        Coverage { end: pos, fed: pos, last: 0, holes: Vec::new() }
    }

    /// End of the bytes that are in rows.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Position of the earliest byte that a later row may need.
    pub fn oldest_pending(&self) -> u64 {
        self.holes.first().map_or(self.end, |hole| hole.0)
    }

    /// Number of fed bytes that are not in a row.
    pub fn pending(&self) -> u64 {
        self.holes.iter().map(|h| h.1 - h.0).sum::<u64>() + (self.fed - self.end)
    }

    /// Announces that `pos..end` will be fed; unfed bytes before `pos` are skipped.
    pub fn feed(&mut self, pos: u64, end: u64) {
        if pos > self.fed {
            if self.end < self.fed {
                self.holes.push((self.end, self.fed));
            }
            self.end = pos;
        }
        self.fed = end.max(self.fed);
    }

    /// Adds the rows from index `first` on, the output of the last feed with `events` stream events.
    /// After an error, the broken rule, that output must not be used.
    pub fn add(&mut self, batch: &Batch, first: usize, events: usize) -> Result<(), String> {
        let rows = batch.rows.get(first..).unwrap_or_default();
        let pending = self.pending();
        if rows.len() as u64 > pending + (ROWS_PER_MARK * (events + 1)) as u64 {
            return Err(format!("{} rows from {pending} bytes", rows.len()));
        }
        let left_over = |at: Option<u32>| at.is_some_and(|at| at as usize >= batch.rows.len());
        if left_over(batch.attachments.last().map(|e| e.at)) || left_over(batch.activities.last().map(|a| a.at)) {
            return Err("an attachment or activity without its row".to_owned());
        }
        let before = self.clone();
        let answer = self.add_rows(batch, first);
        if answer.is_err() {
            *self = before;
        }
        answer
    }

    fn add_rows(&mut self, batch: &Batch, first: usize) -> Result<(), String> {
        for (i, row) in batch.rows.iter().enumerate().skip(first) {
            let end = self.end_of(row)?;
            self.last = row.pos;
            if row.has(RowFlags::SHARED) {
                continue;
            }
            if row.has(RowFlags::FRAGMENTED) {
                let start = batch.attachments.partition_point(|e| (e.at as usize) < i);
                let own = batch.attachments[start..].iter().take_while(|e| e.at as usize == i);
                for piece in own.filter(|e| e.id == AttachmentId::FRAGMENT) {
                    self.take(piece.a, piece.a.saturating_add(piece.b))?;
                }
            }
            self.take(row.pos, end)?;
        }
        Ok(())
    }

    /// Checks where a row is and whose it is.
    #[inline]
    fn end_of(&self, row: &Row) -> Result<u64, String> {
        if row.pos < self.last {
            return Err(format!("a row at {} after one at {}", row.pos, self.last));
        }
        if row.kind.is_of_host() {
            return Err(format!("a row of kind {:#06x}, which is the host's", row.kind.0));
        }
        row.pos
            .checked_add(row.len.into())
            .filter(|end| *end <= self.fed)
            .ok_or_else(|| format!("a row of {} bytes at {}, where the stream is at {}", row.len, row.pos, self.fed))
    }

    /// Marks `start..end` as covered.
    #[inline]
    fn take(&mut self, start: u64, end: u64) -> Result<(), String> {
        if start != self.end {
            return self.take_apart(start, end);
        }
        self.end = end.min(self.fed);
        Ok(())
    }

    fn take_apart(&mut self, start: u64, end: u64) -> Result<(), String> {
        if let Some(twice) = self.first_covered(start, end) {
            return Err(format!("the byte at @{twice:#x} is in two rows"));
        }
        if end > self.end {
            if start > self.end {
                self.holes.push((self.end, start));
            }
            self.end = end.min(self.fed);
        }
        if self.holes.last().is_none_or(|hole| hole.1 <= start) {
            return Ok(());
        }
        let (from, to) = (self.holes.partition_point(|h| h.1 <= start), self.holes.partition_point(|h| h.0 < end));
        let (Some(&(left, _)), Some(&(_, right))) = (self.holes.get(from), self.holes.get(to.wrapping_sub(1))) else {
            return Ok(());
        };
        let rest = [(left, start), (end, right)].into_iter().filter(|h| h.0 < h.1);
        self.holes.splice(from..to.max(from), rest);
        Ok(())
    }

    /// The first byte of `start..end` that is already in a row.
    fn first_covered(&self, start: u64, end: u64) -> Option<u64> {
        let mut at = start;
        let from = self.holes.partition_point(|hole| hole.1 <= start);
        for hole in self.holes.iter().skip(from).take_while(|hole| hole.0 < end) {
            if at < hole.0 {
                break;
            }
            at = hole.1;
        }
        (at < end.min(self.end)).then_some(at)
    }

    /// Returns all uncovered bytes (the holes and the last range) and marks them as covered.
    pub fn give_up(&mut self) -> (Vec<(u64, u64)>, (u64, u64)) {
        let rest = (self.end, self.fed);
        self.end = self.fed;
        self.last = rest.0.max(self.last);
        (std::mem::take(&mut self.holes), rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::Attachment;
    use spytui_plugin_api::RowKind;

    fn row(pos: u64, len: u32) -> Row {
        Row { pos, len, ..Row::default() }
    }

    fn batch(rows: &[Row], pieces: &[(u32, u64, u64)]) -> Batch {
        let attachments =
            pieces.iter().map(|&(at, a, b)| Attachment { at, id: AttachmentId::FRAGMENT, is_bytes: false, a, b });
        Batch { rows: rows.iter().copied().collect(), attachments: attachments.collect(), ..Batch::default() }
    }

    #[test]
    fn rows_without_a_gap_leave_only_the_end() {
        let mut cover = Coverage::new(100);
        cover.feed(100, 200);
        cover.add(&batch(&[row(100, 30), row(130, 0), row(130, 50)], &[]), 0, 0).expect("good");
        assert_eq!((cover.end(), cover.oldest_pending(), cover.pending()), (180, 180, 20));
        assert_eq!(cover.give_up(), (vec![], (180, 200)));
    }

    #[test]
    fn parts_are_holes_until_their_row_comes() {
        let mut cover = Coverage::new(0);
        cover.feed(0, 100);
        cover.add(&batch(&[row(20, 10), row(50, 10)], &[]), 0, 0).expect("good");
        assert_eq!(cover.holes, [(0, 20), (30, 50)]);
        assert_eq!((cover.oldest_pending(), cover.pending()), (0, 80));
        let whole = Row { flags: RowFlags::FRAGMENTED, ..row(70, 30) };
        cover.add(&batch(&[whole], &[(0, 0, 20), (0, 35, 5)]), 0, 0).expect("good");
        assert_eq!(cover.holes, [(30, 35), (40, 50), (60, 70)]);
        assert_eq!(cover.give_up(), (vec![(30, 35), (40, 50), (60, 70)], (100, 100)));
        assert_eq!(cover.pending(), 0);
    }

    #[test]
    fn parts_behind_the_last_row_may_come_with_a_row_without_bytes() {
        let mut cover = Coverage::new(0);
        cover.feed(0, 30);
        cover.add(&batch(&[row(0, 10)], &[]), 0, 0).expect("good");
        let late = Row { flags: RowFlags::FRAGMENTED, ..row(10, 0) };
        cover.add(&batch(&[late], &[(0, 10, 20)]), 0, 0).expect("good");
        assert_eq!((cover.pending(), cover.end()), (0, 30));
    }

    #[test]
    fn bytes_that_were_never_fed_are_not_pending() {
        let mut cover = Coverage::new(0);
        cover.feed(0, 10);
        cover.feed(50, 60);
        assert_eq!((cover.pending(), cover.oldest_pending()), (20, 0));
        cover.add(&batch(&[row(0, 10), row(50, 4)], &[]), 0, 1).expect("good");
        assert_eq!((cover.pending(), cover.oldest_pending()), (6, 54));
    }

    #[test]
    fn broken_rules_are_reported() {
        let mut cover = Coverage::new(0);
        cover.feed(0, 100);
        let mut bad = |rows: &[Row]| cover.add(&batch(rows, &[]), 0, 0).expect_err("bad");
        assert!(bad(&[row(50, 1), row(49, 1)]).contains("at 49 after one at 50"));
        assert!(bad(&[row(90, 11)]).contains("where the stream is at 100"));
        assert!(bad(&[row(u64::MAX, 1)]).contains("where the stream is"));
        assert!(bad(&[Row { kind: RowKind::LINK, ..row(0, 0) }]).contains("the host's"));
        assert!(bad(&vec![row(0, 0); 1 + 100 + 65]).contains("rows from"));
        assert!(cover.add(&batch(&[], &[(0, 0, 1)]), 0, 0).is_err());
    }
}
