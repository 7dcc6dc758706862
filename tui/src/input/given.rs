//! The arguments of a command that was read, by their place in its description.

use std::path::PathBuf;

use spytui_engine::{
    device::line::TargetLine,
    io::link::{LinkSpec, line_rate},
    query::{Expr, parse, search},
};

use super::command::CommandSpec;
use super::file_name::unescaped;
use super::location::{RowRange, Where, read_range, read_where};
use super::names::KnownNames;
use super::words::Word;

/// Highest baud rate accepted.
const FASTEST: u32 = 50_000_000;

/// A command with its arguments. They were checked when the line was parsed, so a getter returns `None` only for an
/// argument that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub command: &'static CommandSpec,
    pub(super) args: Vec<Vec<Word>>,
    /// What the argument for the target asks for.
    pub target: Option<TargetLine>,
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
    /// The words of all arguments, each with the characters before it in the line; none if they are from an alias.
    pub fn arguments(&self, line: &str) -> impl Iterator<Item = (usize, &str)> {
        let own = line.split_whitespace().next().is_some_and(|word| self.is_called(word));
        let words = self.args.iter().flatten().filter(move |_| own);
        words.map(|word| (word.column, word.text.as_str()))
    }

    /// Whether the command may be called by this word.
    fn is_called(&self, word: &str) -> bool {
        self.command.first().starts_with(word) || self.command.aliases.contains(&word)
    }

    /// The text of an argument.
    pub fn text(&self, at: usize) -> Option<&str> {
        self.words(at).first().map(|word| word.text.as_str())
    }

    /// The text of an argument that must be given.
    pub fn must(&self, at: usize) -> String {
        self.text(at).unwrap_or_default().to_owned()
    }

    /// A path that must be given.
    pub fn path(&self, at: usize) -> PathBuf {
        PathBuf::from(unescaped(self.text(at).unwrap_or_default()))
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

    pub fn link(&self, at: usize) -> Option<LinkSpec> {
        LinkSpec::parse(unescaped(self.text(at)?)).ok()
    }

    /// A baud rate; `None` for `auto`.
    pub fn baud(&self, at: usize) -> Option<u32> {
        read_baud(self.text(at)?).ok()?
    }

    /// A key of the dictionary.
    pub fn key(&self, at: usize) -> Option<u64> {
        read_key(self.text(at)?)
    }

    /// A location in the list.
    pub fn location(&self, at: usize) -> Option<Where> {
        read_where(self.text(at)?).ok()
    }

    pub fn range(&self, at: usize) -> Option<RowRange> {
        self.text(at).and_then(read_range)
    }

    /// An expression.
    pub fn expr(&self, at: usize, known: &dyn KnownNames) -> Option<Expr> {
        parse(self.text(at)?, &known.vocabulary()).ok()
    }

    pub fn search(&self, at: usize, known: &dyn KnownNames) -> Option<Expr> {
        search(self.text(at)?, &known.vocabulary()).ok()
    }

    /// A display filter.
    pub fn filter(&self, at: usize, known: &dyn KnownNames) -> FilterArg {
        match self.text(at) {
            Some("-") => FilterArg::Previous,
            Some(text) if text.starts_with('@') => FilterArg::Saved(text[1..].to_owned()),
            _ => self.expr(at, known).map_or(FilterArg::Clear, FilterArg::Expr),
        }
    }

    fn words(&self, at: usize) -> &[Word] {
        self.args.get(at).map_or(&[], Vec::as_slice)
    }
}

/// Reads a rate; `None` for `auto`.
pub(super) fn read_baud(text: &str) -> Result<Option<u32>, String> {
    if text == "auto" {
        return Ok(None);
    }
    let rate = line_rate(text).filter(|rate| *rate <= FASTEST);
    rate.map(Some).ok_or_else(|| format!("not a baud rate: {text}; use 115200, 1MHz or auto"))
}

/// Reads a key of the dictionary, decimal or hexadecimal.
pub(super) fn read_key(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
