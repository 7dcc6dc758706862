//! Lines of hexadecimal digits: plain, in log lines, or with addresses and characters, as debuggers and dump tools
//! print them.

use std::sync::LazyLock;

use regex::Regex;

use super::lines::{
    Addresses, BASES, ByteOrder, LineReader, REPEATS_WHAT, TakenLine, TextLine, TextSink, after_0x, follows, hex_bytes,
    is_banner, is_hex, leading, left_out, shape, shown, words_text,
};

/// Whether a line has an address before its digits, or characters after them.
pub(super) fn has_address(line: &TextLine) -> bool {
    scan_line(line, true).is_some_and(|scan| scan.at.is_some() || scan.shown.is_some())
}

#[derive(Debug)]
pub(super) struct DumpReader {
    layout: DumpLayout,
    addresses: Addresses,
}

impl DumpReader {
    pub(super) fn new(layout: DumpLayout) -> DumpReader {
        DumpReader { addresses: Addresses::new(layout.bases.clone()), layout }
    }

    /// The address of a line that has nothing else: the end of a dump.
    fn last_address(&self, text: &str) -> Option<String> {
        self.layout.kind.mark?;
        let bare = text.strip_suffix(':').unwrap_or(text);
        let digits = after_0x(bare).unwrap_or(bare);
        (is_hex(digits) && bare.len() > 2).then(|| digits.to_owned())
    }

    /// Address and words of a line; `None` if it has another layout.
    fn parts(&self, line: &TextLine) -> Option<(Option<String>, Vec<String>)> {
        let Scan { at, mut words, .. } = scan_line(line, self.layout.kind.mark.is_some()).filter(|scan| {
            let goes_on = line.goes_on && self.layout.kind.mark.is_none();
            goes_on || LayoutKind::of(scan) == self.layout.kind || self.has_long_address(scan)
        })?;
        let address = match (at, self.layout.kind.mark) {
            (Some(at), _) => Some(at.digits.to_owned()),
            (None, Some(_)) => Some(words.remove(0)),
            (None, None) => None,
        };
        Some((address, words))
    }

    /// Whether the first word is an address that has grown as long as the words after it.
    fn has_long_address(&self, scan: &Scan<'_>) -> bool {
        let has_no_mark = self.layout.kind.mark == Some(AddressMark::Blank) && scan.at.is_none();
        has_no_mark && scan.words.len() > 1 && shape(scan.prefix) == self.layout.kind.prefix
    }

    fn bytes(&self, words: &[String]) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        for word in words {
            let octal = self.layout.is_octal.then(|| u16::from_str_radix(word, 8).ok());
            let of_word = match octal {
                Some(value) => value.map(|value| match self.layout.order {
                    ByteOrder::Little => value.to_le_bytes().to_vec(),
                    ByteOrder::Written => value.to_be_bytes().to_vec(),
                }),
                None => hex_bytes(word, self.layout.order),
            };
            bytes.extend(of_word.ok_or_else(|| format!("{} is not a number in this base", shown(word)))?);
        }
        Ok(bytes)
    }

    fn other(&self, text: &str) -> Result<TakenLine, String> {
        if let Some(odd) = tokens(text).iter().find(|token| is_odd(token.text)) {
            let wrong = format!("an odd number of digits in {}", shown(odd.text));
            return left_out(self.behind_prefix(text), &wrong);
        }
        let begins_with_address = self.layout.kind.mark.is_some_and(|mark| mark != AddressMark::Blank)
            && self.layout.kind.prefix.is_empty()
            && text.split_once([':', '=', '<']).is_some_and(|(at, _)| is_hex(after_0x(at.trim()).unwrap_or(at.trim())));
        if begins_with_address {
            return Err(format!("no data after this address: {}", shown(text)));
        }
        left_out(self.behind_prefix(text), "not in the format of the lines before it")
    }

    /// A line without the prefix of data lines.
    fn behind_prefix<'a>(&self, text: &'a str) -> &'a str {
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).take(MOST_PREFIX);
        let is_prefix = |end: &usize| text.get(..*end).is_some_and(|start| shape(start) == self.layout.kind.prefix);
        let end = if self.layout.kind.prefix.is_empty() { None } else { ends.filter(is_prefix).last() };
        end.and_then(|end| text.get(end..)).unwrap_or(text)
    }
}

