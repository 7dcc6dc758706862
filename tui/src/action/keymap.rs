//! Which keys start which action, from `keys.toml`.

use toml::de::DeTable;

use super::key::Key;
use super::table::{ACTIONS, Action, Place};
use crate::config::{ConfigError, Folders, TomlSource, items, read_text};
use crate::hint::did_you_mean;

/// The complete defaults.
pub const DEFAULT_KEYS: &str = include_str!("../../../config/keys.toml");

/// What the keys pressed so far mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// An action.
    Action(Action),
    /// They begin these.
    Prefix(Vec<(Key, Action)>),
    /// Nothing.
    Nothing,
}

type Bindings = Vec<(Vec<Key>, Action)>;

/// The keys of every place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keymap {
    global: Bindings,
    places: Vec<(Place, Bindings)>,
}

impl Keymap {
    /// The built-in keys.
    pub fn built_in() -> Keymap {
        // A test reads the same text, so it is right.
        Keymap::default().overlaid("keys.toml", DEFAULT_KEYS).unwrap_or_default()
    }

    /// These keys with those of another file over them.
    ///
    /// # Errors
    /// The first mistake of the file: unknown word, two actions on one key, an action that is not valid there.
    pub fn overlaid(&self, file: &str, text: &str) -> Result<Keymap, ConfigError> {
        let source = TomlSource::new(file, text);
        let parsed = source.parse()?;
        let mut map = self.clone();
        for (name, span, value) in items(parsed.get_ref()) {
            match (name, value.get_ref().as_str(), value.get_ref().as_table()) {
                ("preset", Some("default"), _) => {}
                ("preset", ..) => return Err(source.error(span.start, "the only preset is \"default\"")),
                (name, _, Some(table)) => {
                    let place = place(name).map_err(|message| source.error(span.start, message))?;
                    fill(&source, map.table(place), place, table)?;
                }
                _ => return Err(source.error(span.start, format!("{name} needs a [table] of keys and actions"))),
            }
        }
        Ok(map)
    }

    /// The built-in keys with the system's and the user's over them.
    ///
    /// # Errors
    /// The first mistake in a file.
    pub fn load(folders: &Folders) -> Result<Keymap, ConfigError> {
        let mut keys = Keymap::built_in();
        for folder in folders.system.iter().chain(&folders.user) {
            let path = folder.join("keys.toml");
            if let Some(text) = read_text(&path)? {
                keys = keys.overlaid(&path.to_string_lossy(), &text)?;
            }
        }
        Ok(keys)
    }

    fn table(&mut self, place: Option<Place>) -> &mut Bindings {
        let Some(place) = place else { return &mut self.global };
        let at = self.places.iter().position(|(p, _)| *p == place).unwrap_or_else(|| {
            self.places.push((place, Bindings::new()));
            self.places.len() - 1
        });
        &mut self.places[at].1
    }

    /// All keys valid in `place`; those of the place go before the global ones.
    fn bindings(&self, place: Place) -> impl Iterator<Item = &(Vec<Key>, Action)> {
        let own = self.places.iter().filter(move |(p, _)| *p == place).flat_map(|(_, table)| table);
        let hidden = move |keys: &[Key]| {
            let mut own = self.places.iter().filter(|(p, _)| *p == place).flat_map(|(_, table)| table);
            own.any(|(other, _)| other.starts_with(keys) || keys.starts_with(other))
        };
        let global = self.global.iter().filter(move |(keys, act)| act.valid_in(place) && !hidden(keys));
        own.chain(global)
    }

    /// What `pressed` means in `place`.
    pub fn meaning(&self, place: Place, pressed: &[Key]) -> Meaning {
        let mut begun = Vec::new();
        for (keys, act) in self.bindings(place) {
            match keys.strip_prefix(pressed) {
                Some([]) => return Meaning::Action(*act),
                Some([next, ..]) => begun.push((*next, *act)),
                None => {}
            }
        }
        if begun.is_empty() { Meaning::Nothing } else { Meaning::Prefix(begun) }
    }

    /// The keys of an action in `place`, as written.
    pub fn keys(&self, place: Place, act: Action) -> Vec<String> {
        self.bindings(place).filter(|(_, a)| *a == act).map(|(keys, _)| spell(keys)).collect()
    }

    /// Every action that has keys in `place`, with its keys, in the order of the table.
    pub fn valid_now(&self, place: Place) -> Vec<(String, &'static str)> {
        let keys = ACTIONS.iter().map(|entry| (self.keys(place, entry.act).join(" "), entry.doc));
        keys.filter(|(keys, _)| !keys.is_empty()).collect()
    }
}

