//! Measuring, cutting and wrapping sanitised text; glyph sets: Unicode, code page 437, ASCII.

use std::{borrow::Cow, ops::Range};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width of sanitised text in cells.
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

/// `text` in at most `cells`; cut text ends with `ellipsis`.
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

/// `text` in at most `cells`, its middle replaced by `ellipsis`, because names differ at the end. A number in the middle,
/// such as the index of an array, stays as well.
pub fn cut_middle<'a>(text: &'a str, cells: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let Some(room) = cells.checked_sub(ellipsis.width()).filter(|room| *room >= 2) else {
        return Cow::Borrowed(cut_end(text, cells));
    };
    let tail = last_cells(text, (room / 2).min(4.max(room / 3)));
    let head = cut_end(text, room - width(tail));
    let is_cut = |number: &Range<usize>| number.end > head.len() && number.start < text.len() - tail.len();
    // A longer one is an address.
    let Some(number) = last_number(text).filter(|number| number.len() <= 6 && is_cut(number)) else {
        return Cow::Owned(format!("{head}{ellipsis}{tail}"));
    };
    let (before, rest) = (&text[..number.start], &text[number.end..]);
    let Some(spare @ 2..) = room.checked_sub(width(&text[number.clone()]) + ellipsis.width()) else {
        return Cow::Owned(format!("{head}{ellipsis}{tail}"));
    };
    let tail = last_cells(rest, spare / 2);
    let (mark, spare) = if tail == rest { ("", spare + ellipsis.width()) } else { (ellipsis, spare) };
    let head = cut_end(before, spare - width(tail));
    Cow::Owned(format!("{head}{ellipsis}{}{mark}{tail}", &text[number]))
}

/// Texts, each in at most its number of cells, cut so that different ones stay different.
pub fn cut_apart<'t>(texts: impl Iterator<Item = (&'t str, usize)>, ellipsis: &str) -> Vec<String> {
    let texts: Vec<(&str, usize)> = texts.collect();
    let mut shown: Vec<String> =
        texts.iter().map(|(text, room)| cut_middle(text, *room, ellipsis).into_owned()).collect();
    for at in 0..texts.len() {
        let (text, room) = texts[at];
        let same = |other: &usize| shown[*other] == shown[at] && texts[*other].0 != text;
        let others: Vec<&str> = (0..texts.len()).filter(same).map(|other| texts[other].0).collect();
        // Where it differs from the others, with one character before.
        let common = |other: &&str| text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
        let Some(differs) = others.iter().map(common).max() else { continue };
        let from = text.char_indices().nth(differs.saturating_sub(1)).map_or(text.len(), |(from, _)| from);
        let rest = room.saturating_sub(width(ellipsis));
        shown[at] = format!("{ellipsis}{}", end_marked(&text[from..], rest, ellipsis));
    }
    shown
}

/// The last number of a name, with brackets around it.
fn last_number(text: &str) -> Option<Range<usize>> {
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = text[..end].trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let is_index = text[..start].ends_with('[') && text[end..].starts_with(']');
    Some(if is_index { start - 1..end + 1 } else { start..end })
}

/// `text` in lines of at most `cells`, broken at blanks if possible; blanks at a break are removed.
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

/// End of a line of at most `limit` bytes: at a blank, but inside a grouped number such as `2 257` only if necessary.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Glyphs {
    #[default]
    Unicode,
    /// Glyphs of the Linux console and old PuTTY.
    Cp437,
    /// No byte above 0x7E.
    Ascii,
}

/// Characters outside ASCII, with their substitutes in code page 437 (`None` = contained in it) and in ASCII.
const STAND_INS: [(char, Option<&str>, &str); 51] = [
    ('…', Some("~"), "~"),
    ('✓', Some("√"), "ok"),
    ('→', None, ">"),
    ('←', None, "<"),
    ('↑', None, "^"),
    ('↓', None, "v"),
    ('►', None, ">"),
    ('◄', None, "<"),
    ('≥', None, ">="),
    ('≤', None, "<="),
    ('≈', None, "~"),
    ('≠', Some("!="), "!="),
    ('±', None, "+-"),
    ('·', None, "."),
    ('•', None, "*"),
    ('●', Some("•"), "*"),
    ('×', Some("x"), "x"),
    ('–', Some("-"), "-"),
    ('—', Some("-"), "-"),
    ('’', Some("'"), "'"),
    ('‘', Some("'"), "'"),
    ('“', Some("\""), "\""),
    ('”', Some("\""), "\""),
    ('µ', None, "u"),
    ('Δ', Some("δ"), "d"),
    ('░', None, "#"),
    ('▒', None, "#"),
    ('▓', None, "#"),
    ('█', None, "#"),
    ('▁', Some("_"), "_"),
    ('▂', Some("_"), "_"),
    ('▃', Some("▄"), ":"),
    ('▄', None, ":"),
    ('▅', Some("▄"), "="),
    ('▆', Some("█"), "="),
    ('▇', Some("█"), "#"),
    ('╱', Some("/"), "/"),
    ('▏', Some("│"), "|"),
    ('▍', Some("▌"), "#"),
    ('▌', None, "#"),
    ('▊', Some("█"), "#"),
    ('─', None, "-"),
    ('╌', Some("-"), ","),
    ('│', None, "|"),
    ('┌', None, "/"),
    ('└', None, "\\"),
    ('┊', Some(":"), ":"),
    ('═', None, "="),
    ('║', None, "|"),
    ('▼', None, "v"),
    ('▲', None, "^"),
];

