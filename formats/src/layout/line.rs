//! Parses what follows the id in a `record` line: text, fields such as `rpm:u16*0.1"rpm"`, and their meanings.

use super::{FieldType, Layout, LayoutField, Meaning};
use crate::{
    Endian, limits,
    words::{Word, Wrong},
};

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
pub(crate) fn record_words<'w>(
    words: &'w [Word],
    (protocol, id): (&str, &str),
) -> Option<Result<RecordWords<'w>, Wrong>> {
    let is_field = |word: &Word| !word.is_string && word.text.contains(':');
    words.iter().any(is_field).then(|| read(words, (protocol, id)))
}

fn read<'w>(words: &'w [Word], of: (&str, &str)) -> Result<RecordWords<'w>, Wrong> {
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
    Ok(RecordWords { template, layout, drops })
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
    let find = || {
        let names: Vec<&str> = layout.names().collect();
        let missing = || wrong(verb.len() + 1, format!("no field {of}; there are {}", names.join(" ")));
        layout.position(of).ok_or_else(missing)
    };
    match (verb, of.split_once(',')) {
        ("state", None) => {
            let at = find()?;
            let ty = layout.fields.get(at).map(|field| field.ty);
            let is_state = ty.is_some_and(|ty| ty.is_integer() && ty.size() <= Some(MOST_STATE));
            let message = format!("a state must be an integer of at most {MOST_STATE} bytes");
            is_state.then_some(Meaning::State(at)).ok_or_else(|| wrong(verb.len() + 1, message))
        }
        ("value", None) => {
            let at = find()?;
            let ty = layout.fields.get(at).map(|field| field.ty);
            let is_number = ty.is_some_and(|ty| !matches!(ty, FieldType::Text(_) | FieldType::Bytes(_)));
            let message = "a value must be a number".to_owned();
            is_number.then_some(Meaning::Value(at)).ok_or_else(|| wrong(verb.len() + 1, message))
        }
        ("span", Some(("begin", name))) if !name.is_empty() => Ok(Meaning::Begin(name.to_owned())),
        ("span", Some(("end", name))) if !name.is_empty() => Ok(Meaning::End(name.to_owned())),
        _ => Err(unknown()),
    }
}

const MOST_NAME: usize = 64;
/// Name of a hidden field.
const HIDDEN: &str = "_";
const TYPES: &str = "u8 u16 u32 u64 i8 i16 i32 i64 f32 f64, x8 to x64 for hexadecimal, str str[N] bytes bytes[N]";

