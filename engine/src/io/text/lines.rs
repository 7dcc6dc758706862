//! Shared by all text readers: options and output, lines of bounded length, prefixes and banners, digits to bytes, gaps
//! and repeated lines.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextForm {
    /// Hexadecimal digits in any common notation, with the byte order usual for it.
    #[default]
    Hex,
    /// [`TextForm::Hex`] with little-endian words.
    HexLittle,
    /// [`TextForm::Hex`] with big-endian words.
    HexBig,
    /// Base64; padding at the end is optional.
    Base64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct TextError {
    /// Line, from 1.
    pub line: u64,
    pub what: String,
}

pub trait TextSink {
    fn bytes(&mut self, bytes: &[u8]);

    /// Addresses show that `count` bytes are missing; `place` is where in the text.
    fn missing(&mut self, count: u64, place: &str);

    fn remark(&mut self, text: String);
}

impl TextSink for Vec<u8> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn missing(&mut self, _count: u64, _place: &str) {}

    fn remark(&mut self, _text: String) {}
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakenLine {
    /// Data, or part of its syntax.
    Data,
    LeftOut,
}

pub(super) trait LineReader: std::fmt::Debug + Send {
    fn line(&mut self, line: &TextLine, out: &mut dyn TextSink) -> Result<TakenLine, String>;

    fn finish(&mut self, _out: &mut dyn TextSink) -> Result<(), String> {
        Ok(())
    }

    fn name(&self) -> &'static str;

    /// How its words are read, unless that is beyond doubt.
    fn words(&self) -> Option<String> {
        None
    }
}

/// Omits an unreadable line if it is clearly not data.
pub(super) fn left_out(text: &str, wrong: &str) -> Result<TakenLine, String> {
    if is_banner(text) { Ok(TakenLine::LeftOut) } else { Err(format!("{wrong}: {}", shown(text))) }
}

pub(super) fn words_text(size: usize, order: ByteOrder) -> String {
    match order {
        ByteOrder::Little => format!(
            "words of {size} bytes, least significant byte first; --input hex-be reads the most significant one first"
        ),
        ByteOrder::Written => {
            format!(
                "digits in groups of {size} bytes, read as they stand; --input hex-le takes them for little-endian words"
            )
        }
    }
}

impl TextForm {
    /// The byte order of words, if specified.
    pub(super) fn order(self) -> Option<ByteOrder> {
        match self {
            TextForm::HexLittle => Some(ByteOrder::Little),
            TextForm::HexBig => Some(ByteOrder::Written),
            TextForm::Hex | TextForm::Base64 => None,
        }
    }
}

/// Maximum line length in characters. Longer lines are read in parts, split at a separator if possible.
pub(super) const LONGEST: usize = 64 << 10;
/// A digit string without separators is split after whole bytes, in hexadecimal and in base64.
const UNIT: usize = 16;

/// A line, or a part of a long one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextLine {
    /// From 1.
    pub number: u64,
    /// Without its line ending.
    pub text: String,
    /// The text continues a long line.
    pub goes_on: bool,
}

/// Splits text into lines at LF, CR LF or CR.
#[derive(Debug, Default)]
pub(super) struct TextLines {
    /// Number of lines before.
    before: u64,
    begun: Vec<u8>,
    goes_on: bool,
    after_cr: bool,
}

impl TextLines {
    /// Consumes text up to the end of a line and returns the line.
    pub(super) fn next(&mut self, text: &mut &[u8]) -> Option<TextLine> {
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

    /// The last line, if it has no line ending.
    pub(super) fn finish(&mut self) -> Option<TextLine> {
        (!self.begun.is_empty()).then(|| self.end())
    }

    fn end(&mut self) -> TextLine {
        let line = self.take(self.begun.len());
        self.before += 1;
        self.goes_on = false;
        line
    }

    fn part(&mut self) -> TextLine {
        // Commas first: gdb's repeat count follows a blank.
        let after = |is: fn(&u8) -> bool| self.begun.iter().rposition(is).map(|at| at + 1);
        let end = after(|byte| *byte == b',').or_else(|| after(u8::is_ascii_whitespace));
        let line = self.take(end.unwrap_or(LONGEST / UNIT * UNIT));
        self.goes_on = true;
        line
    }

    fn take(&mut self, len: usize) -> TextLine {
        let rest = self.begun.split_off(len.min(self.begun.len()));
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.begun, rest)).into_owned();
        TextLine { number: self.before + 1, text, goes_on: self.goes_on }
    }
}

