//! What all readers of text have in common: what is asked for and what comes out, lines of bounded length, what stands before
//! the data or is none, and digits to bytes.

/// How text stands for bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// Hexadecimal digits in any usual form. The order of the bytes in a word is that of the form.
    Hex,
    /// The same; the first byte of a word is its least significant one.
    HexLittle,
    /// The same; the first byte of a word is its most significant one.
    HexBig,
    /// Base64; padding at the end is optional.
    Base64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TextError {
    /// Line, from 1.
    pub line: u64,
    /// What is wrong, with the text.
    pub what: String,
}

/// Takes what a text stands for, in its order.
pub trait TextSink {
    fn bytes(&mut self, bytes: &[u8]);

    /// Bytes are missing here, as addresses show: how many, and where in the text.
    fn missing(&mut self, count: u64, place: &str);

    /// A remark for the user.
    fn remark(&mut self, text: String);
}

impl TextSink for Vec<u8> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn missing(&mut self, _count: u64, _place: &str) {}

    fn remark(&mut self, _text: String) {}
}

/// What a line was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// Data, or a part of its form.
    Data,
    /// No data: left out.
    LeftOut,
}

/// Reads the lines of one form.
pub(super) trait LineReader: std::fmt::Debug + Send {
    /// Reads a line.
    ///
    /// # Errors
    /// It can't be read, in words.
    fn line(&mut self, line: &Line, out: &mut dyn TextSink) -> Result<Taken, String>;

    /// Ends the text.
    ///
    /// # Errors
    /// Its end is missing, in words.
    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String>;

    /// What the text is, with what the user should know of how it is read.
    fn name(&self) -> ReaderName;
}

/// What a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReaderName {
    /// In a few words.
    pub what: &'static str,
    /// How its words are read, if that is not beyond doubt.
    pub words: Option<String>,
}

impl ReaderName {
    /// A form without words.
    pub(super) fn plain(what: &'static str) -> ReaderName {
        ReaderName { what, words: None }
    }
}

/// A line that can't be read: left out if it is clearly no data.
///
/// # Errors
/// It may be damaged data.
pub(super) fn left_out(text: &str, wrong: &str) -> Result<Taken, String> {
    if is_banner(text) { Ok(Taken::LeftOut) } else { Err(format!("{wrong}: {}", shown(text))) }
}

/// How words of a number of bytes are read, in words.
pub(super) fn words_text(size: usize, order: Order) -> String {
    match order {
        Order::Little => format!(
            "words of {size} bytes, least significant byte first; --input hex-be reads the most significant one first"
        ),
        Order::Written => {
            format!(
                "digits in groups of {size} bytes, read as they stand; --input hex-le takes them for little-endian words"
            )
        }
    }
}

impl TextForm {
    /// The order of the bytes in words, if it was asked for.
    pub(super) fn order(self) -> Option<Order> {
        match self {
            TextForm::HexLittle => Some(Order::Little),
            TextForm::HexBig => Some(Order::Written),
            TextForm::Hex | TextForm::Base64 => None,
        }
    }
}

/// Characters of a line that are held. A longer one is read in parts, each up to a separator.
pub(super) const LONGEST: usize = 64 << 10;
/// A digit string without a separator is cut where whole bytes end, in hexadecimal and in base64.
const UNIT: usize = 16;

/// A line, or a part of a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub number: u64,
    /// Without its end.
    pub text: String,
    /// A part of a line that began before.
    pub goes_on: bool,
}

/// Splits text into lines: at LF, CR LF or CR.
#[derive(Debug)]
pub(super) struct Lines {
    number: u64,
    begun: Vec<u8>,
    goes_on: bool,
    after_cr: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Lines { number: 1, begun: Vec::new(), goes_on: false, after_cr: false }
    }
}

impl Lines {
    /// Takes text up to the end of a line, which it returns, and leaves the rest.
    pub(super) fn next(&mut self, text: &mut &[u8]) -> Option<Line> {
        while let Some((&byte, rest)) = text.split_first() {
            *text = rest;
            let is_second = std::mem::replace(&mut self.after_cr, byte == b'\r') && byte == b'\n';
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' => return Some(self.end()),
                _ => {
                    self.begun.push(byte);
                    if self.begun.len() >= LONGEST {
                        return Some(self.part());
                    }
                }
            }
        }
        None
    }

    /// The last line, if it has no end.
    pub(super) fn finish(&mut self) -> Option<Line> {
        (!self.begun.is_empty()).then(|| self.end())
    }

    fn end(&mut self) -> Line {
        let line = self.take(self.begun.len());
        self.number += 1;
        self.goes_on = false;
        line
    }

    fn part(&mut self) -> Line {
        // Commas first: the number of repeats of gdb stands behind a blank.
        let after = |is: fn(&u8) -> bool| self.begun.iter().rposition(is).map(|at| at + 1);
        let end = after(|byte| *byte == b',').or_else(|| after(u8::is_ascii_whitespace));
        let line = self.take(end.unwrap_or(LONGEST / UNIT * UNIT));
        self.goes_on = true;
        line
    }

    fn take(&mut self, len: usize) -> Line {
        let rest = self.begun.split_off(len.min(self.begun.len()));
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.begun, rest)).into_owned();
        Line { number: self.number, text, goes_on: self.goes_on }
    }
}

