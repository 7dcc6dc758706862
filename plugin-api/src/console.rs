//! Printable text between frames and in damage: boot banners, `printf` on the same line, last words before a reset.
//! Defines what counts as text, and splits it into rows.

use std::borrow::Cow;

/// Minimum number of characters for text to count without other evidence.
pub const FEWEST: usize = 8;

/// Whether a byte may be part of text. `~` never is, because it ends frames in many protocols; nor is 8, the backspace.
pub fn is_text_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'}' | b'\t' | b'\n' | b'\r' | 0x0C | 0x1B | 0x80..)
}

/// Length of the character at `at`: ASCII, UTF-8, or Latin-1 between ASCII characters.
fn char_len(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let &byte = rest.first()?;
    if byte.is_ascii() {
        return is_text_byte(byte).then_some(1);
    }
    let valid = rest.get(..4).unwrap_or(rest).utf8_chunks().next()?.valid();
    valid.chars().next().map(char::len_utf8).or_else(|| is_latin_between(bytes, at).then_some(1))
}

/// Whether a byte is one of at most two Latin-1 characters between ASCII characters. `FF` never counts: erased memory
/// and idle lines are full of it.
fn is_latin_between(bytes: &[u8], at: usize) -> bool {
    let is_latin = |at: usize| bytes.get(at).is_some_and(|byte| (0xA0..0xFF).contains(byte));
    let first = if at > 0 && is_latin(at - 1) { at - 1 } else { at };
    let end = if is_latin(at + 1) { at + 2 } else { at + 1 };
    let before = first.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|byte| (b' '..=b'}').contains(byte));
    let after = bytes.get(end).is_none_or(|&byte| byte.is_ascii() && is_text_byte(byte));
    is_latin(at) && end - first <= 2 && before && after
}

/// Length of the text at the start of `body`.
pub fn text_len(body: &[u8]) -> usize {
    let mut len = 0;
    while let Some(more) = char_len(body, len) {
        len += more;
    }
    len
}

/// Whether `body` is text with visible characters: UTF-8, or Latin-1 that is mostly ASCII.
pub fn is_text(body: &[u8]) -> bool {
    let visible = || body.iter().filter(|byte| byte.is_ascii_graphic()).count();
    let mostly_ascii = || 2 * body.iter().filter(|byte| !byte.is_ascii()).count() <= visible();
    text_len(body) == body.len()
        && body.iter().any(|b| !b.is_ascii_whitespace())
        && (std::str::from_utf8(body).is_ok() || mostly_ascii())
}

/// Text as UTF-8, without trailing whitespace.
pub fn shown(text: &[u8]) -> Cow<'_, [u8]> {
    let text = text.trim_ascii_end();
    if std::str::from_utf8(text).is_ok() {
        return text.into();
    }
    let mut shown = String::new();
    for chunk in text.utf8_chunks() {
        shown.push_str(chunk.valid());
        shown.extend(chunk.invalid().iter().copied().map(char::from));
    }
    shown.into_bytes().into()
}

/// End of the complete lines that can be shown before the next frame arrives: the first line end after enough text at
/// which the lines can't be what `may_hold_frame` accepts. `scanned` = number of bytes known to be text without such a
/// line end; updated.
pub fn live_line(
    body: &[u8],
    scanned: &mut usize,
    fewest: usize,
    may_hold_frame: impl Fn(&[u8]) -> bool,
) -> Option<usize> {
    loop {
        let rest = body.get(*scanned..)?;
        let text = rest.iter().position(|&b| b == b'\n' || !is_text_byte(b)).unwrap_or(rest.len());
        *scanned += text;
        if rest.get(text) != Some(&b'\n') {
            return None;
        }
        *scanned += 1;
        let lines = body.get(..*scanned)?;
        if lines.len() >= fewest && is_text(lines) && !may_hold_frame(lines) {
            return Some(*scanned);
        }
    }
}

