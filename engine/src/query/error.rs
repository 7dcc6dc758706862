//! Errors in expressions, with position and suggestion.

/// An error in an expression. Its text is one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", self.hint())]
pub struct QueryError {
    /// Column in characters, from 0.
    pub column: usize,
    /// The error and what to write instead.
    pub message: String,
    /// The nearest known word.
    pub nearest: Option<String>,
}

impl QueryError {
    pub(super) fn new(column: usize, message: impl Into<String>) -> Self {
        QueryError { column, message: message.into(), nearest: None }
    }

    pub(super) fn near(mut self, word: Option<&str>) -> Self {
        self.nearest = word.map(str::to_owned);
        self
    }

    fn hint(&self) -> String {
        self.nearest.as_ref().map(|word| format!("; nearest: {word}")).unwrap_or_default()
    }
}
