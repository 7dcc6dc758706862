//! Background work.

use std::time::Instant;

use spytui_engine::{
    list::{Direction, Filter, RowList},
    query::Pattern,
};

use super::{baud_scan::BaudScan, tally::Tally};
use crate::action::PaneId;

/// Work that takes more than one turn of the main loop.
#[derive(Debug, Default)]
pub struct Jobs {
    /// The last search.
    pub last_search: Option<LastSearch>,
    /// The search that is being typed.
    pub typed_search: Option<TypedSearch>,
    /// The search in the lines of another pane than the record list.
    pub line_search: Option<LineSearch>,
    /// The next match is looked for.
    pub searching: Option<Seeking>,
    /// Listening for the right baud rate.
    pub baud_scan: Option<BaudScan>,
    /// It was not yet said whether anything passes the filter.
    pub filter_is_new: bool,
    /// Rows there were when the filter was set.
    pub filter_rows: u64,
    /// It was said that names are refused.
    pub refusal_is_told: bool,
    /// Counts for `:filter why`: each term, and the filter last.
    pub why: Vec<Tally>,
    /// There is more to do at once.
    pub unfinished: bool,
}

/// Looks for the next match, a piece at a time.
#[derive(Debug)]
pub struct Seeking {
    /// What it looks for, if that is not the last search.
    pub other: Option<Filter>,
    /// Where the cursor was.
    pub from: u64,
    /// Direction.
    pub direction: Direction,
    /// Row to go on from; `None` = that was the last one.
    pub at: Option<u64>,
    /// It goes on from the other end.
    pub goes_round: bool,
    /// When it began.
    pub since: Instant,
}

/// A search with what it found.
#[derive(Debug)]
pub struct LastSearch {
    /// As the user wrote it.
    pub text: String,
    /// The rows that match.
    pub matches: Filter,
    /// The list that it is about.
    pub rows: RowList,
    /// [`RowList::rebuilt`] of the list.
    pub rebuilt: u64,
    /// Rows that are counted: those of when it was asked for.
    pub until: u64,
    /// It is not shown any more, but can be repeated.
    pub closed: bool,
}

/// A search that is being typed: the cursor shows its first match.
#[derive(Debug)]
pub struct TypedSearch {
    /// The search; `None` while the text is none.
    pub search: Option<LastSearch>,
    /// Where the cursor was: row, line, whether the list followed.
    pub origin: (u64, usize, bool),
    /// Row to go on looking from, and whether it went round the end.
    pub at: Option<(u64, bool)>,
}

/// A search in the lines of a pane.
#[derive(Debug)]
pub struct LineSearch {
    /// The pane.
    pub pane: PaneId,
    /// As the user wrote it.
    pub text: String,
    /// What it searches for.
    pub pattern: Pattern,
    /// Number of the match under the cursor, and of all matches.
    pub found: (usize, usize),
    /// The line that the cursor was on before it was typed.
    pub origin: Option<usize>,
}
