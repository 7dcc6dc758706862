//! Layouts: the fields of an application record and their meanings; words for numbers and bits; what follows the id in a
//! `record` line: text, fields such as `rpm:u16*0.1"rpm"`, and their meanings.

use std::{collections::HashMap, sync::Arc};

use crate::{
    limits,
    words::{Word, Wrong, pairs},
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
    pub is_big_endian: Option<bool>,
    /// Factor of its number.
    pub scale: Option<f64>,
    /// Unit of its number; may be empty.
    pub unit: String,
    pub texts: Option<Arc<Texts>>,
    /// Name of these words.
    pub(crate) texts_name: Option<String>,
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

    fn is_number(self) -> bool {
        !matches!(self, FieldType::Text(_) | FieldType::Bytes(_))
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

    /// Looks up its words; fails at the first field whose words are unknown or do not fit.
    pub(crate) fn resolve(&mut self, known: &HashMap<String, Arc<Texts>>) -> Result<(), String> {
        for field in &mut self.fields {
            let Some(name) = &field.texts_name else { continue };
            let texts = known.get(name).ok_or_else(|| unknown(name, known))?;
            if let Some(message) = texts.exceeds(field.ty) {
                return Err(format!("{name} {message}"));
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
    let (of, all) = pairs(words, WORDS, worded)?;
    let mut texts = HashMap::new();
    for (value, worded, at) in all {
        let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
        if !range.contains(&value) {
            return Err(Wrong::new(at, "numbers have at most 8 bytes"));
        }
        if texts.insert(value as u64, worded).is_some() {
            return Err(Wrong::new(at, format!("two words for {value}")));
        }
    }
    Ok((name(of)?, Texts::Words(texts)))
}

/// Parses a `bits` line: name and words.
pub(crate) fn bits(words: &[Word]) -> Result<(String, Texts), Wrong> {
    let (of, all) = pairs(words, BITS, worded)?;
    let mut texts: Vec<(u32, Worded)> = Vec::new();
    for (value, worded, at) in all {
        let bit = u32::try_from(value).ok().filter(|bit| *bit < 64);
        let bit = bit.ok_or_else(|| Wrong::new(at, "bits are numbered 0 to 63"))?;
        if texts.iter().any(|(known, _)| *known == bit) {
            return Err(Wrong::new(at, format!("two words for bit {bit}")));
        }
        texts.push((bit, worded));
    }
    Ok((name(of)?, Texts::Bits(texts)))
}

/// The name in a line of words or bits.
fn name(word: &Word) -> Result<String, Wrong> {
    if word.text.is_empty() || word.text.contains(|c: char| c.is_control() || matches!(c, '{' | '}')) {
        return Err(Wrong::new(word.offset, "a name must not be empty, or contain a brace or a control character"));
    }
    Ok(word.text.clone())
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

/// Maximum size of a state in bytes: tracks store states as numbers.
const MOST_STATE: usize = 4;
/// Size of a tband value in bytes.
const TBAND_VALUE: usize = 8;

/// The words after the id.
#[derive(Debug)]
pub(crate) struct RecordWords<'w> {
    pub(crate) template: Option<&'w Word>,
    pub(crate) layout: Layout,
    /// `drops(FIELD)`.
    pub(crate) drops: Option<&'w Word>,
}

/// Parses the words of a line with fields; `None` if it has none.
pub(crate) fn record_words<'w>(words: &'w [Word], of: (&str, &str)) -> Result<Option<RecordWords<'w>>, Wrong> {
    let is_field = |word: &Word| !word.is_string && word.text.contains(':');
    if !words.iter().any(is_field) {
        return Ok(None);
    }
    let (template, rest) = match words {
        [first, rest @ ..] if first.is_string => (Some(first), rest),
        words => (None, words),
    };
    let mut layout = Layout { has_text: template.is_some(), ..Layout::default() };
    let (mut drops, mut meanings) = (None, Vec::new());
    for word in rest {
        match word.text.split_once('(').filter(|_| !word.is_string) {
            Some(("drops", _)) if drops.is_none() => drops = Some(word),
            Some((verb, _)) if !verb.contains(':') => meanings.push(word),
            _ => add(field(word)?, word, of, &mut layout)?,
        }
    }
    // They may precede the fields that they name.
    for word in meanings {
        layout.meanings.push(meaning(word, &layout)?);
    }
    Ok(Some(RecordWords { template, layout, drops }))
}

fn add(field: LayoutField, word: &Word, (protocol, id): (&str, &str), layout: &mut Layout) -> Result<(), Wrong> {
    let wrong = |message: String| Err(Wrong::new(word.offset, message));
    if layout.fields.last().is_some_and(|last| last.ty == FieldType::Bytes(None)) {
        return wrong("the previous field takes all remaining bytes; give it a size, such as bytes[4]".to_owned());
    }
    if let Some(name) = field.name.as_deref().filter(|name| layout.position(name).is_some()) {
        return wrong(format!("duplicate field {name}"));
    }
    layout.fields.push(field);
    if layout.fields.len() > limits::CONVERSIONS {
        return wrong(format!("more than {} fields", limits::CONVERSIONS));
    }
    let is_value = protocol == "tband" && (id.starts_with("value:") || id.starts_with("task-value:"));
    let (size, most) = (layout.least_size(), if is_value { TBAND_VALUE } else { limits::BYTES });
    if size > most {
        return wrong(format!("the fields up to here have {size} bytes, more than the maximum of {most}"));
    }
    Ok(())
}

/// Parses `state(FIELD)`, `value(FIELD)`, `span(begin,NAME)` or `span(end,NAME)`.
fn meaning(word: &Word, layout: &Layout) -> Result<Meaning, Wrong> {
    let wrong = |index: usize, message: String| Wrong::new(word.offset + index, message);
    let unknown = || {
        let known = "state(FIELD) value(FIELD) span(begin,NAME) span(end,NAME) drops(NUMBER)";
        wrong(0, format!("unknown word; after the fields may follow {known}"))
    };
    let (verb, of) = word.text.split_once('(').ok_or_else(unknown)?;
    let of = of.strip_suffix(')').ok_or_else(unknown)?;
    let find = |fits: fn(FieldType) -> bool, must: String| {
        let names: Vec<&str> = layout.names().collect();
        let missing = || wrong(verb.len() + 1, format!("no field {of}; there are {}", names.join(" ")));
        let at = layout.position(of).ok_or_else(missing)?;
        if fits(layout.fields[at].ty) { Ok(at) } else { Err(wrong(verb.len() + 1, must)) }
    };
    match (verb, of.split_once(',')) {
        ("state", None) => {
            let must = format!("a state must be an integer of at most {MOST_STATE} bytes");
            find(|ty| ty.is_integer() && ty.size() <= Some(MOST_STATE), must).map(Meaning::State)
        }
        ("value", None) => find(FieldType::is_number, "a value must be a number".to_owned()).map(Meaning::Value),
        ("span", Some(("begin", name))) if !name.is_empty() => Ok(Meaning::Begin(name.to_owned())),
        ("span", Some(("end", name))) if !name.is_empty() => Ok(Meaning::End(name.to_owned())),
        _ => Err(unknown()),
    }
}

const MOST_NAME: usize = 64;
/// Name of a hidden field.
const HIDDEN: &str = "_";
const TYPES: &str = "u8 u16 u32 u64 i8 i16 i32 i64 f32 f64, x8 to x64 for hexadecimal, str str[N] bytes bytes[N]";

pub(crate) fn field(word: &Word) -> Result<LayoutField, Wrong> {
    let at = |index: usize| word.offset + index;
    let Some((name, rest)) = word.text.split_once(':').filter(|_| !word.is_string) else {
        return Err(Wrong::new(word.offset, "a field must be NAME:TYPE, such as rpm:u16*0.1\"rpm\""));
    };
    let name = field_name(name).map_err(|message| Wrong::new(word.offset, message))?;
    let begin = word.text.len() - rest.len();
    let end = rest.find(['*', '{']).unwrap_or(rest.len());
    let (ty, mut rest) = rest.split_at(end);
    let (ty, is_big_endian) = field_type(ty).map_err(|message| Wrong::new(at(begin), message))?;
    let (unit, texts) = (word.behind.clone().unwrap_or_default(), None);
    let mut field = LayoutField { name, ty, is_big_endian, scale: None, unit, texts, texts_name: None };
    while !rest.is_empty() {
        let here = at(word.text.len() - rest.len());
        let taken = if let Some(scale) = rest.strip_prefix('*') {
            scaled(scale, &mut field)
        } else {
            field_words(rest, &mut field)
        };
        rest = taken.map_err(|message| Wrong::new(here, message))?;
    }
    field.check().map_err(|message| Wrong::new(word.offset, message))?;
    Ok(field)
}

/// A field's name; `None` = hidden.
fn field_name(name: &str) -> Result<Option<String>, String> {
    let is_word = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.len() <= MOST_NAME;
    match name {
        HIDDEN => Ok(None),
        "seq" => Err("seq is the sequence number; give the field another name".to_owned()),
        _ if is_word => Ok(Some(name.to_owned())),
        _ => Err(format!(
            "a field name must be a letter, then letters, digits and _, at most {MOST_NAME}; _ hides the field"
        )),
    }
}

/// A type, and whether its number is big-endian, if given.
fn field_type(text: &str) -> Result<(FieldType, Option<bool>), String> {
    let unknown = || format!("unknown type {text:?}; known are {TYPES}; le or be after a number sets its byte order");
    if let Some(size) = sized(text, "str") {
        return Ok((FieldType::Text(size?), None));
    }
    if let Some(size) = sized(text, "bytes") {
        return Ok((FieldType::Bytes(size?), None));
    }
    let (number, is_big_endian) = match (text.strip_suffix("le"), text.strip_suffix("be")) {
        (Some(number), _) => (number, Some(false)),
        (_, Some(number)) => (number, Some(true)),
        _ => (text, None),
    };
    let (letter, bits) = number.split_at_checked(1).ok_or_else(unknown)?;
    let size = match bits {
        "8" => 1,
        "16" => 2,
        "32" => 4,
        "64" => 8,
        _ => return Err(unknown()),
    };
    let ty = match letter {
        "u" => FieldType::Unsigned(size),
        "x" => FieldType::Hex(size),
        "i" => FieldType::Signed(size),
        "f" if size >= 4 => FieldType::Float(size),
        _ => return Err(unknown()),
    };
    Ok((ty, is_big_endian))
}

/// Parses `str` or `str[N]`; `None` = another type.
fn sized(text: &str, ty: &str) -> Option<Result<Option<usize>, String>> {
    let size = text.strip_prefix(ty)?;
    if size.is_empty() {
        return Some(Ok(None));
    }
    let size = size.strip_prefix('[')?.strip_suffix(']')?;
    let size = size.parse().ok().filter(|size| (1..=limits::BYTES).contains(size));
    Some(size.map(Some).ok_or_else(|| format!("{ty}[N] has 1 to {} bytes", limits::BYTES)))
}

/// Parses the scale after `*`; returns the rest.
fn scaled<'r>(rest: &'r str, field: &mut LayoutField) -> Result<&'r str, String> {
    let (scale, rest) = rest.split_at(rest.find(['*', '{']).unwrap_or(rest.len()));
    let is_number = scale.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
    let number = scale.parse::<f64>().ok().filter(|n| is_number && n.is_finite() && *n != 0.0);
    let number = number.ok_or("* needs a nonzero number, such as *0.1")?;
    if field.scale.replace(number).is_some() {
        return Err("duplicate scale".to_owned());
    }
    Ok(rest)
}