fn spell(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

/// The pane of a table; `None` for all panes.
fn place(name: &str) -> Result<Option<Place>, String> {
    let found = Place::ALL.into_iter().find(|place| place.name() == name);
    if found.is_some() || name == "global" {
        return Ok(found);
    }
    let known = Place::ALL.iter().map(|place| place.name()).chain(["global"]);
    Err(format!("unknown pane \"{name}\"{}", did_you_mean(name, known)))
}

fn fill(
    source: &TomlSource<'_>,
    table: &mut Bindings,
    place: Option<Place>,
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
            table.push((keys.clone(), act(name, place).map_err(at)?));
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

fn act(name: &str, place: Option<Place>) -> Result<Action, String> {
    let act = Action::named(name);
    let act =
        act.ok_or_else(|| format!("unknown action \"{name}\"{}", did_you_mean(name, ACTIONS.iter().map(|e| e.name))))?;
    match place {
        Some(place) if !act.valid_in(place) => Err(format!("{name} does nothing in {}", place.name())),
        _ => Ok(act),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(text: &str) -> Vec<Key> {
        text.split_whitespace().map(|key| Key::read(key).unwrap()).collect()
    }

    #[test]
    fn the_built_in_keys_are_right_and_complete() {
        let map = Keymap::default().overlaid("keys.toml", DEFAULT_KEYS).unwrap();
        assert_eq!(map, Keymap::built_in());
        for entry in ACTIONS {
            let keys = |place| !map.keys(place, entry.act).is_empty();
            assert!(Place::ALL.into_iter().any(keys), "{} has no key", entry.name);
        }
        for sent in ["^s", "^q", "^a", "^b"] {
            assert_eq!(map.meaning(Place::Records, &pressed(sent)), Meaning::Nothing, "{sent}");
        }
    }

    #[test]
    fn keys_mean_actions() {
        let map = Keymap::built_in();
        assert_eq!(map.meaning(Place::Records, &pressed("x")), Meaning::Action(Action::LossNext));
        assert_eq!(map.meaning(Place::Log, &pressed("x")), Meaning::Nothing);
        assert_eq!(map.meaning(Place::Log, &pressed("PgDn")), Meaning::Action(Action::PageDown));
        assert_eq!(map.meaning(Place::Records, &pressed("- o")), Meaning::Action(Action::HideObject));
        assert_eq!(map.meaning(Place::Records, &pressed("- x")), Meaning::Nothing);
        let Meaning::Prefix(choices) = map.meaning(Place::Records, &pressed("-")) else { panic!("no prefix") };
        assert_eq!(choices.len(), 5);
        assert!(map.valid_now(Place::Records).contains(&("x ]".into(), "next loss")));
    }

    #[test]
    fn a_users_file_overlays() {
        let own = "[records]\n\"x\" = \"mark\"\n\"-\" = \"fold\"\n\"j\" = \"loss-next\"\n[global]\n\"q\" = \"\"\n";
        let map = Keymap::built_in().overlaid("mine", own).unwrap();
        assert_eq!(map.meaning(Place::Records, &pressed("x")), Meaning::Action(Action::Mark));
        assert_eq!(map.meaning(Place::Records, &pressed("-")), Meaning::Action(Action::Fold));
        assert_eq!(map.meaning(Place::Records, &pressed("j")), Meaning::Action(Action::LossNext));
        assert_eq!(map.meaning(Place::Log, &pressed("j")), Meaning::Action(Action::Down));
        assert_eq!(map.meaning(Place::Records, &pressed("q")), Meaning::Nothing);
        assert_eq!(map.keys(Place::Records, Action::Down), ["Down"]);
    }

    #[test]
    fn a_users_file_is_found_in_its_folder() {
        let root = std::env::temp_dir().join(format!("spytui-keys-{}", std::process::id()));
        let folders = Folders { user: Some(root.clone()), ..Folders::default() };
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(root.join("keys.toml"), "[records]\n\"x\" = \"mark\"\n").unwrap();
        assert_ne!(Keymap::load(&folders).unwrap(), Keymap::built_in());
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn mistakes_have_a_line() {
        let wrong = |text: &str| Keymap::built_in().overlaid("keys.toml", text).unwrap_err().to_string();
        assert_eq!(
            wrong("[global]\n\"Tab\" = \"up\"\n\"^i\" = \"down\"\n"),
            "keys.toml:3: Tab is already up: two actions on one key"
        );
        assert_eq!(
            wrong("[records]\n\"-\" = \"fold\"\n\"- k\" = \"mark\"\n"),
            "keys.toml:3: - k is already fold: two actions on one key"
        );
        assert_eq!(
            wrong("[global]\n\"j\" = \"dwon\"\n"),
            "keys.toml:2: unknown action \"dwon\"; did you mean \"down\"?"
        );
        assert_eq!(wrong("\n[record]\n"), "keys.toml:2: unknown pane \"record\"; did you mean \"records\"?");
        assert_eq!(wrong("[log]\n\"x\" = \"mark\"\n"), "keys.toml:2: mark does nothing in log");
        assert!(wrong("[log]\n\"Hyper\" = \"up\"\n").starts_with("keys.toml:2: unknown key \"Hyper\""));
        assert!(wrong("[log]\n\"j\" = \"up\"\n\"j\" = \"down\"\n").starts_with("keys.toml:3: duplicate key"));
        assert_eq!(wrong("preset = \"emacs\""), "keys.toml:1: the only preset is \"default\"");
    }
}
