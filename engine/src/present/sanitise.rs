//! Makes target text safe for a terminal: control bytes, escapes, direction marks and zero-width characters become
//! visible, invalid UTF-8 is shown in hexadecimal. The width of the result can be measured per character.

use std::{borrow::Cow, io::Write as _};

use spytui_plugin_api::Fault;
use unicode_width::UnicodeWidthChar;

pub fn sanitise(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len());
    sanitise_into(bytes, &mut out);
    text_of(out)
}

/// Converts bytes written by this module to a string.
pub(crate) fn text_of(written: Vec<u8>) -> String {
    String::from_utf8(written).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

pub fn sanitise_into(bytes: &[u8], out: &mut Vec<u8>) {
    if is_plain(bytes, []) || is_harmless(bytes) {
        return out.extend_from_slice(bytes);
    }
    for chunk in bytes.utf8_chunks() {
        push(chunk.valid(), out);
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
}

fn is_harmless(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = first_odd(rest) {
        let Some(c) = first_character(rest.get(at..).unwrap_or_default()).filter(|c| harmless(*c)) else {
            return false;
        };
        rest = rest.get(at + c.len_utf8()..).unwrap_or_default();
    }
    true
}

/// The first character; `None` = invalid.
fn first_character(bytes: &[u8]) -> Option<char> {
    let len = match *bytes.first()? {
        0x00..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    std::str::from_utf8(bytes.get(..len)?).ok()?.chars().next()
}

/// Appends lines as safe text, keeping line ends and tabs.
pub fn sanitise_lines(bytes: &[u8], out: &mut Vec<u8>) {
    for part in bytes.split_inclusive(|b| matches!(b, b'\n' | b'\t')) {
        let (text, end) = match part {
            [text @ .., end @ (b'\n' | b'\t')] => (text, Some(*end)),
            text => (text, None),
        };
        sanitise_into(text, out);
        out.extend(end);
    }
}

/// As [`sanitise_lines`], but colours stay: `ESC [ 33 ; 1 m`.
pub fn sanitise_coloured(mut bytes: &[u8], out: &mut Vec<u8>) {
    let colour = |bytes: &[u8]| {
        let end = bytes.strip_prefix(b"\x1b[")?.iter().position(|b| !b.is_ascii_digit() && *b != b';')? + 2;
        (bytes.get(end) == Some(&b'm')).then_some(end + 1)
    };
    while let Some(next) = (0..bytes.len()).find_map(|at| Some((at, at + colour(bytes.get(at..)?)?))) {
        sanitise_lines(bytes.get(..next.0).unwrap_or_default(), out);
        out.extend_from_slice(bytes.get(next.0..next.1).unwrap_or_default());
        bytes = bytes.get(next.1..).unwrap_or_default();
    }
    sanitise_lines(bytes, out);
}

/// Unchanged if already safe.
pub fn sanitise_text(text: &str) -> Cow<'_, str> {
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut safe = Vec::with_capacity(text.len() + 8);
    push(text, &mut safe);
    Cow::Owned(text_of(safe))
}

fn push(text: &str, out: &mut Vec<u8>) {
    push_but(text, out, first_odd, |c| !harmless(c), escape);
}

/// Index of the first byte that is not printable ASCII.
fn first_odd(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks();
    let odd = words.iter().map(|word| odd_in(u64::from_le_bytes(*word), [])).enumerate().find(|(_, odd)| *odd != 0);
    let in_words = odd.map(|(at, odd)| 8 * at + odd.trailing_zeros() as usize / 8);
    in_words.or_else(|| Some(8 * words.len() + rest.iter().position(|byte| !(0x20..0x7F).contains(byte))?))
}

/// Appends text, replacing characters that are `odd`; `find` quickly finds the next byte that may begin one.
pub(crate) fn push_but(
    text: &str,
    out: &mut Vec<u8>,
    find: impl Fn(&[u8]) -> Option<usize>,
    odd: impl Fn(char) -> bool,
    instead: impl Fn(char, &mut Vec<u8>),
) {
    let bytes = text.as_bytes();
    let (mut done, mut at) = (0, 0);
    while let Some(next) = find(&bytes[at..]) {
        at += next;
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            // Inside a character.
            at += 1;
            continue;
        };
        if odd(c) {
            out.extend_from_slice(&bytes[done..at]);
            instead(c, out);
            done = at + c.len_utf8();
        }
        at += c.len_utf8();
    }
    out.extend_from_slice(&bytes[done..]);
}

/// Whether all bytes are printable ASCII and none of `but`; checks eight at a time, because most texts are.
#[inline]
pub(crate) fn is_plain<const N: usize>(bytes: &[u8], but: [u8; N]) -> bool {
    let odd = |word: [u8; 8]| odd_in(u64::from_le_bytes(word), but);
    let Some(last) = bytes.last_chunk() else { return odd_in(short(bytes), but) == 0 };
    bytes.as_chunks().0.iter().fold(odd(*last), |all, word| all | odd(*word)) == 0
}

/// Packs fewer than eight bytes into a word; some bytes may occur twice.
#[inline]
fn short(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    let at = |i: usize| u32::from(bytes.get(i).copied().unwrap_or(b' '));
    let word = u64::from(at(0) | at(1) << 8 | at(2) << 16 | at(0) << 24);
    word | word << 32
}

/// Not 0 if a byte of the word is not printable ASCII or is one of `but`.
#[inline]
fn odd_in<const N: usize>(word: u64, but: [u8; N]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Sets the top bit of the lowest zero byte.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let same = |byte: u8| zeros(word ^ (ONES * u64::from(byte)));
    let controls = word.wrapping_sub(ONES * 0x20);
    let odd = but.into_iter().fold(word | controls | same(0x7F), |odd, byte| odd | same(byte));
    odd & (ONES * 0x80)
}

fn harmless(c: char) -> bool {
    // The arrow is in most texts of decoders; for others, tables are searched.
    c.is_ascii_graphic() || c == '→' || c == ' ' || (!c.is_ascii() && c.width().is_some_and(|w| w > 0) && !invisible(c))
}

/// Characters with a width that are not shown as themselves.
fn invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}'                      // soft hyphen
        | '\u{61c}' | '\u{180e}'      // direction and vowel marks
        | '\u{2000}'..='\u{200f}'     // blanks of odd widths, zero-width, direction marks
        | '\u{2028}'..='\u{202f}'     // line ends, direction embeddings
        | '\u{205f}'..='\u{206f}'     // invisible operators, direction isolates
        | '\u{3164}' | '\u{ffa0}'     // fillers
        | '\u{1f1e6}'..='\u{1f1ff}' // halves of flags, which terminals measure differently
        | '\u{1f3fb}'..='\u{1f3ff}'   // skin tones, which join the character before
    ) || (c.is_whitespace() && c != '\u{a0}')
}

