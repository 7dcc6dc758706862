//! A segment: the rows of consecutive feeds. Its columns can be dropped and restored by decoding again.

use super::columns::Columns;
use crate::io::log::Cursor;

/// Number of rows after which a segment is closed at the end of a feed.
pub const ROWS: usize = 64 << 10;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SegmentStart {
    /// Position in the log.
    pub at: Cursor,
    /// Position of the first byte decoded: behind `at` if the log did not have the bytes there any more.
    pub first_byte: u64,
    /// It can be decoded again from there.
    pub reloadable: bool,
    /// Its rows have spans.
    pub spans: bool,
}

/// A closed segment.
#[derive(Debug)]
pub struct Segment {
    /// Number of its first row.
    pub first: u64,
    /// Number of rows.
    pub rows: usize,
    /// Records before its first row.
    pub records_before: u64,
    pub start: SegmentStart,
    pub end: Cursor,
    /// The rows; `None` = dropped.
    pub columns: Option<Columns>,
}
