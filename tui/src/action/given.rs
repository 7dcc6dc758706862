//! The arguments of a command that was read, by their place in its description.

use std::path::PathBuf;

use spytui_engine::{
    link::LinkSpec,
    query::{Expr, parse, search},
};

use super::command::CommandSpec;
use super::command_error::CommandError;
use super::location::{RowRange, Where, read_range, read_where};
use super::names::KnownNames;
use super::words::Word;

/// Highest baud rate accepted.
const FASTEST: u32 = 50_000_000;

/// A command with its arguments, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The command.
    pub command: &'static CommandSpec,
    pub(super) args: Vec<Vec<Word>>,
}

/// Which display filter is meant.
#[derive(Debug, Clone, PartialEq)]
pub enum FilterArg {
    /// None: all rows.
    Clear,
    /// The one before.
    Previous,
    /// A saved one, by name.
    Saved(String),
    /// This one.
    Expr(Expr),
}

impl Given {
    /// The text of an argument; `None` if it was not given.
    pub fn text(&self, at: usize) -> Option<&str> {
        self.word(at).map(|word| word.text.as_str())
    }

    /// The text of an argument that must be given.
    pub fn must(&self, at: usize) -> String {
        self.text(at).unwrap_or_default().to_owned()
    }

    /// A path that must be given.
    pub fn path(&self, at: usize) -> PathBuf {
        PathBuf::from(self.must(at))
    }

    /// The `key=value` words of an argument.
    pub fn pairs(&self, at: usize) -> Vec<(String, String)> {
        let pair = |word: &Word| word.text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        self.words(at).iter().filter_map(pair).collect()
    }

    /// Settings: `name`, `name value` or `name=value …`.
    pub fn settings(&self, at: usize) -> Vec<(String, Option<String>)> {
        if let [name, value] = self.words(at)
            && !name.text.contains('=')
        {
            return vec![(name.text.clone(), Some(value.text.clone()))];
        }
        let one = |word: &Word| match word.text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word.text.clone(), None),
        };
        self.words(at).iter().map(one).collect()
    }

    /// A link.
    pub fn link(&self, at: usize) -> Result<LinkSpec, CommandError> {
        LinkSpec::parse(&self.must(at)).map_err(|error| CommandError::new(0, error.to_string()))
    }

    /// A baud rate; `None` for `auto`.
    pub fn baud(&self, at: usize) -> Result<Option<u32>, CommandError> {
        read_baud(&self.must(at)).map_err(|message| CommandError::new(0, message))
    }

    /// A key of the dictionary.
    pub fn key(&self, at: usize) -> Result<u64, CommandError> {
        read_key(&self.must(at)).ok_or_else(|| CommandError::new(0, "KEY is missing"))
    }

    /// A location in the list.
    pub fn location(&self, at: usize) -> Result<Where, CommandError> {
        read_where(&self.must(at)).map_err(|(message, _)| CommandError::new(0, message))
    }

    /// A range of rows, if one was given.
    pub fn range(&self, at: usize) -> Option<RowRange> {
        self.text(at).and_then(read_range)
    }

    /// An expression, if one was given.
    pub fn expr(&self, at: usize, known: &dyn KnownNames) -> Result<Option<Expr>, CommandError> {
        let Some(word) = self.word(at) else { return Ok(None) };
        parse(&word.text, &known.vocabulary()).map(Some).map_err(|error| CommandError::inside(word, error))
    }

    /// A search.
    pub fn search(&self, at: usize, known: &dyn KnownNames) -> Result<Expr, CommandError> {
        let word = self.word(at).ok_or_else(|| CommandError::new(0, "EXPR is missing"))?;
        search(&word.text, &known.vocabulary()).map_err(|error| CommandError::inside(word, error))
    }

    /// A display filter.
    pub fn filter(&self, at: usize, known: &dyn KnownNames) -> Result<FilterArg, CommandError> {
        let Some(text) = self.text(at) else { return Ok(FilterArg::Clear) };
        if text == "-" {
            return Ok(FilterArg::Previous);
        }
        if let Some(name) = text.strip_prefix('@') {
            return Ok(FilterArg::Saved(name.to_owned()));
        }
        Ok(self.expr(at, known)?.map_or(FilterArg::Clear, FilterArg::Expr))
    }

    fn words(&self, at: usize) -> &[Word] {
        self.args.get(at).map_or(&[], Vec::as_slice)
    }

    fn word(&self, at: usize) -> Option<&Word> {
        self.words(at).first()
    }
}

/// Reads a rate; `None` for `auto`.
pub(super) fn read_baud(text: &str) -> Result<Option<u32>, String> {
    if text == "auto" {
        return Ok(None);
    }
    match text.parse::<u32>() {
        Ok(rate) if (1..=FASTEST).contains(&rate) => Ok(Some(rate)),
        _ => Err(format!("not a baud rate: {text}; use 115200 or auto")),
    }
}

/// Reads a key of the dictionary, decimal or hexadecimal.
pub(super) fn read_key(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
