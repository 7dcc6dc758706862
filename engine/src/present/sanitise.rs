//! Target text as a terminal may have it: control bytes, escapes, direction marks and what has no width come out
//! visible, broken UTF-8 as hexadecimal. What is left is measured right, character by character.

use std::{borrow::Cow, fmt::Write as _};

use unicode_width::UnicodeWidthChar;

/// `bytes` as safe text.
#[must_use]
pub fn sanitise(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    sanitise_into(bytes, &mut out);
    out
}

/// Adds `bytes` as safe text to `out`.
pub fn sanitise_into(bytes: &[u8], out: &mut String) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return push(text, out);
    }
    for chunk in bytes.utf8_chunks() {
        push(chunk.valid(), out);
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
}

/// `text` as safe text; the same text where it is safe.
#[must_use]
pub fn sanitise_text(text: &str) -> Cow<'_, str> {
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    push(text, &mut safe);
    Cow::Owned(safe)
}

fn push(text: &str, out: &mut String) {
    if is_plain(text.as_bytes()) {
        return out.push_str(text);
    }
    let mut done = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| !harmless(*c)) {
        out.push_str(&text[done..at]);
        escape(c, out);
        done = at + c.len_utf8();
    }
    out.push_str(&text[done..]);
}

/// Whether all bytes are printable ASCII; looked at block by block, as most texts are.
fn is_plain(bytes: &[u8]) -> bool {
    let plain = |all: bool, &b: &u8| all & (0x20..0x7F).contains(&b);
    bytes.chunks(32).all(|block| block.iter().fold(true, plain))
}

fn harmless(c: char) -> bool {
    c.is_ascii_graphic() || c == ' ' || (!c.is_ascii() && c.width().is_some_and(|w| w > 0) && !invisible(c))
}

/// Characters with a width that are still not shown as themselves.
fn invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}'                      // soft hyphen
        | '\u{61c}' | '\u{180e}'      // direction and vowel marks
        | '\u{2000}'..='\u{200f}'     // blanks of odd widths, zero-width, direction marks
        | '\u{2028}'..='\u{202f}'     // line ends, direction embeddings
        | '\u{205f}'..='\u{206f}'     // invisible operators, direction isolates
        | '\u{3164}' | '\u{ffa0}'     // fillers
        | '\u{1f1e6}'..='\u{1f1ff}'   // halves of flags, which terminals measure as they like
        | '\u{1f3fb}'..='\u{1f3ff}'   // skin tones, which join the character before
    ) || (c.is_whitespace() && c != '\u{a0}')
}

fn escape(c: char, out: &mut String) {
    let _ = match c {
        '\n' => write!(out, "\\n"),
        '\r' => write!(out, "\\r"),
        '\t' => write!(out, "\\t"),
        c if c.is_ascii() => write!(out, "\\x{:02x}", u32::from(c)),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(sanitise(b"plain ~text"), "plain ~text");
        assert_eq!(sanitise(b"\x1b[2J\x07"), "\\x1b[2J\\x07");
        assert_eq!(sanitise(&[b'a', 0xFF, 0xC3, 0x28]), "a\\xff\\xc3(");
        assert_eq!(sanitise("Tür 温度".as_bytes()), "Tür 温度");
        let nasty = "a\x1b[2Jb\r\n\t\x07\u{9b}31m\u{202e}x\u{200b}e\u{301}\u{feff}\x7f\u{e0041}";
        assert_eq!(
            sanitise_text(nasty),
            "a\\x1b[2Jb\\r\\n\\t\\x07\\u{9b}31m\\u{202e}x\\u{200b}e\\u{301}\\u{feff}\\x7f\\u{e0041}"
        );
        assert!(matches!(sanitise_text("MOVE_SIG → door"), Cow::Borrowed(_)));
    }

    #[test]
    fn every_character_is_harmless_or_escaped() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let mut buffer = [0; 4];
            let safe = sanitise(c.encode_utf8(&mut buffer).as_bytes());
            assert!(!safe.chars().any(char::is_control), "{c:?}");
            assert!(
                safe.width() > 0 && safe.width() == safe.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>(),
                "{c:?}"
            );
        }
    }
}
