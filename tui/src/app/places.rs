//! Places of rows that outlast their numbers: a switch of the decoder renumbers rows, and so may a new order of
//! several sources.

use std::{sync::Arc, time::Instant};

use spytui_engine::{
    list::{Growth, RowList, RowSource},
    session::Decoding,
};

use super::{source::Source, state::App};

/// A place in the log of a source: what stays when a switch of the decoder renumbers rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The source, among those of the list.
    pub source: usize,
    /// Position in its log.
    pub pos: u64,
    /// Which of the rows there: a loss and the record that revealed it are at one position.
    pub nth: u64,
}

impl Spot {
    /// The last row at a position.
    #[must_use]
    pub fn last_at(source: usize, pos: u64) -> Spot {
        Spot { source, pos, nth: u64::MAX }
    }
}

impl App {
    /// After a switch of the decoder: the cursor goes to the row at the same place in the log.
    pub fn follow_decoding(&mut self) {
        let current: Vec<Arc<Decoding>> = self.shown_sources().map(Source::decoded).collect();
        // One that has nothing yet is worth no empty screen.
        let bare = |d: &Arc<Decoding>| d.pos() == d.begins && d.log.len() > d.begins && !d.ended();
        if self.rows.is_of(&current) || current.iter().any(bare) {
            return;
        }
        let spot = self.spot_of(self.list.cursor);
        self.take_rows(RowList::new(current));
        if !self.list.follow {
            self.wanted = spot;
        }
    }

    /// Where a row is in the log of its source.
    #[must_use]
    pub fn spot_of(&self, row: u64) -> Option<Spot> {
        spot_of(&self.rows, row)
    }

    /// The row at a place of a log, or the last one before it, as soon as it is in the list.
    #[must_use]
    pub fn row_at(&self, spot: Spot) -> Option<u64> {
        let decoded = self.rows.parts().get(spot.source)?;
        let last = rows_before(decoded, |pos| pos <= spot.pos).checked_sub(1)?;
        let first = rows_before(decoded, |pos| pos < spot.pos);
        self.rows.place(spot.source, first.saturating_add(spot.nth).min(last))
    }

    /// Puts rows that came into the list; `true` = there is more to do at once.
    pub(super) fn grow(&mut self, now: Instant) -> bool {
        let growth = self.rows.grow(now);
        self.waits = growth == Growth::Waits;
        if self.rows.rebuilt() != self.rebuilt {
            // Other rows have the numbers now.
            self.rebuilt = self.rows.rebuilt();
            self.list.filter.reset();
            self.details = None;
        }
        if let Some(spot) = self.wanted
            && let Some(row) = self.row_at(spot)
        {
            (self.list.cursor, self.wanted) = (row, None);
        }
        growth == Growth::More
    }
}

/// Where a row of a list is in the log of its source.
#[must_use]
pub fn spot_of(rows: &RowList, row: u64) -> Option<Spot> {
    let (source, row) = rows.locate(row)?;
    let decoded = rows.source(source);
    decoded.ensure_loaded(row);
    let pos = decoded.read().rows.row(row)?.pos;
    Some(Spot { source, pos, nth: row - rows_before(decoded, |p| p < pos) })
}

/// Rows at the beginning whose positions fit; none of those behind them does.
fn rows_before(decoded: &Decoding, fits: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, decoded.len());
    while low < high {
        let middle = low + (high - low) / 2;
        // What was dropped is decoded again; each step of the search then needs one segment.
        decoded.ensure_loaded(middle);
        match decoded.read().rows.row(middle) {
            Some(row) if fits(row.pos) => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}
