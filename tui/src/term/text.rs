//! Measuring, cutting and wrapping of text that has been sanitised.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Cells that sanitised text takes.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(|c| c.width().unwrap_or(0)).sum() }
}

/// The longest prefix of `text` that fits into `cells`.
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

/// `text` in at most `cells`; one that goes on ends with `ellipsis`.
pub fn end_marked<'a>(text: &'a str, cells: usize, ellipsis: &str) -> Cow<'a, str> {
    match cells.checked_sub(width(ellipsis)) {
        Some(room @ 1..) if width(text) > cells => Cow::Owned(format!("{}{ellipsis}", cut_end(text, room))),
        _ => Cow::Borrowed(cut_end(text, cells)),
    }
}

/// `text` in at most `cells`, its start replaced by `ellipsis`, so that the last part of a path stays.
pub fn cut_start<'a>(text: &'a str, cells: usize, ellipsis: &str) -> Cow<'a, str> {
    match cells.checked_sub(width(ellipsis)) {
        Some(room) if width(text) > cells => Cow::Owned(format!("{ellipsis}{}", last_cells(text, room))),
        _ => Cow::Borrowed(cut_end(text, cells)),
    }
}

/// `text` in at most `cells`, its middle replaced by `ellipsis`, so that the tails, by which names differ, stay.
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
        let whole = cut_end(rest, cells.max(2)).len();
        let end = if whole == rest.len() { whole } else { last_break(rest, whole) };
        lines.push(rest[..end].trim_end());
        rest = rest[end..].trim_start();
    }
    lines
}

/// Where a line of `limit` bytes at most ends: at a blank, one inside a grouped number, as `2 257`, only if need be.
fn last_break(text: &str, limit: usize) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_in_number = |at: usize| is_digit(at - 1) && (at + 1..at + 4).all(is_digit) && !is_digit(at + 4);
    let blanks = || (1..=limit).rev().filter(|&at| bytes.get(at) == Some(&b' '));
    blanks().find(|&at| !is_in_number(at)).or_else(|| blanks().next()).unwrap_or(limit)
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
    fn middles_go_and_tails_stay() {
        assert_eq!(cut_middle("l_door.move", 9, "…"), "l_do…move");
        assert_eq!(cut_middle("MSG_RECEIVEV", 11, "…"), "MSG_RE…IVEV");
        assert_eq!(cut_middle("io-pkt-v4-hc:3", 12, "…"), "io-pkt-…hc:3");
        assert_eq!(cut_middle("door", 4, "…"), "door");
        assert_eq!(cut_middle("door", 2, "…"), "do");
        assert_eq!(cut_middle("door", 0, "…"), "");
        assert_eq!(width(&cut_middle("日本語日本語", 7, "…")), 7);
    }

    #[test]
    fn lines_break_at_blanks_but_not_inside_numbers() {
        assert_eq!(wrap("obj-ptr=8; 2 257 frames", 13), ["obj-ptr=8;", "2 257 frames"]);
        assert_eq!(wrap("obj-ptr=8; 2 257 frames", 12), ["obj-ptr=8;", "2 257 frames"]);
        assert_eq!(wrap("500 of 500 fit", 10), ["500 of 500", "fit"]);
        assert_eq!(wrap("core 0 1 MB", 7), ["core 0", "1 MB"]);
        assert_eq!(wrap("1 000 000 000", 6), ["1 000", "000", "000"]);
        assert_eq!(wrap("abcdefgh", 4), ["abcd", "efgh"]);
    }

    #[test]
    fn what_goes_on_is_marked() {
        assert_eq!(
            (end_marked("queue empty", 8, "…"), end_marked("queue", 5, "…")),
            ("queue e…".into(), "queue".into())
        );
        assert_eq!((end_marked("queue", 1, "…"), end_marked("日本語", 4, "~")), ("q".into(), "日~".into()));
        assert_eq!(cut_start("qs/captures/oven.bin", 12, "…"), "…es/oven.bin");
        assert_eq!(cut_start("oven.bin", 12, "…"), "oven.bin");
    }
}
