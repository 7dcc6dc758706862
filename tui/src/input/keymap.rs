//! Keys and their notation (`j`, `^d`, `S-Tab`, `F1`), and their actions, from `keys.toml`.

use std::{fmt, sync::Arc};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use toml::de::DeTable;

use super::table::{Action, ActionCatalog, ActionEntry, PaneId, PaneKeys};
use crate::{
    config::{ConfigError, Folders, TomlSource, items, read_text},
    hint::did_you_mean,
};

/// The complete defaults.
pub const DEFAULT_KEYS: &str = include_str!("../../../config/keys.toml");

/// Meaning of the keys pressed so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    Action(Action),
    /// They begin these key sequences.
    Prefix(Vec<(Key, Action)>),
    Nothing,
}

type Bindings = Vec<(Vec<Key>, Action)>;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keymap {
    pub catalog: Arc<ActionCatalog>,
    global: Bindings,
    panes: Vec<(PaneId, Bindings)>,
}

impl Keymap {
    /// Without keys, for a program with these panes.
    pub fn without_keys(panes: &[&'static PaneKeys]) -> Keymap {
        Keymap { catalog: Arc::new(ActionCatalog::new(panes)), ..Keymap::default() }
    }

    pub fn built_in(panes: &[&'static PaneKeys]) -> Keymap {
        // A test parses the same text, so it is valid.
        Keymap::without_keys(panes).overlaid("keys.toml", DEFAULT_KEYS).unwrap_or_default()
    }

    /// These keys, overridden by those of a file. Errors: the first unknown word, second action on one key, or action
    /// that is invalid there.
    pub fn overlaid(&self, file: &str, text: &str) -> Result<Keymap, ConfigError> {
        let source = TomlSource::new(file, text);
        let parsed = source.parse()?;
        let mut map = self.clone();
        for (name, span, value) in items(parsed.get_ref()) {
            match (name, value.get_ref().as_str(), value.get_ref().as_table()) {
                ("preset", Some("default"), _) => {}
                ("preset", ..) => return Err(source.error(span.start, "the only preset is \"default\"")),
                (name, _, Some(table)) => {
                    let pane = self.pane(name).map_err(|message| source.error(span.start, message))?;
                    fill(&source, &self.catalog, map.bindings_of(pane), pane, table)?;
                }
                _ => return Err(source.error(span.start, format!("{name} needs a [table] of keys and actions"))),
            }
        }
        Ok(map)
    }

    /// The built-in keys, overridden by the system's and the user's.
    pub fn load(folders: &Folders, panes: &[&'static PaneKeys]) -> Result<Keymap, ConfigError> {
        let mut keys = Keymap::built_in(panes);
        for folder in folders.system.iter().chain(&folders.user) {
            let path = folder.join("keys.toml");
            if let Some(text) = read_text(&path)? {
                keys = keys.overlaid(&path.to_string_lossy(), &text)?;
            }
        }
        Ok(keys)
    }

    fn bindings_of(&mut self, pane: Option<PaneId>) -> &mut Bindings {
        let Some(pane) = pane else { return &mut self.global };
        let at = self.panes.iter().position(|(p, _)| *p == pane).unwrap_or_else(|| {
            self.panes.push((pane, Bindings::new()));
            self.panes.len() - 1
        });
        &mut self.panes[at].1
    }

    /// The pane of a table; `None` for all panes.
    fn pane(&self, name: &str) -> Result<Option<PaneId>, String> {
        let found = self.catalog.panes().iter().copied().find(|pane| pane.0 == name);
        if found.is_some() || name == "global" {
            return Ok(found);
        }
        let known = self.catalog.panes().iter().map(|pane| pane.0).chain(["global"]);
        Err(format!("unknown pane \"{name}\"{}", did_you_mean(name, known)))
    }

    /// All keys valid in a pane, or those of an action; the pane's own before global ones.
    fn bindings(&self, pane: PaneId, of: Option<Action>) -> impl Iterator<Item = &(Vec<Key>, Action)> {
        let is_asked_for = move |action: Action| of.is_none_or(|of| of == action);
        let own = self.panes.iter().filter(move |(p, _)| *p == pane).flat_map(|(_, table)| table);
        let hidden = move |keys: &[Key]| {
            let mut own = self.panes.iter().filter(|(p, _)| *p == pane).flat_map(|(_, table)| table);
            own.any(|(other, _)| other.starts_with(keys) || keys.starts_with(other))
        };
        let global = self.global.iter().filter(move |(keys, action)| {
            is_asked_for(*action) && self.catalog.is_valid(*action, pane) && !hidden(keys)
        });
        own.filter(move |(_, action)| is_asked_for(*action)).chain(global)
    }

    pub fn meaning(&self, pane: PaneId, pressed: &[Key]) -> Meaning {
        let mut begun = Vec::new();
        for (keys, action) in self.bindings(pane, None) {
            match keys.strip_prefix(pressed) {
                Some([]) => return Meaning::Action(*action),
                Some([next, ..]) => begun.push((*next, *action)),
                None => {}
            }
        }
        if begun.is_empty() { Meaning::Nothing } else { Meaning::Prefix(begun) }
    }

    /// The keys of an action in a pane, as written.
    pub fn keys(&self, pane: PaneId, action: Action) -> Vec<String> {
        self.bindings(pane, Some(action)).map(|(keys, _)| spell(keys)).collect()
    }

    /// Every action with keys in a pane, with its keys, in the order of the catalog.
    pub fn valid_now(&self, pane: PaneId) -> Vec<(String, &ActionEntry)> {
        let entries = self.catalog.entries().iter();
        let keys = entries.map(|entry| (self.keys(pane, entry.action).join(" "), entry));
        keys.filter(|(keys, _)| !keys.is_empty()).collect()
    }
}

fn spell(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

fn fill(
    source: &TomlSource<'_>,
    catalog: &ActionCatalog,
    table: &mut Bindings,
    pane: Option<PaneId>,
    lines: &DeTable<'_>,
) -> Result<(), ConfigError> {
    let mut seen: Vec<(Vec<Key>, &str)> = Vec::new();
    for (spelling, span, value) in items(lines) {
        let at = |message: String| source.error(span.start, message);
        let keys = keys(spelling).map_err(at)?;
        let name = value.get_ref().as_str().ok_or_else(|| at("the action is a name in quotes".into()))?;
        let clashes = |other: &[Key]| other.starts_with(&keys) || keys.starts_with(other);
        if let Some((_, other)) = seen.iter().find(|(other, _)| clashes(other)) {
            return Err(at(format!("{} is already {other}: two actions on one key", spell(&keys))));
        }
        table.retain(|(other, _)| !clashes(other));
        if !name.is_empty() {
            table.push((keys.clone(), action(catalog, name, pane).map_err(at)?));
            seen.push((keys, name));
        }
    }
    Ok(())
}

fn keys(spelling: &str) -> Result<Vec<Key>, String> {
    let keys: Option<Vec<Key>> = spelling.split_whitespace().map(Key::read).collect();
    let keys = keys.filter(|keys| !keys.is_empty());
    keys.ok_or_else(|| format!("unknown key {spelling:?}; use names as j ^d S-Tab PgUp F1 Space"))
}

fn action(catalog: &ActionCatalog, name: &str, pane: Option<PaneId>) -> Result<Action, String> {
    let names = || catalog.entries().iter().map(|entry| entry.name.as_str());
    let entry = catalog.named(name);
    let entry = entry.ok_or_else(|| format!("unknown action \"{name}\"{}", did_you_mean(name, names())))?;
    match pane {
        Some(pane) if !entry.valid_in(pane) => Err(format!("{name} does nothing in {}", pane.0)),
        _ => Ok(entry.action),
    }
}

/// A key with its modifiers, normalised: keys that terminals can't distinguish are equal.
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
    pub fn of(event: KeyEvent) -> Key {
        Key::new(event.code, event.modifiers)
    }

    /// Shift is already part of a character; `^i ^m ^h ^j` are Tab, Enter and Backspace.
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

    /// The key that an Esc before it turns into this one: terminals send the same bytes for both.
    pub fn behind_esc(self) -> Option<Key> {
        let is_sent_so = matches!(self.code, KeyCode::Char(_) | KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace);
        let modifiers = self.modifiers - KeyModifiers::ALT;
        (is_sent_so && modifiers != self.modifiers).then_some(Key { modifiers, ..self })
    }

    pub fn code(self) -> KeyCode {
        self.code
    }

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
