//! A TOML file with its name, for error messages with file and line.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// An error in a configuration file, environment variable or flag (the latter without a line).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", self.line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ConfigError {
    /// File, variable or flag.
    pub file: String,
    /// Line, from 1.
    pub line: Option<usize>,
    /// The error, with a suggestion.
    pub message: String,
}

/// Name and text of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TomlSource<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

/// A key with its span and its spanned value.
pub(crate) type Item<'a> = (&'a str, Range<usize>, &'a Spanned<DeValue<'a>>);

impl<'a> TomlSource<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str) -> TomlSource<'a> {
        TomlSource { file, text }
    }

    /// The line of a byte offset, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
    }

    pub(crate) fn error(&self, at: usize, message: impl Into<String>) -> ConfigError {
        ConfigError { file: self.file.to_owned(), line: Some(self.line(at)), message: message.into() }
    }

    pub(crate) fn parse(&self) -> Result<Spanned<DeTable<'a>>, ConfigError> {
        DeTable::parse(self.text).map_err(|e| {
            let message = e.message().split_whitespace().collect::<Vec<_>>().join(" ");
            self.error(e.span().map_or(0, |span| span.start), message)
        })
    }
}

/// The items of a table in the order of the file.
pub(crate) fn items<'a>(table: &'a DeTable<'a>) -> Vec<Item<'a>> {
    let mut items: Vec<Item<'a>> =
        table.iter().map(|(key, value)| (key.get_ref().as_ref(), key.span(), value)).collect();
    items.sort_by_key(|(_, span, _)| span.start);
    items
}
