//! Splits bytes into lines, joining those that end in `\` and dropping comments and empty lines; splits lines into bare
//! words, quoted strings and numbers.

use nom::{
    IResult, Parser,
    branch::alt,
    bytes::complete::{escaped_transform, is_not, tag, take_while1},
    character::complete::{char, digit1, hex_digit1, space0, space1},
    combinator::{all_consuming, map_res, opt, value},
    sequence::{delimited, preceded},
};

use crate::limits;

#[derive(Debug)]
pub(crate) struct JoinedLine<'a> {
    /// Its bytes, without line ends and the `\` before them.
    pub(crate) bytes: Vec<u8>,
    /// Where each joined line begins in `bytes`.
    parts: Vec<Part>,
    pub(crate) rest: &'a [u8],
    /// Number of the first line in `rest`.
    pub(crate) next: u32,
    pub(crate) number: u32,
    /// Whether it is too long. Its end is dropped.
    pub(crate) is_too_long: bool,
}

#[derive(Debug)]
struct Part {
    offset: usize,
    number: u32,
}

impl JoinedLine<'_> {
    /// Line and column of an offset in the line, both from 1. Columns count characters.
    pub(crate) fn position(&self, offset: usize) -> (u32, u32) {
        let part = self.parts.iter().rev().find(|part| part.offset <= offset);
        let (begin, number) = part.map_or((0, self.number), |part| (part.offset, part.number));
        let before = self.bytes.get(begin..offset).unwrap_or_default();
        // Continuation bytes of UTF-8 don't count.
        let column = before.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u32 + 1;
        (number, column)
    }
}

/// The next line with content.
pub(crate) fn next_line(mut rest: &[u8], mut number: u32) -> Option<JoinedLine<'_>> {
    while !rest.is_empty() {
        let (first, after) = split(rest);
        let content = first.trim_ascii();
        if !content.is_empty() && !content.starts_with(b"#") {
            return Some(joined(rest, number));
        }
        rest = after;
        number += 1;
    }
    None
}

/// The first line, joined with its continuations.
fn joined(mut rest: &[u8], first: u32) -> JoinedLine<'_> {
    let mut number = first;
    let mut bytes = Vec::new();
    let mut parts = Vec::new();
    let mut is_too_long = false;
    loop {
        let (line, after) = split(rest);
        let (content, goes_on) = line.strip_suffix(b"\\").map_or((line, false), |content| (content, true));
        is_too_long |= content.len() > limits::LINE - bytes.len() || parts.len() >= limits::LINE;
        if !is_too_long {
            parts.push(Part { offset: bytes.len(), number });
            bytes.extend_from_slice(content);
        }
        rest = after;
        number += 1;
        if !goes_on || rest.is_empty() {
            return JoinedLine { bytes, parts, rest, next: number, number: first, is_too_long };
        }
    }
}

/// The first line without its end, and the rest.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    let (line, after) = text.split_at(end);
    (line.strip_suffix(b"\r").unwrap_or(line), after.get(1..).unwrap_or_default())
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Its text, without quotes and escapes.
    pub(crate) text: String,
    /// Offset in its line.
    pub(crate) offset: usize,
    pub(crate) is_string: bool,
    /// Suffix without a blank: the string after a field's bare word, or the mark after a string.
    pub(crate) behind: Option<String>,
}

impl Word {
    /// Offset in the line of a byte of [`Word::text`].
    pub(crate) fn offset_of(&self, line: &str, index: usize) -> usize {
        if !self.is_string {
            return self.offset + index;
        }
        let mut at = self.offset + 1;
        let mut text = 0;
        while text < index {
            let Some(char) = line.get(at..).and_then(|rest| rest.chars().next()) else { break };
            // Each escape is one byte of text.
            at += if char == '\\' { 2 } else { char.len_utf8() };
            text += if char == '\\' { 1 } else { char.len_utf8() };
        }
        at
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) offset: usize,
    pub(crate) message: String,
}

impl Wrong {
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Wrong {
        Wrong { offset, message: message.into() }
    }
}

