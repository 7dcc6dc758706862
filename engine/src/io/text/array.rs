//! Arrays of C and gdb, and lists of numbers that begin with `0x`.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    dump::has_address,
    lines::{ByteOrder, LineReader, TakenLine, TextLine, TextSink, after_0x, left_out, repeat, shown, words_text},
};

/// Number of lines that suffice to recognise a list whose numbers all have two digits.
const ENOUGH: usize = 3;

static OPENING: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:^|=)\s*\{").ok());
static TYPE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bu?int(?P<bits>8|16|32|64)_t\b|\b(?P<char>char)\b|\b(?P<short>short)\b").ok());
static COUNT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\w+_(?:len|size)\s*=\s*(\d+)\s*;").ok());

#[derive(Debug)]
pub(super) struct Array {
    items: Items,
    has_braces: bool,
    /// Bytes per number.
    size: usize,
    order: ByteOrder,
    /// The last number, which may be repeated.
    latest: Vec<u8>,
    repeated: u64,
    count: u64,
}

impl Array {
    /// A reader if the lines are an array. `Some(None)`: more lines are needed to know the size of the numbers.
    pub(super) fn of(lines: &[TextLine], all: bool, order: Option<ByteOrder>) -> Option<Option<Array>> {
        let is_opening = |line: &&TextLine| {
            !has_address(line) && OPENING.as_ref().is_some_and(|opening| opening.is_match(&line.text))
        };
        let has_braces = lines.iter().any(|line| is_opening(&line));
        let numbers = lines.iter().filter(|line| is_list(&line.text)).count();
        if !has_braces && numbers * 2 < lines.len() {
            return None;
        }
        let sizes = Sizes::of(lines, has_braces);
        let is_known = sizes.declared.is_some() || (sizes.all_of_two_digits && numbers >= ENOUGH);
        if !(all || is_known) {
            return Some(None);
        }
        let (size, order) = (sizes.size(), order.unwrap_or(ByteOrder::Little));
        let items = Items::default();
        Some(Some(Array { items, has_braces, size, order, latest: Vec::new(), repeated: 0, count: 0 }))
    }

    fn number(&mut self, word: &str, out: &mut dyn TextSink) -> Result<(), String> {
        let value = value(word).ok_or_else(|| format!("{} is not a number", shown(word)))?;
        let bits = 8 * self.size as u32;
        if value >= 1 << bits || value < -(1 << (bits - 1)) {
            let size = self.size;
            return Err(format!("{word} does not fit in {size} B, the size of the numbers before it"));
        }
        let mut bytes: Vec<u8> = value.to_le_bytes().into_iter().take(self.size).collect();
        if self.order == ByteOrder::Written {
            bytes.reverse();
        }
        out.bytes(&bytes);
        (self.latest, self.count) = (bytes, self.count + 1);
        Ok(())
    }

    fn again(&mut self, times: u64, out: &mut dyn TextSink) -> Result<(), String> {
        let more = times.saturating_sub(1);
        let bytes = more.saturating_mul(self.latest.len() as u64);
        self.repeated = self.repeated.saturating_add(bytes);
        self.count = self.count.saturating_add(more);
        repeat(&self.latest, bytes, self.repeated, out)
    }

    /// Whether text is the number of elements that C states after an array.
    fn is_count(&self, text: &str) -> Result<bool, String> {
        let found = COUNT.as_ref().and_then(|count| count.captures(text));
        let Some(stated) = found.and_then(|found| found.get(1)?.as_str().parse::<u64>().ok()) else { return Ok(false) };
        let bytes = self.count.saturating_mul(self.size as u64);
        if stated == self.count || stated == bytes || self.count == 0 {
            return Ok(true);
        }
        Err(format!("read {} numbers, but this line says {stated}: {}", self.count, shown(text)))
    }
}

impl LineReader for Array {
    fn line(&mut self, line: &TextLine, out: &mut dyn TextSink) -> Result<TakenLine, String> {
        let was_inside = self.items.is_inside();
        let items = self.items.line(&line.text);
        let (is_inside, is_empty) = (self.items.is_inside(), items.is_empty());
        let touches = was_inside || is_inside || items.iter().any(|(item, _)| *item == ArrayItem::Brace);
        if self.has_braces && !touches && !is_empty {
            return if self.is_count(&line.text)? {
                Ok(TakenLine::Data)
            } else {
                left_out(&line.text, "outside the braces of an array")
            };
        }
        if !self.has_braces && !is_empty && !is_list(&line.text) {
            return left_out(&line.text, "not a list of numbers like the lines before it");
        }
        for (item, depth) in items {
            match item {
                ArrayItem::Word(word) if depth > 0 || !self.has_braces => self.number(&word, out)?,
                ArrayItem::Repeats(times) => self.again(times, out)?,
                ArrayItem::Cut => {
                    return Err("the array is cut off here; in gdb, set print elements 0 prints all of it".to_owned());
                }
                ArrayItem::Word(_) | ArrayItem::Brace => {}
            }
        }
        Ok(TakenLine::Data)
    }

    fn finish(&mut self, _out: &mut dyn TextSink) -> Result<(), String> {
        if self.items.is_inside() {
            Err("the array has no end: its closing brace is missing".to_owned())
        } else {
            Ok(())
        }
    }

    fn name(&self) -> &'static str {
        "a list of numbers"
    }

    fn words(&self) -> Option<String> {
        (self.size > 1).then(|| words_text(self.size, self.order))
    }
}

