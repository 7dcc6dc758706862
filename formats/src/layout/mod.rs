//! Layouts: the fields of an application record and their meanings; words for numbers and bits. `line` parses a
//! `record` line.

mod line;

use std::{collections::HashMap, sync::Arc};

pub(crate) use line::record_words;

use crate::{
    Endian,
    template::Mistake,
    words::{Word, Wrong, number},
};

/// The fields of an application record and their meanings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub fields: Vec<LayoutField>,
    pub meanings: Vec<Meaning>,
    /// The line has its own text, which shows the fields.
    pub has_text: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LayoutField {
    /// Its name; `None` = hidden.
    pub name: Option<String>,
    pub ty: FieldType,
    /// Byte order of its number; `None` = the record's.
    pub endian: Option<Endian>,
    /// Factor of its number.
    pub scale: Option<f64>,
    /// Unit of its number; may be empty.
    pub unit: String,
    pub texts: Option<Arc<Texts>>,
    /// Name of these words, and its offset in the line.
    pub(crate) texts_name: Option<(String, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Unsigned, size in bytes.
    Unsigned(usize),
    /// Unsigned, shown in hexadecimal, size in bytes.
    Hex(usize),
    /// Signed, size in bytes.
    Signed(usize),
    /// A float of 4 or 8 bytes.
    Float(usize),
    /// Zero-padded text, size in bytes; `None` = up to a zero or the end.
    Text(Option<usize>),
    /// Bytes; `None` = all remaining.
    Bytes(Option<usize>),
}

impl FieldType {
    /// Its size in bytes; `None` = depends on the record.
    pub fn size(self) -> Option<usize> {
        match self {
            FieldType::Unsigned(size) | FieldType::Hex(size) | FieldType::Signed(size) | FieldType::Float(size) => {
                Some(size)
            }
            FieldType::Text(size) | FieldType::Bytes(size) => size,
        }
    }

    pub fn is_integer(self) -> bool {
        matches!(self, FieldType::Unsigned(_) | FieldType::Hex(_) | FieldType::Signed(_))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The field with this index is a state.
    State(usize),
    /// The field with this index is a value over time.
    Value(usize),
    /// A span of this name begins.
    Begin(String),
    End(String),
}

impl Layout {
    /// Whether records with it may have another severity or feed views.
    pub fn has_effects(&self) -> bool {
        !self.meanings.is_empty() || self.has_marks()
    }

    pub fn has_marks(&self) -> bool {
        self.fields.iter().any(|field| field.texts.as_ref().is_some_and(|texts| texts.has_marks()))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().filter_map(|field| field.name.as_deref())
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name.as_deref() == Some(name))
    }

    /// Minimum size of a record in bytes.
    pub fn least_size(&self) -> usize {
        self.fields.iter().filter_map(|field| field.ty.size()).sum()
    }

    /// Looks up its words; fails at the first field whose words are unknown or do not fit, with the place in the line.
    pub(crate) fn resolve(&mut self, known: &HashMap<String, Arc<Texts>>) -> Result<(), Mistake> {
        for field in &mut self.fields {
            let Some((name, at)) = &field.texts_name else { continue };
            let wrong = |message| Mistake { at: *at, message };
            let texts = known.get(name).ok_or_else(|| wrong(unknown(name, known)))?;
            if let Some(message) = texts.exceeds(field.ty) {
                return Err(wrong(format!("{name} {message}")));
            }
            field.texts = Some(Arc::clone(texts));
        }
        Ok(())
    }
}

/// Maximum number of names listed in a message.
const MOST_LISTED: usize = 12;

fn unknown(name: &str, known: &HashMap<String, Arc<Texts>>) -> String {
    let mut names: Vec<&str> = known.keys().map(String::as_str).collect();
    names.sort_unstable();
    names.truncate(MOST_LISTED);
    match names.as_slice() {
        [] => format!("no words or bits {name}; a line defines them: words {name} 0 off 1 on"),
        names => format!("no words or bits {name}; known are {}", names.join(" ")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    Warning,
    Error,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worded {
    pub text: String,
    pub mark: Option<Mark>,
}

/// Words of numbers or bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Texts {
    /// Words for numbers; negative numbers as two's complement.
    Words(HashMap<u64, Worded>),
    /// Words for bits, numbered from 0.
    Bits(Vec<(u32, Worded)>),
}

impl Texts {
    pub fn len(&self) -> usize {
        match self {
            Texts::Words(words) => words.len(),
            Texts::Bits(bits) => bits.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn has_marks(&self) -> bool {
        match self {
            Texts::Words(words) => words.values().any(|word| word.mark.is_some()),
            Texts::Bits(bits) => bits.iter().any(|(_, word)| word.mark.is_some()),
        }
    }

    pub fn mark(&self, number: u64) -> Option<Mark> {
        match self {
            Texts::Words(words) => words.get(&number).and_then(|word| word.mark),
            Texts::Bits(bits) => {
                let set = bits.iter().filter(|(bit, _)| number >> bit & 1 == 1);
                set.filter_map(|(_, word)| word.mark).max()
            }
        }
    }

    /// Why a field of this type can't have these words.
    fn exceeds(&self, ty: FieldType) -> Option<String> {
        let Some(size) = ty.size().filter(|_| ty.is_integer()) else {
            return Some("are for integers, which the field is not".to_owned());
        };
        let bits = 8 * size as u32;
        match self {
            Texts::Words(words) => {
                let fits = |number: u64| match ty {
                    FieldType::Signed(_) => (number as i64) << (64 - bits) >> (64 - bits) == number as i64,
                    _ => bits == 64 || number >> bits == 0,
                };
                let beyond = words.iter().filter(|(number, _)| !fits(**number)).min_by_key(|(number, _)| **number)?;
                Some(format!("has {:?} for a number that does not fit in {size} bytes", beyond.1.text))
            }
            Texts::Bits(words) => {
                let beyond = words.iter().find(|(bit, _)| *bit >= bits)?;
                Some(format!("has bit {}; {size} bytes have bits 0 to {}", beyond.0, bits - 1))
            }
        }
    }
}

const WORDS: &str = "words NAME VALUE WORD[!warning|!error] ...";
const BITS: &str = "bits NAME BIT WORD[!warning|!error] ...";

/// Parses a `words` line: name and words.
pub(crate) fn words(words: &[Word]) -> Result<(String, Texts), Wrong> {
    let (name, pairs) = pairs(words, WORDS)?;
    let mut texts = HashMap::new();
    for (value, worded, at) in pairs {
        let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
        if !range.contains(&value) {
            return Err(Wrong::new(at, "numbers have at most 8 bytes"));
        }
        if texts.insert(value as u64, worded).is_some() {
            return Err(Wrong::new(at, format!("two words for {value}")));
        }
    }
    Ok((name, Texts::Words(texts)))
}

/// Parses a `bits` line: name and words.
pub(crate) fn bits(words: &[Word]) -> Result<(String, Texts), Wrong> {
    let (name, pairs) = pairs(words, BITS)?;
    let mut texts: Vec<(u32, Worded)> = Vec::new();
    for (value, worded, at) in pairs {
        let bit = u32::try_from(value).ok().filter(|bit| *bit < 64);
        let bit = bit.ok_or_else(|| Wrong::new(at, "bits are numbered 0 to 63"))?;
        if texts.iter().any(|(known, _)| *known == bit) {
            return Err(Wrong::new(at, format!("two words for bit {bit}")));
        }
        texts.push((bit, worded));
    }
    Ok((name, Texts::Bits(texts)))
}

type Pairs = Vec<(i128, Worded, usize)>;

/// Parses a name, then pairs of number and word with their offsets.
fn pairs(words: &[Word], form: &str) -> Result<(String, Pairs), Wrong> {
    let too_few =
        || Wrong::new(words.first().map_or(0, |word| word.offset), format!("too few words; a line is: {form}"));
    let [_, name, rest @ ..] = words else { return Err(too_few()) };
    if name.text.is_empty() || name.text.contains(|c: char| c.is_control() || matches!(c, '{' | '}')) {
        return Err(Wrong::new(name.offset, "a name must not be empty, or contain a brace or a control character"));
    }
    let mut pairs = Vec::new();
    for pair in rest.chunks(2) {
        let [value, word] = pair else { return Err(too_few()) };
        let number = number(&value.text).filter(|_| !value.is_string);
        let number = number.ok_or_else(|| Wrong::new(value.offset, "expected a number: decimal or 0x hex"))?;
        pairs.push((number, worded(word)?, value.offset));
    }
    if pairs.is_empty() {
        return Err(too_few());
    }
    Ok((name.text.clone(), pairs))
}

/// Splits a word from its mark; `!` inside a string is text.
fn worded(word: &Word) -> Result<Worded, Wrong> {
    let wrong = |message: &str| Err(Wrong::new(word.offset, message));
    let (text, mark) = match (word.text.split_once('!'), &word.behind) {
        (_, Some(mark)) => (word.text.as_str(), Some(mark.as_str())),
        (Some((text, mark)), None) if !word.is_string => (text, Some(mark)),
        _ => (word.text.as_str(), None),
    };
    let mark = match mark {
        None => None,
        Some("warning") => Some(Mark::Warning),
        Some("error") => Some(Mark::Error),
        Some(_) => return wrong("a word may only be followed by !warning or !error"),
    };
    if text.is_empty() || text.contains(char::is_control) {
        return wrong("a word must not be empty or contain a control character");
    }
    Ok(Worded { text: text.to_owned(), mark })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::words as split;

    fn read(line: &str) -> Result<(String, Texts), String> {
        let all = split(line).map_err(|wrong| wrong.message)?;
        let read = if line.starts_with("bits") { bits(&all) } else { words(&all) };
        read.map_err(|wrong| format!("{}: {}", wrong.offset, wrong.message))
    }

    #[test]
    fn words_stand_for_numbers_and_say_how_severe_they_are() {
        let (name, texts) =
            read("words mode 0 off 1 run 7 fault!error -1 \"no answer\"!warning 8 \"a!error\"").unwrap();
        assert_eq!((name.as_str(), texts.len(), texts.has_marks()), ("mode", 5, true));
        let marks = [0, 7, u64::MAX, 8, 99].map(|number| texts.mark(number));
        assert_eq!(marks, [None, Some(Mark::Error), Some(Mark::Warning), None, None]);
        let Texts::Words(words) = texts else { panic!("words") };
        assert_eq!((words[&u64::MAX].text.as_str(), words[&8].text.as_str()), ("no answer", "a!error"));
    }

    #[test]
    fn bits_have_the_greatest_mark_of_those_that_are_set() {
        let (_, texts) = read("bits fl 0 brake 1 hot!warning 7 limit!error").unwrap();
        let marks = [0, 1, 2, 0x83].map(|number| texts.mark(number));
        assert_eq!(marks, [None, None, Some(Mark::Warning), Some(Mark::Error)]);
    }

    #[test]
    fn wrong_lines_say_what_is_wrong() {
        for (line, message) in [
            ("words", "0: too few words; a line is: words NAME VALUE WORD[!warning|!error] ..."),
            ("bits fl 1", "0: too few words; a line is: bits NAME BIT WORD[!warning|!error] ..."),
            ("words m 0 off 0x0 on", "14: two words for 0"),
            ("bits fl 1 a 1 b", "12: two words for bit 1"),
            ("bits fl 64 a", "8: bits are numbered 0 to 63"),
            ("words m 0 off!bad", "10: a word may only be followed by !warning or !error"),
            ("words m 0 !error", "10: a word must not be empty or contain a control character"),
            ("words m x off", "8: expected a number: decimal or 0x hex"),
            ("words m{ 0 off", "6: a name must not be empty, or contain a brace or a control character"),
        ] {
            assert_eq!(read(line), Err(message.to_owned()), "{line}");
        }
    }

    #[test]
    fn numbers_that_a_field_does_not_hold_have_no_word() {
        let (_, mode) = read("words mode -1 none 255 all").unwrap();
        assert_eq!(mode.exceeds(FieldType::Signed(2)), None);
        let beyond = "has \"all\" for a number that does not fit in 1 bytes";
        assert_eq!(mode.exceeds(FieldType::Signed(1)).as_deref(), Some(beyond));
        assert_eq!(mode.exceeds(FieldType::Unsigned(1)).as_deref(), Some(&*beyond.replace("all", "none")));
        let (_, flags) = read("bits fl 9 hot").unwrap();
        assert_eq!(flags.exceeds(FieldType::Unsigned(1)).as_deref(), Some("has bit 9; 1 bytes have bits 0 to 7"));
        assert_eq!(flags.exceeds(FieldType::Hex(2)), None);
        assert!(flags.exceeds(FieldType::Float(4)).is_some());
    }
}
