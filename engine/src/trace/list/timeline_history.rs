//! What every object of a list did over time: a walk over all rows records it, a piece at a time.

use spytui_plugin_api::ClockEvent;

use super::{
    RowList,
    row_feed::{PIECE, RowFeed},
};
use crate::{
    analysis::timeline::{Recorder, recorder::Limits},
    present::Clock,
};

/// What the objects of a list did.
#[derive(Debug)]
pub struct TimelineHistory {
    recorder: Recorder,
    rows: RowFeed,
    limits: Limits,
}

impl TimelineHistory {
    /// Nothing is walked yet.
    #[must_use]
    pub fn new(list: &RowList) -> TimelineHistory {
        TimelineHistory::within(list, Limits::default())
    }

    /// The same, with other limits of memory.
    #[must_use]
    pub fn within(list: &RowList, limits: Limits) -> TimelineHistory {
        let info = list.parts().first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        TimelineHistory { recorder: Recorder::new(&info, list.first_kept(), limits), rows: RowFeed::new(list), limits }
    }

    /// Whether it is that of a list.
    #[must_use]
    pub fn is_of(&self, list: &RowList) -> bool {
        self.rows.is_of(list)
    }

    /// What was recorded.
    #[must_use]
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Puts positions and durations into words.
    #[must_use]
    pub fn clock(&self, list: &RowList) -> Clock {
        // The common unit of several sources is 1 ns.
        let common = || Clock::new(&ClockEvent { num: 1, den: 1, ..ClockEvent::default() });
        if self.rows.is_in_ticks() { list.clock() } else { common() }
    }

    /// Why nothing more can be known.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.rows.failure()
    }

    /// Walks over some more rows; `true` if there are more.
    pub fn work(&mut self, list: &RowList) -> bool {
        if self.rows.has_missed(list, self.recorder.rows()) {
            *self = TimelineHistory::within(list, self.limits);
        }
        let recorder = &mut self.recorder;
        self.rows.piece(list, recorder.rows(), |_, row, _, activities| recorder.row(row, activities))
    }

    /// Position of a row on the time axis: that of the last row up to it that has a time. `None` if it is not walked yet.
    #[must_use]
    pub fn place(&self, list: &RowList, row: u64) -> Option<u64> {
        let back = |row: &u64| self.time(list, *row).map(|time| (*row, time));
        let timed = (row.saturating_sub(PIECE)..=row).rev().find_map(|row| back(&row));
        let (row, time) = timed.map_or((row, None), |(timed, time)| (timed, Some(time)));
        self.recorder.place(row, time)
    }

    fn time(&self, list: &RowList, row: u64) -> Option<u64> {
        list.ensure_loaded(row);
        let (source, _) = list.locate(row)?;
        self.rows.time(source, list.epoch_of(row)?, &list.row(row)?)
    }

    /// The first row at a position or behind it; the last one if there is none.
    #[must_use]
    pub fn row_at(&self, list: &RowList, at: u64) -> Option<u64> {
        let (mut low, mut high) = self.recorder.rows_near(at);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.place(list, middle)? < at { low = middle + 1 } else { high = middle }
        }
        Some(low.min(self.recorder.rows().checked_sub(1)?))
    }
}