/// A line that is shorter needs more that is foreign.
const SHORT: usize = 8;
/// Letters of a word that is no damaged data.
const SHORTEST_WORD: usize = 3;

/// Whether a line is no data, rather than damaged data.
pub(super) fn is_banner(line: &str) -> bool {
    if line.split_whitespace().next().is_some_and(is_command) {
        return true;
    }
    let count = line.chars().filter(|c| !c.is_whitespace()).count();
    let foreign: usize = line.split_whitespace().map(foreign).sum();
    if count >= SHORT { foreign * 3 >= count } else { foreign * 2 > count }
}

/// Whether a line that begins with this word is a command, with or without a prompt: no data begins so.
fn is_command(word: &str) -> bool {
    let is_prompt = word.ends_with(['>', '$', '#', '%']) && !word.starts_with(['<', '|']);
    is_prompt || word == "(gdb)" || word == "(lldb)" || (word.len() >= SHORTEST_WORD && is_word(word))
}

/// Whether these are letters, and not all of them digits.
fn is_word(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && word.chars().any(|c| !c.is_ascii_hexdigit())
}

/// How many characters of a word are not of a dump. A word of letters is foreign as a whole.
fn foreign(word: &str) -> usize {
    let letters = word.trim_matches(|c: char| c.is_ascii_punctuation());
    if is_word(letters) || letters.is_empty() {
        return word.chars().count();
    }
    word.chars().filter(|c| !c.is_ascii_hexdigit() && !"x:,;".contains(*c)).count()
}

/// A prefix with its numbers left out.
pub(super) fn shape(prefix: &str) -> String {
    let mut shape = String::new();
    for c in prefix.trim().chars() {
        let c = match c {
            c if c.is_ascii_digit() => '#',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if !(matches!(c, '#' | ' ') && shape.ends_with(c)) {
            shape.push(c);
        }
    }
    shape
}

/// Order of the bytes of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As the digits stand.
    Written,
    /// Least significant byte first.
    Little,
}

/// The bytes that an even number of hexadecimal digits stands for; `None` if there are others.
pub(super) fn hex_bytes(digits: &str, order: Order) -> Option<Vec<u8>> {
    let (pairs, odd) = digits.as_bytes().as_chunks::<2>();
    let mut bytes =
        pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect::<Option<Vec<u8>>>()?;
    if order == Order::Little {
        bytes.reverse();
    }
    odd.is_empty().then_some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// Whether these are hexadecimal digits, at least one.
pub(super) fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The hexadecimal digits behind `0x`.
pub(super) fn after_0x(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).filter(|digits| is_hex(digits))
}

/// Text for a message: not too long, and nothing that a terminal obeys.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let text = text.trim();
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut text: &[u8]) -> Vec<(u64, String, bool)> {
        let mut lines = Lines::default();
        let mut all: Vec<Line> = std::iter::from_fn(|| lines.next(&mut text)).collect();
        all.extend(lines.finish());
        all.into_iter().map(|line| (line.number, line.text, line.goes_on)).collect()
    }

    #[test]
    fn every_kind_of_line_end_is_one() {
        let texts = lines(b"a\nb\r\nc\rd\n\ne").into_iter().map(|line| (line.0, line.1)).collect::<Vec<_>>();
        let expected = [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, ""), (6, "e")];
        assert_eq!(texts, expected.map(|(number, text)| (number, text.to_owned())));
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn a_long_line_comes_in_parts() {
        let parts = lines("0x01, ".repeat(30_000).as_bytes());
        assert!(parts.len() > 2 && parts.iter().all(|part| part.0 == 1 && part.1.len() <= LONGEST));
        assert!(parts.iter().all(|part| part.1.trim().ends_with(',')) && !parts[0].2 && parts[1].2);
        let digits = lines("5a".repeat(100_000).as_bytes());
        assert!(digits.iter().all(|part| part.1.len() % 4 == 0));
    }

    #[test]
    fn damaged_data_is_no_banner() {
        let banners = [
            "--- BEGIN OF TRACE BUFFER ---",
            "====== end of buffer ======",
            "Trace buffer begins",
            "-----",
            "###",
            "(gdb)",
            "(gdb) x/512bx qs_buf",
            "> mdw 0x20000400 128",
            "mdw 0x20000400 128",
            "=> md 20000400 80",
            "ready",
            "J-Link>",
            "Cannot access memory at address 0x20000600",
        ];
        for banner in banners {
            assert!(is_banner(banner), "{banner}");
        }
        let data = [
            "01 0g fe",
            "01 00 fe 7e 02 40 ff de 0",
            "00000010: 00zz 0c01 0119 cf7e 033d 0010 0020 414f  .......~.=... AO",
            "0x4020 <qs_buf>:\t0x01\t0x00\t0xfz\t0x7e",
            "123",
        ];
        for line in data {
            assert!(!is_banner(line), "{line}");
        }
    }
}
