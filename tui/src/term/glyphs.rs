//! Glyph sets: Unicode, code page 437, ASCII.
//!
//! Views and decoders write Unicode; [`Glyphs::spell`] replaces what the terminal cannot show.

use std::borrow::Cow;

/// A set of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Glyphs {
    /// Everything.
    #[default]
    Unicode,
    /// Glyphs of the Linux console and old PuTTY.
    Cp437,
    /// No byte above 0x7E.
    Ascii,
}

/// Marks outside ASCII, with their stand-ins in code page 437 (`None`: they are in it) and in ASCII.
const STAND_INS: [(char, Option<&str>, &str); 50] = [
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
    /// `text` in this set; every character that the set lacks is replaced.
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

    /// Beginning of a loss row, perhaps with a bookmark.
    pub fn loss(self, is_marked: bool) -> &'static str {
        match (self, is_marked) {
            (Glyphs::Ascii, false) => "## LOST",
            (Glyphs::Ascii, true) => "#* LOST",
            (_, false) => "░░",
            (_, true) => "░•",
        }
    }

    /// The sign of the cursor row, which is reversed. Only ASCII always has one; the others where that says nothing,
    /// because the row is reversed by itself.
    pub fn cursor(self, is_on_reverse: bool) -> &'static str {
        match (self, is_on_reverse) {
            (Glyphs::Ascii, _) => ">",
            (_, true) => "►",
            (_, false) => "",
        }
    }

    /// The set for its configured name; `None` for an unknown one.
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
