//! Background work.

use std::time::Instant;

use spytui_engine::{
    query::Pattern,
    trace::list::{Direction, Filter, RowList},
};

use super::{baud_scan::BaudScan, tally::Tally};
use crate::input::PaneId;

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
    pub(in crate::model) refusal_is_told: bool,
    /// Counts for `:filter why`: each term, and the filter last.
    pub(in crate::model) why: Vec<Tally>,
    /// There is more to do at once.
    pub unfinished: bool,
}

/// Looks for the next match, a piece at a time.
#[derive(Debug)]
pub struct Seeking {
    /// What it looks for, if that is not the last search.
    pub(in crate::model) other: Option<Filter>,
    /// Where the cursor was.
    pub(in crate::model) from: u64,
    pub(in crate::model) direction: Direction,
    /// Row to go on from; `None` = that was the last one.
    pub(in crate::model) at: Option<u64>,
    /// It goes on from the other end.
    pub(in crate::model) goes_round: bool,
    /// When it began.
    pub(in crate::model) since: Instant,
}

/// A search with what it found.
#[derive(Debug)]
pub struct LastSearch {
    /// As the user wrote it.
    pub(in crate::model) text: String,
    /// The rows that match.
    pub(in crate::model) matches: Filter,
    /// The list that it is about.
    pub(in crate::model) rows: RowList,
    /// [`RowList::rebuilt`] of the list.
    pub(in crate::model) rebuilt: u64,
    /// Rows that are counted: those of when it was asked for.
    pub(in crate::model) until: u64,
    /// It is not shown any more, but can be repeated.
    pub(in crate::model) closed: bool,
}

/// A search that is being typed: the cursor shows its first match.
#[derive(Debug)]
pub struct TypedSearch {
    /// The search; `None` while the text is none.
    pub(in crate::model) search: Option<LastSearch>,
    /// Where the cursor was: row, line, whether the list followed.
    pub(in crate::model) origin: (u64, usize, bool),
    /// Row to go on looking from, and whether it went round the end.
    pub(in crate::model) at: Option<(u64, bool)>,
}

/// A search in the lines of a pane.
#[derive(Debug)]
pub struct LineSearch {
    pub(in crate::model) pane: PaneId,
    /// As the user wrote it.
    pub(in crate::model) text: String,
    /// What it searches for.
    pub pattern: Pattern,
    /// Number of the match under the cursor, and of all matches.
    pub(in crate::model) found: (usize, usize),
    /// The line that the cursor was on before it was typed.
    pub(in crate::model) origin: Option<usize>,
}