/// Parses `{NAME}`; returns the rest.
fn field_words<'r>(rest: &'r str, field: &mut LayoutField) -> Result<&'r str, String> {
    let named = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).filter(|(name, _)| !name.is_empty());
    let (name, rest) = named.ok_or("a type may be followed by *SCALE, {NAME} of words or bits, and \"UNIT\"")?;
    if field.texts_name.replace(name.to_owned()).is_some() {
        return Err("duplicate name of words".to_owned());
    }
    Ok(rest)
}

impl LayoutField {
    fn check(&self) -> Result<(), String> {
        if !self.ty.is_number() && (self.scale.is_some() || self.texts_name.is_some() || !self.unit.is_empty()) {
            return Err("only numbers have a scale, words or a unit".to_owned());
        }
        if self.scale.is_some() && (self.texts_name.is_some() || matches!(self.ty, FieldType::Hex(_))) {
            return Err("a number with words, or in hexadecimal, can't have a scale".to_owned());
        }
        if self.unit.contains(char::is_control) {
            return Err("a unit must not contain control characters".to_owned());
        }
        Ok(())
    }
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
        assert_eq!((name.as_str(), texts.has_marks()), ("mode", true));
        let marks = [0, 7, u64::MAX, 8, 99].map(|number| texts.mark(number));
        assert_eq!(marks, [None, Some(Mark::Error), Some(Mark::Warning), None, None]);
        let Texts::Words(words) = texts else { panic!("words") };
        assert_eq!(words.len(), 5);
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

