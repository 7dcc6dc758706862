//! Writes JSON directly, without a value tree, because row texts are already bytes.

use std::borrow::Cow;

use memchr::memchr2;

use crate::{
    present::{
        sanitise::{is_plain, push_but},
        words::given_name,
    },
    row::RowView,
};

/// Appends a JSON string; invalid UTF-8 becomes U+FFFD. Returns whether the input was valid.
#[inline]
pub fn string(out: &mut Vec<u8>, bytes: &[u8]) -> bool {
    out.push(b'"');
    let whole = if is_plain(bytes, *b"\"\\") {
        out.extend_from_slice(bytes);
        true
    } else {
        escaped(out, bytes)
    };
    out.push(b'"');
    whole
}

/// Escapes the text from `start` on, which is safe for a terminal, so that only quotes and backslashes need it.
#[inline]
pub fn escape_from(out: &mut Vec<u8>, start: usize) {
    if memchr2(b'"', b'\\', &out[start..]).is_some() {
        let text = out.split_off(start);
        escaped(out, &text);
    }
}

fn escaped(out: &mut Vec<u8>, bytes: &[u8]) -> bool {
    let find = |bytes: &[u8]| bytes.iter().position(|byte| begins_escaped(*byte));
    let valid = |text: &str, out: &mut Vec<u8>| push_but(text, out, find, is_escaped, character);
    if let Ok(text) = std::str::from_utf8(bytes) {
        valid(text, out);
        return true;
    }
    for chunk in bytes.utf8_chunks() {
        valid(chunk.valid(), out);
        if !chunk.invalid().is_empty() {
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
    }
    false
}

/// Whether a character that starts with this byte may need an escape.
fn begins_escaped(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1F | 0x7F | 0xC2 | 0xD8 | 0xE2)
}

