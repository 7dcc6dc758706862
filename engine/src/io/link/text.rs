//! Bytes encoded as text: hexadecimal or base64, in lines of any length, possibly between banner lines. Anything else
//! is an error with its position.

use std::io::{self, Read};

/// Text encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// Two digits per byte; white space anywhere.
    Hex,
    /// Base64; padding at the end is optional.
    Base64,
}

/// Error in encoded text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct TextError {
    /// Line, from 1.
    pub line: u64,
    /// Column in bytes, from 1.
    pub column: u64,
    /// Description.
    pub what: String,
}

/// Bytes of a line examined to detect a banner.
const ENOUGH: usize = 4096;
/// Minimum length of a banner, unless it has no letter or digit at all.
const SHORTEST: usize = 8;

/// Kind of the current line.
#[derive(Debug)]
enum LineKind {
    /// Undecided; holds its start.
    Open(Vec<u8>),
    Data,
    Banner,
}

/// Incremental decoder.
#[derive(Debug)]
pub struct TextDecoder {
    form: TextForm,
    kind: LineKind,
    line: u64,
    column: u64,
    /// Characters of an incomplete group, and the position of the last one.
    group: Vec<u8>,
    padding: usize,
    last: (u64, u64),
}

impl TextDecoder {
    /// A decoder at the start of a text.
    #[must_use]
    pub fn new(form: TextForm) -> TextDecoder {
        let kind = LineKind::Open(Vec::new());
        TextDecoder { form, kind, line: 1, column: 0, group: Vec::new(), padding: 0, last: (1, 1) }
    }

    /// Decodes `text` and appends the bytes to `out`.
    ///
    /// # Errors
    /// On an invalid character.
    pub fn feed(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<(), TextError> {
        for &byte in text {
            match (&mut self.kind, byte) {
                (_, b'\n') => self.end_line(out)?,
                (LineKind::Open(begun), _) => {
                    begun.push(byte);
                    if begun.len() >= ENOUGH {
                        self.decide(out)?;
                    }
                }
                (LineKind::Data, _) => self.character(byte, out)?,
                (LineKind::Banner, _) => {}
            }
        }
        Ok(())
    }

    /// Ends the text.
    ///
    /// # Errors
    /// If it ends within a byte.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), TextError> {
        self.decide(out)?;
        match (self.form, self.group.len()) {
            (_, 0) => Ok(()),
            (TextForm::Hex, _) => Err(self.at_last("a digit without its other half: the number of digits is odd")),
            (TextForm::Base64, 1) => Err(self.at_last("a character too many, or three too few")),
            (TextForm::Base64, _) => {
                self.base64_group(out);
                Ok(())
            }
        }
    }

    fn end_line(&mut self, out: &mut Vec<u8>) -> Result<(), TextError> {
        self.decide(out)?;
        (self.line, self.column, self.kind) = (self.line + 1, 0, LineKind::Open(Vec::new()));
        Ok(())
    }

    /// Detects the kind of the line from its start, and decodes the start.
    fn decide(&mut self, out: &mut Vec<u8>) -> Result<(), TextError> {
        let LineKind::Open(begun) = std::mem::replace(&mut self.kind, LineKind::Data) else { return Ok(()) };
        if is_banner(self.form, &begun) {
            self.kind = LineKind::Banner;
            return Ok(());
        }
        begun.iter().try_for_each(|&byte| self.character(byte, out))
    }

    fn character(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), TextError> {
        self.column += 1;
        if byte.is_ascii_whitespace() {
            return Ok(());
        }
        self.last = (self.line, self.column);
        match self.form {
            TextForm::Hex => self.hex(byte, out),
            TextForm::Base64 => self.base64(byte, out),
        }
    }

    fn hex(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), TextError> {
        let digit = (byte as char).to_digit(16).ok_or_else(|| self.foreign(byte, "no hexadecimal digit"))? as u8;
        match self.group.pop() {
            Some(high) => out.push(high << 4 | digit),
            None => self.group.push(digit),
        }
        Ok(())
    }

    fn base64(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), TextError> {
        if byte == b'=' {
            if self.group.len() < 2 {
                return Err(self.at_last("padding where none can be"));
            }
            self.padding += 1;
        } else {
            let bits = sextet(byte).ok_or_else(|| self.foreign(byte, "no character of base64"))?;
            if self.padding > 0 {
                return Err(self.at_last("a character where padding is to come"));
            }
            self.group.push(bits);
        }
        if self.group.len() + self.padding == 4 {
            self.base64_group(out);
        }
        Ok(())
    }

    /// Decodes a group of two to four characters.
    fn base64_group(&mut self, out: &mut Vec<u8>) {
        let bits = (0..4).fold(0, |bits, i| bits << 6 | u32::from(self.group.get(i).copied().unwrap_or(0)));
        let bytes = bits.to_be_bytes();
        out.extend(bytes.iter().skip(1).take(self.group.len().saturating_sub(1)));
        self.group.clear();
        self.padding = 0;
    }

    fn foreign(&self, byte: u8, what: &str) -> TextError {
        let shown = if byte.is_ascii_graphic() { format!("'{}'", byte as char) } else { format!("byte 0x{byte:02X}") };
        self.at_last(&format!("{shown} is {what}"))
    }

