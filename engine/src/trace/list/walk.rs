//! A walk over all rows of a list, a piece at a time. Rows that come are added; nothing is done twice.

use super::{RowList, row_feed::RowFeed, worded::worded};
use crate::{
    analysis::{
        findings::{FindingTable, Findings},
        statistics::{Columns, Measure, Statistics, StatisticsTable, Tables},
    },
    present::Clock,
    replay::Reader,
};

/// A reader on its way over the rows of a list.
#[derive(Debug)]
pub struct Walk<R> {
    reader: R,
    /// As it is before the first row.
    blank: R,
    pub(super) rows: RowFeed,
    missed: u64,
}

/// What an expert would spot.
pub type FindingWalk = Walk<FindingTable>;
/// The figures of all rows.
pub type StatisticsWalk = Walk<Statistics>;

impl<R: Reader> Walk<R> {
    /// Nothing is walked yet.
    #[must_use]
    pub fn new(list: &RowList) -> Walk<R> {
        let info = list.parts().first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        Walk::with(list, R::new(&info))
    }

    /// The same, for a reader that knows nothing yet.
    #[must_use]
    pub fn with(list: &RowList, blank: R) -> Walk<R> {
        let missed = list.first_kept();
        Walk { reader: blank.clone().begin_at(missed), blank, rows: RowFeed::new(list, R::NEEDS_NS), missed }
    }

    /// Whether it is that of a list.
    #[must_use]
    pub fn is_of(&self, list: &RowList) -> bool {
        self.rows.is_of(list)
    }

    /// What is known behind the last row walked.
    #[must_use]
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// Number of the next row.
    #[must_use]
    pub fn walked(&self) -> u64 {
        self.reader.rows()
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

    /// The clock in which times are.
    #[must_use]
    pub fn clock(&self, list: &RowList) -> Clock {
        if self.rows.is_in_ticks() { list.clock() } else { Clock::nanoseconds() }
    }

    /// Walks over some more rows; `true` if there are more.
    pub fn work(&mut self, list: &RowList) -> bool {
        self.work_with(list, |_| {})
    }

    /// The same; `before` sees the reader before each row.
    pub(super) fn work_with(&mut self, list: &RowList, mut before: impl FnMut(&R)) -> bool {
        if self.rows.has_missed(list, self.walked()) {
            *self = Walk::with(list, self.blank.clone());
        }
        let reader = &mut self.reader;
        self.rows.piece(list, reader.rows(), |row, activities| {
            before(reader);
            reader.row(row, activities);
        })
    }
}

impl FindingWalk {
    /// What was found so far, with the names that the last row has.
    #[must_use]
    pub fn findings(&self, list: &RowList, short: bool) -> Findings {
        let last = self.walked().saturating_sub(1);
        worded(list, last, short, |wording| Findings::new(&self.reader, wording))
    }
}

impl StatisticsWalk {
    /// The figures of a measure, by some columns, with the names that the newest row of the list has.
    #[must_use]
    pub fn table(&self, list: &RowList, (measure, by): (Measure, Columns), short: bool) -> StatisticsTable {
        let row = self.walked().saturating_sub(1);
        worded(list, row, short, |wording| {
            let (statistics, wording, clock) = (&self.reader, *wording, self.clock(list));
            Tables { statistics, wording, clock }.table(measure, by)
        })
    }
}
