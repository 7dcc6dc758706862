//! The actions, those of the program and those of panes, and the keys that start them.

use std::{fmt, sync::Arc};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use toml::de::DeTable;

use crate::{
    config::{ConfigError, Folders, TomlSource, items, read_text},
    hint::did_you_mean,
};

/// A pane, by the name of its table in `keys.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneId(pub &'static str);

pub const RECORDS: PaneId = PaneId("records");

pub const LOG: PaneId = PaneId("log");

/// Shows what led to a failure.
pub const INCIDENT: PaneId = PaneId("incident");
pub const OBJECTS: PaneId = PaneId("objects");

/// Shows what is sent to the target.
pub const TARGET: PaneId = PaneId("target");

#[derive(Debug, PartialEq, Eq)]
pub struct PaneKeys {
    pub id: PaneId,
    pub title: &'static str,
    /// Its title in the tab line, empty for a page without a tab; `None` for a part of another pane, which can't be
    /// brought to the front.
    pub tab: Option<&'static str>,
    pub actions: &'static [PaneAction],
    /// Keys shown in the last line while it is in front.
    pub hints: &'static [Hint],
    /// Its signs with their meanings, for the help: `!: a warning; ~: uncertain`.
    pub signs: &'static str,
}

impl PaneKeys {
    /// The front pane in which its actions are valid.
    pub fn taken_in(&self) -> PaneId {
        if self.tab.is_some() { self.id } else { RECORDS }
    }
}

/// Actions with a description of a word or two.
#[derive(Debug, PartialEq, Eq)]
pub struct Hint(pub &'static [Action], pub &'static str);

/// An action of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PaneAction {
    /// Name in `keys.toml`.
    pub name: &'static str,
    pub doc: &'static str,
    /// Name of the action that it follows in the help.
    pub listed_after: &'static str,
}