    fn at_last(&self, what: &str) -> TextError {
        TextError { line: self.last.0, column: self.last.1, what: what.to_owned() }
    }
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Whether a line is a banner rather than damaged data: at least a third of it is foreign.
fn is_banner(form: TextForm, line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let visible = || line.iter().filter(|b| !b.is_ascii_whitespace());
    let is_data = |b: u8| match form {
        TextForm::Hex => b.is_ascii_hexdigit(),
        TextForm::Base64 => sextet(b).is_some(),
    };
    let padding =
        if form == TextForm::Base64 { line.iter().rev().take_while(|b| **b == b'=').count().min(2) } else { 0 };
    let count = visible().count();
    let foreign = visible().filter(|b| !is_data(**b)).count().saturating_sub(padding);
    let words = || line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    // Words consist of base64 characters, but base64 groups are complete.
    let uneven = form == TextForm::Base64 && words().count() > 1 && words().any(|w| w.len() % 4 != 0);
    let long = count >= SHORTEST || visible().all(u8::is_ascii_punctuation);
    long && (uneven || (foreign > 0 && foreign * 3 >= count))
}

/// The first `most` bytes that a text stands for.
///
/// # Errors
/// It can't be read, or is wrong before that.
pub fn beginning(mut text: impl Read, form: TextForm, most: usize) -> io::Result<Vec<u8>> {
    let (mut decoder, mut piece, mut bytes) = (TextDecoder::new(form), [0; 1 << 14], Vec::new());
    while bytes.len() < most {
        let len = text.read(&mut piece)?;
        let decoded = match len {
            0 => decoder.finish(&mut bytes),
            _ => decoder.feed(piece.get(..len).unwrap_or_default(), &mut bytes),
        };
        decoded.map_err(io::Error::other)?;
        if len == 0 {
            break;
        }
    }
    bytes.truncate(most);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(form: TextForm, text: &str, size: usize) -> Result<Vec<u8>, String> {
        let (mut decoder, mut out) = (TextDecoder::new(form), Vec::new());
        let result = text.as_bytes().chunks(size).try_for_each(|piece| decoder.feed(piece, &mut out));
        result.and_then(|()| decoder.finish(&mut out)).map(|()| out).map_err(|e| e.to_string())
    }

    fn hex(text: &str) -> Result<Vec<u8>, String> {
        let whole = decoded(TextForm::Hex, text, usize::MAX);
        assert_eq!(whole, decoded(TextForm::Hex, text, 1));
        whole
    }

    fn base64(text: &str) -> Result<Vec<u8>, String> {
        let whole = decoded(TextForm::Base64, text, usize::MAX);
        assert_eq!(whole, decoded(TextForm::Base64, text, 3));
        whole
    }

    #[test]
    fn digits_become_bytes_whatever_stands_between_them() {
        assert_eq!(hex("01 0aFF\r\n1\n 2\n"), Ok(vec![1, 10, 255, 0x12]));
        assert_eq!(hex(""), Ok(vec![]));
        let long = "5a".repeat(10_000);
        assert_eq!(hex(&long), Ok(vec![0x5A; 10_000]));
    }

    #[test]
    fn base64_becomes_bytes_with_padding_and_without() {
        assert_eq!(base64("aGVsbG8="), Ok(b"hello".to_vec()));
        assert_eq!(base64("aGVs\nbG8"), Ok(b"hello".to_vec()));
        assert_eq!(base64("aGk=\r\naGk=\n"), Ok(b"hihi".to_vec()));
        assert_eq!(base64("+/8A"), Ok(vec![0xFB, 0xFF, 0]));
    }

    #[test]
    fn banners_are_left_off() {
        let banners =
            ["--- BEGIN OF TRACE BUFFER ---", "====== end of buffer ======", "Trace buffer begins", "-----", "###"];
        for banner in banners {
            assert_eq!(hex(&format!("{banner}\n0102\n03\n{banner}\n")), Ok(vec![1, 2, 3]), "{banner}");
            assert_eq!(base64(&format!("{banner}\r\naGVs\r\nbG8=\r\n{banner}")), Ok(b"hello".to_vec()), "{banner}");
        }
    }

    #[test]
    fn what_stands_for_nothing_is_an_error_with_its_place() {
        let place = |result: Result<Vec<u8>, String>| result.unwrap_err();
        assert_eq!(place(hex("0102\n0304 0g")), "line 2, column 7: 'g' is no hexadecimal digit");
        assert_eq!(place(hex("zz")), "line 1, column 1: 'z' is no hexadecimal digit");
        assert_eq!(place(hex("0x01")), "line 1, column 2: 'x' is no hexadecimal digit");
        assert_eq!(place(hex("01é")), "line 1, column 3: byte 0xC3 is no hexadecimal digit");
        assert_eq!(place(base64("aGVs\nbG!8")), "line 2, column 3: '!' is no character of base64");
        let long = "5a".repeat(4_000) + "-";
        assert_eq!(place(hex(&long)), "line 1, column 8001: '-' is no hexadecimal digit");
    }

    #[test]
    fn a_text_that_ends_within_a_byte_is_an_error() {
        let odd = "a digit without its other half: the number of digits is odd";
        assert_eq!(hex("0102\n034\n\n").unwrap_err(), format!("line 2, column 3: {odd}"));
        assert_eq!(base64("aGVsb").unwrap_err(), "line 1, column 5: a character too many, or three too few");
        assert_eq!(base64("a=").unwrap_err(), "line 1, column 2: padding where none can be");
        assert_eq!(base64("aG=s").unwrap_err(), "line 1, column 4: a character where padding is to come");
    }

    #[test]
    fn the_beginning_of_a_text_is_read_no_further_than_wanted() {
        let text = "01".repeat(50_000) + "zz";
        assert_eq!(beginning(text.as_bytes(), TextForm::Hex, 40_000).unwrap(), vec![1; 40_000]);
        assert_eq!(beginning(&b"0102"[..], TextForm::Hex, 40_000).unwrap(), [1, 2]);
        let error = beginning(&b"01\n0"[..], TextForm::Hex, 40_000).unwrap_err();
        assert!(error.to_string().starts_with("line 2, column 1: "), "{error}");
    }
}