impl Glyphs {
    /// `text` in this set; missing characters are replaced.
    pub fn spell(self, text: &str) -> Cow<'_, str> {
        if self == Glyphs::Unicode || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let mut spelt = String::with_capacity(text.len());
        for c in text.chars() {
            match self.stand_in(c) {
                Some(other) => spelt.push_str(other),
                None if c.is_ascii() || self == Glyphs::Cp437 => spelt.push(c),
                None => spelt.extend(c.escape_unicode()),
            }
        }
        Cow::Owned(spelt)
    }

    fn stand_in(self, c: char) -> Option<&'static str> {
        let found = STAND_INS.iter().find(|(mark, ..)| *mark == c);
        match (self, found) {
            (Glyphs::Cp437, Some((_, other, _))) => *other,
            (Glyphs::Ascii, Some((.., other))) => Some(other),
            (Glyphs::Ascii, None) => matches!(c, '\u{2500}'..='\u{257f}').then_some("+"),
            _ => None,
        }
    }

    /// Replaces the middle of a name that is too long.
    pub fn ellipsis(self) -> &'static str {
        if self == Glyphs::Unicode { "…" } else { "~" }
    }

    /// Start of a loss row, perhaps with a bookmark.
    pub fn loss(self, is_marked: bool) -> &'static str {
        match (self, is_marked) {
            (Glyphs::Ascii, false) => "## LOST",
            (Glyphs::Ascii, true) => "#* LOST",
            (_, false) => "░░",
            (_, true) => "░•",
        }
    }

    /// The sign of the reversed cursor row. ASCII always has one; other sets only on rows that are reversed anyway.
    pub fn cursor(self, is_on_reverse: bool) -> &'static str {
        match (self, is_on_reverse) {
            (Glyphs::Ascii, _) => ">",
            (_, true) => "►",
            (_, false) => "",
        }
    }

    /// The set with a configured name, if known.
    pub fn named(name: &str) -> Option<Glyphs> {
        Some(match name {
            "unicode" => Glyphs::Unicode,
            "cp437" => Glyphs::Cp437,
            "ascii" => Glyphs::Ascii,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles_go_and_tails_stay() {
        assert_eq!(cut_middle("l_door.move", 9, "…"), "l_do…move");
        assert_eq!(cut_middle("MSG_RECEIVEV", 11, "…"), "MSG_RE…IVEV");
        assert_eq!(cut_middle("io-pkt-v4-hc:3", 12, "…"), "io-pkt-…hc:3");
        assert_eq!(cut_middle("Philo_inst[3].timeEvt", 12, "…"), "Phil…[3]…Evt");
        assert_eq!(cut_middle("AO_Philo12_timeEvent", 12, "…"), "AO_P…12…vent");
        assert_eq!(cut_middle("Philo_inst[3].timeEvt", 6, "…"), "Phi…vt");
        assert_eq!(cut_middle("AO_Philosopher[3].x", 12, "…"), "AO_Phi…[3].x");
        assert_eq!(cut_middle("日本3語の日本語", 7, "…"), "日…3…語");
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

    const SCREEN: &str = "┌│└ l_do…move → door ≥58 • ~ ░░ ══ ● live · Δ µs é ├─►";

    #[test]
    fn ascii_is_ascii() {
        let spelt = Glyphs::Ascii.spell(SCREEN);
        assert_eq!(spelt, "/|\\ l_do~move > door >=58 * ~ ## == * live . d us \\u{e9} +->");
        assert!(spelt.bytes().all(|b| (0x20..=0x7e).contains(&b)));
        let marks = [Glyphs::Ascii.ellipsis(), Glyphs::Ascii.loss(false), Glyphs::Ascii.cursor(true)];
        assert!(marks.iter().all(|mark| mark.is_ascii()));
    }

    #[test]
    fn the_console_gets_what_it_has() {
        assert_eq!(Glyphs::Cp437.spell(SCREEN), "┌│└ l_do~move → door ≥58 • ~ ░░ ══ • live · δ µs é ├─►");
        assert!(matches!(Glyphs::Unicode.spell(SCREEN), Cow::Borrowed(_)));
    }
}
