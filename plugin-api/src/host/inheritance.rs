//! Inherited times: rows without a time stamp have that of an earlier row.

use crate::row::{Row, RowFlags, RowKind};

/// Marks rows that inherit the time of an earlier row, across batches.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeInheritance {
    known: bool,
}

impl TimeInheritance {
    /// Sets [`RowFlags::TIME_INHERITED`] on rows, which follow those of the previous call. An epoch begins without a
    /// time, unless its first row reports a time that went back.
    pub fn mark(&mut self, rows: &mut [Row]) {
        for row in rows {
            if row.flags.contains(RowFlags::TIME_OWN) {
                self.known = true;
                continue;
            }
            self.known = row.kind == RowKind::TIME_BACK || self.known && !row.flags.contains(RowFlags::EPOCH);
            row.flags.set(RowFlags::TIME_INHERITED, self.known);
        }
    }
}
