//! Positions in the raw log: they stay when a switch of the decoder, or a new order of several sources, renumbers
//! rows.

use spytui_engine::trace::session::Decoding;

use super::List;

/// A position in the log of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogPosition {
    /// The source, among those of the list.
    pub(in crate::model) source: usize,
    pub(in crate::model) pos: u64,
    /// Which of the rows there: a loss and the record that revealed it are at one position.
    pub(in crate::model) nth: u64,
}

impl LogPosition {
    /// The last row at a position.
    pub fn last_at(source: usize, pos: u64) -> LogPosition {
        LogPosition { source, pos, nth: u64::MAX }
    }
}

impl List {
    /// Position of a row in the log of its source.
    pub fn position_of(&self, row: u64) -> Option<LogPosition> {
        let (source, row) = self.rows.locate(row)?;
        let decoding = self.rows.source(source);
        decoding.ensure_loaded(row);
        let pos = decoding.read().rows.row(row)?.pos;
        Some(LogPosition { source, pos, nth: row - rows_before(decoding, |p| p < pos) })
    }

    /// The row at a position in a log, or the last one before it, as soon as it is in the list.
    pub fn row_at(&self, position: LogPosition) -> Option<u64> {
        let decoding = self.rows.parts().get(position.source)?;
        let last = rows_before(decoding, |pos| pos <= position.pos).checked_sub(1)?;
        let first = rows_before(decoding, |pos| pos < position.pos);
        self.rows.place(position.source, first.saturating_add(position.nth).min(last))
    }
}

/// Number of rows before the first one whose position does not fit.
fn rows_before(decoding: &Decoding, fits: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (decoding.first_kept(), decoding.len());
    while low < high {
        let middle = low + (high - low) / 2;
        // What was dropped is decoding again; each step of the search then needs one segment.
        decoding.ensure_loaded(middle);
        match decoding.read().rows.row(middle) {
            Some(row) if fits(row.pos) => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}
