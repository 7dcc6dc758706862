//! Counts what a source has sent.

use spytui_plugin_api::{Row, row::RowFlags};

/// Counts records and epochs of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Epochs {
    /// Records so far.
    pub records: u64,
    /// The epoch, from 0.
    pub epoch: u32,
}

impl Epochs {
    /// Advances by a row; `true` if a new epoch starts with it.
    pub fn step(&mut self, row: &Row) -> bool {
        // A reset at the start of a stream starts the first epoch, not the second.
        let resets = row.has(RowFlags::EPOCH) && self.records > 1;
        self.records += u64::from(row.is_record());
        self.epoch += u32::from(resets);
        resets
    }
}
