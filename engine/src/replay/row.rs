//! Rows as a replay takes them, and places in the trace.

use spytui_plugin_api::Row;

/// A place in the trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moment {
    /// Number of the row in the list.
    pub row: u64,
    /// Number of records of its source up to it: `#n` of a record.
    pub n: u64,
    /// Index of its source.
    pub source: u16,
    /// Its time, in ticks, or in the common unit of several sources.
    pub time: Option<u64>,
}

/// A row as a replay takes it.
#[derive(Debug, Clone, Copy)]
pub struct FedRow {
    /// The row.
    pub row: Row,
    /// Where it is, and when.
    pub at: Moment,
    /// Its time in nanoseconds, if the unit of its time is known.
    pub ns: Option<u64>,
    /// The epoch of the target, from 0.
    pub epoch: u32,
    /// Records may be missing before it.
    pub loses: bool,
    /// Its bytes on the wire.
    pub bytes: u64,
}

impl FedRow {
    /// Of a row that has all its bytes in one place.
    #[must_use]
    pub fn new(row: &Row, at: Moment, epoch: u32) -> FedRow {
        FedRow { row: *row, at, ns: None, epoch, loses: row.may_hide_records(), bytes: row.len.into() }
    }
}
