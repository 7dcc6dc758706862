//! What a stream says that concerns commands: answers of the target, and its resets.

use std::collections::{BTreeSet, VecDeque};

use spytui_plugin_api::{Answer, AttachmentId, Batch, RowKind, info::AnswerStage};

use crate::store::tables::Tables;

/// Number of news kept. Whoever follows a target reads them at once.
const KEPT: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct News {
    /// Position of its row in the log.
    pub pos: u64,
    /// Number of its row.
    pub row: u64,
    /// What happened.
    pub kind: NewsKind,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewsKind {
    /// An answer to the frame with its token.
    Answer(Answer),
    /// An answer to the oldest frame that waits; its token says nothing.
    AnswerToAny(Answer),
    /// The target was reset: a new epoch.
    Reset,
}

/// The news of a decoding, and what was seen since the last reset.
#[derive(Debug, Default)]
pub struct TargetNews {
    items: VecDeque<News>,
    /// Number of news that are not kept any more.
    gone: u64,
    /// Configuration of the last record.
    cfg: u16,
    /// Rows of each shape at the end of the batch in which the epoch began.
    before: Vec<u64>,
    /// Kinds seen in that batch after the reset.
    first_kinds: BTreeSet<RowKind>,
    /// Number of records in that batch after the reset.
    first_records: u64,
}

impl TargetNews {
    /// The news from number `from` on, and the number of the next.
    pub fn since(&self, from: u64) -> (Vec<News>, u64) {
        let skip = usize::try_from(from.saturating_sub(self.gone)).unwrap_or(usize::MAX);
        (self.items.iter().skip(skip).copied().collect(), self.gone + self.items.len() as u64)
    }

    /// Id of the configuration in force.
    pub fn cfg(&self) -> u16 {
        self.cfg
    }

    /// Kinds of the records since the last reset, in order.
    pub fn kinds_seen(&self, tables: &Tables) -> Vec<RowKind> {
        let mut kinds = self.first_kinds.clone();
        for (index, (shape, rows, _)) in tables.shapes.tally().enumerate() {
            if !shape.kind.is_note() && rows > self.before.get(index).copied().unwrap_or(0) {
                kinds.insert(shape.kind);
            }
        }
        kinds.into_iter().collect()
    }

    /// Number of records since the last reset.
    pub fn records_seen(&self, tables: &Tables) -> u64 {
        let rows = tables.shapes.tally().enumerate().filter(|(_, (shape, ..))| !shape.kind.is_note());
        let since = |(index, (_, rows, _)): (usize, (_, u64, _))| {
            rows.saturating_sub(self.before.get(index).copied().unwrap_or(0))
        };
        self.first_records + rows.map(since).sum::<u64>()
    }

    /// Takes a batch that was just added to the store, which has so many rows now, with its rows that are resets.
    pub(super) fn add(&mut self, batch: &Batch, resets: &[usize], rows: u64, tables: &Tables) {
        let first = rows.saturating_sub(batch.rows.len() as u64);
        let place = |at: usize| (batch.rows.get(at).map_or(0, |row| row.pos), first + at as u64);
        let mut resets_left = resets.iter().copied().peekable();
        for attachment in batch.attachments.iter().filter(|attachment| is_answer(attachment.id)) {
            let at = attachment.at as usize;
            while let Some(reset) = resets_left.next_if(|reset| *reset < at) {
                self.push(place(reset), NewsKind::Reset);
            }
            self.attachment(attachment.id, (attachment.a, attachment.b), place(at));
        }
        for reset in resets_left {
            self.push(place(reset), NewsKind::Reset);
        }
        let last = batch.rows.iter().rev().find(|row| !row.kind.is_of_host());
        self.cfg = last.map_or(self.cfg, |row| row.cfg);
        if let Some(reset) = resets.last() {
            self.before = tables.shapes.tally().map(|(_, rows, _)| rows).collect();
            let rest = batch.rows.iter().skip(*reset).map(|row| row.kind).filter(|kind| !kind.is_note());
            self.first_kinds = rest.clone().collect();
            self.first_records = rest.count() as u64;
        }
    }

    fn attachment(&mut self, id: AttachmentId, (a, b): (u64, u64), place: (u64, u64)) {
        let stage = AnswerStage(u8::try_from(b).unwrap_or(u8::MAX));
        let answer = Answer { token: a, stage, ..Answer::default() };
        match id {
            AttachmentId::ANSWER => self.push(place, NewsKind::Answer(answer)),
            AttachmentId::ANSWER_TO_ANY => self.push(place, NewsKind::AnswerToAny(answer)),
            _ => {
                if let Some(News { kind: NewsKind::Answer(last) | NewsKind::AnswerToAny(last), .. }) =
                    self.items.back_mut().filter(|last| last.row == place.1)
                {
                    (last.item, last.value) = (a, b);
                }
            }
        }
    }

    fn push(&mut self, (pos, row): (u64, u64), kind: NewsKind) {
        if self.items.len() == KEPT {
            self.items.pop_front();
            self.gone += 1;
        }
        self.items.push_back(News { pos, row, kind });
    }
}

fn is_answer(id: AttachmentId) -> bool {
    matches!(id, AttachmentId::ANSWER | AttachmentId::ANSWER_TO_ANY | AttachmentId::ANSWER_DATA)
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Row;

    use super::*;
    use crate::store::Shape;

    #[test]
    fn records_count_from_the_reset_in_the_middle_of_a_batch() {
        let (mut news, mut tables, mut batch) = (TargetNews::default(), Tables::default(), Batch::default());
        batch.rows = [7, 8, 9, 8].map(|kind| Row { kind: RowKind(kind), ..Row::default() }).into_iter().collect();
        for row in batch.rows.iter() {
            let number = tables.shapes.number(Shape::of(row, Default::default(), false)).unwrap();
            tables.shapes.count(number, 1);
        }
        news.add(&batch, &[2], 4, &tables);
        assert_eq!(news.records_seen(&tables), 2);
        assert_eq!(news.kinds_seen(&tables), [RowKind(8), RowKind(9)]);
    }
}
