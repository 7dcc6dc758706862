//! What every object of a list did over time: a walk over all rows records it.

use super::{RowList, row_feed::PIECE, walk::Walk};
use crate::analysis::timeline::{Recorder, recorder::Limits};

/// What the objects of a list did.
pub type TimelineHistory = Walk<Recorder>;

impl TimelineHistory {
    /// Nothing is walked yet; other limits of memory than the usual ones hold.
    pub fn within(list: &RowList, limits: Limits) -> TimelineHistory {
        let info = list.parts().first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        Walk::with(list, Recorder::within(&info, limits))
    }

    /// What was recorded.
    pub fn recorder(&self) -> &Recorder {
        self.reader()
    }

    /// Position of a row on the time axis: that of the last row up to it that has a time. `None` if it is not walked yet.
    pub fn place(&self, list: &RowList, row: u64) -> Option<u64> {
        let back = |row: &u64| self.time(list, *row).map(|time| (*row, time));
        let timed = (row.saturating_sub(PIECE)..=row).rev().find_map(|row| back(&row));
        let (row, time) = timed.map_or((row, None), |(timed, time)| (timed, Some(time)));
        self.recorder().place(row, time)
    }

    fn time(&self, list: &RowList, row: u64) -> Option<u64> {
        list.ensure_loaded(row);
        let (source, _) = list.locate(row)?;
        self.rows.time(source, list.epoch_of(row)?, &list.row(row)?)
    }

    /// The first row at a position or behind it; the last one if there is none.
    pub fn row_at(&self, list: &RowList, at: u64) -> Option<u64> {
        let (mut low, mut high) = self.recorder().rows_near(at);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.place(list, middle)? < at { low = middle + 1 } else { high = middle }
        }
        Some(low.min(self.recorder().rows().checked_sub(1)?))
    }
}
