//! The latest losses of a stream, for lists: every row that reports one, with its size.

use std::collections::VecDeque;

use spytui_plugin_api::{Attachment, AttachmentId, Batch, Growth, Row, RowKind, batch::lost};

/// Maximum number of losses kept; all of them are rows, too.
const MOST: usize = 2048;
/// The first attachment of the decoder's own.
const FIRST_OWN: AttachmentId = AttachmentId(64);

/// A row that reports a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    pub row: u64,
    pub kind: RowKind,
    /// What is lost.
    pub size: LossSize,
    /// How many of the lost records came as damaged frames.
    pub damaged: u64,
}

/// How much is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossSize {
    /// In the decoder's unit of losses.
    Units {
        /// Number.
        lost: u64,
        /// No more can be lost.
        exact: bool,
    },
    /// An attachment of the decoder's own and its number.
    Own(AttachmentId, u64),
    /// Bytes of the row; 0 = unknown.
    Bytes(u64),
}

/// The latest losses, in order of their rows.
#[derive(Debug, Default)]
pub struct Losses(VecDeque<Loss>);

impl Losses {
    /// Adds those of a batch, whose first row has this number.
    pub(super) fn add(&mut self, batch: &Batch, first_row: u64) {
        for (at, row) in batch.rows.iter().enumerate().filter(|(_, row)| row.kind.is_note()) {
            let first = batch.attachments.partition_point(|a| (a.at as usize) < at);
            let rest = batch.attachments.get(first..).unwrap_or_default();
            let attached = rest.split(|a| a.at as usize != at).next().unwrap_or_default();
            if let Some(size) = size_of(row, attached) {
                let damaged = attached.iter().find(|a| a.id == AttachmentId::DAMAGED).map_or(0, |a| a.a);
                self.push(Loss { row: first_row + at as u64, kind: row.kind, size, damaged });
            }
        }
    }

    fn push(&mut self, loss: Loss) {
        if loss.kind == RowKind::GAP && matches!(loss.size, LossSize::Units { .. }) {
            // Damage and the hole it leaves are one loss.
            let mut row = loss.row;
            while self.0.back().is_some_and(|last| last.row + 1 == row && is_damage(last.kind)) {
                self.0.pop_back();
                row -= 1;
            }
        }
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(loss);
    }

    /// What is lost at a row is settled.
    pub(super) fn grow(&mut self, row: u64, growth: Growth) {
        if growth.is_all() {
            return self.0.retain(|loss| loss.row != row);
        }
        let shown = self.0.iter_mut().rev().find(|loss| loss.row == row);
        if let Some(LossSize::Units { lost, exact }) = shown.map(|loss| &mut loss.size) {
            *lost = growth.changed(*lost);
            *exact = lost::is_exact(growth.how);
        }
    }

    /// The losses, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Loss> {
        self.0.iter()
    }
}

/// Whether a gap right behind a row of this kind counts what came damaged.
fn is_damage(kind: RowKind) -> bool {
    matches!(kind, RowKind::BAD_CHECK | RowKind::BAD_FRAME | RowKind::TOO_SHORT | RowKind::TOO_LONG | RowKind::RESYNC)
}

/// What a row reports as lost; `None` if it reports no loss.
fn size_of(row: &Row, attached: &[Attachment]) -> Option<LossSize> {
    if let Some(number) = attached.iter().find(|a| a.id == AttachmentId::LOST) {
        return Some(LossSize::Units { lost: number.a, exact: lost::is_exact(number.b) });
    }
    if !row.kind.is_loss() {
        return None;
    }
    if let Some(own) = attached.iter().find(|a| a.id >= FIRST_OWN && !a.is_bytes) {
        return Some(LossSize::Own(own.id, own.a));
    }
    let fragments = attached.iter().filter(|a| a.id == AttachmentId::FRAGMENT);
    Some(LossSize::Bytes(u64::from(row.len) + fragments.map(|fragment| fragment.b).sum::<u64>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loss_is_kept_with_its_size() {
        let own = RowKind::FIRST_OWN_LOSS;
        let rows = [
            Row::default(),
            Row::skipped(RowKind::BAD_CHECK, 0, 20),
            Row::gap(20),
            Row::note(own, 20, 0),
            Row::skipped(RowKind::RESYNC, 20, 7),
            Row::default(),
            Row::note(RowKind::ORPHANS, 40, 16),
            Row::note(RowKind::LINK, 40, 0),
        ];
        let attachment = |at, id, a, b| Attachment { at, id, is_bytes: false, a, b };
        let attachments = [
            attachment(2, AttachmentId::LOST, 3, 1),
            attachment(3, FIRST_OWN, 9, 0),
            attachment(6, AttachmentId::FRAGMENT, 0, 32),
        ];
        let batch = Batch { rows: rows.to_vec().into(), attachments: attachments.to_vec().into(), ..Batch::default() };
        let mut losses = Losses::default();
        losses.add(&batch, 100);
        let found: Vec<_> = losses.iter().map(|loss| (loss.row, loss.size)).collect();
        let expected = [
            (102, LossSize::Units { lost: 3, exact: true }),
            (103, LossSize::Own(FIRST_OWN, 9)),
            (104, LossSize::Bytes(7)),
            (106, LossSize::Bytes(48)),
        ];
        assert_eq!(found, expected);
    }
}
