//! A stretch of rows: a whole number of feeds, from a place in the log, with the decoder's state there. Its columns
//! can be dropped; touching it decodes it again.

use std::sync::{Arc, Mutex};

use super::columns::Columns;
use crate::decode::{instance_host::InstanceHost, span::SpanState};
use crate::log::Cursor;

/// Rows after which a segment is closed at the next end of a feed.
/// Four, with what a feed brings beyond, fit into a slab.
pub const ROWS: usize = 60 << 10;

/// The decoder as it stood at a place.
#[derive(Debug)]
pub struct Checkpoint {
    /// The place.
    pub at: Cursor,
    /// A fork of the decoder at work; forked again for each use.
    pub feeder: Mutex<InstanceHost>,
    /// Open spans there.
    pub span: SpanState,
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
    /// Records in it.
    pub records: u64,
    /// Where and how its decoding starts; `None` if the decoder could not be forked.
    pub start: Option<Arc<Checkpoint>>,
    /// Where it ends.
    pub end: Cursor,
    /// The rows, with those of its neighbours or alone; `None` = dropped, or still in the open columns.
    pub columns: Option<Arc<Columns>>,
    /// Rows before its first one in the columns.
    pub skip: usize,
    /// Records among them.
    pub skip_records: u32,
    /// Places in spans are known: its activities were looked at.
    pub spans: bool,
}