    fn read_record(line: &str) -> Result<Layout, String> {
        let all = split(line).map_err(|wrong| wrong.message)?;
        let of = (all[1].text.as_str(), all[2].text.as_str());
        let read = record_words(&all[3..], of);
        read.map(|read| read.expect("fields").layout).map_err(|wrong| format!("{}: {}", wrong.offset, wrong.message))
    }

    #[test]
    fn fields_are_states_and_values_and_records_the_ends_of_spans() {
        let layout = read_record("record qs 5 value(rpm) rpm:u16 mode:u8 state(mode) span(begin,job)").unwrap();
        assert_eq!(layout.meanings, [Meaning::Value(0), Meaning::State(1), Meaning::Begin("job".to_owned())]);
        assert_eq!((layout.least_size(), layout.has_text, layout.has_effects()), (3, false, true));
        let plain = read_record("record qs 5 \"{a}\" a:u16 b:str").unwrap();
        assert_eq!(
            (plain.has_text, plain.has_effects(), plain.names().collect::<Vec<_>>()),
            (true, false, vec!["a", "b"])
        );
        assert!(record_words(&split("\"text\" drops(0)").unwrap(), ("qs", "5")).unwrap().is_none());
    }

    #[test]
    fn wrong_words_say_what_is_wrong() {
        let known = "state(FIELD) value(FIELD) span(begin,NAME) span(end,NAME) drops(NUMBER)";
        for (line, message) in [
            ("record qs 5 a:u8 a:u8", "17: duplicate field a".to_owned()),
            ("record qs 5 a:u8 state(b)", "23: no field b; there are a".to_owned()),
            ("record qs 5 a:u64 state(a)", "24: a state must be an integer of at most 4 bytes".to_owned()),
            ("record qs 5 a:str value(a)", "24: a value must be a number".to_owned()),
            ("record qs 5 a:u8 span(a)", format!("17: unknown word; after the fields may follow {known}")),
            ("record qs 5 a:u8 stat(a)", format!("17: unknown word; after the fields may follow {known}")),
            ("record qs 5 a:u8 b", "17: a field must be NAME:TYPE, such as rpm:u16*0.1\"rpm\"".to_owned()),
            (
                "record qs 5 a:bytes b:u8",
                "20: the previous field takes all remaining bytes; give it a size, such as bytes[4]".to_owned(),
            ),
            (
                "record tband value:1 a:u64 b:u8",
                "27: the fields up to here have 9 bytes, more than the maximum of 8".to_owned(),
            ),
            (
                "record qs 5 a:bytes[65536] b:u8",
                "27: the fields up to here have 65537 bytes, more than the maximum of 65536".to_owned(),
            ),
        ] {
            assert_eq!(read_record(line).map(|_| ()), Err(message), "{line}");
        }
        let many: String = (0..257).map(|n| format!(" f{n}:u8")).collect();
        assert!(read_record(&format!("record qs 5{many}")).unwrap_err().ends_with("more than 256 fields"));
    }