pub(crate) fn words(line: &str) -> Result<Vec<Word>, Wrong> {
    let mut words = Vec::new();
    let mut rest = line.trim_start_matches([' ', '\t']);
    while !rest.is_empty() {
        let offset = line.len() - rest.len();
        let (after, (text, is_string)) = word(rest).map_err(|_| Wrong::new(offset, wrong_string(rest)))?;
        let (after, behind) = if is_string { mark(after) } else { unit(&text, after, line)? };
        words.push(Word { text, offset, is_string, behind });
        let no_blank = |_| Wrong::new(line.len() - after.len(), "missing blank between words");
        (rest, _) = blank(after).map_err(no_blank)?;
    }
    Ok(words)
}

/// Parses `!error` after a string; returns it without `!`.
fn mark(after: &str) -> (&str, Option<String>) {
    let Some(rest) = after.strip_prefix('!') else { return (after, None) };
    let (mark, rest) = rest.split_at(rest.find([' ', '\t', '"']).unwrap_or(rest.len()));
    (rest, Some(mark.to_owned()))
}

/// Parses a string directly after a field.
fn unit<'a>(word: &str, after: &'a str, line: &str) -> Result<(&'a str, Option<String>), Wrong> {
    if !(word.contains(':') && after.starts_with('"')) {
        return Ok((after, None));
    }
    let (rest, unit) = string(after).map_err(|_| Wrong::new(line.len() - after.len(), wrong_string(after)))?;
    Ok((rest, Some(unit)))
}

fn wrong_string(rest: &str) -> &'static str {
    let mut is_escaped = false;
    for char in rest.chars().skip(1) {
        match char {
            '"' | '\\' | 'n' | 't' if is_escaped => is_escaped = false,
            _ if is_escaped => return "unknown escape; there are \\\" \\\\ \\n \\t",
            '\\' => is_escaped = true,
            _ => {}
        }
    }
    "missing \" at the end of the string"
}

fn word(input: &str) -> IResult<&str, (String, bool)> {
    alt((
        string.map(|text| (text, true)),
        take_while1(|char: char| !matches!(char, ' ' | '\t' | '"')).map(|text: &str| (text.to_owned(), false)),
    ))
    .parse(input)
}

fn string(input: &str) -> IResult<&str, String> {
    let escape = alt((
        value("\"", tag("\"")),
        value("\\", tag("\\")),
        value("\n", tag("n")),
        value("\t", tag("t")), //
    ));
    let content = opt(escaped_transform(is_not("\"\\"), '\\', escape));
    delimited(char('"'), content, char('"')).map(Option::unwrap_or_default).parse(input)
}

/// Blanks between words, or the end of the line.
fn blank(input: &str) -> IResult<&str, &str> {
    if input.is_empty() { space0(input) } else { space1(input) }
}

pub(crate) const NO_NUMBER: &str = "expected a number: decimal or 0x hex";

pub(crate) fn too_few(words: &[Word], form: &str) -> Wrong {
    let offset = words.first().map_or(0, |word| word.offset);
    Wrong::new(offset, format!("too few words; a line is: {form}"))
}

/// A number, its text, and the offset of the number.
pub(crate) type Pair<T> = (i128, T, usize);

/// The name after the keyword of a line, then its pairs.
pub(crate) fn pairs<'w, T>(
    words: &'w [Word],
    form: &str,
    text: impl Fn(&Word) -> Result<T, Wrong>,
) -> Result<(&'w Word, Vec<Pair<T>>), Wrong> {
    let [_, name, rest @ ..] = words else { return Err(too_few(words, form)) };
    let mut pairs = Vec::new();
    for pair in rest.chunks(2) {
        let [value, word] = pair else { return Err(too_few(words, form)) };
        let number = number(&value.text).filter(|_| !value.is_string);
        let number = number.ok_or_else(|| Wrong::new(value.offset, NO_NUMBER))?;
        pairs.push((number, text(word)?, value.offset));
    }
    if pairs.is_empty() { Err(too_few(words, form)) } else { Ok((name, pairs)) }
}

