//! Creates drop rows from reported totals. A target repeatedly reports how many records it has dropped since it
//! started, on any core and possibly to several sources. The host compares each total with the previous one.

use spytui_plugin_api::{
    Activity, Attachment, AttachmentId, Batch, LossCause, NONE, Row, RowFlags, RowKind, Severity, Verb,
};

/// Totals above this may wrap at 32 bits; totals below `BEHIND_WRAP` may follow a wrap.
const NEAR_WRAP: u64 = 0xF000_0000;
const BEHIND_WRAP: u64 = 0x1000_0000;

/// Maximum number of cores kept, because damaged records may contain any number.
const MOST_CORES: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropNews {
    None,
    Dropped(u64),
    /// The target restarted: the total fell in a new epoch. This many were dropped since.
    Reset(u64),
    /// The total fell without other evidence of a reset: a reset, or a different target.
    Fell,
}

impl DropNews {
    /// Number of records dropped since the last total.
    pub fn lost(self) -> u64 {
        match self {
            DropNews::Dropped(lost) | DropNews::Reset(lost) => lost,
            DropNews::None | DropNews::Fell => 0,
        }
    }

    pub fn flags(self) -> RowFlags {
        match self {
            DropNews::None => RowFlags::UNCHANGED,
            _ if self.lost() > 0 => RowFlags::REPORTED,
            _ => RowFlags::empty(),
        }
    }
}

/// The last total of a target; must see all rows in order.
#[derive(Clone, Debug, Default)]
pub struct DropTracker {
    pub total: u64,
    reported: u64,
    /// An epoch has begun since the last total.
    epoch_began: bool,
    /// A note already reported the reset.
    reset_said: bool,
    /// Last time stamp on any core.
    time: Option<u64>,
    /// Last time stamp of each core in this epoch.
    cores: Vec<(u16, u64)>,
}

impl DropTracker {
    /// Updates times and epoch from a row.
    #[inline]
    pub fn follow(&mut self, row: &Row) {
        if row.has(RowFlags::EPOCH) {
            self.cores.clear();
            self.time = (row.kind == RowKind::TIME_BACK).then_some(row.time);
            self.epoch_began = true;
            self.reset_said = row.kind.is_note();
        }
        if row.has(RowFlags::TIME_OWN) {
            self.stamp(row);
        }
    }

    #[inline]
    fn stamp(&mut self, row: &Row) {
        // Records that name objects or cores may have time 0.
        if row.time > 0 || !row.has(RowFlags::NAMING) {
            self.time = Some(row.time);
        }
        match self.cores.iter_mut().find(|core| core.0 == row.core) {
            Some(core) => core.1 = row.time,
            None => {
                if self.cores.len() == MOST_CORES {
                    self.cores.remove(0);
                }
                self.cores.push((row.core, row.time));
            }
        }
    }

    /// Takes the total in a record; call it before [`DropTracker::follow`].
    pub fn take(&mut self, record: &Row, total: u64) -> DropNews {
        let epoch_began = std::mem::take(&mut self.epoch_began);
        if total < self.total && record.time < self.reported && !epoch_began {
            // A record of another core that arrives later than it was made.
            return DropNews::None;
        }
        self.reported = record.time;
        let last = std::mem::replace(&mut self.total, total);
        if total == last {
            DropNews::None
        } else if total > last {
            DropNews::Dropped(total - last)
        } else if epoch_began {
            DropNews::Reset(total)
        } else if last >= NEAR_WRAP && total < BEHIND_WRAP {
            DropNews::Dropped(u64::from((total as u32).wrapping_sub(last as u32)))
        } else {
            DropNews::Fell
        }
    }

    /// The last time before a record that has not been followed yet.
    pub fn time_before(&self, record: &Row) -> u64 {
        // If cores arrive one after the other, the last row may be later.
        self.time.filter(|time| *time <= record.time).or(self.core_time(record.core)).unwrap_or(0)
    }

    fn core_time(&self, core: u16) -> Option<u64> {
        self.cores.iter().find(|known| known.0 == core).map(|known| known.1)
    }

    /// Inserts a drop row before each record with a larger total and flags the record. Follows all rows from index
    /// `first` on.
    pub fn add_rows(&mut self, batch: &mut Batch, first: usize, wants_activities: bool) {
        let start = batch.attachments.partition_point(|a| (a.at as usize) < first);
        let mut totals = batch.attachments.iter().skip(start).filter(|a| a.id == AttachmentId::DROP_TOTAL).peekable();
        let mut added = Added::default();
        for (at, record) in (first as u32..).zip(batch.rows.iter_mut().skip(first)) {
            while let Some(total) = totals.next_if(|total| total.at <= at) {
                self.report(at, record, total, wants_activities, &mut added);
            }
            self.follow(record);
        }
        added.insert_into(batch);
    }

