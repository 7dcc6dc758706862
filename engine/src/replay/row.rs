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
    pub fn new(row: &Row, at: Moment, epoch: u32) -> FedRow {
        FedRow { row: *row, at, ns: None, epoch, loses: row.may_hide_records(), bytes: row.len.into() }
    }
}

/// Where something begins or ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Number of the row in the list.
    pub row: u64,
    /// Its time, if it has a time stamp of its own.
    pub time: Option<u64>,
    /// Losses up to it.
    pub losses: u32,
}

impl Stamp {
    /// Whether records may be missing from here to there.
    pub fn is_cut(&self, later: &Stamp) -> bool {
        self.losses != later.losses
    }

    /// Time from here to there; `None` if one of both has no time.
    pub fn until(&self, later: &Stamp) -> Option<u64> {
        later.time?.checked_sub(self.time?)
    }
}
