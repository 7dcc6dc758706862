//! What a decoding publishes: answers and resets, losses, activities.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use abi_stable::std_types::RVec;
use spytui_plugin_api::{
    Activity, Answer, Attachment, AttachmentId, Batch, Growth, Row, RowKind,
    batch::{attachments_of, lost},
    info::AnswerStage,
};

use crate::{io::log::Cursor, replay::MissingRecords, store::columns::Tables};

/// Number of news kept. Followers read them at once.
const KEPT: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct News {
    /// Log position of its row.
    pub pos: u64,
    pub row: u64,
    pub kind: NewsKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewsKind {
    /// An answer to the frame with its token.
    Answer(Answer),
    /// An answer to the oldest waiting frame, regardless of the token.
    AnswerToAny(Answer),
    /// The target was reset, which begins an epoch.
    Reset,
}

/// The news of a decoding, and what was seen since the last reset.
#[derive(Debug, Default)]
pub struct TargetNews {
    items: VecDeque<News>,
    /// Number of news no longer kept.
    gone: u64,
    /// Configuration of the last record.
    pub(super) cfg: u16,
    /// Rows of each shape at the end of the batch in which the epoch began.
    before: Vec<u64>,
    /// Kinds seen in that batch after the reset.
    first_kinds: BTreeSet<RowKind>,
    /// Number of records in that batch after the reset.
    first_records: u64,
}

impl TargetNews {
    /// The news from number `from` on, and the number of the next one.
    pub fn since(&self, from: u64) -> (Vec<News>, u64) {
        let skip = usize::try_from(from.saturating_sub(self.gone)).unwrap_or(usize::MAX);
        (self.items.iter().skip(skip).copied().collect(), self.gone + self.items.len() as u64)
    }

    /// Kinds of the records since the last reset, in order.
    pub fn kinds_seen(&self, tables: &Tables) -> Vec<RowKind> {
        let mut kinds = self.first_kinds.clone();
        for (index, (shape, rows, _)) in tables.shapes.tally().enumerate() {
            if !shape.row.kind.is_note() && rows > self.before.get(index).copied().unwrap_or(0) {
                kinds.insert(shape.row.kind);
            }
        }
        kinds.into_iter().collect()
    }

    /// Number of records since the last reset.
    pub fn records_seen(&self, tables: &Tables) -> u64 {
        let rows = tables.shapes.tally().enumerate().filter(|(_, (shape, ..))| !shape.row.kind.is_note());
        let since = |(index, (_, rows, _)): (usize, (_, u64, _))| {
            rows.saturating_sub(self.before.get(index).copied().unwrap_or(0))
        };
        self.first_records + rows.map(since).sum::<u64>()
    }

    /// Adds a batch whose rows, including these resets, were just added to the store; `rows` = total number of rows.
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

/// Maximum number of losses listed; all of them are also rows.
const MOST: usize = 2048;
/// The first attachment of the decoder's own.
const FIRST_OWN: AttachmentId = AttachmentId(64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    pub row: u64,
    pub kind: RowKind,
    pub size: LossSize,
    /// Number of lost records that arrived as damaged frames.
    pub damaged: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossSize {
    /// In the decoder's unit of losses.
    Units {
        lost: u64,
        /// `lost` is not just a lower bound.
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
    /// Adds the losses of a batch; `first_row` = number of its first row.
    pub(super) fn add(&mut self, batch: &Batch, first_row: u64) {
        for (at, row) in batch.rows.iter().enumerate().filter(|(_, row)| row.kind.is_note()) {
            let attached = attachments_of(&batch.attachments, at);
            if let Some(size) = size_of(row, attached) {
                let damaged = attached.iter().find(|a| a.id == AttachmentId::DAMAGED).map_or(0, |a| a.a);
                self.push(Loss { row: first_row + at as u64, kind: row.kind, size, damaged });
            }
        }
    }

    fn push(&mut self, loss: Loss) {
        if loss.kind == RowKind::GAP && matches!(loss.size, LossSize::Units { .. }) {
            // Damage and the resulting gap are one loss.
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

    /// Settles the size of a loss.
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

    /// Oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Loss> {
        self.0.iter()
    }
}

/// Whether a gap right after a row of this kind includes damaged records.
fn is_damage(kind: RowKind) -> bool {
    matches!(kind, RowKind::BAD_CHECK | RowKind::BAD_FRAME | RowKind::TOO_SHORT | RowKind::TOO_LONG | RowKind::RESYNC)
}

/// The loss reported by a row, if any.
fn size_of(row: &Row, attached: &[Attachment]) -> Option<LossSize> {
    if let Some(missing) = MissingRecords::of(attached) {
        return Some(LossSize::Units { lost: missing.count, exact: missing.is_exact });
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

/// Number of rows kept, and for how many rows they are kept after a request.
const ROWS: u64 = 1 << 16;
/// Rows decoded again that are kept: readers that advance in turn are at most a piece of a walk and a feed apart.
const ROWS_AGAIN: u64 = 1 << 14;

#[derive(Debug, Default)]
pub(super) struct TappedRows {
    pub(super) from: Cursor,
    pub(super) to: Cursor,
    pub(super) rows: RVec<Row>,
    pub(super) activities: RVec<Activity>,
    pub(super) attachments: RVec<Attachment>,
}

impl TappedRows {
    /// Takes rows, activities and attachments out of a batch, which gets the memory of others for them.
    fn fill(&mut self, batch: &mut Batch, (from, to): (Cursor, Cursor)) {
        (self.from, self.to) = (from, to);
        self.rows.clear();
        self.activities.clear();
        self.attachments.clear();
        std::mem::swap(&mut self.rows, &mut batch.rows);
        std::mem::swap(&mut self.activities, &mut batch.activities);
        std::mem::swap(&mut self.attachments, &mut batch.attachments);
    }
}

#[derive(Debug, Default)]
struct Feeds(VecDeque<Arc<TappedRows>>);

impl Feeds {
    /// Takes the rows of a feed with their activities out of its batch, and drops the oldest feeds beyond `most` rows.
    fn add(&mut self, batch: &mut Batch, cursors: (Cursor, Cursor), most: u64) -> Arc<TappedRows> {
        let mut count = self.0.iter().map(|feed| feed.rows.len() as u64).sum::<u64>() + batch.rows.len() as u64;
        let mut feed = TappedRows::default();
        while count > most
            && let Some(oldest) = self.0.pop_front()
        {
            count -= oldest.rows.len() as u64;
            // Reuse its memory unless somebody still reads it.
            feed = Arc::into_inner(oldest).unwrap_or(feed);
        }
        feed.fill(batch, cursors);
        let feed = Arc::new(feed);
        self.0.push_back(feed.clone());
        feed
    }

    fn find(&self, at: Cursor) -> Option<Arc<TappedRows>> {
        self.0.iter().find(|feed| feed.from == at).cloned()
    }
}

/// The rows of the last feeds, for readers of activities.
#[derive(Debug, Default)]
pub(super) struct Tap {
    /// Rows from this number on are not kept.
    until: AtomicU64,
    /// Feeds of the decoding itself. Nothing is kept while nobody asks.
    live: Mutex<Feeds>,
    /// Feeds that a reader has decoded again, for other readers at the same place.
    again: Mutex<Feeds>,
    /// Each reader has a clone.
    pub(super) readers: Arc<()>,
}

impl Tap {
    /// Takes the rows of a feed, beginning with row `first`, out of its batch, if they and their activities are kept.
    pub(super) fn add(&self, batch: &mut Batch, first: u64, cursors: (Cursor, Cursor), has_activities: bool) {
        let mut live = locked(&self.live);
        if first < self.until() && has_activities {
            live.add(batch, cursors, ROWS);
        } else if !live.0.is_empty() {
            *live = Feeds::default();
        }
    }

    /// Takes the rows of a feed that a reader has decoded again, and keeps them for readers that follow it.
    pub(super) fn add_again(&self, batch: &mut Batch, cursors: (Cursor, Cursor)) -> Arc<TappedRows> {
        let is_alone = Arc::strong_count(&self.readers) <= 2;
        locked(&self.again).add(batch, cursors, if is_alone { 0 } else { ROWS_AGAIN })
    }

    /// The feed that begins at a position, if kept. Following feeds are kept from now on, up to some rows after `row`.
    pub(super) fn take(&self, at: Cursor, row: u64, shares: bool) -> Option<Arc<TappedRows>> {
        self.until.fetch_max(row + ROWS, Ordering::AcqRel);
        let live = locked(&self.live).find(at);
        live.or_else(|| if shares { locked(&self.again).find(at) } else { None })
    }

    /// Rows from this number on are not kept; 0 = nobody ever asked.
    pub(super) fn until(&self) -> u64 {
        self.until.load(Ordering::Acquire)
    }
}

fn locked(feeds: &Mutex<Feeds>) -> MutexGuard<'_, Feeds> {
    feeds.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn feed(tap: &Tap, first: u64, rows: u64, has_activities: bool) {
        let at = |row| Cursor { pos: row * 10, event: 0 };
        let mut batch = Batch { rows: vec![Row::default(); rows as usize].into(), ..Batch::default() };
        tap.add(&mut batch, first, (at(first), at(first + rows)), has_activities);
    }

    fn is_kept(tap: &Tap, row: u64) -> bool {
        tap.take(Cursor { pos: row * 10, event: 0 }, row, false).is_some()
    }

    #[test]
    fn feeds_are_kept_for_whoever_asks() {
        let tap = Tap::default();
        feed(&tap, 0, 10, true);
        assert!(!is_kept(&tap, 0));
        feed(&tap, 10, 10, true);
        feed(&tap, 20, 10, true);
        assert!(is_kept(&tap, 10) && is_kept(&tap, 20) && !is_kept(&tap, 30));
        // Bulk decoding has no activities.
        feed(&tap, 30, 10, false);
        assert!(!is_kept(&tap, 30) && !is_kept(&tap, 20));
    }

    #[test]
    fn a_feed_that_is_read_stays_while_memory_is_used_again() {
        let tap = Tap::default();
        assert!(!is_kept(&tap, 0));
        feed(&tap, 0, 5_000, true);
        let read = tap.take(Cursor { pos: 0, event: 0 }, 0, false).expect("kept");
        for first in (5_000..100_000).step_by(1_000) {
            feed(&tap, first, 1_000, true);
            let newest = tap.take(Cursor { pos: first * 10, event: 0 }, first, false).expect("kept");
            assert_eq!((newest.rows.len(), newest.to.pos), (1_000, (first + 1_000) * 10));
        }
        assert!(!is_kept(&tap, 0) && !is_kept(&tap, 5_000));
        assert_eq!((read.rows.len(), read.to.pos), (5_000, 50_000));
    }

    #[test]
    fn memory_is_bounded_and_given_back() {
        let tap = Tap::default();
        assert!(!is_kept(&tap, 0));
        (0..20).for_each(|n| feed(&tap, n * 5_000, 5_000, true));
        let rows = || locked(&tap.live).0.iter().map(|feed| feed.rows.len()).sum::<usize>();
        // Nobody asks any more.
        assert_eq!(rows(), 0);
        assert!(!is_kept(&tap, 100_000));
        (20..33).for_each(|n| feed(&tap, n * 5_000, 5_000, true));
        assert!(rows() > 0 && rows() <= ROWS as usize);
    }
}