    fn report(&mut self, at: u32, record: &mut Row, total: &Attachment, wants_activities: bool, added: &mut Added) {
        let before = self.total;
        let news = self.take(record, total.a);
        record.flags |= news.flags();
        if news == DropNews::None {
            return;
        }
        let time = self.core_time(record.core).or(self.time).unwrap_or(0);
        let row = |kind, core| Row { time, core, flags: RowFlags::OF_NEXT, ..Row::note(kind, record.pos, 0) };
        let fell = match news {
            DropNews::Reset(_) if !self.reset_said => Some(row(RowKind::RESET, record.core)),
            DropNews::Fell => Some(Row { severity: Severity::WARNING, ..row(RowKind::RESTART, record.core) }),
            DropNews::None | DropNews::Dropped(_) | DropNews::Reset(_) => None,
        };
        if let Some(fell) = fell {
            added.attachment(AttachmentId::TOTAL_FELL, before, total.a);
            added.rows.push((at, fell));
        }
        let lost = news.lost();
        if lost > 0 {
            added.attachment(AttachmentId::LOST, lost, 1);
            added.attachment(AttachmentId::CAUSE, LossCause::TARGET.0, 0);
            added.attachment(AttachmentId::TOTAL, total.a, total.b);
            added.attachment(AttachmentId::SPAN, self.time_before(record), record.time);
            if matches!(news, DropNews::Reset(_)) && fell.is_none() {
                added.attachment(AttachmentId::TOTAL_FELL, before, total.a);
            }
            added.rows.push((at, row(RowKind::DROP, NONE)));
        }
        if wants_activities {
            let activity = |verb| Activity { at, core: record.core, ..Activity::new(verb) };
            // A reset must not clear what happened since the epoch began.
            if matches!(news, DropNews::Reset(_)) && self.cores.is_empty() {
                added.activities.push(activity(Verb::RESET));
            }
            if lost > 0 {
                added.activities.push(activity(Verb::LOST).val(lost).second(total.a));
            }
        }
    }
}

/// Rows to insert, each with the index of the record that follows it.
#[derive(Default)]
struct Added {
    rows: Vec<(u32, Row)>,
    /// Their attachments; `at` indexes these rows.
    attachments: Vec<Attachment>,
    activities: Vec<Activity>,
}

impl Added {
    fn attachment(&mut self, id: AttachmentId, a: u64, b: u64) {
        self.attachments.push(Attachment { at: self.rows.len() as u32, id, is_bytes: false, a, b });
    }

    /// Number of rows inserted before the row with this index.
    fn shift(&self, at: u32) -> u32 {
        self.rows.partition_point(|row| row.0 <= at) as u32
    }