/// Shorter lines need more foreign characters to be banners.
const SHORT: usize = 8;
/// Minimum number of letters of a word that is not damaged data.
const SHORTEST_WORD: usize = 3;

/// Whether a line is a banner rather than damaged data.
pub(super) fn is_banner(line: &str) -> bool {
    if line.split_whitespace().next().is_some_and(is_command) {
        return true;
    }
    let count = line.chars().filter(|c| !c.is_whitespace()).count();
    let foreign: usize = line.split_whitespace().map(foreign).sum();
    if count >= SHORT { foreign * 3 >= count } else { foreign * 2 > count }
}

/// Whether a line that begins with this word is a command, with or without a prompt; data never does.
fn is_command(word: &str) -> bool {
    let is_prompt = word.ends_with(['>', '$', '#', '%']) && !word.starts_with(['<', '|']);
    is_prompt || word == "(gdb)" || word == "(lldb)" || (word.len() >= SHORTEST_WORD && is_word(word))
}

/// Whether these are letters, and not all of them hexadecimal digits.
fn is_word(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && word.chars().any(|c| !c.is_ascii_hexdigit())
}

/// Number of characters of a word that are foreign to dumps. A word of letters is foreign as a whole.
fn foreign(word: &str) -> usize {
    let letters = word.trim_matches(|c: char| c.is_ascii_punctuation());
    if is_word(letters) || letters.is_empty() {
        return word.chars().count();
    }
    word.chars().filter(|c| !c.is_ascii_hexdigit() && !"x:,;".contains(*c)).count()
}

/// A prefix without its numbers.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Written,
    /// Least significant byte first.
    Little,
}

/// The bytes of an even number of hexadecimal digits; `None` if there are other characters.
pub(crate) fn hex_bytes(digits: &str, order: ByteOrder) -> Option<Vec<u8>> {
    let (pairs, odd) = digits.as_bytes().as_chunks::<2>();
    let mut bytes =
        pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect::<Option<Vec<u8>>>()?;
    if order == ByteOrder::Little {
        bytes.reverse();
    }
    odd.is_empty().then_some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// How many lines more than any other a form has before it is taken.
const LEAD: usize = 3;

/// The most frequent form of lines, with characters of data. Unless these are `all` lines, it leads by far.
pub(super) fn leading<F: PartialEq>(forms: impl Iterator<Item = (F, usize)>, all: bool) -> Option<F> {
    let mut counts: Vec<(F, usize, usize)> = Vec::new();
    for (form, characters) in forms {
        match counts.iter_mut().find(|(known, ..)| *known == form) {
            Some((_, lines, sum)) => (*lines, *sum) = (*lines + 1, *sum + characters),
            None => counts.push((form, 1, characters)),
        }
    }
    counts.sort_by_key(|(_, lines, characters)| std::cmp::Reverse((*lines, *characters)));
    let second = counts.get(1).map_or(0, |(_, lines, _)| *lines);
    let (form, lines, _) = counts.into_iter().next()?;
    (all || lines >= second + LEAD).then_some(form)
}

pub(super) fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) fn after_0x(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).filter(|digits| is_hex(digits))
}

/// Text for a message, shortened and without control characters.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let text = text.trim();
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// Maximum number of bytes produced by repeats, because a small text may decode to very many.
const MOST_REPEATED: u64 = 64 << 20;
const PIECE: usize = 64 << 10;

/// Bases of addresses, most common first.
pub(super) const BASES: [u32; 3] = [16, 8, 10];

fn value(address: &str, base: u32) -> Option<u64> {
    u64::from_str_radix(address, base).ok()
}

/// Addresses are digits, whose base the lines show.
#[derive(Debug)]
pub(super) struct Addresses {
    /// Bases in which all addresses so far are consecutive.
    bases: Vec<u32>,
    /// The previous line: address and bytes.
    before: Option<(String, Vec<u8>)>,
    /// A `*` follows that line.
    repeats: bool,
    repeated: u64,
}

impl Addresses {
    pub(super) fn new(bases: Vec<u32>) -> Addresses {
        Addresses { bases, before: None, repeats: false, repeated: 0 }
    }

    /// A `*`: the previous line repeats up to the next address.
    pub(super) fn repeat(&mut self) -> Result<(), String> {
        self.repeats = true;
        if self.before.is_some() { Ok(()) } else { Err("* without a line before it".to_owned()) }
    }