    fn read_field(text: &str) -> Result<LayoutField, String> {
        let all = split(text).map_err(|wrong| wrong.message)?;
        field(&all[0]).map_err(|wrong| format!("{}: {}", wrong.offset, wrong.message))
    }

    #[test]
    fn a_field_has_a_name_a_type_and_what_makes_it_readable() {
        let rpm = read_field("rpm:u16*0.1\"rpm\"").unwrap();
        let is = (rpm.name.as_deref(), rpm.ty, rpm.scale, rpm.unit.as_str());
        assert_eq!(is, (Some("rpm"), FieldType::Unsigned(2), Some(0.1), "rpm"));
        let mode = read_field("mode:u8{mode}").unwrap();
        assert_eq!((mode.ty, mode.texts_name), (FieldType::Unsigned(1), Some("mode".to_owned())));
        assert_eq!(read_field("temp:i8\"°C\"").unwrap().unit, "°C");
        let order = |text: &str| read_field(text).map(|field| (field.ty, field.is_big_endian)).unwrap();
        assert_eq!(order("a:x32be"), (FieldType::Hex(4), Some(true)));
        assert_eq!(order("a:f64le"), (FieldType::Float(8), Some(false)));
        assert_eq!([order("a:str").0, order("a:str[16]").0], [FieldType::Text(None), FieldType::Text(Some(16))]);
        assert_eq!(order("_:bytes[3]").0, FieldType::Bytes(Some(3)));
        assert_eq!(read_field("_:u8").unwrap().name, None);
        assert_eq!(read_field("a:i16*-1e-3").unwrap().scale, Some(-1e-3));
    }