/// Whether a line is numbers, some of them with `0x`.
fn is_list(text: &str) -> bool {
    let items = Items::default().line(text);
    let is_number = |item: &ArrayItem| {
        matches!(item, ArrayItem::Word(word) if value(word).is_some())
            || matches!(item, ArrayItem::Repeats(_) | ArrayItem::Brace)
    };
    let has_0x = items
        .iter()
        .any(|(item, _)| matches!(item, ArrayItem::Word(word) if word.starts_with("0x") || word.starts_with("0X")));
    has_0x && items.iter().all(|(item, _)| is_number(item))
}

/// A number as in C: hexadecimal, octal or decimal, with a suffix.
fn value(word: &str) -> Option<i128> {
    let is_hex = word.starts_with("0x") || word.starts_with("0X");
    let bare = word.trim_end_matches(['u', 'U', 'l', 'L']);
    if is_hex {
        return after_0x(bare).and_then(|digits| u64::from_str_radix(digits, 16).ok()).map(i128::from);
    }
    let octal = bare.strip_prefix('0').filter(|digits| !digits.is_empty());
    match octal {
        Some(digits) => u64::from_str_radix(digits, 8).ok().map(i128::from),
        None => bare.parse::<i64>().map(i128::from).or_else(|_| bare.parse::<u64>().map(i128::from)).ok(),
    }
}

#[derive(Debug)]
struct Sizes {
    declared: Option<usize>,
    /// Maximum number of digits after `0x`.
    digits: usize,
    largest: i128,
    all_of_two_digits: bool,
}

impl Sizes {
    fn of(lines: &[TextLine], has_braces: bool) -> Sizes {
        let mut sizes = Sizes { declared: None, digits: 0, largest: 0, all_of_two_digits: true };
        let mut items = Items::default();
        for line in lines {
            if line.text.contains(['{', '[']) {
                sizes.declared = sizes.declared.or_else(|| declared(&line.text));
            }
            for (item, depth) in items.line(&line.text) {
                if let ArrayItem::Word(word) = item
                    && (depth > 0 || !has_braces)
                {
                    sizes.add(&word);
                }
            }
        }
        sizes
    }

    fn add(&mut self, word: &str) {
        let digits = after_0x(word.trim_end_matches(['u', 'U', 'l', 'L'])).map_or(0, str::len);
        self.all_of_two_digits &= digits == 2;
        self.digits = self.digits.max(digits);
        let value = value(word).unwrap_or_default();
        self.largest = self.largest.max(if value < 0 { -2 * value - 1 } else { value });
    }