impl PaneAction {
    pub const fn new(name: &'static str, doc: &'static str, listed_after: &'static str) -> PaneAction {
        PaneAction { name, doc, listed_after }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionEntry {
    pub action: Action,
    /// Name in `keys.toml`.
    pub name: String,
    pub doc: &'static str,
    /// The pane in which it is valid; `None` = in every pane.
    pub valid: Option<PaneId>,
    pub heading: &'static str,
}

macro_rules! actions {
    ($($action:ident $name:literal $valid:expr, $doc:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $(#[doc = $doc] $action,)*
            ShowPane(PaneId),
            OfPane(PaneId, PaneAction),
        }

        /// Every action of the program itself, in the order of the help.
        const ACTIONS: &[(Action, &str, &str, Option<PaneId>)] = &[$((Action::$action, $name, $doc, $valid),)*];
    };
}

const EVERYWHERE: Option<PaneId> = None;
const IN_RECORDS: Option<PaneId> = Some(RECORDS);
/// The help lists the panes before this action.
const PANES_BEFORE: &str = "pane-next";
/// Headings of the help, each with its first action.
const HEADINGS: [(&str, &str); 7] = [
    ("up", "Move"),
    ("search", "Find"),
    ("back", "Places"),
    ("pane-next", "Panes"),
    ("filter", "Rows"),
    ("time-column", "Time and copies"),
    ("help", "Program"),
];

actions! {
    Up "up" EVERYWHERE, "up";
    Down "down" EVERYWHERE, "down";
    HalfUp "half-up" EVERYWHERE, "half a page up";
    HalfDown "half-down" EVERYWHERE, "half a page down";
    PageUp "page-up" EVERYWHERE, "page up";
    PageDown "page-down" EVERYWHERE, "page down";
    Top "top" EVERYWHERE, "to the top";
    Follow "follow" EVERYWHERE, "to the bottom, and follow";
    Hold "hold" EVERYWHERE, "hold or follow";
    Step "step" IN_RECORDS, "next record of a recording played with --step";
    Left "left" EVERYWHERE, "sideways to the left";
    Right "right" EVERYWHERE, "sideways to the right";
    Search "search" EVERYWHERE, "search";
    SearchNext "search-next" EVERYWHERE, "next match";
    SearchPrevious "search-previous" EVERYWHERE, "previous match";
    LossNext "loss-next" IN_RECORDS, "next loss";
    LossPrevious "loss-previous" IN_RECORDS, "previous loss";
    ErrorNext "error-next" IN_RECORDS, "next error";
    ErrorPrevious "error-previous" IN_RECORDS, "previous error";
    WarningNext "warning-next" IN_RECORDS, "next row with ! or reset";
    WarningPrevious "warning-previous" IN_RECORDS, "previous row with ! or reset";
    ObjectNext "object-next" IN_RECORDS, "same object, next";
    ObjectPrevious "object-previous" IN_RECORDS, "same object, previous";
    Cause "cause" IN_RECORDS, "to the cause of this row";
    Effect "effect" IN_RECORDS, "to what follows from this row";
    Back "back" EVERYWHERE, "back to where I was";
    Forward "forward" EVERYWHERE, "forward again";
    Mark "mark" IN_RECORDS, "mark this row, or take the mark away";
    MarkNote "mark-note" IN_RECORDS, "mark this row with a note";
    MarkNext "mark-next" IN_RECORDS, "next mark";
    MarkPrevious "mark-previous" IN_RECORDS, "previous mark";
    MarkList "mark-list" IN_RECORDS, "list of marks";
    PaneNext "pane-next" EVERYWHERE, "next pane";
    PanePrevious "pane-previous" EVERYWHERE, "previous pane";
    SourceNext "source-next" EVERYWHERE, "next source";
    SourcePrevious "source-previous" EVERYWHERE, "previous source";
    Zoom "zoom" EVERYWHERE, "this pane alone, and back";
    Strip "strip" EVERYWHERE, "strip of the timeline on or off";
    Open "open" EVERYWHERE, "all details; in lists filter by it or go to it";
    EditFilter "filter" EVERYWHERE, "edit the display filter";
    HideKind "hide-kind" IN_RECORDS, "hide this kind";
    HideGroup "hide-group" IN_RECORDS, "hide this group";
    HideObject "hide-object" IN_RECORDS, "hide this object";
    HideSignal "hide-signal" IN_RECORDS, "hide this signal";
    HideCore "hide-core" IN_RECORDS, "hide this core";
    MaskKind "mask-kind" IN_RECORDS, "switch this kind off at the target";
    MaskGroup "mask-group" IN_RECORDS, "switch this group off at the target";
    MaskObject "mask-object" IN_RECORDS, "switch this object off at the target";
    MaskSignal "mask-signal" IN_RECORDS, "switch this signal off at the target";
    OnlyKind "only-kind" IN_RECORDS, "only this kind";
    OnlyGroup "only-group" IN_RECORDS, "only this group";
    OnlyObject "only-object" IN_RECORDS, "only this object";
    OnlySignal "only-signal" IN_RECORDS, "only this signal";
    OnlyCore "only-core" IN_RECORDS, "only this core";
    AskKind "ask-kind" IN_RECORDS, "only this kind from the target";
    AskGroup "ask-group" IN_RECORDS, "only this group from the target";
    AskObject "ask-object" IN_RECORDS, "only this object from the target";
    AskSignal "ask-signal" IN_RECORDS, "only this signal from the target";
    AllRows "all-rows" IN_RECORDS, "all rows, and back to the filter";
    Fold "fold" IN_RECORDS, "show repeats, fold equal neighbours";
    TimeColumn "time-column" IN_RECORDS, "time column: ticks, seconds, Δ, since mark, host";
    Measure "measure" IN_RECORDS, "measure from here";
    Select "select" IN_RECORDS, "select rows";
    Copy "copy" EVERYWHERE, "copy the rows";
    Advise "advise" EVERYWHERE, "propose a filter for the target that fits the link";
    Help "help" EVERYWHERE, "keys and help";
    ChooseDecoder "decoder" EVERYWHERE, "choose the decoder";
    Command "command" EVERYWHERE, "command line";
    Close "close" EVERYWHERE, "close; at last ask to quit";
    Leave "leave" EVERYWHERE, "close what is open";
    Redraw "redraw" EVERYWHERE, "draw the screen again";
    Suspend "suspend" EVERYWHERE, "suspend";
    Interrupt "interrupt" EVERYWHERE, "interrupt; twice in a second quits";
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionCatalog {
    /// In the order of the help.
    pub entries: Vec<ActionEntry>,
    pub panes: Vec<PaneId>,
}

impl ActionCatalog {
    /// The actions of the program and of these panes.
    pub fn new(panes: &[&'static PaneKeys]) -> ActionCatalog {
        let mut entries = Vec::new();
        let mut heading = "";
        for &(action, name, doc, valid) in ACTIONS {
            if let Some((_, own)) = HEADINGS.iter().find(|(first, _)| *first == name) {
                heading = own;
            }
            if name == PANES_BEFORE {
                let shown = panes.iter().filter(|pane| pane.tab.is_some());
                entries.extend(shown.map(|pane| ActionEntry {
                    action: Action::ShowPane(pane.id),
                    name: format!("pane-{}", pane.id.0),
                    doc: pane.title,
                    valid: None,
                    heading,
                }));
            }
            entries.push(ActionEntry { action, name: name.to_owned(), doc, valid, heading });
            for pane in panes {
                entries.extend(
                    pane.actions.iter().filter(|own| own.listed_after == name).map(|own| of_pane(pane, own, heading)),
                );
            }
        }
        let panes = panes.iter().filter(|pane| pane.tab.is_some()).map(|pane| pane.id).collect();
        ActionCatalog { entries, panes }
    }

    pub fn named(&self, name: &str) -> Option<&ActionEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    pub fn entry(&self, action: Action) -> Option<&ActionEntry> {
        self.entries.iter().find(|entry| entry.action == action)
    }

    /// `true` if the action is valid in a pane.
    pub fn is_valid(&self, action: Action, pane: PaneId) -> bool {
        self.entry(action).is_some_and(|entry| entry.valid_in(pane))
    }
}

impl ActionEntry {
    /// `true` if it is valid in a pane.
    pub fn valid_in(&self, pane: PaneId) -> bool {
        self.valid.is_none_or(|own| own == pane)
    }
}

fn of_pane(pane: &PaneKeys, own: &PaneAction, heading: &'static str) -> ActionEntry {
    let action = Action::OfPane(pane.id, *own);
    ActionEntry { action, name: own.name.to_owned(), doc: own.doc, valid: Some(pane.taken_in()), heading }
}

pub const DEFAULT_KEYS: &str = include_str!("../../../config/keys.toml");

/// Meaning of the keys pressed so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyMeaning {
    Action(Action),
    /// The keys begin these sequences.
    Prefix(Vec<(KeyPress, Action)>),
    Nothing,
}

type Bindings = Vec<(Vec<KeyPress>, Action)>;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keymap {
    pub catalog: Arc<ActionCatalog>,
    global: Bindings,
    panes: Vec<(PaneId, Bindings)>,
}

impl Keymap {
    /// An empty keymap for a program with these panes.
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
        let found = self.catalog.panes.iter().copied().find(|pane| pane.0 == name);
        if found.is_some() || name == "global" {
            return Ok(found);
        }
        let known = self.catalog.panes.iter().map(|pane| pane.0).chain(["global"]);
        Err(format!("unknown pane \"{name}\"{}", did_you_mean(name, known)))
    }

    /// All keys valid in a pane, or those of an action; the pane's own before global ones.
    fn bindings(&self, pane: PaneId, of: Option<Action>) -> impl Iterator<Item = &(Vec<KeyPress>, Action)> {
        let is_asked_for = move |action: Action| of.is_none_or(|of| of == action);
        let own = self.panes.iter().filter(move |(p, _)| *p == pane).flat_map(|(_, table)| table);
        let hidden = move |keys: &[KeyPress]| {
            let mut own = self.panes.iter().filter(|(p, _)| *p == pane).flat_map(|(_, table)| table);
            own.any(|(other, _)| other.starts_with(keys) || keys.starts_with(other))
        };
        let global = self.global.iter().filter(move |(keys, action)| {
            is_asked_for(*action) && self.catalog.is_valid(*action, pane) && !hidden(keys)
        });
        own.filter(move |(_, action)| is_asked_for(*action)).chain(global)
    }

    pub fn meaning(&self, pane: PaneId, pressed: &[KeyPress]) -> KeyMeaning {
        let mut begun = Vec::new();
        for (keys, action) in self.bindings(pane, None) {
            match keys.strip_prefix(pressed) {
                Some([]) => return KeyMeaning::Action(*action),
                Some([next, ..]) => begun.push((*next, *action)),
                None => {}
            }
        }
        if begun.is_empty() { KeyMeaning::Nothing } else { KeyMeaning::Prefix(begun) }
    }

    /// The keys of an action in a pane, as written.
    pub fn keys(&self, pane: PaneId, action: Action) -> Vec<String> {
        self.bindings(pane, Some(action)).map(|(keys, _)| spell(keys)).collect()
    }

    /// Every action with keys in a pane, with its keys, in the order of the catalog.
    pub fn valid_now(&self, pane: PaneId) -> Vec<(String, &ActionEntry)> {
        let entries = self.catalog.entries.iter();
        let keys = entries.map(|entry| (self.keys(pane, entry.action).join(" "), entry));
        keys.filter(|(keys, _)| !keys.is_empty()).collect()
    }
}

fn spell(keys: &[KeyPress]) -> String {
    keys.iter().map(KeyPress::to_string).collect::<Vec<_>>().join(" ")
}

fn fill(
    source: &TomlSource<'_>,
    catalog: &ActionCatalog,
    table: &mut Bindings,
    pane: Option<PaneId>,
    lines: &DeTable<'_>,
) -> Result<(), ConfigError> {
    let mut seen: Vec<(Vec<KeyPress>, &str)> = Vec::new();
    for (spelling, span, value) in items(lines) {
        let at = |message: String| source.error(span.start, message);
        let keys = keys(spelling).map_err(at)?;
        let name = value.get_ref().as_str().ok_or_else(|| at("the action is a name in quotes".into()))?;
        let clashes = |other: &[KeyPress]| other.starts_with(&keys) || keys.starts_with(other);
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

fn keys(spelling: &str) -> Result<Vec<KeyPress>, String> {
    let keys: Option<Vec<KeyPress>> = spelling.split_whitespace().map(KeyPress::read).collect();
    let keys = keys.filter(|keys| !keys.is_empty());
    keys.ok_or_else(|| format!("unknown key {spelling:?}; use names as j ^d S-Tab PgUp F1 Space"))
}

fn action(catalog: &ActionCatalog, name: &str, pane: Option<PaneId>) -> Result<Action, String> {
    let names = || catalog.entries.iter().map(|entry| entry.name.as_str());
    let entry = catalog.named(name);
    let entry = entry.ok_or_else(|| format!("unknown action \"{name}\"{}", did_you_mean(name, names())))?;
    match pane {
        Some(pane) if !entry.valid_in(pane) => Err(format!("{name} does nothing in {}", pane.0)),
        _ => Ok(entry.action),
    }
}

/// A key with its modifiers, normalised: keys that terminals can't distinguish are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyPress {
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

impl KeyPress {
    pub fn of(event: KeyEvent) -> KeyPress {
        KeyPress::new(event.code, event.modifiers)
    }

    /// Shift is already part of a character; `^i ^m ^h ^j` are Tab, Enter and Backspace.
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> KeyPress {
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
        KeyPress { code, modifiers }
    }

    pub fn read(text: &str) -> Option<KeyPress> {
        let mut rest = text;
        let mut modifiers = KeyModifiers::NONE;
        loop {
            if let Some(code) = code(rest) {
                return Some(KeyPress::new(code, modifiers));
            }
            let (modifier, after) = modifier(rest)?;
            modifiers |= modifier;
            rest = after;
        }
    }

    /// The key that an Esc before it turns into this one: terminals send the same bytes for both.
    pub fn behind_esc(self) -> Option<KeyPress> {
        let is_sent_so = matches!(self.code, KeyCode::Char(_) | KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace);
        let modifiers = self.modifiers - KeyModifiers::ALT;
        (is_sent_so && modifiers != self.modifiers).then_some(KeyPress { modifiers, ..self })
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

impl fmt::Display for KeyPress {
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
            assert_eq!(KeyPress::read(text).map(|key| key.to_string()).as_deref(), Some(text));
        }
        for (text, same) in [("^i", "Tab"), ("^J", "Enter"), ("C-d", "^d"), ("return", "Enter"), ("space", "Space")] {
            assert_eq!(KeyPress::read(text), KeyPress::read(same), "{text}");
        }
        for wrong in ["", "jj", "F13", "F0", "^", "Shift"].iter().filter(|text| **text != "^") {
            assert_eq!(KeyPress::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn events_have_one_spelling() {
        let of = |code, modifiers| KeyPress::of(KeyEvent::new(code, modifiers)).to_string();
        assert_eq!(of(KeyCode::Char('G'), KeyModifiers::SHIFT), "G");
        assert_eq!(of(KeyCode::BackTab, KeyModifiers::SHIFT), "S-Tab");
        assert_eq!(of(KeyCode::Char('D'), KeyModifiers::CONTROL | KeyModifiers::SHIFT), "^d");
        assert_eq!(of(KeyCode::Char(' '), KeyModifiers::NONE), "Space");
    }
}
