//! Background work.

use spytui_engine::query::Expr;

use super::{baud_scan::BaudScan, tally::Tally};

/// Work that takes more than one turn of the main loop.
#[derive(Debug, Default)]
pub struct Jobs {
    /// The last search.
    pub last_search: Option<LastSearch>,
    /// A search is running.
    pub searching: bool,
    /// Listening for the right baud rate.
    pub baud_scan: Option<BaudScan>,
    /// It was not yet said whether anything passes the filter.
    pub filter_is_new: bool,
    /// It was said that names are refused.
    pub refusal_is_told: bool,
    /// Counts for `:filter why`: each term, and the filter last.
    pub why: Vec<Tally>,
    /// There is more to do at once.
    pub unfinished: bool,
}

impl Jobs {
    /// Forgets a running search; `true` if there was one.
    pub fn stop_search(&mut self) -> bool {
        std::mem::take(&mut self.searching)
    }
}

/// The last search.
#[derive(Debug, Clone)]
pub struct LastSearch {
    /// Expression that rows must match.
    pub expr: Expr,
    /// As the user wrote it.
    pub text: String,
}
