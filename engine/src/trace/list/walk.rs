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

/// Reads all rows of a list.
pub trait Walking {
    /// Nothing is walked yet.
    fn new(list: &RowList) -> Self;

    /// Whether it is that of a list.
    fn is_of(&self, list: &RowList) -> bool;

    /// Number of the next row.
    fn walked(&self) -> u64;

    /// Why nothing more can be known.
    fn failure(&self) -> Option<&str>;

    /// Walks over some more rows; `true` if there are more.
    fn work(&mut self, list: &RowList) -> bool;

    /// About how much memory it keeps of the rows, bytes, if that grows with them.
    fn memory(&self) -> usize {
        0
    }
}

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
    /// The same, for a reader that knows nothing yet.
    pub fn with(list: &RowList, blank: R) -> Walk<R> {
        let missed = list.first_kept();
        Walk { reader: blank.clone().begin_at(missed), blank, rows: RowFeed::new(list, R::NEEDS_NS), missed }
    }

    /// What is known behind the last row walked.
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// Rows that were gone before they were walked.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// The clock in which times are.
    pub fn clock(&self, list: &RowList) -> Clock {
        if self.rows.is_in_ticks() { list.clock() } else { Clock::nanoseconds() }
    }

    /// Walks over some more rows; `true` if there are more. `before` sees the reader before each row.
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

impl<R: Reader> Walking for Walk<R> {
    fn new(list: &RowList) -> Walk<R> {
        let info = list.parts().first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        Walk::with(list, R::new(&info))
    }

    fn is_of(&self, list: &RowList) -> bool {
        self.rows.is_of(list)
    }

    fn walked(&self) -> u64 {
        self.reader.rows()
    }

    fn failure(&self) -> Option<&str> {
        self.rows.failure()
    }

    fn work(&mut self, list: &RowList) -> bool {
        self.work_with(list, |_| {})
    }
}

impl FindingWalk {
    /// What was found so far, with the names that the last row has.
    pub fn findings(&self, list: &RowList, short: bool) -> Findings {
        let last = self.walked().saturating_sub(1);
        worded(list, last, short, |wording| Findings::new(&self.reader, wording))
    }
}

impl StatisticsWalk {
    /// The figures of a measure, by some columns, with the names that the newest row of the list has.
    pub fn table(&self, list: &RowList, (measure, by): (Measure, Columns), short: bool) -> StatisticsTable {
        let row = self.walked().saturating_sub(1);
        worded(list, row, short, |wording| {
            let (statistics, wording, clock) = (&self.reader, *wording, self.clock(list));
            Tables { statistics, wording, clock }.table(measure, by)
        })
    }
}
