//! One line in parts.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    super::{
        banner::is_banner,
        digits::{after_0x, is_hex},
    },
    characters::{Shown, shows},
    tokens::{Style, Token, digits, style, tokens},
};

/// Words before the data of a line that are looked at.
const MOST_BEFORE: usize = 24;
/// Bytes of a line with characters beside them.
const MOST_BESIDE: usize = 256;
/// Digits of an address, at least.
const SHORTEST_ADDRESS: usize = 4;

/// What follows an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    /// `00000010:`, as xxd, gdb, OpenOCD.
    Colon,
    /// `00000010 =`, as J-Link.
    Equals,
    /// Blanks, as od and hexdump.
    Blank,
}

/// An address before the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct At<'a> {
    pub digits: &'a str,
    pub mark: Mark,
    /// It begins with `0x`.
    pub zero_x: bool,
}

/// A line in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scan<'a> {
    /// What stands before address and data, without a time at its start.
    pub prefix: &'a str,
    pub at: Option<At<'a>>,
    pub style: Style,
    /// The digits of each word.
    pub words: Vec<String>,
    /// The characters beside them, if they are of these bytes.
    pub shown: Option<Shown>,
    /// Blanks before the first word of a line that has nothing else before it.
    pub indent: usize,
}

/// A time that could be taken for data: `12:31:00`, with a date or the name of a month before it.
static STAMP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let date = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})[ T,]+";
    let day = r"(?:[A-Z][a-z]{2},?\s+)?[A-Z][a-z]{2}\s+\d{1,2},?\s+(?:\d{4}\s+)?";
    let time = r"\d{1,2}:\d{2}:\d{2}(?:[.,:]\d+)*(?:Z|[+-]\d{2}:?\d{2})?";
    Regex::new(&format!(r"^\s*[\[(<]?\s*(?:{date}|{day})?{time}(?:\s+\d{{4}}[\])>])?[\])>]?(?:\s*(?:->|[-:>|]))?\s+"))
        .ok()
});

/// Reads a line, with or without an address; `None` if it has no data. A part of a longer line begins with data.
pub(super) fn scan(line: &str, with_address: bool, goes_on: bool) -> Option<Scan<'_>> {
    let stamp = STAMP.as_ref().and_then(|stamp| stamp.find(line)).map_or(0, |found| found.end());
    let rest = line.get(stamp..)?;
    let tokens = tokens(rest);
    let starts = if goes_on { 1 } else { tokens.len().min(MOST_BEFORE) };
    (0..starts).find_map(|start| scan_from(rest, &tokens, start, with_address))
}

