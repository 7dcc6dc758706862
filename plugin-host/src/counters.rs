//! Counters of the rows of a stream.

use spytui_plugin_api::{Attachment, AttachmentId, Batch, Growth, Row, RowFlags, RowKind, batch::lost};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounters {
    pub records: u64,
    pub record_bytes: u64,
    /// Bytes in other rows: banners, file headers, idle flags.
    pub other_bytes: u64,
    pub skipped_bytes: u64,
    pub bad_checksum: u64,
    /// Frames that violate the framing rules.
    pub bad_frame: u64,
    /// Frames shorter than the minimum.
    pub too_short: u64,
    /// Byte runs longer than the maximum frame.
    pub too_long: u64,
    /// Sequence gaps with lost records.
    pub gaps: u64,
    /// Records lost in gaps, a lower bound.
    pub lost: u64,
    /// Records dropped by the target; included in `lost` if sequence numbers show losses.
    pub dropped: u64,
    /// Gaps in which the target dropped records, by its own count.
    pub dropped_gaps: u64,
    /// Records that reported a number of drops, for targets whose drops are gaps.
    pub drop_reports: u64,
    /// Searches for the next frame.
    pub resyncs: u64,
    pub duplicates: u64,
    pub unknown: u64,
    /// Records whose payload does not match their kind.
    pub payload_errors: u64,
    pub epochs: u64,
    /// Places where records may be missing without a sequence number to show it.
    pub hiding: u64,
}

/// Flags of rows that affect more counters than a plain record does.
const NOT_PLAIN: RowFlags = RowFlags::SHARED
    .union(RowFlags::SKIPPED)
    .union(RowFlags::MALFORMED)
    .union(RowFlags::UNKNOWN)
    .union(RowFlags::EPOCH)
    .union(RowFlags::HIDES_RECORDS);

impl RowCounters {
    /// Adds the rows of a batch; they may also settle gaps counted earlier.
    pub fn add(&mut self, batch: &Batch) {
        for row in &batch.rows {
            if !row.flags.intersects(NOT_PLAIN) && row.is_record() {
                self.records += 1;
                self.record_bytes += u64::from(row.len);
            } else {
                self.add_row(row);
            }
        }
        for of_row in batch.attachments.chunk_by(|a, b| a.at == b.at) {
            if let Some(row) = of_row.first().and_then(|a| batch.rows.get(a.at as usize)) {
                self.add_attachments_of(row, of_row);
            }
        }
        // Updates of gaps in earlier batches.
        Growth::in_batch(batch).for_each(|growth| self.grow(growth));
    }

    /// Adds any row, without its attachments.
    pub fn add_row(&mut self, row: &Row) {
        self.records += u64::from(row.is_record());
        self.unknown += u64::from(row.has(RowFlags::UNKNOWN));
        self.payload_errors += u64::from(row.is_record() && row.has(RowFlags::MALFORMED));
        self.epochs += u64::from(row.has(RowFlags::EPOCH));
        self.hiding += u64::from(row.has(RowFlags::HIDES_RECORDS));
        if !row.has(RowFlags::SHARED) {
            *self.bytes_of(row) += u64::from(row.len);
        }
        let skipped = u64::from(row.has(RowFlags::SKIPPED));
        match row.kind {
            RowKind::BAD_CHECK => self.bad_checksum += 1,
            // A note without bytes is about records, which are counted themselves.
            RowKind::BAD_FRAME => self.bad_frame += skipped,
            RowKind::TOO_SHORT => self.too_short += skipped,
            RowKind::TOO_LONG => self.too_long += skipped,
            RowKind::RESYNC => self.resyncs += 1,
            RowKind::DUPLICATE => self.duplicates += 1,
            _ => {}
        }
    }

    pub fn grow(&mut self, growth: Growth) {
        self.lost = growth.changed(self.lost);
        self.gaps = self.gaps.saturating_sub(growth.is_all().into());
        self.gaps += u64::from(growth.how == lost::AT_LEAST);
        self.dropped_gaps += u64::from(growth.is_first());
    }

    pub fn add_attachments_of(&mut self, row: &Row, attachments: &[Attachment]) {
        for attachment in attachments {
            match attachment.id {
                AttachmentId::FRAGMENT if !row.has(RowFlags::SHARED) => *self.bytes_of(row) += attachment.b,
                AttachmentId::LOST if row.kind == RowKind::GAP => {
                    self.lost += attachment.a;
                    self.gaps += u64::from(attachment.a > 0);
                    self.dropped_gaps += u64::from(lost::is_of_target(attachment.b));
                }
                AttachmentId::LOST if row.kind == RowKind::DROP => self.dropped += attachment.a,
                AttachmentId::DROPPED => {
                    self.dropped += attachment.a;
                    self.drop_reports += 1;
                }
                // The row itself counts as one.
                AttachmentId::FRAMES if row.kind == RowKind::BAD_FRAME => {
                    self.bad_frame += attachment.a.saturating_sub(1);
                }
                _ => {}
            }
        }
    }

