//! Errors in command lines.

/// What is wrong with a command line. Its text is one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// Column in characters, from 0.
    pub column: usize,
    /// The error and what to write instead.
    pub message: String,
}

impl CommandError {
    pub(super) fn new(column: usize, message: impl Into<String>) -> CommandError {
        CommandError { column, message: message.into() }
    }
}

/// `; nearest: WORD`, if one of the words is near.
pub(super) fn hint<'a>(given: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    spytui_plugin_api::nearest::nearest(given, words).map(|word| format!("; nearest: {word}")).unwrap_or_default()
}
