//! What is unfolded in the tree.

use std::collections::BTreeSet;

use super::line::Place;

/// What is unfolded.
#[derive(Debug, Default)]
pub(super) struct Folds {
    /// Those that are not as they are at first: tables with groups open, all else closed.
    turned: BTreeSet<Place>,
    /// Tables that are open at first.
    pub(super) open: BTreeSet<Place>,
}

impl Folds {
    pub(super) fn is_open(&self, place: Place, at_first: bool) -> bool {
        self.turned.contains(&place) != at_first
    }

    fn is_open_now(&self, place: Place) -> bool {
        self.is_open(place, self.open.contains(&place))
    }

    pub(super) fn turn(&mut self, place: Place) {
        if !self.turned.remove(&place) {
            self.turned.insert(place);
        }
    }

    pub(super) fn open(&mut self, place: Place) {
        if !self.is_open_now(place) {
            self.turn(place);
        }
    }

    /// Closes what is open here, or what this is in; returns that.
    pub(super) fn close(&mut self, place: Place) -> Place {
        let closed = if self.is_open_now(place) { place } else { place.above() };
        if self.is_open_now(closed) {
            self.turn(closed);
        }
        closed
    }
}