pub(super) fn field(word: &Word) -> Result<LayoutField, Wrong> {
    let at = |index: usize| word.offset + index;
    let Some((name, rest)) = word.text.split_once(':').filter(|_| !word.is_string) else {
        return Err(Wrong::new(word.offset, "a field must be NAME:TYPE, such as rpm:u16*0.1\"rpm\""));
    };
    let name = field_name(name).map_err(|message| Wrong::new(word.offset, message))?;
    let begin = word.text.len() - rest.len();
    let end = rest.find(['*', '{']).unwrap_or(rest.len());
    let (ty, mut rest) = rest.split_at(end);
    let (ty, endian) = field_type(ty).map_err(|message| Wrong::new(at(begin), message))?;
    let (unit, texts) = (word.behind.clone().unwrap_or_default(), None);
    let mut field = LayoutField { name, ty, endian, scale: None, unit, texts, texts_name: None };
    while !rest.is_empty() {
        let here = at(word.text.len() - rest.len());
        let taken = if let Some(scale) = rest.strip_prefix('*') {
            scaled(scale, &mut field)
        } else {
            worded(rest, here, &mut field)
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

fn field_type(text: &str) -> Result<(FieldType, Option<Endian>), String> {
    let unknown = || format!("unknown type {text:?}; known are {TYPES}; le or be after a number sets its byte order");
    if let Some(size) = sized(text, "str") {
        return Ok((FieldType::Text(size?), None));
    }
    if let Some(size) = sized(text, "bytes") {
        return Ok((FieldType::Bytes(size?), None));
    }
    let (number, endian) = match (text.strip_suffix("le"), text.strip_suffix("be")) {
        (Some(number), _) => (number, Some(Endian::Little)),
        (_, Some(number)) => (number, Some(Endian::Big)),
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
    Ok((ty, endian))
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
fn worded<'r>(rest: &'r str, at: usize, field: &mut LayoutField) -> Result<&'r str, String> {
    let named = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).filter(|(name, _)| !name.is_empty());
    let (name, rest) = named.ok_or("a type may be followed by *SCALE, {NAME} of words or bits, and \"UNIT\"")?;
    if field.texts_name.replace((name.to_owned(), at + 1)).is_some() {
        return Err("duplicate name of words".to_owned());
    }
    Ok(rest)
}

impl LayoutField {
    fn check(&self) -> Result<(), String> {
        let is_number = !matches!(self.ty, FieldType::Text(_) | FieldType::Bytes(_));
        if !is_number && (self.scale.is_some() || self.texts_name.is_some() || !self.unit.is_empty()) {
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
    use crate::words::words;

    fn read(line: &str) -> Result<Layout, String> {
        let all = words(line).map_err(|wrong| wrong.message)?;
        let of = (all[1].text.as_str(), all[2].text.as_str());
        let read = record_words(&all[3..], of).expect("fields");
        read.map(|read| read.layout).map_err(|wrong| format!("{}: {}", wrong.offset, wrong.message))
    }

    #[test]
    fn fields_are_states_and_values_and_records_the_ends_of_spans() {
        let layout = read("record qs 5 value(rpm) rpm:u16 mode:u8 state(mode) span(begin,job)").unwrap();
        assert_eq!(layout.meanings, [Meaning::Value(0), Meaning::State(1), Meaning::Begin("job".to_owned())]);
        assert_eq!((layout.least_size(), layout.has_text, layout.has_effects()), (3, false, true));
        let plain = read("record qs 5 \"{a}\" a:u16 b:str").unwrap();
        assert_eq!(
            (plain.has_text, plain.has_effects(), plain.names().collect::<Vec<_>>()),
            (true, false, vec!["a", "b"])
        );
        assert!(record_words(&words("\"text\" drops(0)").unwrap(), ("qs", "5")).is_none());
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
            assert_eq!(read(line).map(|_| ()), Err(message), "{line}");
        }
        let many: String = (0..257).map(|n| format!(" f{n}:u8")).collect();
        assert!(read(&format!("record qs 5{many}")).unwrap_err().ends_with("more than 256 fields"));
    }

    fn read_field(text: &str) -> Result<LayoutField, String> {
        let all = words(text).map_err(|wrong| wrong.message)?;
        field(&all[0]).map_err(|wrong| format!("{}: {}", wrong.offset, wrong.message))
    }

    #[test]
    fn a_field_has_a_name_a_type_and_what_makes_it_readable() {
        let rpm = read_field("rpm:u16*0.1\"rpm\"").unwrap();
        let is = (rpm.name.as_deref(), rpm.ty, rpm.scale, rpm.unit.as_str());
        assert_eq!(is, (Some("rpm"), FieldType::Unsigned(2), Some(0.1), "rpm"));
        let mode = read_field("mode:u8{mode}").unwrap();
        assert_eq!((mode.ty, mode.texts_name), (FieldType::Unsigned(1), Some(("mode".to_owned(), 8))));
        assert_eq!(read_field("temp:i8\"°C\"").unwrap().unit, "°C");
        let order = |text: &str| read_field(text).map(|field| (field.ty, field.endian)).unwrap();
        assert_eq!(order("a:x32be"), (FieldType::Hex(4), Some(Endian::Big)));
        assert_eq!(order("a:f64le"), (FieldType::Float(8), Some(Endian::Little)));
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
