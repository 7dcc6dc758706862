//! Counts of rows that pass an expression, a piece at a time: what `-` and `+` offer, `:filter why`.

use std::time::Instant;

use spytui_engine::{
    present::clock::grouped,
    query::Expr,
    trace::list::{Filter, RowList},
};

/// A count that goes on while there is time.
#[derive(Debug)]
pub struct Tally {
    /// What is counted.
    pub(in crate::model) what: String,
    filter: Filter,
    is_complete: bool,
}

impl Tally {
    /// Begins to count rows that an expression matches; rows that pass every filter are not counted.
    pub fn new(what: String, expr: Expr) -> Tally {
        Tally { what, filter: Filter::new(expr), is_complete: false }
    }

    /// Counts some rows; `true` if there are more.
    pub fn work(&mut self, rows: &RowList, now: Instant) -> bool {
        self.is_complete = !self.filter.work(rows, 1, now);
        !self.is_complete
    }

    /// `Tran 52`, with a sign while rows are still counted.
    pub fn words(&self) -> String {
        let at_least = if self.is_complete { "" } else { "≥" };
        format!("{} {at_least}{}", self.what, grouped(self.filter.matched()))
    }

    /// Rows that were looked at: those that match, those that don't, and those that pass every filter.
    pub fn looked_at(&self) -> u64 {
        self.filter.looked_at()
    }

    /// Rows that match, and rows that don't.
    pub fn counts(&self) -> (u64, u64) {
        (self.filter.matched(), self.filter.hidden())
    }
}