/// A part of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// A line of text; otherwise what lies between two lines.
    pub is_text: bool,
    /// Index of its first byte.
    pub start: usize,
    /// Index of the byte after it.
    pub end: usize,
}

/// Splits bytes outside of records into lines of text and what lies between them. To rule out chance, a line needs a
/// line end and at least [`FEWEST`] visible characters; next to such a line, shorter lines count too, and so does an
/// incomplete last line.
pub(crate) fn parts(bytes: &[u8]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let (mut line_end, mut done) = (0, 0);
    let line_ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    for end in line_ends.chain([bytes.len()]) {
        let (start, visible) = text_before(bytes, line_end, end);
        let follows = start == done && done > 0;
        let is_line = bytes.get(end.wrapping_sub(1)) == Some(&b'\n');
        if visible > 0 && follows || visible >= FEWEST && is_line {
            let between = bytes.get(done..start).unwrap_or(&[]);
            let start = start - between.iter().rev().take_while(|byte| is_break(byte)).count();
            if start > done {
                parts.push(Part { is_text: false, start: done, end: start });
            }
            parts.push(Part { is_text: true, start, end });
            done = end;
        } else if let Some(line) = parts.last_mut().filter(|_| follows && start < end) {
            // An empty line.
            (line.end, done) = (end, end);
        }
        line_end = end;
    }
    if done < bytes.len() {
        parts.push(Part { is_text: false, start: done, end: bytes.len() });
    }
    parts
}

/// Start of the text that ends at `end`, not before `from`, and its number of visible characters; 0 if too much of it
/// is Latin-1, which any bytes may be.
fn text_before(bytes: &[u8], from: usize, end: usize) -> (usize, usize) {
    let line = bytes.get(..end).unwrap_or(bytes);
    let reach = line.iter().skip(from).rev().take_while(|byte| is_text_byte(**byte)).count();
    let (mut start, mut at) = (end - reach, end - reach);
    let (mut visible, mut latin) = (0, 0);
    while at < end {
        let byte = line.get(at).copied().unwrap_or_default();
        match char_len(line, at) {
            Some(1) if !byte.is_ascii() => latin += 1,
            Some(len) => visible += usize::from(byte.is_ascii_graphic() || len > 1),
            None => (start, visible, latin) = (at + 1, 0, 0),
        }
        at += char_len(line, at).unwrap_or(1);
    }
    (start, if 4 * latin > visible { 0 } else { visible })
}

/// Number of bytes of a non-record body that are text, which no protocol needs to explain.
pub fn text_bytes(bytes: &[u8]) -> usize {
    // Text begins with a whole line.
    let parts = if bytes.contains(&b'\n') { parts(bytes) } else { Vec::new() };
    parts.iter().filter(|part| part.is_text).map(|part| part.end - part.start).sum()
}

/// The rows of a text with `before` and `after` further bytes around it: start and length of each.
pub fn rows(text: &[u8], before: usize, after: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let total = before + text.len() + after;
    let inner = lines(text).map(move |end| before + end).filter(move |end| *end < before + text.len());
    let mut start = 0;
    inner.chain([total]).filter(move |end| *end > 0).map(move |end| {
        let row = (start, end - start);
        start = end;
        row
    })
}

