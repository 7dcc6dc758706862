//! Background work.

use super::{
    baud_scan::BaudScan,
    line_search::LineSearch,
    search::{LastSearch, Seeking, TypedSearch},
    tally::Tally,
};

/// Work that takes more than one turn of the main loop.
#[derive(Debug, Default)]
pub struct Jobs {
    pub(in crate::model) last_search: Option<LastSearch>,
    /// The search that is being typed.
    pub(in crate::model) typed_search: Option<TypedSearch>,
    /// The search in the lines of another pane than the record list.
    pub(in crate::model) line_search: Option<LineSearch>,
    /// The next match is looked for.
    pub searching: Option<Seeking>,
    /// Listening for the right baud rate.
    pub baud_scan: Option<BaudScan>,
    /// It was not yet said whether anything passes the filter.
    pub(in crate::model) filter_is_new: bool,
    /// Rows there were when the filter was set.
    pub(in crate::model) filter_rows: u64,
    /// It was said that names are refused.
    pub(in crate::model) refusal_is_shown: bool,
    /// Counts for `:filter why`: each term, and the filter last.
    pub(in crate::model) why: Vec<Tally>,
    /// There is more to do at once.
    pub unfinished: bool,
}