fn scan_from<'a>(line: &'a str, tokens: &[Token<'a>], start: usize, with_address: bool) -> Option<Scan<'a>> {
    let first = tokens.get(start)?;
    let prefix = line.get(..first.start)?;
    // An address follows nothing that is one, and data begins where digits begin.
    let is_begin = start == 0 || tokens.get(start - 1).is_none_or(|before| style(before.text).is_none());
    let address = if with_address { address(line, tokens, start, is_begin) } else { None };
    if let Some((at, data)) = address
        && let Some((style, words, shown)) = data_from(line, tokens.get(data..)?)
    {
        return Some(Scan { prefix, at: Some(at), style, words, shown, indent: prefix.len() });
    }
    if !is_begin || is_data(prefix) {
        return None;
    }
    let (style, words, shown) = data_from(line, tokens.get(start..)?)?;
    Some(Scan { prefix, at: None, style, words, shown, indent: prefix.len() })
}

/// The address at a word, and the first word behind it.
fn address<'a>(line: &'a str, tokens: &[Token<'a>], start: usize, is_begin: bool) -> Option<(At<'a>, usize)> {
    let word = tokens.get(start)?.text;
    let bare = word.strip_suffix(':').unwrap_or(word);
    let (digits, zero_x) = after_0x(bare).map_or((bare, false), |digits| (digits, true));
    let is_long = zero_x || digits.len() >= SHORTEST_ADDRESS;
    if !is_hex(digits) || !is_long {
        return None;
    }
    let at = |mark: Mark| At { digits, mark, zero_x };
    if bare.len() < word.len() {
        return Some((at(Mark::Colon), start + 1));
    }
    let next = tokens.get(start + 1)?;
    if next.text == "=" {
        return Some((at(Mark::Equals), start + 2));
    }
    if next.text.starts_with('<') {
        // The name of a function of C++ has blanks.
        let end = line.rfind(">:").map(|at| at + 2)?;
        let behind = tokens.iter().position(|token| token.start >= end)?;
        return Some((at(Mark::Colon), behind));
    }
    // Without a mark it differs from what follows it.
    let of_next = style(next.text)?;
    let differs = if zero_x { of_next != Style::ZeroX } else { digits.len() != next.text.len() };
    (is_begin && differs && !matches!(of_next, Style::Joined(_))).then(|| (at(Mark::Blank), start + 1))
}

/// Whether what stands before data is damaged data.
fn is_data(prefix: &str) -> bool {
    let is_marked = || prefix.contains(|c: char| c.is_ascii_punctuation());
    prefix.split_whitespace().last().is_some_and(|last| is_hex(last) || !(is_marked() || is_banner(prefix)))
}

type Data = (Style, Vec<String>, Option<Shown>);

/// Digits to the end of the line, or to characters that show them.
fn data_from(line: &str, tokens: &[Token<'_>]) -> Option<Data> {
    let style = style(tokens.first()?.text)?;
    let run = tokens.iter().take_while(|token| self::style(token.text) == Some(style)).count();
    let words: Vec<String> = tokens.iter().take(run).map(|token| digits(token.text)).collect();
    let is_wide = |end: usize, next: usize| line.get(end..next).is_some_and(|gap| gap.len() > 1 || gap == "\t");
    let rest_of = |count: usize| {
        let end = tokens.get(count - 1)?.end();
        Some((end, line.get(end..)?.trim_end()))
    };
    // What shows the bytes up to here is not data, even if it looks like digits.
    let mut bytes = 0;
    for (count, word) in (1..=run).zip(&words) {
        bytes += word.len() / 2;
        if bytes > MOST_BESIDE {
            break;
        }
        let (end, rest) = rest_of(count)?;
        let next = tokens.get(count).map_or(line.len(), |token| token.start);
        let is_barred = rest.trim_start().starts_with('|');
        if rest.trim().is_empty() || !(is_wide(end, next) || is_barred) {
            continue;
        }
        let shown = shows(words.get(..count)?, rest);
        if shown.is_any() {
            return Some((style, words.get(..count)?.to_vec(), Some(shown)));
        }
    }
    let (end, rest) = rest_of(run)?;
    let next = tokens.get(run).map_or(line.len(), |token| token.start);
    let rest = rest.trim_matches(|c: char| c.is_whitespace() || c == ',' || c == ';');
    let bytes: usize = words.iter().map(|word| word.len() / 2).sum();
    // Characters of another character set, or in a frame.
    let is_beside =
        rest.starts_with('|') || (is_wide(end, next) && rest.chars().count() <= bytes + 3 && is_banner(rest));
    (rest.is_empty() || is_beside).then_some((style, words, None))
}

#[cfg(test)]
mod tests {
    use super::{super::super::prefix::shape, *};

    fn parts(line: &str) -> String {
        let Some(scan) = scan(line, true, false) else { return "none".to_owned() };
        let at = scan.at.map_or(String::new(), |at| format!("{}{:?} ", at.digits, at.mark));
        format!("[{}] {at}{}", shape(scan.prefix), scan.words.join(" "))
    }

    #[test]
    fn a_line_is_taken_apart() {
        let cases = [
            ("01 00 fe", "[] 01 00 fe"),
            ("0x01, 0x00,", "[] 01 00"),
            ("01:00:fe", "[] 0100fe"),
            ("00000010: 0000 0c01  ....", "[] 00000010Colon 0000 0c01"),
            ("00000010: 2030 3132   012", "[] 00000010Colon 2030 3132"),
            ("000002e0: 00000000       00                    .....", "[] 000002e0Colon 00000000 00"),
            ("00000000  01 00 fe 7e  02 40 |...~.@|", "[] 00000000Blank 01 00 fe 7e 02 40"),
            ("0000020 0000 010c", "[] 0000020Blank 0000 010c"),
            ("000000 7efe0001 deff4002", "[] 000000Blank 7efe0001 deff4002"),
            ("20000400 = 01 00 FE  ...", "[] 20000400Equals 01 00 FE"),
            ("0x4020 <qs_buf+8>:\t0x01\t0x00", "[] 4020Colon 01 00"),
            ("0x4020 <f(int, char**)+8>:\t0x0001", "[] 4020Colon 0001"),
            ("0x20000400: 7efe0001 deff4002 ", "[] 20000400Colon 7efe0001 deff4002"),
            ("I (100) trace: 01 00", "[I (#) trace:] 01 00"),
            ("I (100) trace: 0x3ffb4280   01 00 fe  |...|", "[I (#) trace:] 3ffb4280Blank 01 00 fe"),
            ("[   12.345678] trace: 00000010: 01 00", "[[ #.#] trace:] 00000010Colon 01 00"),
            ("[12:31:00.000] 01 00", "[] 01 00"),
            ("12:31:00 01 00", "[] 01 00"),
            ("12:31:00.000 -> 01 00", "[] 01 00"),
            ("2024-11-28 12:31:00,123 - rx: 01 00", "[rx:] 01 00"),
            ("[Thu Nov 28 12:31:00.123 2024] 01 00", "[] 01 00"),
            ("Nov 28 12:31:00 01 00", "[] 01 00"),
            ("1041-1128 UART: RX data: 7E", "[#-# UART: RX data:] 7E"),
            ("uart-1: FE", "[uart-#:] FE"),
            ("01 0g fe", "none"),
            ("01 0 fe", "none"),
            ("00000010: 0000 0cz1 0119 cf7e  ........", "none"),
            ("00000000  01 00 fe 7e  0z 40 02 22 41 22 44  |...~.@|", "none"),
            ("(gdb) x/512bx qs_buf", "none"),
            ("", "none"),
        ];
        for (line, expected) in cases {
            assert_eq!(parts(line), expected, "{line}");
        }
    }
}
