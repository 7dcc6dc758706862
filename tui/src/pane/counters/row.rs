//! A line of the pane.

use crate::{model::screen::Piece, term::Role};

/// One line of the pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CounterRow {
    /// Its parts.
    pub(super) pieces: Vec<Piece>,
    /// A row to go to with Enter.
    pub(super) row: Option<u64>,
}

impl CounterRow {
    pub(super) fn of(pieces: Vec<Piece>) -> CounterRow {
        CounterRow { pieces, row: None }
    }

    pub(super) fn plain(text: &str) -> CounterRow {
        CounterRow::of(vec![(text.to_owned(), Role::Plain)])
    }
}
