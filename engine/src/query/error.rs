//! What is wrong with an expression, where, and what was probably meant.

/// A mistake in an expression. Its text is one line in plain words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", self.hint())]
pub struct QueryError {
    /// Characters before the mistake, so 0 is the first column.
    pub column: usize,
    /// What is wrong and what to write instead.
    pub message: String,
    /// The known word that resembles the wrong one most.
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
