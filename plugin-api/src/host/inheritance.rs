//! Which rows have a time: their own stamp, or that of an earlier row.

use crate::row::{Row, RowFlags, RowKind};

/// Marks rows whose time is that of an earlier row, from one batch to the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeInheritance {
    known: bool,
}

impl TimeInheritance {
    /// Sets [`RowFlags::TIME_INHERITED`] on these rows, which follow those of the call before. An epoch begins without
    /// a time, unless its first row says to what time the target's clock went back.
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

    /// Whether a row that came now would inherit a time.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.known
    }
}
