//! Gaps that are settled later: 8-bit sequence numbers hide multiples of 256, and who lost the records, until the target
//! reports how many it dropped; and what seems to be lost may come late.

use crate::{
    batch::{Attachment, AttachmentId, Batch, lost},
    row::{Row, RowKind},
};

/// What a later row says about a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Position of the gap.
    pub pos: u64,
    /// Number of records lost there beyond those that the gap shows; where [`Growth::is_less`], that many of those that it
    /// shows are not.
    pub more: u64,
    /// How sure the number is then, one of [`lost`].
    pub how: u64,
}

/// Of the number in an attachment: the values of [`lost`] below it.
const HOW: u64 = 8;

impl Growth {
    /// The growth in an attachment.
    pub fn of(attachment: &Attachment) -> Option<Growth> {
        let growth = Growth { pos: attachment.b, more: attachment.a / HOW, how: attachment.a % HOW };
        (attachment.id == AttachmentId::SETTLED).then_some(growth)
    }

    /// Its attachment: both numbers.
    pub fn numbers(self) -> (u64, u64) {
        (self.more.saturating_mul(HOW).saturating_add(self.how % HOW), self.pos)
    }

    /// Index of its gap among consecutive rows.
    #[must_use]
    pub fn gap_in(self, rows: &[Row]) -> Option<usize> {
        let first = rows.partition_point(|row| row.pos < self.pos);
        let at_pos = rows.iter().enumerate().skip(first).take_while(|(_, row)| row.pos == self.pos);
        at_pos.filter(|(_, row)| row.kind == RowKind::GAP).map(|(i, _)| i).last()
    }

    /// Whether it is the first that settles its gap.
    pub fn is_first(&self) -> bool {
        lost::is_of_target(self.how) && self.how != lost::GREATER
    }

    /// Whether no more can be lost in its gap than it says.
    pub fn is_certain(&self) -> bool {
        self.is_first() || self.is_all()
    }

    /// Whether it takes records away.
    pub fn is_less(&self) -> bool {
        self.how == lost::FEWER || self.is_all()
    }

    /// Whether it takes all records away: nothing is lost in its gap.
    pub fn is_all(&self) -> bool {
        matches!(self.how, lost::NONE | lost::EXACT)
    }

    /// A number of lost records with this change.
    pub fn changed(&self, lost: u64) -> u64 {
        if self.is_less() { lost.saturating_sub(self.more) } else { lost.saturating_add(self.more) }
    }

    /// Adds it to the attachments of the gap, unless that is done already.
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

    /// Settles the gaps of a batch of which its attachments from index `first` on say something. What is left is about
    /// gaps in earlier batches.
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

    /// Adds it to the attachments of a row, which are among these.
    pub fn add_to_row(self, row: usize, attachments: &mut [Attachment]) {
        let begin = attachments.partition_point(|a| (a.at as usize) < row);
        let end = attachments.partition_point(|a| a.at as usize <= row);
        self.add_to(&mut attachments[begin..end]);
    }

    /// Those of which a batch says something.
    pub fn in_batch(batch: &Batch) -> impl Iterator<Item = Growth> + '_ {
        batch.attachments.iter().filter_map(Growth::of)
    }
}