    /// Inserts everything and shifts later items.
    fn insert_into(self, batch: &mut Batch) {
        if self.rows.is_empty() && self.activities.is_empty() {
            return;
        }
        let mut activities = self.activities.clone();
        activities.extend_from_slice(&batch.activities);
        activities.iter_mut().for_each(|activity| activity.at += self.shift(activity.at));
        activities.sort_by_key(|activity| activity.at);
        batch.activities = activities.into();

        batch.dict.iter_mut().for_each(|event| event.at += self.shift(event.at));
        batch.cfgs.iter_mut().for_each(|event| event.at += self.shift(event.at));
        batch.clocks.iter_mut().for_each(|event| event.at += self.shift(event.at));

        batch.attachments.iter_mut().for_each(|attachment| attachment.at += self.shift(attachment.at));
        batch.attachments.extend(self.attachments.iter().map(|attachment| Attachment {
            at: self.rows.get(attachment.at as usize).map_or(0, |row| row.0) + attachment.at,
            ..*attachment
        }));
        batch.attachments.sort_by_key(|attachment| attachment.at);

        let mut rows = Vec::with_capacity(batch.rows.len() + self.rows.len());
        let mut done = 0;
        for (at, row) in &self.rows {
            rows.extend_from_slice(&batch.rows[done..*at as usize]);
            rows.push(*row);
            done = *at as usize;
        }
        rows.extend_from_slice(&batch.rows[done..]);
        batch.rows = rows.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::batch::DictEvent;

    fn record(time: u64) -> Row {
        Row { time, flags: RowFlags::TIME_OWN, ..Row::default() }
    }

    fn news(totals: &[(u64, u64)]) -> Vec<DropNews> {
        let mut drops = DropTracker::default();
        totals.iter().map(|&(total, time)| drops.take(&record(time), total)).collect()
    }

    #[test]
    fn a_total_is_news_when_it_changed() {
        use DropNews::{Dropped, None};
        assert_eq!(news(&[(0, 1), (0, 1), (44, 1), (44, 1), (45, 1)]), [None, None, Dropped(44), None, Dropped(1)]);
    }

    #[test]
    fn a_lower_total_is_a_reset_a_wrap_or_another_target() {
        use DropNews::{Dropped, Fell, None, Reset};
        let mut drops = DropTracker::default();
        let mut take = |total| drops.take(&record(1), total);
        assert_eq!([5, 2, 9].map(&mut take), [Dropped(5), Fell, Dropped(7)]);
        drops.follow(&Row { flags: RowFlags::EPOCH, ..Row::note(RowKind::TIME_BACK, 0, 0) });
        let mut take = |total| drops.take(&record(1), total);
        assert_eq!([3, 3, 1].map(&mut take), [Reset(3), None, Fell]);
        assert_eq!([0xFFFF_FFFE, 2, 1].map(take), [Dropped(0xFFFF_FFFD), Dropped(4), Fell]);
    }

    #[test]
    fn an_epoch_alone_is_no_loss() {
        let mut drops = DropTracker::default();
        drops.take(&record(1), 9);
        drops.follow(&Row { flags: RowFlags::EPOCH, ..Row::default() });
        assert_eq!([9, 4].map(|total| drops.take(&record(1), total)), [DropNews::None, DropNews::Fell]);
    }

    #[test]
    fn a_reset_that_a_note_has_said_is_no_other_row() {
        let total = |at, total| Attachment { at, id: AttachmentId::DROP_TOTAL, is_bytes: false, a: total, b: 25 };
        let epoch = |kind| Row { kind, flags: RowFlags::EPOCH, ..Row::default() };
        for (kind, reset) in [(RowKind::TIME_BACK, false), (RowKind(7), true)] {
            let mut batch = Batch::default();
            batch.rows.extend([record(10), epoch(kind), record(5)]);
            batch.attachments.extend([total(0, 9), total(2, 2)]);
            DropTracker::default().add_rows(&mut batch, 0, false);
            let kinds: Vec<RowKind> = batch.rows.iter().map(|row| row.kind).collect();
            let reported = if reset { &[RowKind::RESET, RowKind::DROP][..] } else { &[RowKind::DROP] };
            assert_eq!(kinds[3..kinds.len() - 1], *reported);
            let fell = batch.attachments.iter().find(|a| a.id == AttachmentId::TOTAL_FELL);
            assert_eq!(fell.map(|a| (a.at, a.a, a.b)), Some((3, 9, 2)));
        }
    }

    #[test]
    fn what_another_core_said_before_is_no_news() {
        use DropNews::{Dropped, Fell, None};
        assert_eq!(news(&[(5, 100), (2, 40), (5, 80), (7, 120), (3, 130)]), [Dropped(5), None, None, Dropped(2), Fell]);
    }

    #[test]
    fn rows_are_put_before_their_records_and_everything_behind_moves() {
        let mut batch = Batch::default();
        let total = |at, total| Attachment { at, id: AttachmentId::DROP_TOTAL, is_bytes: false, a: total, b: 25 };
        batch.rows.extend([record(10), record(20), record(30), record(40)]);
        batch.attachments.extend([total(1, 4), total(2, 4), total(3, 2)]);
        batch.dict.extend([0, 1, 4].map(|at| DictEvent { at, ..DictEvent::default() }));
        batch.activities.push(Activity { at: 1, ..Activity::new(Verb::RUN) });
        DropTracker::default().add_rows(&mut batch, 0, true);
        let kinds: Vec<RowKind> = batch.rows.iter().map(|row| row.kind).collect();
        assert_eq!(kinds, [RowKind(0), RowKind::DROP, RowKind(0), RowKind(0), RowKind::RESTART, RowKind(0)]);
        let flags: Vec<RowFlags> = batch.rows.iter().map(|row| row.flags & RowFlags::REDUNDANT).collect();
        let none = RowFlags::empty();
        assert_eq!(flags, [none, none, RowFlags::REPORTED, RowFlags::UNCHANGED, none, none]);
        let attached: Vec<_> = batch.attachments.iter().map(|a| (a.at, a.id, a.a, a.b)).collect();
        let expected = [
            (1, AttachmentId::LOST, 4, 1),
            (1, AttachmentId::CAUSE, 1, 0),
            (1, AttachmentId::TOTAL, 4, 25),
            (1, AttachmentId::SPAN, 10, 20),
            (2, AttachmentId::DROP_TOTAL, 4, 25),
            (3, AttachmentId::DROP_TOTAL, 4, 25),
            (4, AttachmentId::TOTAL_FELL, 4, 2),
            (5, AttachmentId::DROP_TOTAL, 2, 25),
        ];
        assert_eq!(attached, expected);
        assert_eq!(batch.dict.iter().map(|e| e.at).collect::<Vec<_>>(), [0, 2, 6]);
        let verbs: Vec<_> = batch.activities.iter().map(|a| (a.at, a.verb)).collect();
        assert_eq!(verbs, [(2, Verb::LOST), (2, Verb::RUN)]);
    }
}
