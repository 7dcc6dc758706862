//! One field of a record: `rpm:u16*0.1"rpm"`, `mode:u8{mode}`, `name:str[16]`.

use super::{FieldType, LayoutField};
use crate::{
    Endian, limits,
    words::{Word, Wrong},
};

/// Longest name of a field.
const MOST_NAME: usize = 64;
/// Name of a field that is not shown.
const HIDDEN: &str = "_";
const TYPES: &str = "u8 u16 u32 u64 i8 i16 i32 i64 f32 f64, x8 to x64 for hexadecimal, str str[N] bytes bytes[N]";

/// Reads a word.
pub(super) fn field(word: &Word) -> Result<LayoutField, Wrong> {
    let at = |index: usize| word.offset + index;
    let Some((name, rest)) = word.text.split_once(':').filter(|_| !word.is_string) else {
        return Err(Wrong::new(word.offset, "a field is NAME:TYPE, as in rpm:u16*0.1\"rpm\""));
    };
    let name = self::name(name).map_err(|message| Wrong::new(word.offset, message))?;
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

/// A name, `None` for one that is not shown.
fn name(name: &str) -> Result<Option<String>, String> {
    let is_word = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.len() <= MOST_NAME;
    match name {
        HIDDEN => Ok(None),
        "seq" => Err("seq is the sequence number; give the field another name".to_owned()),
        _ if is_word => Ok(Some(name.to_owned())),
        _ => Err(format!(
            "the name of a field is a letter, then letters, digits and _, at most {MOST_NAME}; _ is not shown"
        )),
    }
}

fn field_type(text: &str) -> Result<(FieldType, Option<Endian>), String> {
    let unknown = || format!("unknown type {text:?}; there are {TYPES}; le or be behind a number is its byte order");
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

/// The size of `str`, `str[N]`; `None` if it is another type.
fn sized(text: &str, ty: &str) -> Option<Result<Option<usize>, String>> {
    let size = text.strip_prefix(ty)?;
    if size.is_empty() {
        return Some(Ok(None));
    }
    let size = size.strip_prefix('[')?.strip_suffix(']')?;
    let size = size.parse().ok().filter(|size| (1..=limits::BYTES).contains(size));
    Some(size.map(Some).ok_or_else(|| format!("{ty}[N] has 1 to {} bytes", limits::BYTES)))
}

/// What follows a `*`; the rest.
fn scaled<'r>(rest: &'r str, field: &mut LayoutField) -> Result<&'r str, String> {
    let (scale, rest) = rest.split_at(rest.find(['*', '{']).unwrap_or(rest.len()));
    let is_number = scale.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
    let number = scale.parse::<f64>().ok().filter(|n| is_number && n.is_finite() && *n != 0.0);
    let number = number.ok_or("behind * stands a number that is not 0, as in *0.1")?;
    if field.scale.replace(number).is_some() {
        return Err("there are two scales".to_owned());
    }
    Ok(rest)
}

/// `{NAME}`; the rest.
fn worded<'r>(rest: &'r str, at: usize, field: &mut LayoutField) -> Result<&'r str, String> {
    let named = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).filter(|(name, _)| !name.is_empty());
    let (name, rest) = named.ok_or("behind a type stand *SCALE, {NAME} of words or bits, and \"UNIT\"")?;
    if field.texts_name.replace((name.to_owned(), at + 1)).is_some() {
        return Err("there are two names of words".to_owned());
    }
    Ok(rest)
}

impl LayoutField {
    fn check(&self) -> Result<(), String> {
        let is_number = !matches!(self.ty, FieldType::Text(_) | FieldType::Bytes(_));
        if !is_number && (self.scale.is_some() || self.texts_name.is_some() || !self.unit.is_empty()) {
            return Err("scale, words and unit are for numbers".to_owned());
        }
        if self.scale.is_some() && (self.texts_name.is_some() || matches!(self.ty, FieldType::Hex(_))) {
            return Err("a number with words, or a hexadecimal one, has no scale".to_owned());
        }
        if self.unit.contains(char::is_control) {
            return Err("a unit has no control characters".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::words;

    fn read(text: &str) -> Result<LayoutField, String> {
        let all = words(text).map_err(|wrong| wrong.message)?;
        field(&all[0]).map_err(|wrong| format!("{}: {}", wrong.offset, wrong.message))
    }

    #[test]
    fn a_field_has_a_name_a_type_and_what_makes_it_readable() {
        let rpm = read("rpm:u16*0.1\"rpm\"").unwrap();
        let is = (rpm.name.as_deref(), rpm.ty, rpm.scale, rpm.unit.as_str());
        assert_eq!(is, (Some("rpm"), FieldType::Unsigned(2), Some(0.1), "rpm"));
        let mode = read("mode:u8{mode}").unwrap();
        assert_eq!((mode.ty, mode.texts_name), (FieldType::Unsigned(1), Some(("mode".to_owned(), 8))));
        assert_eq!(read("temp:i8\"°C\"").unwrap().unit, "°C");
        let order = |text: &str| read(text).map(|field| (field.ty, field.endian)).unwrap();
        assert_eq!(order("a:x32be"), (FieldType::Hex(4), Some(Endian::Big)));
        assert_eq!(order("a:f64le"), (FieldType::Float(8), Some(Endian::Little)));
        assert_eq!([order("a:str").0, order("a:str[16]").0], [FieldType::Text(None), FieldType::Text(Some(16))]);
        assert_eq!(order("_:bytes[3]").0, FieldType::Bytes(Some(3)));
        assert_eq!(read("_:u8").unwrap().name, None);
        assert_eq!(read("a:i16*-1e-3").unwrap().scale, Some(-1e-3));
    }

    #[test]
    fn wrong_fields_say_what_is_wrong() {
        let types = format!("there are {TYPES}; le or be behind a number is its byte order");
        for (text, message) in [
            ("rpm", "0: a field is NAME:TYPE, as in rpm:u16*0.1\"rpm\"".to_owned()),
            ("rpm:u12", format!("4: unknown type \"u12\"; {types}")),
            ("rpm:f16", format!("4: unknown type \"f16\"; {types}")),
            ("rpm:", format!("4: unknown type \"\"; {types}")),
            ("r:é8", format!("2: unknown type \"é8\"; {types}")),
            ("seq:u8", "0: seq is the sequence number; give the field another name".to_owned()),
            ("rpm:u8*0", "6: behind * stands a number that is not 0, as in *0.1".to_owned()),
            ("rpm:u8*inf", "6: behind * stands a number that is not 0, as in *0.1".to_owned()),
            ("rpm:u8{}", "6: behind a type stand *SCALE, {NAME} of words or bits, and \"UNIT\"".to_owned()),
            ("rpm:u8{a}x", "9: behind a type stand *SCALE, {NAME} of words or bits, and \"UNIT\"".to_owned()),
            ("rpm:u8{a}*2", "0: a number with words, or a hexadecimal one, has no scale".to_owned()),
            ("s:str[0]", "2: str[N] has 1 to 65536 bytes".to_owned()),
            ("s:str\"m\"", "0: scale, words and unit are for numbers".to_owned()),
        ] {
            assert_eq!(read(text).map(|_| ()), Err(message), "{text}");
        }
        assert!(read("1a:u8").unwrap_err().starts_with("0: the name of a field is a letter"));
    }
}
