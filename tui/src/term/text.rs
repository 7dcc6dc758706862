//! Text of a target on its way to the screen: made harmless, measured, cut.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` with everything visible that could move the cursor, hide, or reorder what is around it.
///
/// Control characters, direction marks, characters without a width and other invisible ones become escapes
/// (`\n`, `\x1b`, `\u{202e}`). What is left is measured right by [`width`], character by character.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if harmless(c) { safe.push(c) } else { escape(c, &mut safe) }
    }
    Cow::Owned(safe)
}

/// [`sanitise`] for bytes that may be no valid text; broken ones become U+FFFD.
pub fn sanitise_bytes(bytes: &[u8]) -> String {
    sanitise(&String::from_utf8_lossy(bytes)).into_owned()
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
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c.is_ascii() => drop(write!(out, "\\x{:02x}", u32::from(c))),
        c => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
    }
}

/// Cells that sanitised text takes.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(|c| c.width().unwrap_or(0)).sum() }
}

/// The longest beginning of `text` that fits into `cells`.
pub fn cut_end(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > cells {
            return &text[..at];
        }
    }
    text
}

/// `text` in at most `cells`, its middle replaced by `ellipsis`, so that the tails that tell names apart stay.
pub fn cut_middle<'a>(text: &'a str, cells: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let Some(room) = cells.checked_sub(ellipsis.width()).filter(|room| *room >= 2) else {
        return Cow::Borrowed(cut_end(text, cells));
    };
    let tail = last_cells(text, (room / 2).min(4.max(room / 3)));
    let head = cut_end(text, room - width(tail));
    Cow::Owned(format!("{head}{ellipsis}{tail}"))
}

/// `text` in lines of at most `cells`, broken at blanks where there are some; blanks at a break go.
pub fn wrap(text: &str, cells: usize) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), text.trim_end());
    while !rest.is_empty() {
        let whole = cut_end(rest, cells.max(2));
        let end = match rest[whole.len()..].chars().next() {
            None => whole.len(),
            Some(' ') => whole.len(),
            Some(_) => whole.rfind(' ').filter(|&at| at > 0).unwrap_or(whole.len()),
        };
        lines.push(rest[..end].trim_end());
        rest = rest[end..].trim_start();
    }
    lines
}

fn last_cells(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices().rev() {
        used += c.width().unwrap_or(0);
        if used > cells {
            return &text[at + c.len_utf8()..];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_unescaped() {
        let nasty = "a\x1b[2Jb\r\n\t\x07\u{9b}31m\u{202e}x\u{200b}e\u{301}\u{feff}\x7f\u{e0041}";
        assert_eq!(
            sanitise(nasty),
            "a\\x1b[2Jb\\r\\n\\t\\x07\\u{9b}31m\\u{202e}x\\u{200b}e\\u{301}\\u{feff}\\x7f\\u{e0041}"
        );
        assert!(matches!(sanitise("MOVE_SIG → door"), Cow::Borrowed(_)));
        assert_eq!(sanitise_bytes(b"ok\xff\xfe"), "ok\u{fffd}\u{fffd}");
    }

    #[test]
    fn every_character_is_harmless_or_escaped() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let mut buffer = [0; 4];
            let safe = sanitise(c.encode_utf8(&mut buffer)).into_owned();
            assert!(!safe.chars().any(char::is_control), "{c:?}");
            assert!(width(&safe) > 0 && width(&safe) == safe.as_str().width(), "{c:?}");
        }
    }

    #[test]
    fn long_texts_break_at_blanks() {
        assert_eq!(wrap("No byte for 5 s on x.", 10), ["No byte", "for 5 s on", "x."]);
        assert_eq!(wrap("a/very/long/path here", 8), ["a/very/l", "ong/path", "here"]);
        assert_eq!(wrap("", 8), Vec::<&str>::new());
        assert_eq!(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
    }

    #[test]
    fn middles_go_and_tails_stay() {
        assert_eq!(cut_middle("l_door.move", 9, "…"), "l_do…move");
        assert_eq!(cut_middle("MSG_RECEIVEV", 11, "…"), "MSG_RE…IVEV");
        assert_eq!(cut_middle("io-pkt-v4-hc:3", 12, "…"), "io-pkt-…hc:3");
        assert_eq!(cut_middle("door", 4, "…"), "door");
        assert_eq!(cut_middle("door", 2, "…"), "do");
        assert_eq!(cut_middle("door", 0, "…"), "");
        assert_eq!(width(&cut_middle("日本語日本語", 7, "…")), 7);
    }
}