/// Maximum length of an examined prefix, in characters.
const MOST_PREFIX: usize = 120;

fn is_odd(word: &str) -> bool {
    let digits = after_0x(word).unwrap_or(word);
    is_hex(digits) && digits.len() % 2 == 1
}

impl LineReader for DumpReader {
    fn line(&mut self, line: &TextLine, out: &mut dyn TextSink) -> Result<TakenLine, String> {
        let text = line.text.trim();
        if text.is_empty() {
            return Ok(TakenLine::Data);
        }
        if text == "*" {
            self.layout.kind.mark.ok_or(REPEATS_WHAT)?;
            return self.addresses.repeat().map(|()| TakenLine::Data);
        }
        if let Some(address) = self.last_address(text) {
            self.addresses.line(address, Vec::new(), line.number, out)?;
            return Ok(TakenLine::Data);
        }
        let Some((address, words)) = self.parts(line) else { return self.other(text) };
        let bytes = self.bytes(&words)?;
        match address {
            Some(address) => self.addresses.line(address, bytes, line.number, out)?,
            None => out.bytes(&bytes),
        }
        Ok(TakenLine::Data)
    }

    fn finish(&mut self, out: &mut dyn TextSink) -> Result<(), String> {
        self.addresses.finish(out)
    }

    fn name(&self) -> &'static str {
        "a hex dump"
    }

    fn words(&self) -> Option<String> {
        self.layout.words.clone()
    }
}

/// Numbers of digits that words may have.
const WORDS: [usize; 3] = [4, 8, 16];
/// Number of digits of an octal 16-bit word.
const OCTAL_WORD: usize = 6;

/// Common properties of the lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DumpLayout {
    kind: LayoutKind,
    /// Bases in which the addresses are consecutive.
    bases: Vec<u32>,
    /// Digits are octal 16-bit words.
    is_octal: bool,
    order: ByteOrder,
    /// Remark on how its words are read.
    words: Option<String>,
}

/// Common properties of lines, before words are examined.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LayoutKind {
    /// Text before address and data, without numbers.
    prefix: String,
    /// `None` without addresses.
    mark: Option<AddressMark>,
    zero_x: bool,
}

impl LayoutKind {
    fn of(scan: &Scan<'_>) -> LayoutKind {
        let mark = scan.at.as_ref().map(|at| at.mark);
        LayoutKind { prefix: shape(scan.prefix), mark, zero_x: scan.style == DigitStyle::ZeroX }
    }
}

impl DumpLayout {
    /// The layout of most lines. Unless they are `all` lines, it must be beyond doubt.
    pub(super) fn of(lines: &[TextLine], all: bool, order: Option<ByteOrder>) -> Option<DumpLayout> {
        let scans: Vec<Scan<'_>> = lines.iter().filter_map(|line| scan_line(line, true)).collect();
        let (kind, of_kind) = most(&scans, all)?;
        if kind.mark == Some(AddressMark::Blank) && !are_addresses(&of_kind) {
            let plain: Vec<Scan<'_>> = lines.iter().filter_map(|line| scan_line(line, false)).collect();
            let (kind, of_kind) = most(&plain, all)?;
            return DumpLayout::of_kind(kind, &of_kind, all, order);
        }
        DumpLayout::of_kind(kind, &of_kind, all, order)
    }