fn escape(c: char, out: &mut Vec<u8>) {
    let _ = match c {
        '\n' => write!(out, "\\n"),
        '\r' => write!(out, "\\r"),
        '\t' => write!(out, "\\t"),
        c if c.is_ascii() => write!(out, "\\x{:02x}", u32::from(c)),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    };
}

const NOT_RENDERED: &str = "[not rendered: ";
/// Follows the bytes of a row whose decoder is not called.
pub const RAW: &str = "[not rendered]";
const FORMATTER: &str = " [formatter ";
const FAILED: &str = " failed]";
const DOES_NOT_FIT: &str = " [does not fit: ";
pub const TOO_LONG: &str = "has not returned for 2 s";
/// Names of formatters are shorter.
const LONGEST: usize = 200;

/// Text of a row on which its decoder failed.
pub fn not_rendered(fault: &str) -> String {
    format!("{NOT_RENDERED}{fault}]")
}

/// Follows the decoder's text when a formatter failed.
pub fn formatter_failed(name: &str) -> String {
    format!("{FORMATTER}{name}{FAILED}")
}

/// A fault of a plugin with control bytes escaped.
pub fn safe_fault(fault: Fault) -> Fault {
    Fault { text: sanitise_text(&fault.text).as_ref().into(), ..fault }
}

