//! Bytes to lines: joined where they end in `\`, comments and empty lines left out.

use crate::limits;

/// Lines that belong together, as one.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    /// Their bytes, without line ends and the `\` before them.
    pub(crate) bytes: Vec<u8>,
    /// Where each of the lines begins in `bytes`.
    parts: Vec<Part>,
    /// The rest of the file.
    pub(crate) rest: &'a [u8],
    /// Number of the first line in `rest`.
    pub(crate) next: u32,
    /// Number of its first line.
    pub(crate) number: u32,
    /// Whether it is longer than allowed. Its end is left out.
    pub(crate) is_too_long: bool,
}

#[derive(Debug)]
struct Part {
    offset: usize,
    number: u32,
}

impl Line<'_> {
    /// Line and column, both from 1, of an offset in the line. Columns count characters.
    pub(crate) fn position(&self, offset: usize) -> (u32, u32) {
        let part = self.parts.iter().rev().find(|part| part.offset <= offset);
        let (begin, number) = part.map_or((0, self.number), |part| (part.offset, part.number));
        let before = self.bytes.get(begin..offset).unwrap_or_default();
        // Bytes that continue a character of UTF-8 are no column.
        let column = before.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u32 + 1;
        (number, column)
    }
}

/// The next line with content.
pub(crate) fn next_line(mut rest: &[u8], mut number: u32) -> Option<Line<'_>> {
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

/// The first line, joined with those after it that belong to it.
fn joined(mut rest: &[u8], first: u32) -> Line<'_> {
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
            return Line { bytes, parts, rest, next: number, number: first, is_too_long };
        }
    }
}

/// A line without its end, and what follows.
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    let (line, after) = text.split_at(end);
    (line.strip_suffix(b"\r").unwrap_or(line), after.get(1..).unwrap_or_default())
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
}