/// A number: decimal or `0x` hex, with or without a sign.
pub(crate) fn number(text: &str) -> Option<i128> {
    let hex =
        preceded(alt((tag("0x"), tag("0X"))), map_res(hex_digit1, |digits: &str| u64::from_str_radix(digits, 16)));
    let decimal = map_res(digit1, str::parse::<u64>);
    let signed = (opt(char('-')), alt((hex, decimal)));
    let parsed: IResult<&str, _> = all_consuming(signed).parse(text);
    let (_, (minus, magnitude)) = parsed.ok()?;
    let magnitude = i128::from(magnitude);
    Some(if minus.is_some() { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(String, (u32, u32))> {
        let (mut rest, mut number, mut lines) = (text.as_bytes(), 1, Vec::new());
        while let Some(line) = next_line(rest, number) {
            lines.push((String::from_utf8(line.bytes.clone()).unwrap(), line.position(line.bytes.len())));
            (rest, number) = (line.rest, line.next);
        }
        lines
    }

    #[test]
    fn comments_and_empty_lines_are_left_out() {
        assert_eq!(all("# a\n\n  \t\na b\r\n #c\\\nd"), [("a b".into(), (4, 4)), ("d".into(), (6, 2))]);
    }

    #[test]
    fn a_backslash_joins_and_positions_stay_those_of_the_file() {
        assert_eq!(all("a \\\nb\\\r\nç\nd\\"), [("a bç".into(), (3, 2)), ("d".into(), (4, 2))]);
    }

    #[test]
    fn endless_lines_are_cut() {
        let text = "a\\\n".repeat(limits::LINE + 10);
        let line = next_line(text.as_bytes(), 1).unwrap();
        assert!(line.is_too_long && line.bytes.len() <= limits::LINE && line.rest.is_empty());
    }

    fn texts(line: &str) -> Result<Vec<String>, Wrong> {
        Ok(words(line)?.into_iter().map(|word| word.text).collect())
    }

    #[test]
    fn words_and_strings() {
        assert_eq!(texts(" a\t 0x1 \"b \\\"c\\\\\\n\\t\" \"\" ").unwrap(), ["a", "0x1", "b \"c\\\n\t", ""]);
        assert_eq!(texts(""), Ok(vec![]));
    }

    #[test]
    fn wrong_strings_are_distinguished() {
        assert_eq!(texts("a \"b"), Err(Wrong::new(2, "missing \" at the end of the string")));
        assert_eq!(texts("a \"b\\q\""), Err(Wrong::new(2, "unknown escape; there are \\\" \\\\ \\n \\t")));
        assert_eq!(texts("a \"b\"c"), Err(Wrong::new(5, "missing blank between words")));
        assert_eq!(texts("a\"b\""), Err(Wrong::new(1, "missing blank between words")));
    }

    #[test]
    fn a_unit_stands_behind_a_field_and_a_mark_behind_a_string() {
        let behind =
            |line: &str| words(line).map(|words| words.into_iter().map(|word| word.behind).collect::<Vec<_>>());
        assert_eq!(behind("a:u8\"°C\" \"b\"!error c"), Ok(vec![Some("°C".to_owned()), Some("error".to_owned()), None]));
        assert_eq!(behind("a:u8\"m"), Err(Wrong::new(4, "missing \" at the end of the string")));
        assert_eq!(behind("a:u8\"m\"s"), Err(Wrong::new(7, "missing blank between words")));
    }

    #[test]
    fn numbers() {
        for (text, expected) in [("0", Some(0)), ("0x1F", Some(31)), ("-20", Some(-20)), ("010", Some(10))] {
            assert_eq!(number(text), expected);
        }
        for text in ["", "-", "0x", "1a", "1 ", "+1", "99999999999999999999"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn a_byte_of_a_string_is_found_in_its_line() {
        let line = "a \"x\\n%q\"";
        let word = &words(line).unwrap()[1];
        assert_eq!(&line[word.offset_of(line, word.text.find('%').unwrap())..], "%q\"");
    }
}
