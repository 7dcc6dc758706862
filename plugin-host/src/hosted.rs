//! A decoder instance under the host's control: checks the contract, discards what a fault left behind, and derives
//! data from rows, such as inherited times.

use spytui_plugin_api::{
    AttachmentId, Batch, Chunk, Fault, Growth, Info, Instance, Output, Row, RowFlags, RowKind, StreamEventKind,
    batch::attachments_of, info::DropTotals,
};

use super::DropTracker;

/// Bytes that may be pending if a decoder declares no limit.
const MOST_PENDING: u64 = 1 << 20;

/// Text at the end of a stream that ends in damage.
const DAMAGED_END: &str = "no record follows the damage, so it is not known whether records are missing";

fn breach(rule: &str) -> Fault {
    Fault::new(format!("it broke the contract: {rule}"))
}

/// A decoder instance whose output is checked against the contract.
#[derive(Debug)]
pub struct HostedInstance {
    instance: Instance,
    /// Later rows inherit a time.
    has_time: bool,
    /// Creates drop rows from totals; `None` = the target reports none.
    drops: Option<DropTracker>,
    pub cover: Coverage,
    most_pending: u64,
    /// Sequence numbers reveal missing records.
    pub has_sequence: bool,
    /// The last damage note without a following record, whose sequence number would reveal losses.
    open_damage: Option<Row>,
}

impl HostedInstance {
    /// Wraps an instance; `pos` = start of its stream.
    pub fn new(instance: Instance, info: &Info, pos: u64) -> HostedInstance {
        let drops = (info.drop_totals != DropTotals::NONE).then(DropTracker::default);
        let most_pending = if info.max_pending == 0 { MOST_PENDING } else { info.max_pending };
        HostedInstance {
            instance,
            has_time: false,
            drops,
            cover: Coverage::new(pos),
            most_pending,
            has_sequence: info.has_sequence(),
            open_damage: None,
        }
    }

    pub fn fork(&self) -> Result<HostedInstance, Fault> {
        let (instance, drops, cover) = (self.instance.fork()?, self.drops.clone(), self.cover.clone());
        Ok(HostedInstance { instance, drops, cover, ..*self })
    }

    /// Decodes a chunk and appends to `batch`; nothing if the decoder breaks the contract.
    pub fn feed(&mut self, chunk: &Chunk<'_>, batch: &mut Batch) -> Result<(), Fault> {
        self.cover.feed(chunk.pos, chunk.pos + chunk.bytes.len() as u64);
        let before = batch.lengths();
        let [first, first_attachment, ..] = before;
        let answer = self.instance.feed(chunk, batch);
        if answer.is_err() {
            drop_what_has_no_row(batch);
        }
        let kept = self.cover.add(batch, first, chunk.events.len()).map_err(|rule| breach(&rule));
        if kept.is_err() {
            batch.truncate(before);
        }
        let has_ended = chunk.events.iter().any(|event| event.kind == StreamEventKind::END);
        if let Some(drops) = &mut self.drops {
            drops.add_rows(batch, first, chunk.wants_activities);
        }
        Growth::apply(batch, first_attachment);
        self.follow_damage(batch.rows.get(first..).unwrap_or_default());
        if let Some(damage) = self.open_damage.take_if(|_| has_ended) {
            note_damaged_end(&damage, chunk.pos + chunk.bytes.len() as u64, batch);
        }
        if self.mark(batch.rows.get_mut(first..).unwrap_or_default()).contains(RowFlags::OUT_OF_ORDER) {
            drop_what_is_out_of_order(batch);
        }
        answer.and(kept).and_then(|()| self.check_pending(has_ended))
    }

    /// Checks that every byte is in a row at the end, and that not too many are pending before. The rows themselves are
    /// valid.
    fn check_pending(&self, has_ended: bool) -> Result<(), Fault> {
        let (pending, first) = (self.cover.pending(), self.cover.oldest_pending());
        if has_ended && pending > 0 {
            return Err(breach(&format!("{pending} bytes pending after END, from @{first:#x} on, are in no row")));
        }
        if pending > self.most_pending {
            let most = self.most_pending;
            return Err(breach(&format!("{pending} bytes pending from @{first:#x} on, where it said at most {most}")));
        }
        Ok(())
    }