    #[test]
    fn wrong_fields_say_what_is_wrong() {
        let types = format!("known are {TYPES}; le or be after a number sets its byte order");
        for (text, message) in [
            ("rpm", "0: a field must be NAME:TYPE, such as rpm:u16*0.1\"rpm\"".to_owned()),
            ("rpm:u12", format!("4: unknown type \"u12\"; {types}")),
            ("rpm:f16", format!("4: unknown type \"f16\"; {types}")),
            ("rpm:", format!("4: unknown type \"\"; {types}")),
            ("r:é8", format!("2: unknown type \"é8\"; {types}")),
            ("seq:u8", "0: seq is the sequence number; give the field another name".to_owned()),
            ("rpm:u8*0", "6: * needs a nonzero number, such as *0.1".to_owned()),
            ("rpm:u8*inf", "6: * needs a nonzero number, such as *0.1".to_owned()),
            ("rpm:u8{}", "6: a type may be followed by *SCALE, {NAME} of words or bits, and \"UNIT\"".to_owned()),
            ("rpm:u8{a}x", "9: a type may be followed by *SCALE, {NAME} of words or bits, and \"UNIT\"".to_owned()),
            ("rpm:u8{a}*2", "0: a number with words, or in hexadecimal, can't have a scale".to_owned()),
            ("s:str[0]", "2: str[N] has 1 to 65536 bytes".to_owned()),
            ("s:str\"m\"", "0: only numbers have a scale, words or a unit".to_owned()),
        ] {
            assert_eq!(read_field(text).map(|_| ()), Err(message), "{text}");
        }
        assert!(read_field("1a:u8").unwrap_err().starts_with("0: a field name must be a letter"));
    }
}
