//! The lexer, driven by the parser.
//!
//! A token ends at white space or at a closing parenthesis that it did not open. Quotes and slashes are special only at
//! the start of a token or value.

use super::{
    Op,
    name::{FIELD, is_plain},
};

pub(super) struct Scan {
    chars: Vec<char>,
    pub(super) at: usize,
}

pub(super) struct ExprHead {
    pub(super) name: String,
    /// It was quoted, so it is the name of a field.
    pub(super) is_quoted: bool,
    pub(super) op: Op,
    pub(super) column: usize,
}

impl Scan {
    pub(super) fn new(text: &str) -> Scan {
        Scan { chars: text.chars().collect(), at: 0 }
    }

    /// Returns to a column from [`Scan::column`].
    pub(super) fn rewind(&mut self, column: usize) {
        self.at = column;
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Consumes `c` if it is next.
    pub(super) fn take(&mut self, c: char) -> bool {
        let there = self.peek() == Some(c);
        self.at += usize::from(there);
        there
    }

    /// Consumes the keyword if it is the whole next token.
    pub(super) fn keyword(&mut self, word: &str) -> bool {
        let start = self.at;
        let there = !matches!(self.peek(), Some('"' | '/')) && self.bare(false) == word;
        if !there {
            self.at = start;
        }
        there
    }

    /// Consumes the rest of a token, possibly empty.
    pub(super) fn bare(&mut self, ends_at_comma: bool) -> String {
        let mut depth = 0_usize;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            match c {
                '(' => depth += 1,
                ')' if depth == 0 => break,
                ')' => depth -= 1,
                ',' if ends_at_comma && depth == 0 => break,
                c if c.is_whitespace() => break,
                _ => {}
            }
            text.push(c);
            self.at += 1;
        }
        text
    }

    /// Consumes quoted text, from its opening quote. A backslash escapes a quote or backslash.
    pub(super) fn quoted(&mut self) -> Result<String, QueryError> {
        self.delimited('"', &['"', '\\'], "the closing quote is missing")
    }

    /// Consumes a pattern between slashes, from the first one. A backslash escapes a slash.
    pub(super) fn slashed(&mut self) -> Result<String, QueryError> {
        self.delimited('/', &['/'], "the closing / is missing; text that starts with / needs quotes")
    }

    fn delimited(&mut self, end: char, kept: &[char], missing: &str) -> Result<String, QueryError> {
        let column = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == end {
                return Ok(text);
            }
            match self.peek() {
                Some(next) if c == '\\' => {
                    self.at += 1;
                    if !kept.contains(&next) {
                        text.push(c);
                    }
                    text.push(next);
                }
                _ => text.push(c),
            }
        }
        Err(QueryError::new(column, missing))
    }

    /// Fails unless the token ends here.
    pub(super) fn ended(&self) -> Result<(), QueryError> {
        match self.peek() {
            None | Some(')') => Ok(()),
            Some(c) if c.is_whitespace() => Ok(()),
            Some(_) => Err(QueryError::new(self.at, "a blank is missing here")),
        }
    }

    /// Consumes a name and an operator if both are next, otherwise nothing. A name may be quoted. Unquoted `a::b` and
    /// `a->b` are words, unless they are among `fields`.
    pub(super) fn head<'f>(&mut self, fields: impl IntoIterator<Item = &'f str>) -> Option<ExprHead> {
        if let Some(head) = self.quoted_head() {
            return Some(head);
        }
        let column = self.at;
        let rest = self.chars.get(column..)?;
        let length = rest.iter().take_while(|c| is_plain(**c)).count();
        let name: String = rest[..length].iter().collect();
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        let Some((op, width)) = operator(&rest[length..]) else { return self.special_head(fields) };
        self.at += length + width;
        Some(ExprHead { name, is_quoted: false, op, column })
    }

    /// `"info->pid"` or `field."info->pid"` with its operator.
    fn quoted_head(&mut self) -> Option<ExprHead> {
        let column = self.at;
        let prefix = FIELD.chars().count();
        if self.chars.get(column..)?.iter().take(prefix).copied().eq(FIELD.chars()) {
            self.at += prefix;
        }
        let name = if self.peek() == Some('"') { self.quoted().ok() } else { None };
        let op = name.as_ref().and_then(|_| operator(self.chars.get(self.at..)?));
        let (Some(name), Some((op, width))) = (name, op) else {
            self.at = column;
            return None;
        };
        self.at += width;
        Some(ExprHead { name, is_quoted: true, op, column })
    }

    /// A field whose name is more than a word, with its operator.
    fn special_head<'f>(&mut self, fields: impl IntoIterator<Item = &'f str>) -> Option<ExprHead> {
        let column = self.at;
        let rest = self.chars.get(column..)?;
        let fits = |name: &str| {
            let special = !name.chars().all(is_plain) && !name.contains(char::is_whitespace);
            let length = name.chars().count();
            let begins = special && rest.len() > length && rest.iter().copied().zip(name.chars()).all(|(a, b)| a == b);
            let (op, width) = if begins { operator(&rest[length..])? } else { return None };
            Some((length + width, name.to_owned(), op))
        };
        let (length, name, op) = fields.into_iter().filter_map(fits).max_by_key(|found| found.0)?;
        self.at += length;
        Some(ExprHead { name, is_quoted: true, op, column })
    }

    /// The next operator, if any; not consumed.
    pub(super) fn stray_operator(&self) -> Option<Op> {
        operator(self.chars.get(self.at..)?).map(|(op, _)| op)
    }
}

fn operator(rest: &[char]) -> Option<(Op, usize)> {
    Some(match rest {
        [':', ':', ..] => return None,
        [':', ..] => (Op::In, 1),
        ['=', ..] => (Op::Eq, 1),
        ['!', '=', ..] => (Op::Ne, 2),
        ['<', '=', ..] => (Op::Le, 2),
        ['<', ..] => (Op::Lt, 1),
        ['>', '=', ..] => (Op::Ge, 2),
        ['>', ..] => (Op::Gt, 1),
        ['~', ..] => (Op::Like, 1),
        _ => return None,
    })
}

/// An error in an expression. Its text is one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", self.hint())]
pub struct QueryError {
    /// In characters, from 0.
    pub column: usize,
    /// The error and what to write instead.
    pub message: String,
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
