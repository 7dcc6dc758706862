//! Errors in command lines.

/// What is wrong with a command line. Its text is one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// Column in characters, from 0.
    pub column: usize,
    /// The error and what to write instead.
    pub message: String,
    /// A name is not in the dictionary; the target may report it yet.
    pub is_unknown_name: bool,
}

impl CommandError {
    /// A mistake behind so many characters.
    pub fn new(column: usize, message: impl Into<String>) -> CommandError {
        CommandError { column, message: one_line(&message.into()), is_unknown_name: false }
    }

    /// The same for a name that the target may report yet, if `may_come`.
    pub(super) fn unknown_name(self, may_come: bool) -> CommandError {
        CommandError { is_unknown_name: may_come, ..self }
    }
}

/// A text with its control bytes spelt out.
fn one_line(text: &str) -> String {
    let spelt = |c: char| if c.is_control() { c.escape_default().collect() } else { String::from(c) };
    text.chars().map(spelt).collect()
}

/// `; nearest: WORD`, if one of the words is near.
pub(super) fn hint<'a>(given: &str, words: impl IntoIterator<Item = &'a str>) -> String {
    spytui_plugin_api::nearest::nearest(given, words).map(|word| format!("; nearest: {word}")).unwrap_or_default()
}