    fn of_kind(kind: LayoutKind, scans: &[&Scan<'_>], all: bool, asked: Option<ByteOrder>) -> Option<DumpLayout> {
        let width = width(scans);
        let is_octal = width == Some(OCTAL_WORD) && scans.len() > 1 && scans.iter().all(is_octal);
        let shown = scans.iter().find_map(|scan| scan.shown.and_then(|shown| shown.order()));
        let has_characters = scans.iter().any(|scan| scan.shown.is_some());
        let is_word = is_octal || width.is_some_and(|width| WORDS.contains(&width));
        if is_word && has_characters && shown.is_none() && asked.is_none() && !all {
            // Characters in later lines may reveal the byte order.
            return None;
        }
        let usual = if is_word { usual_order(&kind, scans) } else { ByteOrder::Written };
        let order = asked.or(shown).unwrap_or(usual);
        let is_group = scans.iter().any(|scan| scan.words.len() > 1) || kind.zero_x || kind.mark.is_some();
        let is_xxd = kind.mark == Some(AddressMark::Colon) && !kind.zero_x && order == ByteOrder::Written;
        let in_doubt = is_word && is_group && asked.is_none() && !(is_xxd || shown == Some(ByteOrder::Written));
        let size = width.map(|width| if is_octal { 2 } else { width / 2 });
        let words = size.filter(|_| in_doubt).map(|size| words_text(size, order));
        Some(DumpLayout { kind, bases: bases(scans), is_octal, order, words })
    }
}

fn scan_line(line: &TextLine, with_address: bool) -> Option<Scan<'_>> {
    scan(&line.text, with_address, line.goes_on)
}

/// The most frequent kind of line, and its lines. Unless they are `all` lines, it must lead by far.
fn most<'s, 'a>(scans: &'s [Scan<'a>], all: bool) -> Option<(LayoutKind, Vec<&'s Scan<'a>>)> {
    let digits = |scan: &Scan<'_>| scan.words.iter().map(String::len).sum();
    let kind = leading(scans.iter().map(|scan| (LayoutKind::of(scan), digits(scan))), all)?;
    let of_kind = scans.iter().filter(|scan| LayoutKind::of(scan) == kind).collect();
    Some((kind, of_kind))
}

