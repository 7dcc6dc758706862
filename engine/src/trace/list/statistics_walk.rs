//! The statistics of all rows of a list, a piece at a time. Rows that come are added; nothing is done twice.

use super::{RowList, object_history::worded, row_feed::RowFeed};
use crate::{
    analysis::statistics::{Columns, Measure, Statistics, StatisticsTable, Tables},
    present::Clock,
};

/// The statistics of a list on their way over its rows.
#[derive(Debug)]
pub struct StatisticsWalk {
    statistics: Statistics,
    rows: RowFeed,
    /// Rows before the first one that was there.
    missed: u64,
}

impl StatisticsWalk {
    /// Nothing is walked yet.
    #[must_use]
    pub fn new(list: &RowList) -> StatisticsWalk {
        let info = list.parts().first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        let missed = list.first_kept();
        StatisticsWalk { statistics: Statistics::new(&info).begin_at(missed), rows: RowFeed::new(list), missed }
    }

    /// Whether it is that of a list.
    #[must_use]
    pub fn is_of(&self, list: &RowList) -> bool {
        self.rows.is_of(list)
    }

    /// The figures of the rows walked.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Number of the next row.
    #[must_use]
    pub fn walked(&self) -> u64 {
        self.statistics.rows()
    }

    /// Rows that were gone before they were walked.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// Why nothing more can be known.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.rows.failure()
    }

    /// Walks over some more rows; `true` if there are more.
    pub fn work(&mut self, list: &RowList) -> bool {
        if self.rows.has_missed(list, self.walked()) {
            *self = StatisticsWalk::new(list);
        }
        let statistics = &mut self.statistics;
        self.rows.piece(list, statistics.rows(), |row, fed, _, own| statistics.row(row, fed, own))
    }

    /// The figures of a measure, by some columns, with the names that the newest row of the list has.
    #[must_use]
    pub fn table(&self, list: &RowList, (measure, by): (Measure, Columns), short: bool) -> StatisticsTable {
        let row = self.walked().saturating_sub(1);
        worded(list, row, short, |wording| {
            let (statistics, wording, clock) = (&self.statistics, *wording, self.clock(list));
            Tables { statistics, wording, clock }.table(measure, by)
        })
    }

    /// The clock in which its times are.
    #[must_use]
    pub fn clock(&self, list: &RowList) -> Clock {
        if self.rows.is_in_ticks() { list.clock() } else { Clock::nanoseconds() }
    }
}
