//! What is unfolded in the tree.

use std::collections::BTreeSet;

use super::line::Place;

/// What is unfolded.
#[derive(Debug, Default)]
pub(super) struct Folds {
    open: BTreeSet<Place>,
    /// Tables that were opened by themselves.
    met: BTreeSet<Place>,
}

impl Folds {
    pub(super) fn is_open(&self, place: Place) -> bool {
        self.open.contains(&place)
    }

    pub(super) fn turn(&mut self, place: Place) {
        if !self.open.remove(&place) {
            self.open.insert(place);
        }
    }

    pub(super) fn open(&mut self, place: Place) {
        self.open.insert(place);
    }

    /// Opens a table that was not seen before.
    pub(super) fn open_at_first(&mut self, place: Place) {
        if self.met.insert(place) {
            self.open.insert(place);
        }
    }

    /// Closes what is open here, or what this is in; returns that.
    pub(super) fn close(&mut self, place: Place) -> Place {
        let closed = if self.is_open(place) { place } else { place.above() };
        self.open.remove(&closed);
        closed
    }
}
