//! A stretch of rows: a whole number of feeds, from a place in the log. Its columns can be dropped, and come back when
//! the stretch is decoded again.

use super::columns::Columns;
use crate::log::Cursor;

/// Rows after which a segment is closed at the next end of a feed.
pub const ROWS: usize = 64 << 10;

/// Where a segment starts, and what is known of its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SegmentStart {
    /// Where in the log its decoding starts.
    pub at: Cursor,
    /// It can be decoded again from there.
    pub reloadable: bool,
    /// Places in spans come with its rows: its activities are looked at.
    pub spans: bool,
}

/// A closed stretch of rows.
#[derive(Debug)]
pub struct Segment {
    /// Number of its first row.
    pub first: u64,
    /// Number of rows.
    pub rows: usize,
    /// Records before its first row.
    pub records_before: u64,
    /// Where it starts.
    pub start: SegmentStart,
    /// Where it ends.
    pub end: Cursor,
    /// The rows; `None` = dropped.
    pub columns: Option<Columns>,
}
