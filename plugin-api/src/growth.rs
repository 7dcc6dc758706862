//! Gaps that are settled later: 8-bit sequence numbers hide multiples of 256 and who lost the records, until the target
//! reports how many it dropped; and records that seemed lost may arrive late.

use crate::{
    batch::{Attachment, AttachmentId, Batch, lost},
    row::{Row, RowKind},
};

/// An update of an earlier gap by a later row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Position of the gap.
    pub pos: u64,
    /// Number of records lost beyond those that the gap shows; if [`Growth::is_less`], the number to subtract.
    pub more: u64,
    /// How certain the new number is, one of [`lost`].
    pub how: u64,
}

/// Factor of the number in an attachment; the remainder is one of [`lost`].
const HOW: u64 = 8;

impl Growth {
    /// Reads the growth in an attachment.
    pub fn of(attachment: &Attachment) -> Option<Growth> {
        let growth = Growth { pos: attachment.b, more: attachment.a / HOW, how: attachment.a % HOW };
        (attachment.id == AttachmentId::SETTLED).then_some(growth)
    }

    /// Both numbers of its attachment.
    pub fn numbers(self) -> (u64, u64) {
        (self.more.saturating_mul(HOW).saturating_add(self.how % HOW), self.pos)
    }

    /// Index of its gap in consecutive rows.
    pub fn gap_in(self, rows: &[Row]) -> Option<usize> {
        let first = rows.partition_point(|row| row.pos < self.pos);
        let at_pos = rows.iter().enumerate().skip(first).take_while(|(_, row)| row.pos == self.pos);
        at_pos.filter(|(_, row)| row.kind == RowKind::GAP).map(|(i, _)| i).last()
    }

    /// Whether it is the first update of its gap.
    pub fn is_first(&self) -> bool {
        lost::is_of_target(self.how) && self.how != lost::GREATER
    }

    /// Whether no more records can be missing in the gap.
    pub fn is_certain(&self) -> bool {
        self.is_first() || self.is_all()
    }

    /// Whether it reduces the number of lost records.
    pub fn is_less(&self) -> bool {
        self.how == lost::FEWER || self.is_all()
    }

    /// Whether nothing is missing in the gap after all.
    pub fn is_all(&self) -> bool {
        matches!(self.how, lost::NONE | lost::EXACT)
    }

    /// Applies the change to a number of lost records.
    pub fn changed(&self, lost: u64) -> u64 {
        if self.is_less() { lost.saturating_sub(self.more) } else { lost.saturating_add(self.more) }
    }

    /// Applies it to the attachments of the gap, unless already done.
    fn add_to(self, attachments: &mut [Attachment]) {
        let Some(shown) = attachments.iter_mut().find(|a| a.id == AttachmentId::LOST) else { return };
        if self.is_less() || self.how == lost::AT_LEAST {
            shown.a = self.changed(shown.a);
            if self.is_all() {
                shown.b = self.how;
            }
        } else if self.is_first() && !lost::is_of_target(shown.b) {
            (shown.a, shown.b) = (shown.a.saturating_add(self.more), self.how);
        } else if self.how == lost::GREATER && shown.b != lost::IN_SUM {
            (shown.a, shown.b) = (shown.a.saturating_add(self.more), lost::IN_SUM);
        }
    }

    /// Settles gaps of a batch according to its attachments from index `first` on. Updates of gaps in earlier batches
    /// remain.
    pub fn apply(batch: &mut Batch, first: usize) {
        let Batch { rows, attachments, .. } = batch;
        let with_gap =
            |attachment: &Attachment| Growth::of(attachment).and_then(|growth| Some((growth, growth.gap_in(rows)?)));
        let found: Vec<(Growth, usize)> = attachments.iter().skip(first).filter_map(with_gap).collect();
        if found.is_empty() {
            return;
        }
        for (growth, gap) in found {
            growth.add_to_row(gap, attachments);
        }
        attachments.retain(|attachment| with_gap(attachment).is_none());
    }

    /// Applies it to the attachments of a row, found in `attachments`.
    pub fn add_to_row(self, row: usize, attachments: &mut [Attachment]) {
        let begin = attachments.partition_point(|a| (a.at as usize) < row);
        let end = attachments.partition_point(|a| a.at as usize <= row);
        self.add_to(&mut attachments[begin..end]);
    }

    /// The updates in a batch.
    pub fn in_batch(batch: &Batch) -> impl Iterator<Item = Growth> + '_ {
        batch.attachments.iter().filter_map(Growth::of)
    }
}