    /// A line with an address: outputs the previous line up to it, and repeats. A dump's last line has no bytes.
    pub(super) fn line(&mut self, at: String, bytes: Vec<u8>, line: u64, out: &mut dyn TextSink) -> Result<(), String> {
        if let Some((before, held)) = self.before.take() {
            let len = held.len() as u64;
            let follows =
                self.bases.iter().copied().filter(|base| follows(&before, len, &at, *base)).collect::<Vec<_>>();
            let is_end = bytes.is_empty();
            if self.repeats {
                self.repeats = false;
                out.bytes(&held);
                self.fill(&before, &at, &held, out)?;
            } else if follows.is_empty() {
                self.other(&before, &at, &held, (line, is_end), out)?;
            } else {
                self.bases = follows;
                out.bytes(&held);
            }
        }
        self.before = Some((at, bytes));
        Ok(())
    }

    fn base(&self) -> u32 {
        self.bases.first().copied().unwrap_or(16)
    }

    fn fill(&mut self, before: &str, at: &str, held: &[u8], out: &mut dyn TextSink) -> Result<(), String> {
        let len = held.len() as u64;
        let distance = |base: u32| value(at, base)?.checked_sub(value(before, base)?)?.checked_sub(len);
        let whole = self.bases.iter().find(|base| len > 0 && distance(**base).is_some_and(|left| left % len == 0));
        let base = whole.copied().unwrap_or(self.base());
        let Some(left) = distance(base).filter(|_| len > 0) else {
            return Err("* stands for repeated lines, but the address after it does not match".to_owned());
        };
        self.repeated = self.repeated.saturating_add(left);
        repeat(held, left, self.repeated, out)
    }

    /// An address that is not consecutive: the previous line has fewer bytes, as in the last word, or there is a gap.
    fn other(
        &mut self,
        before: &str,
        at: &str,
        held: &[u8],
        (line, is_end): (u64, bool),
        out: &mut dyn TextSink,
    ) -> Result<(), String> {
        let (base, len) = (self.base(), held.len() as u64);
        let (Some(first), Some(next)) = (value(before, base), value(at, base)) else {
            return Err(format!("{at} is not an address in base {base}, like those before it"));
        };
        let distance = next.wrapping_sub(first);
        if is_end && distance < len {
            // Words are padded with zeros.
            out.bytes(held.get(..distance as usize).unwrap_or(held));
            return Ok(());
        }
        if distance < len {
            return Err(format!(
                "address {at} is {distance} after that of the line before, of {len} bytes: its digits mean something else"
            ));
        }
        out.bytes(held);
        if next > first {
            out.missing(distance - len, &format!("before line {line}, address {at}"));
        } else {
            out.remark(format!("line {line}: addresses go back from {before} to {at}"));
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        if let Some((_, held)) = self.before.take() {
            out.bytes(&held);
        }
        if self.repeats { Err(REPEATS_WHAT.to_owned()) } else { Ok(()) }
    }

    /// The end of records; remarks on it if the final one, `last`, is missing.
    pub(super) fn finish_records(&mut self, ended: bool, last: &str, out: &mut dyn TextSink) -> Result<(), String> {
        if !ended {
            out.remark(format!("{last} is missing: there may be more"));
        }
        self.finish(out)
    }
}

pub(super) const REPEATS_WHAT: &str =
    "* stands for repeated lines, and no address says how many: dump with od -v, hexdump -v, or with addresses";

pub(super) fn follows(before: &str, len: u64, at: &str, base: u32) -> bool {
    value(before, base).and_then(|first| first.checked_add(len)).is_some_and(|next| value(at, base) == Some(next))
}

/// Outputs `count` bytes of `pattern`, repeated. `in_all` includes earlier repeats.
pub(super) fn repeat(pattern: &[u8], count: u64, in_all: u64, out: &mut dyn TextSink) -> Result<(), String> {
    if in_all > MOST_REPEATED {
        return Err(format!("repeats stand for {in_all} bytes; at most {MOST_REPEATED} are filled in"));
    }
    let whole = (PIECE / pattern.len().max(1)).max(1) * pattern.len();
    let block: Vec<u8> = pattern.iter().copied().cycle().take(whole.min(count as usize)).collect();
    let mut left = count as usize;
    while left > 0 && !block.is_empty() {
        let piece = block.get(..left.min(block.len())).unwrap_or_default();
        out.bytes(piece);
        left -= piece.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut text: &[u8]) -> Vec<(u64, String, bool)> {
        let mut lines = TextLines::default();
        let mut all: Vec<TextLine> = std::iter::from_fn(|| lines.next(&mut text)).collect();
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
