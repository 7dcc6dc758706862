//! Printable text between frames: boot banners, `printf` on the same line. Defines what is text, and splits it into
//! rows.

/// Minimum length of text without other evidence.
pub const FEWEST: usize = 8;

/// Whether a byte may be part of text. `~` never is, as flags end a segment, nor is the string format byte 8.
pub fn is_text_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'}' | b'\t' | b'\n' | b'\r' | 0x0C | 0x1B | 0x80..)
}

/// Length of the text at the start of `body`; bytes beyond ASCII must be UTF-8.
pub fn text_len(body: &[u8]) -> usize {
    let len = body.iter().position(|&b| !is_text_byte(b)).unwrap_or(body.len());
    let text = body.get(..len).unwrap_or(&[]);
    match std::str::from_utf8(text) {
        Ok(_) => len,
        Err(broken) => broken.valid_up_to(),
    }
}

/// Whether `body` is text with visible characters.
pub fn is_text(body: &[u8]) -> bool {
    text_len(body) == body.len() && body.iter().any(|b| !b.is_ascii_whitespace())
}

/// Number of bytes at the start of a frame that may all be printable: sequence number, id, time stamp, low byte of a
/// signal, and more.
const PRINTABLE_START: usize = 12;

/// End of complete lines that can be shown before a flag arrives: the first line end after enough text, if no frame can
/// have begun shortly before. `scanned` = number of bytes known to be text without such a line end; it is updated.
pub fn live_line(body: &[u8], scanned: &mut usize, fewest: usize, expected: Option<u8>) -> Option<usize> {
    loop {
        let rest = body.get(*scanned..)?;
        let text = rest.iter().position(|&b| b == b'\n' || !is_text_byte(b)).unwrap_or(rest.len());
        *scanned += text;
        if rest.get(text) != Some(&b'\n') {
            return None;
        }
        let end = *scanned + 1;
        let line = body.get(..end)?;
        let last = line.get(end.saturating_sub(PRINTABLE_START)..)?;
        let frame_begun = expected.is_some_and(|seq| last.contains(&seq));
        if end >= fewest && !frame_begun && is_text(line) {
            return Some(end);
        }
        *scanned = end;
    }
}

/// The rows of a text between `before` and `after` further bytes: start and length of each.
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

/// Ends of the rows of a text: one per line, empty lines joined with the next one.
pub fn lines(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|r| !r.is_empty())?;
        let visible = rest.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(rest.len());
        let end = rest.iter().skip(visible).position(|&b| b == b'\n').map_or(rest.len(), |e| visible + e + 1);
        // The rest would be an empty row.
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
    fn a_row_a_line() {
        let ends: Vec<usize> = lines(b"\r\nU-Boot\r\n\r\nok\r\n\r\n").collect();
        assert_eq!(ends, [10, 18]);
        assert_eq!(rows(b"ab\ncd\n", 2, 1).collect::<Vec<_>>(), [(0, 5), (5, 4)]);
        assert_eq!(rows(b"ab", 0, 0).collect::<Vec<_>>(), [(0, 2)]);
    }

    #[test]
    fn short_lines_wait_for_more() {
        let mut scanned = 0;
        assert_eq!(live_line(b"ok\n", &mut scanned, FEWEST, None), None);
        assert_eq!(live_line(b"ok\nready\n", &mut scanned, FEWEST, None), Some(9));
        assert_eq!(live_line(b"ok\n", &mut 0, 1, None), Some(3));
        assert_eq!(live_line(b"text and +<\n", &mut 0, 1, Some(b'+')), None);
        assert_eq!(live_line(b"text+ and more text\n", &mut 0, 1, Some(b'+')), Some(20));
        assert_eq!(live_line(b"ab\x00cdefghij\n", &mut 0, 1, None), None);
    }
}
