//! Mistakes in a command line.

use spytui_engine::nearest::nearest;
use spytui_engine::query::QueryError;

use super::words::Word;
use crate::hint::suggestion;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", suggestion(self.nearest.as_deref()))]
pub struct CommandError {
    /// Characters before the mistake, in the line as typed.
    pub column: usize,
    /// The error, and what is allowed.
    pub message: String,
    /// The known word that resembles the wrong one most.
    pub nearest: Option<String>,
}

impl CommandError {
    /// A mistake behind so many characters.
    pub fn new(column: usize, message: impl Into<String>) -> CommandError {
        CommandError { column, message: message.into(), nearest: None }
    }

    pub(super) fn near<'a>(mut self, word: &str, known: impl IntoIterator<Item = &'a str>) -> CommandError {
        self.nearest = nearest(word, known).map(str::to_owned);
        self
    }

    /// The same mistake as one of an expression in the line: its column is counted from the beginning of the line.
    pub(super) fn inside(word: &Word, error: QueryError) -> CommandError {
        CommandError { column: word.column + error.column, message: error.message, nearest: error.nearest }
    }
}