/// Whether to escape a character. Many readers end a line at Unicode line separators, and terminals obey Unicode
/// control characters and direction marks.
fn is_escaped(c: char) -> bool {
    matches!(c, '"' | '\\' | '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn character(c: char, out: &mut Vec<u8>) {
    let short = match c {
        '"' => b'"',
        '\\' => b'\\',
        '\n' => b'n',
        '\r' => b'r',
        '\t' => b't',
        c => {
            out.extend_from_slice(b"\\u");
            return (c as u32 as u16).to_be_bytes().into_iter().for_each(|b| hex_byte(out, b));
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

pub fn boolean(out: &mut Vec<u8>, is: bool) {
    out.extend_from_slice(if is { b"true" } else { b"false" });
}

/// Appends an array of objects filled by `write`.
pub fn objects<T>(out: &mut Vec<u8>, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Object<'_>, T)) {
    out.push(b'[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        let mut object = Object::open(out);
        write(&mut object, item);
        object.close();
    }
    out.push(b']');
}

pub fn number(out: &mut Vec<u8>, n: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
}

/// Appends a double; NaN and infinities become strings.
pub fn double(out: &mut Vec<u8>, n: f64) {
    let text = float(n);
    if n.is_finite() {
        out.extend_from_slice(text.as_bytes());
    } else {
        string(out, text.as_bytes());
    }
}

/// The shortest text that parses to this double.
pub fn float(n: f64) -> String {
    if n.is_finite() { format!("{n:?}") } else { n.to_string() }
}

/// Appends a string of lower-case hexadecimal digits.
pub fn hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    bytes.iter().for_each(|&b| hex_byte(out, b));
    out.push(b'"');
}

/// Appends the two digits of a byte.
pub fn hex_byte(out: &mut Vec<u8>, b: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.push(DIGITS[usize::from(b >> 4)]);
    out.push(DIGITS[usize::from(b & 15)]);
}

#[derive(Debug)]
pub struct Object<'a> {
    pub out: &'a mut Vec<u8>,
    first: bool,
}

impl<'a> Object<'a> {
    pub fn open(out: &'a mut Vec<u8>) -> Object<'a> {
        out.push(b'{');
        Object { out, first: true }
    }

    /// An open object that has keys.
    pub fn begun(out: &'a mut Vec<u8>) -> Object<'a> {
        Object { out, first: false }
    }

    /// Appends a key; the caller appends its value.
    #[inline]
    pub fn key(&mut self, key: &[u8]) -> &mut Vec<u8> {
        self.comma();
        string(self.out, key);
        self.out.push(b':');
        self.out
    }

    /// Appends a key that is ready with its colon.
    #[inline]
    pub fn ready_key(&mut self, key: &str) -> &mut Vec<u8> {
        self.comma();
        self.out.extend_from_slice(key.as_bytes());
        self.out
    }

    /// Appends a key that must not need escapes.
    #[inline(always)]
    pub fn plain_key(&mut self, key: &'static str) -> &mut Vec<u8> {
        self.comma();
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    #[inline]
    fn comma(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
    }

    /// Appends a number. The key must not need escapes.
    #[inline(always)]
    pub fn number(&mut self, key: &'static str, n: impl itoa::Integer) {
        number(self.plain_key(key), n);
    }

    /// Appends a number, if any. The key must not need escapes.
    #[inline(always)]
    pub fn maybe(&mut self, key: &'static str, n: Option<impl itoa::Integer>) {
        if let Some(n) = n {
            self.number(key, n);
        }
    }

    /// Appends a string. The key must not need escapes.
    #[inline(always)]
    pub fn string(&mut self, key: &'static str, text: &[u8]) {
        string(self.plain_key(key), text);
    }

    pub fn close(self) {
        self.out.push(b'}');
    }
}

/// The kind of a row.
#[derive(Debug)]
pub(super) struct KindNames<'a> {
    /// The target's number.
    pub(super) id: u64,
    /// Name in the protocol; one word for notes.
    pub(super) name: Cow<'a, [u8]>,
}

impl<'a> KindNames<'a> {
    #[inline]
    pub(super) fn of(item: &'a RowView<'_>) -> KindNames<'a> {
        let kind = item.kind();
        let id = kind.id_of(item.row);
        if !item.row.is_record() {
            return KindNames { id, name: kind.name.replace(' ', "_").into_bytes().into() };
        }
        // If the decoder has no name for a kind, rows provide it.
        let given = if kind.nameless { given_name(item.row, item.names, 0) } else { None };
        let name = given.unwrap_or(kind.name.as_bytes()).into();
        KindNames { id, name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_through_a_reader() {
        for text in ["plain", "q\"b\\n\n\t\r\x01\x7f", "Grüße\n", "a\u{85}b\u{2028}c\u{2029}\u{9B}"] {
            let mut out = Vec::new();
            string(&mut out, text.as_bytes());
            assert_eq!(serde_json::from_slice::<String>(&out).expect("JSON"), text);
        }
        let mut out = Vec::new();
        string(&mut out, "a\u{85}b\u{2028}c\u{9B}".as_bytes());
        assert_eq!(out, br#""a\u0085b\u2028c\u009b""#);
        let mut out = Vec::new();
        string(&mut out, "x\u{202e}y\u{2066}z\u{61c}\u{200f}".as_bytes());
        assert_eq!(out, br#""x\u202ey\u2066z\u061c\u200f""#);
        let mut out = Vec::new();
        assert!(!string(&mut out, b"a\xFFb") && string(&mut Vec::new(), b"a\nb"));
        assert_eq!(out, "\"a\u{FFFD}b\"".as_bytes());
    }

    #[test]
    fn every_character_that_is_escaped_begins_as_expected() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32).filter(|c| is_escaped(*c)) {
            assert!(begins_escaped(c.encode_utf8(&mut [0; 4]).as_bytes()[0]), "{c:?}");
        }
    }

    #[test]
    fn numbers_are_numbers() {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.number("a", u64::MAX);
        object.maybe("none", None::<u8>);
        double(object.key(b"f"), 1.5);
        double(object.key(b"inf"), f64::INFINITY);
        hex(object.key(b"h"), &[0, 0xAB]);
        object.close();
        assert_eq!(out, br#"{"a":18446744073709551615,"f":1.5,"inf":"inf","h":"00ab"}"#);
    }
}
