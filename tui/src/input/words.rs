//! Splits a command line into words with their columns, which mistakes name.

use spytui_engine::{nearest::nearest, query::QueryError};

use crate::hint::suggestion;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Characters before it.
    pub(super) column: usize,
    /// Its text, without quotes.
    pub(super) text: String,
    /// Characters it takes in the line, quotes included.
    pub(super) length: usize,
    /// A closing quote is missing.
    pub(super) open: bool,
}

impl Word {
    pub(super) fn end(&self) -> usize {
        self.column + self.length
    }
}

/// The words of a line of characters; quotes keep blanks together.
pub(super) struct Words<'a> {
    line: &'a [char],
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a [char]) -> Words<'a> {
        Words { line, at: 0 }
    }

    fn skip_blanks(&mut self) {
        while self.line.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    /// Goes back to where a word began.
    pub(super) fn back_to(&mut self, word: &Word) {
        self.at = word.column;
    }

    /// The rest of the line without the blanks around it; `None` if there is nothing.
    pub(super) fn rest(&mut self) -> Option<Word> {
        self.skip_blanks();
        let column = self.at;
        let rest = &self.line[column.min(self.line.len())..];
        let length = rest.iter().rposition(|c| !c.is_whitespace()).map_or(0, |last| last + 1);
        self.at = self.line.len();
        let text = rest[..length].iter().collect();
        (length > 0).then_some(Word { column, text, length, open: false })
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        self.skip_blanks();
        let (column, mut text, mut quoted) = (self.at, String::new(), false);
        while let Some(c) = self.line.get(self.at) {
            match c {
                '"' => quoted = !quoted,
                c if c.is_whitespace() && !quoted => break,
                c => text.push(*c),
            }
            self.at += 1;
        }
        let length = self.at - column;
        (length > 0).then_some(Word { column, text, length, open: quoted })
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_columns() {
        let line: Vec<char> = "write \"a b.txt\"  kind:Tran  x ".chars().collect();
        let mut words = Words::new(&line);
        assert_eq!(words.next().map(|w| (w.column, w.text)), Some((0, "write".into())));
        let path = words.next().unwrap();
        assert_eq!((path.column, path.text.as_str(), path.end(), path.open), (6, "a b.txt", 15, false));
        assert_eq!(words.rest().map(|w| (w.column, w.text)), Some((17, "kind:Tran  x".into())));
        assert_eq!((words.next(), words.rest()), (None, None));
        assert!(Words::new(&['"', 'a']).next().unwrap().open);
    }
}
