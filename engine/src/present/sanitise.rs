//! Target bytes as text that no terminal obeys: control bytes, escapes, bidirectional and invisible marks come out
//! visible, broken UTF-8 as hexadecimal.

use std::fmt::Write as _;

/// `bytes` as safe text.
#[must_use]
pub fn sanitise(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    sanitise_into(bytes, &mut out);
    out
}

/// Adds `bytes` as safe text to `out`.
pub fn sanitise_into(bytes: &[u8], out: &mut String) {
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        if valid.bytes().all(|b| (0x20..0x7F).contains(&b)) {
            out.push_str(valid);
        } else {
            valid.chars().for_each(|c| push_char(c, out));
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
}

fn push_char(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\x1f' | '\x7f' => {
            let _ = write!(out, "\\x{:02x}", c as u32);
        }
        c if obeyed(c) => {
            let _ = write!(out, "\\u{{{:x}}}", c as u32);
        }
        c => out.push(c),
    }
}

/// C1 controls, marks that change direction or are not seen, private and unassigned planes.
fn obeyed(c: char) -> bool {
    matches!(c as u32,
        0x80..=0x9F | 0xAD | 0x061C | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F
        | 0xFE00..=0xFE0F | 0xFEFF | 0xFFF9..=0xFFFB | 0xE000..=0xF8FF | 0xE0000..=0x10_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_gets_through() {
        assert_eq!(sanitise(b"plain ~text"), "plain ~text");
        assert_eq!(sanitise(b"\x1b[2J\x07"), "\\x1b[2J\\x07");
        assert_eq!(sanitise("a\u{202e}b\u{200b}".as_bytes()), "a\\u{202e}b\\u{200b}");
        assert_eq!(sanitise(&[b'a', 0xFF, 0xC3, 0x28]), "a\\xff\\xc3(");
        assert_eq!(sanitise("Tür 温度".as_bytes()), "Tür 温度");
        assert_eq!(sanitise("\u{9b}31m".as_bytes()), "\\u{9b}31m");
    }
}
