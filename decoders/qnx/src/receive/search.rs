//! The search for the next record or event, in every profile.

use spytui_plugin_api::{Row, RowFlags, RowKind};

use crate::layout::note;

/// Skipped bytes of a row.
pub(super) const MOST_SKIPPED: usize = 64 * 1024;

/// A search that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Search {
    /// Number of bytes that begin nothing.
    pub(super) tried: usize,
    /// A row of this search precedes them.
    pub(super) continues: bool,
}

impl Search {
    /// A search that goes on behind a row of its own.
    pub(super) const NEXT_ROW: Search = Search { tried: 0, continues: true };

    /// A search from the second byte on.
    pub(super) const PAST_FIRST: Search = Search { tried: 1, continues: false };

    /// The note of skipped bytes.
    pub(super) fn row(self, pos: u64, len: usize) -> Row {
        Row::skipped(if self.continues { note::SKIPPED } else { RowKind::RESYNC }, pos, len)
    }
}

/// A note of bytes that are no record. Only later numbers can show what is missing.
pub(super) fn hiding_records(note: Row) -> Row {
    if note.kind.is_loss() { Row { flags: note.flags | RowFlags::HIDES_RECORDS, ..note } } else { note }
}
