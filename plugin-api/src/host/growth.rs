//! Gaps that grow: 8-bit sequence numbers hide multiples of 256, until the target tells how many records it dropped.

use crate::{
    batch::{Attachment, AttachmentId, Batch, lost},
    row::{Row, RowKind},
};

/// What a later row says about a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Position of the gap.
    pub pos: u64,
    /// Number of records lost there beyond those that the gap tells.
    pub more: u64,
}

impl Growth {
    /// The growth in an attachment.
    #[must_use]
    pub fn of(attachment: &Attachment) -> Option<Growth> {
        (attachment.id == AttachmentId::MORE_LOST).then_some(Growth { pos: attachment.b, more: attachment.a })
    }

    /// Index of its gap among consecutive rows.
    #[must_use]
    pub fn gap_in(self, rows: &[Row]) -> Option<usize> {
        let first = rows.partition_point(|row| row.pos < self.pos);
        let at_pos = rows.iter().enumerate().skip(first).take_while(|(_, row)| row.pos == self.pos);
        at_pos.filter(|(_, row)| row.kind == RowKind::GAP).map(|(i, _)| i).last()
    }

    /// Adds it to the attachments of the gap, unless that is done already.
    fn add_to(self, attachments: &mut [Attachment]) {
        let of_gap = |a: &&mut Attachment| a.id == AttachmentId::LOST && a.b != lost::BY_TARGET;
        if let Some(told) = attachments.iter_mut().find(of_gap) {
            (told.a, told.b) = (told.a.saturating_add(self.more), lost::BY_TARGET);
        }
    }

    /// Makes the gaps of a batch greater that its attachments from index `first` on tell of. What is left tells of gaps
    /// in earlier batches.
    pub fn apply(batch: &mut Batch, first: usize) {
        let mut next = first;
        while let Some(at) = batch.attachments.iter().skip(next).position(|a| a.id == AttachmentId::MORE_LOST) {
            next += at;
            let growth = batch.attachments.get(next).and_then(Growth::of);
            match growth.and_then(|growth| Some((growth, growth.gap_in(&batch.rows)?))) {
                Some((growth, gap)) => {
                    growth.add_to_row(gap, &mut batch.attachments);
                    batch.attachments.remove(next);
                }
                None => next += 1,
            }
        }
    }

    /// Adds it to the attachments of a row, which are among these.
    pub fn add_to_row(self, row: usize, attachments: &mut [Attachment]) {
        let begin = attachments.partition_point(|a| (a.at as usize) < row);
        let end = attachments.partition_point(|a| a.at as usize <= row);
        self.add_to(&mut attachments[begin..end]);
    }

    /// Those that a batch tells.
    pub fn in_batch(batch: &Batch) -> impl Iterator<Item = Growth> + '_ {
        batch.attachments.iter().filter_map(Growth::of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{host::RowCounters, output::Output};

    fn gap(pos: u64, lost: u64, out: &mut Output<'_>) {
        out.attachment(AttachmentId::LOST, lost, lost::AT_LEAST);
        out.attachment(AttachmentId::EXPECTED, 7, 8);
        out.row(Row::gap(pos));
        out.row(Row { pos, len: 10, ..Row::default() });
    }

    fn total(pos: u64, growth: Growth, out: &mut Output<'_>) {
        out.attachment(AttachmentId::MORE_LOST, growth.more, growth.pos);
        out.row(Row { pos, len: 10, ..Row::default() });
    }

    #[test]
    fn a_gap_grows_once_in_whichever_batch_it_is() {
        let growth = Growth { pos: 20, more: 256 };
        let mut both = Batch::default();
        gap(10, 3, &mut Output::new(&mut both, false));
        gap(20, 4, &mut Output::new(&mut both, false));
        let mut later = Batch::default();
        total(30, growth, &mut Output::new(&mut later, false));
        let apart = [RowCounters::of(&both, 0).lost, RowCounters::of(&later, 0).lost];
        assert_eq!(apart, [7, 256]);
        Growth::apply(&mut later, 0);
        assert_eq!(Growth::in_batch(&later).collect::<Vec<_>>(), [growth]);

        total(30, growth, &mut Output::new(&mut both, false));
        Growth::apply(&mut both, 0);
        growth.add_to_row(2, &mut both.attachments);
        let told: Vec<_> = both.attachments.iter().filter(|a| a.id == AttachmentId::LOST).map(|a| (a.a, a.b)).collect();
        assert_eq!(told, [(3, lost::AT_LEAST), (260, lost::BY_TARGET)]);
        assert_eq!(RowCounters::of(&both, 0).lost, 263);
        assert_eq!(Growth::in_batch(&both).count(), 0);
    }
}