    fn follow_damage(&mut self, rows: &[Row]) {
        let decides = |row: &&Row| row.is_record() && !row.has(RowFlags::OUT_OF_ORDER);
        let is_damaged = |row: &&Row| is_damage(row.kind) && row.kind != RowKind::CUT_OFF;
        if let Some(last) = rows.iter().rfind(|row| decides(row) || is_damaged(row)) {
            self.open_damage =
                Some(*last).filter(|row| self.has_sequence && !row.is_record() && !row.may_hide_records());
        }
    }

    /// Sets the host's flags on the next rows: whether they inherit a time, and whether they may hide lost records.
    /// Returns the flags of all of them together.
    ///
    /// An epoch begins without a time, unless its first row reports that time went back.
    pub fn mark(&mut self, rows: &mut [Row]) -> RowFlags {
        let mut flags = RowFlags::empty();
        for row in rows {
            if row.has(RowFlags::TIME_OWN) {
                self.has_time = true;
            } else {
                self.has_time = row.kind == RowKind::TIME_BACK || self.has_time && !row.has(RowFlags::EPOCH);
                row.flags.set(RowFlags::TIME_INHERITED, self.has_time);
            }
            if !self.has_sequence && is_damage(row.kind) {
                row.flags |= RowFlags::HIDES_RECORDS;
            }
            flags |= row.flags;
        }
        flags
    }
}

/// Whether a row of this kind reports damage without a number of lost records.
fn is_damage(kind: RowKind) -> bool {
    kind.is_loss() && !matches!(kind, RowKind::GAP | RowKind::DROP)
}

/// Adds a note that records may be missing at the damaged end of a stream.
fn note_damaged_end(damage: &Row, pos: u64, batch: &mut Batch) {
    let note = Row { flags: RowFlags::HIDES_RECORDS, ..Row::note(RowKind::HINT, pos, 0) };
    let mut out = Output::new(batch, false);
    out.attachment_bytes(AttachmentId::TEXT, DAMAGED_END.as_bytes());
    out.row(Row { time: damage.time, cfg: damage.cfg, core: damage.core, ..note });
}

/// Drops the activities of out-of-order records, which would be wrong at this place.
fn drop_what_is_out_of_order(batch: &mut Batch) {
    let rows = &batch.rows;
    let is_aside = |at: u32| rows.get(at as usize).is_some_and(|row| row.has(RowFlags::OUT_OF_ORDER));
    batch.activities.retain(|activity| !is_aside(activity.at));
}

/// Drops attachments and activities without a row, left by a panic.
fn drop_what_has_no_row(batch: &mut Batch) {
    let rows = batch.rows.len() as u32;
    batch.attachments.retain(|attachment| attachment.at < rows);
    batch.activities.retain(|activity| activity.at < rows);
}

/// Maximum number of rows per stream event and feed, in addition to one per byte.
const ROWS_PER_MARK: usize = 64;

/// Which bytes of the stream are in rows; enforces the contract for rows. A decoder that panics leaves bytes without a
/// row: fragments of records, and everything after the last row, for which the host accounts.
#[derive(Debug, Clone)]
pub struct Coverage {
    /// End of the covered bytes; there may be holes before it.
    pub end: u64,
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

    /// Position of the earliest byte that a later row may need.
    pub fn oldest_pending(&self) -> u64 {
        self.holes.first().map_or(self.end, |hole| hole.0)
    }

    /// Number of fed bytes that are not in a row.
    pub fn pending(&self) -> u64 {
        self.holes.iter().map(|h| h.1 - h.0).sum::<u64>() + (self.fed - self.end)
    }

    /// Announces that `pos..end` will be fed, or is not decoded; unfed bytes before `pos` are skipped.
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
                for piece in attachments_of(&batch.attachments, i).iter().filter(|e| e.id == AttachmentId::FRAGMENT) {
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
        // Called for each row, and most streams have no holes.
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
        assert_eq!((cover.end, cover.oldest_pending(), cover.pending()), (180, 180, 20));
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
        assert_eq!((cover.pending(), cover.end), (0, 30));
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
