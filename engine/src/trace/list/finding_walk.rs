//! What an expert would spot in the rows of a list: a walk over all of them, a piece at a time.

use super::{RowList, object_history::worded, row_feed::RowFeed};
use crate::analysis::findings::{FindingTable, Findings};

/// The rules on their way over the rows.
#[derive(Debug)]
pub struct FindingWalk {
    table: FindingTable,
    rows: RowFeed,
}

impl FindingWalk {
    /// Nothing is walked yet.
    #[must_use]
    pub fn new(list: &RowList) -> FindingWalk {
        let info = list.parts().first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        let table = FindingTable::new(&info).begin_at(list.first_kept());
        FindingWalk { table, rows: RowFeed::new(list) }
    }

    /// Whether it is that of a list.
    #[must_use]
    pub fn is_of(&self, list: &RowList) -> bool {
        self.rows.is_of(list)
    }

    /// Number of the first row that was not walked yet.
    #[must_use]
    pub fn walked(&self) -> u64 {
        self.table.rows()
    }

    /// Why no more rows can be looked at.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.rows.failure()
    }

    /// Walks over some more rows; `true` if there are more.
    pub fn work(&mut self, list: &RowList) -> bool {
        if self.rows.has_missed(list, self.walked()) {
            *self = FindingWalk::new(list);
        }
        self.rows.follow_clocks(list);
        let table = &mut self.table;
        self.rows.piece(list, table.rows(), |row, fed, clock, activities| {
            let ns = row.has_time().then(|| clock.ns(row.time)).flatten();
            table.row(fed, ns, activities);
        })
    }

    /// What was found so far, with the names that the last row has.
    #[must_use]
    pub fn findings(&self, list: &RowList, short: bool) -> Findings {
        let last = self.walked().saturating_sub(1);
        worded(list, last, short, |wording| Findings::new(&self.table, wording))
    }
}
