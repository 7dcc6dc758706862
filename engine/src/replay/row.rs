//! The rows that a replay reads, and places in the trace.

use spytui_plugin_api::{
    Attachment, Row,
    batch::{AttachmentId, lost},
};

/// A place in the trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moment {
    /// Row number in the list.
    pub row: u64,
    /// Number of records of its source so far: `#n` of a record.
    pub n: u64,
    pub source: u16,
    /// In ticks, or in the common unit of several sources.
    pub time: Option<u64>,
}

/// A row of the input.
#[derive(Debug, Clone, Copy)]
pub struct FedRow {
    pub row: Row,
    pub at: Moment,
    /// Time in ns, if its unit is known.
    pub ns: Option<u64>,
    /// Epoch of the target, from 0.
    pub epoch: u32,
    /// Records may be missing before it.
    pub loses: bool,
    /// How many, if it says so.
    pub missing: Option<MissingRecords>,
    /// Bytes on the wire.
    pub bytes: u64,
}

impl FedRow {
    /// For a row whose bytes are contiguous.
    pub fn new(row: &Row, at: Moment, epoch: u32) -> FedRow {
        FedRow { row: *row, at, ns: None, epoch, loses: row.may_hide_records(), missing: None, bytes: row.len.into() }
    }
}

/// A number of missing records, in the decoder's unit of losses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MissingRecords {
    pub count: u64,
    /// It is not just a lower bound.
    pub is_exact: bool,
}

impl MissingRecords {
    /// The number in the attachments of a row.
    pub(crate) fn of(attached: &[Attachment]) -> Option<MissingRecords> {
        let number = attached.iter().find(|attachment| attachment.id == AttachmentId::LOST)?;
        Some(MissingRecords { count: number.a, is_exact: lost::is_exact(number.b) })
    }
}

/// Where something begins or ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Row number in the list.
    pub row: u64,
    /// Only if the row has a time stamp of its own.
    pub time: Option<u64>,
    /// Losses so far.
    pub losses: u32,
}

impl Stamp {
    /// Whether records may be missing between here and `later`.
    pub fn is_cut(&self, later: &Stamp) -> bool {
        self.losses != later.losses
    }

    /// Time until `later`; `None` if either has no time.
    pub fn until(&self, later: &Stamp) -> Option<u64> {
        later.time?.checked_sub(self.time?)
    }
}
