//! Drops of a target that reports its total in several sources. The rows of each source say what is new to that source;
//! in the order of all sources a drop is one row, with what is new to the target.

use spytui_plugin_api::{
    Activity, Attachment, AttachmentId, Info, Row, RowFlags, RowKind, Verb,
    host::{DropNews, DropTracker},
    info::DropTotals,
};

/// The drops of a target, followed through the rows of all its sources in their order.
#[derive(Debug, Default)]
pub struct TargetDrops {
    tracker: DropTracker,
}

/// What a total says in the order of all sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DropInOrder {
    news: DropNews,
    /// The total before.
    before: u64,
    /// The last time before.
    since: u64,
}

impl TargetDrops {
    /// `None` if the rows of each source are right as they are.
    pub fn new(info: &Info, sources: usize) -> Option<TargetDrops> {
        (sources > 1 && info.drop_totals == DropTotals::PER_TARGET).then(TargetDrops::default)
    }

    /// Goes past a row with these attachments; what its total says, if it has one.
    pub fn pass(&mut self, row: &Row, attachments: &[Attachment]) -> Option<DropInOrder> {
        let total = attachments.iter().find(|attachment| attachment.id == AttachmentId::DROP_TOTAL);
        let reported = total.map(|total| {
            let (before, since) = (self.tracker.total(), self.tracker.time_before(row));
            DropInOrder { news: self.tracker.take(row, total.a), before, since }
        });
        self.tracker.follow(row);
        reported
    }
}

impl DropInOrder {
    /// Records dropped.
    pub fn lost(&self) -> u64 {
        self.news.lost()
    }

    /// Whether a row of this kind, which the source has before its record, stands in the order of all.
    pub fn keeps(&self, kind: RowKind) -> bool {
        match kind {
            RowKind::DROP => self.lost() > 0,
            RowKind::RESET => matches!(self.news, DropNews::Reset(_)),
            RowKind::RESTART => self.news == DropNews::Fell,
            _ => true,
        }
    }

    /// What the record with the total is. `drop_row` = the source has a drop row for it.
    pub fn flags(&self, drop_row: bool) -> RowFlags {
        if self.lost() > 0 && !drop_row { RowFlags::empty() } else { self.news.flags() }
    }

    /// Whether an activity of the record holds in the order of all.
    pub fn keeps_activity(&self, verb: Verb) -> bool {
        match verb {
            Verb::LOST => self.lost() > 0,
            Verb::RESET => matches!(self.news, DropNews::Reset(_)),
            _ => true,
        }
    }

    /// Corrects an activity of the record.
    pub fn correct_activity(&self, activity: &mut Activity) {
        if activity.verb == Verb::LOST {
            activity.val = self.lost();
        }
    }

    /// An attachment of a row that the source has before its record, as it is in the order of all.
    pub fn corrected(&self, attachment: Attachment) -> Attachment {
        let a = match attachment.id {
            AttachmentId::LOST => self.lost(),
            AttachmentId::SPAN => self.since,
            AttachmentId::TOTAL_FELL => self.before,
            _ => attachment.a,
        };
        Attachment { a, ..attachment }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_source_reported_is_no_news() {
        let info = Info { drop_totals: DropTotals::PER_TARGET, ..Info::default() };
        assert!(TargetDrops::new(&info, 1).is_none());
        assert!(TargetDrops::new(&Info { drop_totals: DropTotals::PER_SOURCE, ..info.clone() }, 2).is_none());
        let mut drops = TargetDrops::new(&info, 2).expect("several sources");
        let mut reported = |time, core, total| {
            let row = Row { time, core, flags: RowFlags::TIME_OWN, ..Row::default() };
            let total = Attachment { at: 0, id: AttachmentId::DROP_TOTAL, is_bytes: false, a: total, b: 0 };
            let reported = drops.pass(&row, &[total]).expect("a total");
            let span = reported.corrected(Attachment { id: AttachmentId::SPAN, ..total });
            (reported.lost(), reported.keeps(RowKind::DROP), span.a)
        };
        let rows = [reported(10, 0, 4), reported(20, 1, 5), reported(30, 0, 6), reported(40, 1, 6)];
        assert_eq!(rows, [(4, true, 0), (1, true, 10), (1, true, 20), (0, false, 30)]);
    }
}