    fn size(&self) -> usize {
        let of_digits = self.digits.div_ceil(2);
        let of_value = (1..=8).find(|size| self.largest < 1i128 << (8 * size)).unwrap_or(8);
        self.declared.unwrap_or(of_digits.max(of_value).next_power_of_two().min(8))
    }
}

/// Size of the type in a declaration.
fn declared(text: &str) -> Option<usize> {
    let found = TYPE.as_ref()?.captures(text)?;
    if let Some(bits) = found.name("bits") {
        return bits.as_str().parse::<usize>().ok().map(|bits| bits / 8);
    }
    Some(if found.name("char").is_some() { 1 } else { 2 })
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ArrayItem {
    Word(String),
    /// `<repeats 12 times>`: how often the preceding number occurs.
    Repeats(u64),
    /// `...`: gdb prints no more.
    Cut,
    Brace,
}

/// Maximum length of a repeat notice, in characters.
const LONGEST_REPEAT: usize = 48;

#[derive(Debug, Default)]
struct Items {
    is_comment: bool,
    depth: usize,
}

impl Items {
    fn is_inside(&self) -> bool {
        self.depth > 0
    }

    /// The items of a line, each with its brace depth.
    pub(super) fn line(&mut self, line: &str) -> Vec<(ArrayItem, usize)> {
        let mut items = Vec::new();
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            if self.is_comment {
                let end = rest.find("*/").map(|at| at + 2);
                self.is_comment = end.is_none();
                rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
            } else if rest.starts_with("//") {
                break;
            } else if rest.starts_with("/*") {
                self.is_comment = true;
                rest = rest.get(2..).unwrap_or_default();
            } else {
                let (item, len) = self.item(rest, c);
                items.extend(item.map(|item| (item, self.depth)));
                rest = rest.get(len..).unwrap_or_default();
            }
        }
        items
    }

    /// The first item, and its length.
    fn item(&mut self, rest: &str, c: char) -> (Option<ArrayItem>, usize) {
        let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '[' | ']' | '(' | ')' | '\'' | '"');
        match c {
            c if is_between(c) => (None, c.len_utf8()),
            '{' => {
                self.depth += 1;
                (Some(ArrayItem::Brace), 1)
            }
            '}' => {
                self.depth = self.depth.saturating_sub(1);
                (Some(ArrayItem::Brace), 1)
            }
            '<' if repeats(rest).is_some() => {
                let (times, len) = repeats(rest).unwrap_or_default();
                (Some(ArrayItem::Repeats(times)), len)
            }
            _ if rest.starts_with("...") => (Some(ArrayItem::Cut), 3),
            _ => {
                let ends = |(at, c): (usize, char)| is_between(c) || matches!(c, '{' | '}') || (at > 0 && c == '<');
                let end = rest.char_indices().find(|place| ends(*place)).map_or(rest.len(), |(at, _)| at);
                let word = rest.get(..end).unwrap_or_default();
                let end = ["...", "//", "/*"].iter().filter_map(|stop| word.find(stop)).fold(end, usize::min);
                (word.get(..end).map(|word| ArrayItem::Word(word.to_owned())), end.max(1))
            }
        }
    }
}

/// The number in `<repeats 12 times>`, and the length of the notice.
fn repeats(rest: &str) -> Option<(u64, usize)> {
    let near = rest.char_indices().nth(LONGEST_REPEAT).and_then(|(at, _)| rest.get(..at)).unwrap_or(rest);
    let (inside, _) = near.strip_prefix('<')?.split_once('>')?;
    let mut words = inside.split_whitespace();
    let times = words.next().filter(|word| *word == "repeats").and_then(|_| words.next())?.parse().ok()?;
    Some((times, inside.len() + 2))
}
