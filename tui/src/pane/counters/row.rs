//! A line of the pane.

use crate::{model::screen::Piece, term::Role};

/// One line of the pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CounterRow {
    /// Its parts.
    pub(super) pieces: Vec<Piece>,
    /// A row to go to with Enter.
    pub(super) row: Option<u64>,
    /// A command that Enter puts into the command line.
    pub(super) line: Option<String>,
    /// The group of records that it is about.
    pub(super) group: Option<String>,
}

impl CounterRow {
    pub(super) fn of(pieces: Vec<Piece>) -> CounterRow {
        CounterRow { pieces, ..CounterRow::default() }
    }

    pub(super) fn plain(text: &str) -> CounterRow {
        CounterRow::of(vec![(text.to_owned(), Role::Plain)])
    }
}
