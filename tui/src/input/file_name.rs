//! File names in command lines: `\xE9` stands for a byte that is no UTF-8, or that a terminal would obey.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write,
    path::Path,
};

use crate::sys::{name_bytes, name_of_bytes};

/// Begin of an escape; two hexadecimal digits follow.
const ESCAPE: &str = "\\x";

/// A name as it is written in a command line.
pub fn escaped(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name_bytes(name).utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            let is_escape = chunk.valid().get(at..).is_some_and(|rest| rest.starts_with(ESCAPE));
            if c.is_control() || is_escape || c == '"' {
                push_bytes(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                text.push(c);
            }
        }
        push_bytes(&mut text, chunk.invalid());
    }
    text
}

fn push_bytes(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(text, "{ESCAPE}{byte:02X}");
    }
}

/// The name that a word of a command line stands for. A file of exactly that name goes first.
pub fn unescaped(word: &str) -> OsString {
    if !word.contains(ESCAPE) || Path::new(word).symlink_metadata().is_ok() {
        return word.into();
    }
    let mut pieces = word.split(ESCAPE);
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        match piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(piece.bytes().skip(2));
            }
            None => {
                bytes.extend(ESCAPE.bytes());
                bytes.extend(piece.bytes());
            }
        }
    }
    name_of_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        let there_and_back = |name: &[u8], text: &str| {
            let name = name_of_bytes(name.to_vec());
            assert_eq!(escaped(&name), text);
            assert_eq!(unescaped(text), name);
        };
        there_and_back(b"run.bin", "run.bin");
        there_and_back("Grüße".as_bytes(), "Grüße");
        there_and_back(b"caf\xE9.bin", "caf\\xE9.bin");
        there_and_back(b"\xE9\xFF", "\\xE9\\xFF");
        there_and_back(b"a\x1b[2J\n", "a\\x1B[2J\\x0A");
        there_and_back(b"a\\x41", "a\\x5Cx41");
        there_and_back(b"a\\b\\", "a\\b\\");
        assert_eq!(unescaped("a\\xZZ\\x4"), "a\\xZZ\\x4");
        assert_eq!(unescaped("a\\x\u{e9}1"), "a\\x\u{e9}1");
    }
}