    fn bytes_of(&mut self, row: &Row) -> &mut u64 {
        if row.has(RowFlags::SKIPPED) {
            &mut self.skipped_bytes
        } else if row.is_record() {
            &mut self.record_bytes
        } else {
            &mut self.other_bytes
        }
    }

    /// Damaged frames of all kinds.
    pub fn bad(&self) -> u64 {
        self.bad_checksum + self.bad_frame + self.too_short + self.too_long
    }

    pub fn bytes(&self) -> u64 {
        self.record_bytes + self.other_bytes + self.skipped_bytes
    }
}

impl std::ops::AddAssign for RowCounters {
    fn add_assign(&mut self, other: RowCounters) {
        self.records += other.records;
        self.record_bytes += other.record_bytes;
        self.other_bytes += other.other_bytes;
        self.skipped_bytes += other.skipped_bytes;
        self.bad_checksum += other.bad_checksum;
        self.bad_frame += other.bad_frame;
        self.too_short += other.too_short;
        self.too_long += other.too_long;
        self.gaps += other.gaps;
        self.lost += other.lost;
        self.dropped += other.dropped;
        self.dropped_gaps += other.dropped_gaps;
        self.drop_reports += other.drop_reports;
        self.resyncs += other.resyncs;
        self.duplicates += other.duplicates;
        self.unknown += other.unknown;
        self.payload_errors += other.payload_errors;
        self.epochs += other.epochs;
        self.hiding += other.hiding;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::Output;

    fn of(batch: &Batch) -> RowCounters {
        let mut counters = RowCounters::default();
        counters.add(batch);
        counters
    }

    fn gap(pos: u64, lost: u64, out: &mut Output<'_>) {
        out.attachment(AttachmentId::LOST, lost, lost::AT_LEAST);
        out.attachment(AttachmentId::EXPECTED, 7, 8);
        out.row(Row::gap(pos));
        out.row(Row { pos, len: 10, ..Row::default() });
    }

    fn total(pos: u64, growth: Growth, out: &mut Output<'_>) {
        let (a, b) = growth.numbers();
        out.attachment(AttachmentId::SETTLED, a, b);
        out.row(Row { pos, len: 10, ..Row::default() });
    }

    #[test]
    fn a_gap_grows_once_in_whichever_batch_it_is() {
        let growth = Growth { pos: 20, more: 256, how: lost::BY_TARGET };
        let mut both = Batch::default();
        gap(10, 3, &mut Output::new(&mut both, false));
        gap(20, 4, &mut Output::new(&mut both, false));
        let mut later = Batch::default();
        total(30, growth, &mut Output::new(&mut later, false));
        let apart = [of(&both).lost, of(&later).lost];
        assert_eq!(apart, [7, 256]);
        Growth::apply(&mut later, 0);
        assert_eq!(Growth::in_batch(&later).collect::<Vec<_>>(), [growth]);

        total(30, growth, &mut Output::new(&mut both, false));
        Growth::apply(&mut both, 0);
        growth.add_to_row(2, &mut both.attachments);
        let lost_of: Vec<_> =
            both.attachments.iter().filter(|a| a.id == AttachmentId::LOST).map(|a| (a.a, a.b)).collect();
        assert_eq!(lost_of, [(3, lost::AT_LEAST), (260, lost::BY_TARGET)]);
        assert_eq!(of(&both).lost, 263);
        assert_eq!(Growth::in_batch(&both).count(), 0);
    }

    #[test]
    fn a_gap_shrinks_in_a_later_batch() {
        let mut batch = Batch::default();
        gap(10, 3, &mut Output::new(&mut batch, false));
        let mut counters = of(&batch);
        let before = counters;
        counters.grow(Growth { pos: 10, more: 3, how: lost::EXACT });
        assert_eq!((counters.lost, counters.gaps), (0, 0));
        counters = before;
        for (how, left) in [(lost::FEWER, (2, 1)), (lost::FEWER, (1, 1)), (lost::NONE, (0, 0))] {
            let mut later = Batch::default();
            total(20, Growth { pos: 10, more: 1, how }, &mut Output::new(&mut later, false));
            counters.add(&later);
            assert_eq!((counters.lost, counters.gaps), left);
        }
    }
}