/// Follows the text of a record that is shorter than the fields of its line.
pub fn does_not_fit(bytes: usize) -> String {
    format!("{DOES_NOT_FIT}{bytes} bytes]")
}

#[inline]
pub fn is_marked(text: &[u8]) -> bool {
    text.last() == Some(&b']') && has_mark(text)
}

fn has_mark(text: &[u8]) -> bool {
    let end = &text[text.len().saturating_sub(LONGEST)..];
    let has = |mark: &str| end.windows(mark.len()).any(|part| part == mark.as_bytes());
    text.starts_with(NOT_RENDERED.as_bytes())
        || text.ends_with(RAW.as_bytes())
        || (text.ends_with(FAILED.as_bytes()) && has(FORMATTER))
        || (text.ends_with(b" bytes]") && has(DOES_NOT_FIT))
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

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
    fn colours_may_stay() {
        let mut out = Vec::new();
        sanitise_coloured(b"\x1b[40m\x1b[33;1mred\x1b[2J\x1b[0m\n\x1b[3", &mut out);
        assert_eq!(out, b"\x1b[40m\x1b[33;1mred\\x1b[2J\x1b[0m\n\\x1b[3");
    }

    #[test]
    fn what_is_harmless_is_not_changed_and_all_else_is() {
        let pieces: [&[u8]; 11] = [
            b"plain words",
            b"x",
            b"\n",
            "°".as_bytes(),
            "温".as_bytes(),
            "🙂".as_bytes(),
            "\u{202e}".as_bytes(),
            "\u{9b}".as_bytes(),
            b"\xC3",
            b"\xE6\xB8",
            b"\xFF",
        ];
        let (mut harmless, all) = (0, pieces.len().pow(3));
        for n in 0..all {
            let text = [n, n / 11, n / 121].map(|at| pieces[at % 11]).concat();
            let mut safe = Vec::new();
            text.utf8_chunks().for_each(|chunk| {
                push(chunk.valid(), &mut safe);
                chunk.invalid().iter().for_each(|byte| safe.extend(format!("\\x{byte:02x}").bytes()));
            });
            assert_eq!(is_harmless(&text), safe == text, "{text:?}");
            assert_eq!(sanitise(&text).as_bytes(), safe);
            harmless += usize::from(safe == text);
        }
        assert!((100..all - 100).contains(&harmless));
    }

    #[test]
    fn lines_keep_their_ends() {
        let mut out = Vec::new();
        sanitise_lines(b"a\tb\x1b[2J\r\n\n\xffc", &mut out);
        assert_eq!(out, b"a\tb\\x1b[2J\\r\n\n\\xffc");
    }

    #[test]
    fn plain_is_what_needs_no_second_look() {
        for at in 0..20 {
            for byte in 0..=u8::MAX {
                let mut text = *b"a~ z0 plain line of 20 bytes";
                text[at] = byte;
                for (len, text) in (at + 1..=text.len()).map(|len| (len, &text[..len])) {
                    let printable = (0x20..0x7F).contains(&byte);
                    assert_eq!(is_plain(text, []), printable, "{byte} at {at} of {len}");
                    assert_eq!(
                        is_plain(text, *b"\"\\"),
                        printable && !b"\"\\".contains(&byte),
                        "{byte} at {at} of {len}"
                    );
                }
            }
        }
        assert!(is_plain(b"", *b"x"));
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

    #[test]
    fn marks_are_found() {
        assert!(is_marked(not_rendered("no").as_bytes()));
        assert!(is_marked(format!("21 {RAW}").as_bytes()));
        assert!(is_marked(format!("text{}", formatter_failed("axis")).as_bytes()));
        assert!(is_marked(format!("rpm 3{}", does_not_fit(2)).as_bytes()));
        for text in ["", "]", "[2 bytes]", "[1]", "it failed]", "text [formatter axis failed] and more"] {
            assert!(!is_marked(text.as_bytes()), "{text}");
        }
    }
}