/// Digits per word; the last word of a line may have fewer.
fn width(scans: &[&Scan<'_>]) -> Option<usize> {
    let width = scans.iter().flat_map(|scan| &scan.words).map(String::len).max()?;
    let is_even = |words: &[String]| match words.split_last() {
        Some((last, others)) => last.len() <= width && others.iter().all(|word| word.len() == width),
        None => true,
    };
    scans.iter().all(|scan| is_even(&scan.words)).then_some(width)
}

fn is_octal(scan: &&Scan<'_>) -> bool {
    let is_word =
        |word: &String| word.starts_with(['0', '1']) && word.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    scan.style == DigitStyle::Bare && scan.words.iter().all(is_word)
}

/// The byte order of words if no characters reveal it.
fn usual_order(kind: &LayoutKind, scans: &[&Scan<'_>]) -> ByteOrder {
    let of_memory = scans.iter().any(|scan| scan.at.as_ref().is_some_and(|at| at.zero_x));
    let is_of_od = || scans.iter().all(|scan| scan.indent == 1 && scan.words.len() > 1);
    match kind.mark {
        _ if kind.zero_x => ByteOrder::Little,
        Some(AddressMark::Equals | AddressMark::Blank) => ByteOrder::Little,
        Some(AddressMark::Colon) if of_memory => ByteOrder::Little,
        None if kind.prefix.is_empty() && is_of_od() => ByteOrder::Little,
        _ => ByteOrder::Written,
    }
}

/// Address and number of bytes of each line.
fn steps<'s>(scans: &'s [&Scan<'_>]) -> impl Iterator<Item = (&'s str, u64)> + 's {
    let bytes = |scan: &Scan<'_>| scan.words.iter().map(|word| word.len() as u64 / 2).sum();
    scans.iter().filter_map(move |scan| Some((scan.at.as_ref()?.digits, bytes(scan))))
}

/// How many addresses are consecutive to the previous line in a base.
fn following(scans: &[&Scan<'_>], base: u32) -> usize {
    let pairs = steps(scans).zip(steps(scans).skip(1));
    pairs.filter(|((before, len), (at, _))| follows(before, *len, at, base)).count()
}

/// The bases in which most addresses are consecutive.
fn bases(scans: &[&Scan<'_>]) -> Vec<u32> {
    if scans.iter().any(|scan| scan.at.as_ref().is_some_and(|at| at.zero_x)) {
        return vec![16];
    }
    let most = BASES.iter().map(|base| following(scans, *base)).max();
    BASES.into_iter().filter(|base| Some(following(scans, *base)) == most).collect()
}

/// Whether first words without a mark are addresses rather than data.
fn are_addresses(scans: &[&Scan<'_>]) -> bool {
    let digits = |scan: &&Scan<'_>| scan.at.as_ref().map(|at| at.digits.to_owned()).unwrap_or_default();
    let is_address = |digits: &String| digits.len() % 2 == 1 || digits.starts_with("0000");
    let rises = scans.iter().map(digits).is_sorted();
    let is_marked = scans.iter().any(|scan| scan.at.as_ref().is_some_and(|at| at.zero_x));
    is_marked
        || BASES.iter().any(|base| following(scans, *base) > 0)
        || scans.iter().map(digits).all(|digits| is_address(&digits))
        || (scans.len() > 1 && rises)
}

/// Maximum number of words examined before the data of a line.
const MOST_BEFORE: usize = 24;
/// Maximum number of bytes in a line with characters.
const MOST_BESIDE: usize = 256;
/// Minimum number of digits of an address.
const SHORTEST_ADDRESS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum AddressMark {
    /// `00000010:`, as xxd, gdb, OpenOCD.
    Colon,
    /// `00000010 =`, as J-Link.
    Equals,
    /// Blanks, as od and hexdump.
    Blank,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct At<'a> {
    digits: &'a str,
    mark: AddressMark,
    /// The address begins with `0x`.
    zero_x: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Scan<'a> {
    /// Text before address and data, without a leading time.
    prefix: &'a str,
    at: Option<At<'a>>,
    style: DigitStyle,
    words: Vec<String>,
    /// Set if the characters after the words show these bytes.
    shown: Option<ShownBytes>,
    /// Blanks before the first word, if nothing else precedes it.
    indent: usize,
}

/// A time that looks like data: `12:31:00`, with a date or month name before it.
static STAMP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let date = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})[ T,]+";
    let day = r"(?:[A-Z][a-z]{2},?\s+)?[A-Z][a-z]{2}\s+\d{1,2},?\s+(?:\d{4}\s+)?";
    let time = r"\d{1,2}:\d{2}:\d{2}(?:[.,:]\d+)*(?:Z|[+-]\d{2}:?\d{2})?";
    Regex::new(&format!(r"^\s*[\[(<]?\s*(?:{date}|{day})?{time}(?:\s+\d{{4}}[\])>])?[\])>]?(?:\s*(?:->|[-:>|]))?\s+"))
        .ok()
});

/// Parses a line, with or without an address; `None` without data. The continuation of a long line begins with data.
fn scan(line: &str, with_address: bool, goes_on: bool) -> Option<Scan<'_>> {
    let stamp = STAMP.as_ref().and_then(|stamp| stamp.find(line)).map_or(0, |found| found.end());
    let rest = line.get(stamp..)?;
    let tokens = tokens(rest);
    let starts = if goes_on { 1 } else { tokens.len().min(MOST_BEFORE) };
    (0..starts).find_map(|start| scan_from(rest, &tokens, start, with_address))
}

