//! Keys as they are written: `j`, `^d`, `S-Tab`, `PgUp`, `F1`.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers, in one spelling: what terminals cannot distinguish is the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

const NAMES: [(&str, KeyCode); 18] = [
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("S-Tab", KeyCode::BackTab),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Return", KeyCode::Enter),
    ("Escape", KeyCode::Esc),
];

impl Key {
    /// The key of a terminal event.
    pub fn of(event: KeyEvent) -> Key {
        Key::new(event.code, event.modifiers)
    }

    /// A key from its parts. Shift is part of a character already; `^i ^m ^h ^j` are Tab, Enter and Backspace.
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Key {
        let kept = modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let control = kept.contains(KeyModifiers::CONTROL);
        let (code, modifiers) = match code {
            KeyCode::Char(c) if control => match c.to_ascii_lowercase() {
                'i' => (KeyCode::Tab, kept & KeyModifiers::ALT),
                'm' | 'j' => (KeyCode::Enter, kept & KeyModifiers::ALT),
                'h' => (KeyCode::Backspace, kept & KeyModifiers::ALT),
                c => (KeyCode::Char(c), kept - KeyModifiers::SHIFT),
            },
            KeyCode::Char(_) | KeyCode::BackTab => (code, kept - KeyModifiers::SHIFT),
            KeyCode::Tab if kept.contains(KeyModifiers::SHIFT) => (KeyCode::BackTab, kept - KeyModifiers::SHIFT),
            _ => (code, kept),
        };
        Key { code, modifiers }
    }

    /// The key written as `text`.
    pub fn read(text: &str) -> Option<Key> {
        let mut rest = text;
        let mut modifiers = KeyModifiers::NONE;
        loop {
            if let Some(code) = code(rest) {
                return Some(Key::new(code, modifiers));
            }
            let (modifier, after) = modifier(rest)?;
            modifiers |= modifier;
            rest = after;
        }
    }

    /// The key that an Esc before it makes this one: terminals send both as the same bytes.
    pub fn behind_esc(self) -> Option<Key> {
        let is_sent_so = matches!(self.code, KeyCode::Char(_) | KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace);
        let modifiers = self.modifiers - KeyModifiers::ALT;
        (is_sent_so && modifiers != self.modifiers).then_some(Key { modifiers, ..self })
    }

    /// Its code, for the line editor.
    pub fn code(self) -> KeyCode {
        self.code
    }

    /// `true` if Control is held.
    pub fn control(self) -> bool {
        self.modifiers.contains(KeyModifiers::CONTROL)
    }

    /// The character it types, if it types one.
    pub fn character(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if self.modifiers.is_empty() => Some(c),
            _ => None,
        }
    }
}

fn code(text: &str) -> Option<KeyCode> {
    let mut letters = text.chars();
    if let (Some(c), None) = (letters.next(), letters.next()) {
        return (!c.is_control() && c != ' ').then_some(KeyCode::Char(c));
    }
    if let Some(number) = text.strip_prefix('F').and_then(|digits| digits.parse::<u8>().ok()) {
        return (1..=12).contains(&number).then_some(KeyCode::F(number));
    }
    NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, code)| *code)
}

fn modifier(text: &str) -> Option<(KeyModifiers, &str)> {
    [
        ("^", KeyModifiers::CONTROL),
        ("C-", KeyModifiers::CONTROL),
        ("S-", KeyModifiers::SHIFT),
        ("A-", KeyModifiers::ALT),
    ]
    .into_iter()
    .find_map(|(sign, modifier)| text.strip_prefix(sign).map(|rest| (modifier, rest)))
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, sign) in [(KeyModifiers::CONTROL, "^"), (KeyModifiers::ALT, "A-"), (KeyModifiers::SHIFT, "S-")] {
            if self.modifiers.contains(modifier) {
                f.write_str(sign)?;
            }
        }
        match self.code {
            KeyCode::F(number) => write!(f, "F{number}"),
            KeyCode::Char(c) if c != ' ' => write!(f, "{c}"),
            code => f.write_str(NAMES.iter().find(|(_, c)| *c == code).map_or("?", |(name, _)| name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_read_and_written() {
        for text in
            ["j", "^d", "S-Tab", "PgUp", "F1", "Space", "<", "-", "^", "^Left", "A-x", "S-Up", "'", "^^", "Enter"]
        {
            assert_eq!(Key::read(text).map(|key| key.to_string()).as_deref(), Some(text));
        }
        for (text, same) in [("^i", "Tab"), ("^J", "Enter"), ("C-d", "^d"), ("return", "Enter"), ("space", "Space")] {
            assert_eq!(Key::read(text), Key::read(same), "{text}");
        }
        for wrong in ["", "jj", "F13", "F0", "^", "Shift"].iter().filter(|text| **text != "^") {
            assert_eq!(Key::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn events_have_one_spelling() {
        let of = |code, modifiers| Key::of(KeyEvent::new(code, modifiers)).to_string();
        assert_eq!(of(KeyCode::Char('G'), KeyModifiers::SHIFT), "G");
        assert_eq!(of(KeyCode::BackTab, KeyModifiers::SHIFT), "S-Tab");
        assert_eq!(of(KeyCode::Char('D'), KeyModifiers::CONTROL | KeyModifiers::SHIFT), "^d");
        assert_eq!(of(KeyCode::Char(' '), KeyModifiers::NONE), "Space");
    }
}