/// Row ends in a text: one per line; empty lines join the next line.
pub fn lines(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|r| !r.is_empty())?;
        let visible = rest.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(rest.len());
        let end = rest.iter().skip(visible).position(|&b| b == b'\n').map_or(rest.len(), |e| visible + e + 1);
        // The rest would be a blank row.
        let blank = rest.get(end..).unwrap_or(&[]).iter().all(u8::is_ascii_whitespace);
        start += if blank { rest.len() } else { end };
        Some(start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_bytes_are_no_text() {
        assert!(is_text(b"boot \x1B[1mok\x1B[0m\r\n"));
        assert!(is_text("größer\n".as_bytes()));
        assert!(!is_text(b"\r\n"));
        assert!(!is_text(b"a\x08b"));
        assert_eq!(text_len(b"abc\x01def"), 3);
        assert_eq!(text_len(b"ab\xFFcd"), 2);
    }

    #[test]
    fn latin_1_is_text_among_ascii() {
        assert!(is_text(b"23\xB0C\r\n") && is_text(b"gr\xF6\xDFer"));
        assert!(!is_text(b"\xB0C") && !is_text(b"a\xE4\xF6\xFCb") && !is_text(b"a\x90b"));
        assert_eq!(shown(b"23\xB0C \r\n")[..], *"23°C".as_bytes());
        assert_eq!(shown("größer\n".as_bytes())[..], *"größer".as_bytes());
    }

    #[test]
    fn lines_in_damage_are_found() {
        let of = |bytes: &[u8]| {
            let text = |part: &Part| part.is_text.then(|| String::from_utf8_lossy(&bytes[part.start..part.end]).into());
            let all = parts(bytes);
            assert!(all.iter().fold(0, |at, part| if part.start == at { part.end } else { usize::MAX }) == bytes.len());
            all.iter().map(|part| text(part).unwrap_or_else(|| "-".to_owned())).collect::<Vec<String>>()
        };
        assert_eq!(of(b""), Vec::<String>::new());
        assert_eq!(of(b"\x06\x08\r\nMPU FAULT at 0x1234\r\n"), ["-", "\r\nMPU FAULT at 0x1234\r\n"]);
        assert_eq!(of(b"\x06\x08MPU FAULT\nPC=1\n\nR0=2\x00"), ["-", "MPU FAULT\n", "PC=1\n\n", "-"]);
        assert_eq!(of("\0Überlauf: 7 µs\n\0".as_bytes()), ["-", "Überlauf: 7 µs\n", "-"]);
        // Too short, without a line end, or mostly Latin-1.
        for noise in [
            &b"\x01HALT\n\x02"[..],
            b"\x01no end of line\x02",
            b"\xE4\xF6\xFC\xE4\xF6\xFC\xE4\xF6\xFC\n",
            b"\n\n\n\n\n",
        ] {
            assert_eq!(of(noise), ["-"], "{noise:?}");
        }
    }

    #[test]
    fn noise_has_no_lines() {
        let mut seed = 1u32;
        let mut byte = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        let noise: Vec<u8> = (0..200_000).map(|_| byte()).collect();
        assert!(text_bytes(&noise) < 100, "{}", text_bytes(&noise));
    }

    #[test]
    fn a_row_a_line() {
        let ends: Vec<usize> = lines(b"\r\nU-Boot\r\n\r\nok\r\n\r\n").collect();
        assert_eq!(ends, [10, 18]);
        assert_eq!(rows(b"ab\ncd\n", 2, 1).collect::<Vec<_>>(), [(0, 5), (5, 4)]);
        assert_eq!(rows(b"ab", 0, 0).collect::<Vec<_>>(), [(0, 2)]);
    }

    #[test]
    fn short_lines_wait_for_more() {
        let mut scanned = 0;
        let nothing = |_: &[u8]| false;
        assert_eq!(live_line(b"ok\n", &mut scanned, FEWEST, nothing), None);
        assert_eq!(live_line(b"ok\nready\n", &mut scanned, FEWEST, nothing), Some(9));
        assert_eq!(live_line(b"ok\n", &mut 0, 1, nothing), Some(3));
        let short = |lines: &[u8]| lines.len() < 6;
        assert_eq!(live_line(b"ok\n", &mut 0, 1, short), None);
        assert_eq!(live_line(b"ok\nready\nso\n", &mut 0, 1, short), Some(9));
        assert_eq!(live_line(b"ab\x00cdefghij\n", &mut 0, 1, nothing), None);
    }
}