fn scan_from<'a>(line: &'a str, tokens: &[Token<'a>], start: usize, with_address: bool) -> Option<Scan<'a>> {
    let first = tokens.get(start)?;
    let prefix = line.get(..first.start)?;
    // An address does not follow another one, and data begins with digits.
    let is_begin = start == 0 || tokens.get(start - 1).is_none_or(|before| style_of(before.text).is_none());
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

/// The address at a word, and the index of the first word after it.
fn address<'a>(line: &'a str, tokens: &[Token<'a>], start: usize, is_begin: bool) -> Option<(At<'a>, usize)> {
    let word = tokens.get(start)?.text;
    let bare = word.strip_suffix(':').unwrap_or(word);
    let (digits, zero_x) = after_0x(bare).map_or((bare, false), |digits| (digits, true));
    let is_long = zero_x || digits.len() >= SHORTEST_ADDRESS;
    if !is_hex(digits) || !is_long {
        return None;
    }
    let at = |mark: AddressMark| At { digits, mark, zero_x };
    if bare.len() < word.len() {
        return Some((at(AddressMark::Colon), start + 1));
    }
    let next = tokens.get(start + 1)?.text;
    if next == "=" {
        return Some((at(AddressMark::Equals), start + 2));
    }
    if next.starts_with('<') {
        // Names of C++ functions contain blanks.
        let end = line.rfind(">:").map(|at| at + 2)?;
        let behind = tokens.iter().position(|token| token.start >= end)?;
        return Some((at(AddressMark::Colon), behind));
    }
    // Without a mark, it must differ from what follows.
    let of_next = style_of(next)?;
    let differs = if zero_x { of_next != DigitStyle::ZeroX } else { digits.len() != next.len() };
    (is_begin && differs && !matches!(of_next, DigitStyle::Joined(_))).then(|| (at(AddressMark::Blank), start + 1))
}

/// Whether the text before data is damaged data.
fn is_data(prefix: &str) -> bool {
    let is_marked = || prefix.contains(|c: char| c.is_ascii_punctuation());
    prefix.split_whitespace().last().is_some_and(|last| is_hex(last) || !(is_marked() || is_banner(prefix)))
}

type Data = (DigitStyle, Vec<String>, Option<ShownBytes>);

/// The digits up to the end of the line, or up to their repetition as characters.
fn data_from(line: &str, tokens: &[Token<'_>]) -> Option<Data> {
    let style = style_of(tokens.first()?.text)?;
    let run = tokens.iter().take_while(|token| style_of(token.text) == Some(style)).count();
    let words: Vec<String> = tokens.iter().take(run).map(|token| digits(token.text)).collect();
    let is_wide = |end: usize, next: usize| line.get(end..next).is_some_and(|gap| gap.len() > 1 || gap == "\t");
    let rest_of = |count: usize| {
        let end = tokens.get(count - 1).map(|token| token.start + token.text.len())?;
        Some((end, line.get(end..)?.trim_end()))
    };
    // Text that shows the preceding bytes is not data, even if it looks like digits.
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

/// Byte orders in which the digits match the characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ShownBytes {
    /// The groups can be read as written.
    written: bool,
    /// The groups can be read as little-endian words.
    little: bool,
}

impl ShownBytes {
    fn is_any(self) -> bool {
        self.written || self.little
    }

    /// The byte order, if only one fits.
    fn order(self) -> Option<ByteOrder> {
        match (self.written, self.little) {
            (true, false) => Some(ByteOrder::Written),
            (false, true) => Some(ByteOrder::Little),
            _ => None,
        }
    }
}

/// Byte orders in which `text` shows the words as characters.
fn shows(words: &[String], text: &str) -> ShownBytes {
    let bytes =
        |order: ByteOrder| -> Vec<u8> { words.iter().filter_map(|word| hex_bytes(word, order)).flatten().collect() };
    let bars = ["|", ">", "'", "\"", "#"];
    let bare = bars.iter().find_map(|bar| text.trim().strip_prefix(bar));
    let bare = bare.map(|text| text.trim_end_matches(['|', '<', '\'', '"']));
    let shown = |order: ByteOrder| {
        let bytes = bytes(order);
        is_of(&bytes, text) || bare.is_some_and(|text| is_of(&bytes, text))
    };
    ShownBytes { written: shown(ByteOrder::Written), little: shown(ByteOrder::Little) }
}

/// Whether each character matches a byte. Blanks may be missing at either end, and may separate halves.
fn is_of(bytes: &[u8], text: &str) -> bool {
    let is_blank = |byte: &u8| *byte == b' ';
    let first = bytes.iter().position(|byte| !is_blank(byte)).unwrap_or(bytes.len());
    let last = bytes.iter().rposition(|byte| !is_blank(byte)).map_or(first, |at| at + 1);
    let bytes = bytes.get(first..last).unwrap_or_default();
    let mut characters = text.trim().chars();
    let each = bytes.iter().all(|byte| characters.next().is_some_and(|c| is_shown_as(*byte, c)));
    each && characters.next().is_none()
}

fn is_shown_as(byte: u8, c: char) -> bool {
    match byte {
        0x20..0x7F => c == char::from(byte),
        _ => !c.is_ascii_alphanumeric(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum DigitStyle {
    /// `7e`, `7efe0001`.
    Bare,
    /// `0x7e`.
    ZeroX,
    /// `01:00:fe`.
    Joined(char),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token<'a> {
    start: usize,
    text: &'a str,
}

fn tokens(line: &str) -> Vec<Token<'_>> {
    let is_between = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let words = line.split(is_between).filter(|word| !word.is_empty());
    words.map(|text| Token { start: text.as_ptr().addr() - line.as_ptr().addr(), text }).collect()
}

/// The notation of a word; `None` if it is not data. Data has whole bytes.
fn style_of(word: &str) -> Option<DigitStyle> {
    if let Some(digits) = after_0x(word) {
        return digits.len().is_multiple_of(2).then_some(DigitStyle::ZeroX);
    }
    if is_hex(word) {
        return word.len().is_multiple_of(2).then_some(DigitStyle::Bare);
    }
    let joint = word.chars().find(|c| !c.is_ascii_hexdigit()).filter(|c| matches!(c, ':' | '-'))?;
    let pairs = word.strip_suffix(joint).unwrap_or(word);
    let whole = pairs.contains(joint) && pairs.split(joint).all(|pair| pair.len() == 2 && is_hex(pair));
    whole.then_some(DigitStyle::Joined(joint))
}

/// The digits of a word, without separators and marks.
fn digits(word: &str) -> String {
    after_0x(word).unwrap_or(word).chars().filter(char::is_ascii_hexdigit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::text::lines::shape;

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

    #[test]
    fn characters_show_bytes_and_their_order() {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let of = |list: &[&str], text: &str| shows(&words(list), text);
        assert_eq!(of(&["0100", "4142"], "..AB").order(), Some(ByteOrder::Written));
        assert_eq!(of(&["0001", "4241"], "..AB").order(), Some(ByteOrder::Little));
        assert_eq!(of(&["41", "42"], "|AB|"), ShownBytes { written: true, little: true });
        assert_eq!(of(&["7c", "42"], "|B"), ShownBytes { written: true, little: true });
        assert_eq!(of(&["20", "42", "20"], " B"), ShownBytes { written: true, little: true });
        assert!(of(&["41", "42"], ">AB<").is_any());
        for text in ["AC", "A", "ABC", "41 42", ""] {
            assert!(!of(&["41", "42"], text).is_any(), "{text}");
        }
    }

    #[test]
    fn digits_make_whole_bytes() {
        assert_eq!(style_of("0x7E"), Some(DigitStyle::ZeroX));
        assert_eq!(style_of("7e"), Some(DigitStyle::Bare));
        assert_eq!(style_of("01:00:fe:"), Some(DigitStyle::Joined(':')));
        assert_eq!(style_of("01-00"), Some(DigitStyle::Joined('-')));
        for word in ["7", "0x7", "07e", "01:0", "1:00", "01:", "uart-1:", "0x", "", "01:00-fe", "7g"] {
            assert_eq!(style_of(word), None, "{word}");
        }
    }

    #[test]
    fn words_stand_between_blanks_and_commas() {
        let words: Vec<(usize, &str)> =
            tokens(" 01,02;\t0x3 é ").iter().map(|token| (token.start, token.text)).collect();
        assert_eq!(words, [(1, "01"), (4, "02"), (8, "0x3"), (12, "é")]);
    }
}
