//! The built-in keys, and files that override them.

use super::keys;
use crate::{
    config::Folders,
    input::{Action, DEFAULT_KEYS, KeyMeaning, KeyPress, Keymap, LOG, RECORDS},
};

fn pressed(text: &str) -> Vec<KeyPress> {
    text.split_whitespace().map(|key| KeyPress::read(key).unwrap()).collect()
}

#[test]
fn the_built_in_keys_are_right_and_complete() {
    let map = Keymap::without_keys(&keys()).overlaid("keys.toml", DEFAULT_KEYS).unwrap();
    assert_eq!(map, Keymap::built_in(&keys()));
    for entry in &map.catalog.entries {
        let keys = |place| !map.keys(place, entry.action).is_empty();
        assert!(map.catalog.panes.iter().copied().any(keys), "{} has no key", entry.name);
    }
    for sent in ["^s", "^q", "^a"] {
        assert_eq!(map.meaning(RECORDS, &pressed(sent)), KeyMeaning::Nothing, "{sent}");
    }
}

#[test]
fn keys_mean_actions() {
    let map = Keymap::built_in(&keys());
    assert_eq!(map.meaning(RECORDS, &pressed("x")), KeyMeaning::Action(Action::LossNext));
    assert_eq!(map.meaning(LOG, &pressed("x")), KeyMeaning::Nothing);
    assert_eq!(map.meaning(LOG, &pressed("PgDn")), KeyMeaning::Action(Action::PageDown));
    assert_eq!(map.meaning(RECORDS, &pressed("- o")), KeyMeaning::Action(Action::HideObject));
    assert_eq!(map.meaning(RECORDS, &pressed("- x")), KeyMeaning::Nothing);
    let KeyMeaning::Prefix(choices) = map.meaning(RECORDS, &pressed("-")) else { panic!("no prefix") };
    assert_eq!(choices.len(), 9);
    assert!(map.valid_now(RECORDS).iter().any(|(keys, entry)| keys == "x ]" && entry.doc == "next loss"));
}

#[test]
fn a_users_file_overlays() {
    let own = "[records]\n\"x\" = \"mark\"\n\"-\" = \"fold\"\n\"j\" = \"loss-next\"\n[global]\n\"q\" = \"\"\n";
    let map = Keymap::built_in(&keys()).overlaid("mine", own).unwrap();
    assert_eq!(map.meaning(RECORDS, &pressed("x")), KeyMeaning::Action(Action::Mark));
    assert_eq!(map.meaning(RECORDS, &pressed("-")), KeyMeaning::Action(Action::Fold));
    assert_eq!(map.meaning(RECORDS, &pressed("j")), KeyMeaning::Action(Action::LossNext));
    assert_eq!(map.meaning(LOG, &pressed("j")), KeyMeaning::Action(Action::Down));
    assert_eq!(map.meaning(RECORDS, &pressed("q")), KeyMeaning::Nothing);
    assert_eq!(map.keys(RECORDS, Action::Down), ["Down"]);
}

#[test]
fn a_users_file_is_found_in_its_folder() {
    let root = tempfile::tempdir().unwrap();
    let folders = Folders { user: Some(root.path().to_owned()), ..Folders::default() };
    std::fs::write(root.path().join("keys.toml"), "[records]\n\"x\" = \"mark\"\n").unwrap();
    assert_ne!(Keymap::load(&folders, &keys()).unwrap(), Keymap::built_in(&keys()));
}

#[test]
fn mistakes_have_a_line() {
    let wrong = |text: &str| Keymap::built_in(&keys()).overlaid("keys.toml", text).unwrap_err().to_string();
    assert_eq!(
        wrong("[global]\n\"Tab\" = \"up\"\n\"^i\" = \"down\"\n"),
        "keys.toml:3: Tab is already up: two actions on one key"
    );
    assert_eq!(
        wrong("[records]\n\"-\" = \"fold\"\n\"- k\" = \"mark\"\n"),
        "keys.toml:3: - k is already fold: two actions on one key"
    );
    assert_eq!(wrong("[global]\n\"j\" = \"dwon\"\n"), "keys.toml:2: unknown action \"dwon\"; did you mean \"down\"?");
    assert_eq!(wrong("\n[record]\n"), "keys.toml:2: unknown pane \"record\"; did you mean \"records\"?");
    assert_eq!(wrong("[log]\n\"x\" = \"mark\"\n"), "keys.toml:2: mark does nothing in log");
    assert!(wrong("[log]\n\"Hyper\" = \"up\"\n").starts_with("keys.toml:2: unknown key \"Hyper\""));
    assert!(wrong("[log]\n\"j\" = \"up\"\n\"j\" = \"down\"\n").starts_with("keys.toml:3: duplicate key"));
    assert_eq!(wrong("preset = \"emacs\""), "keys.toml:1: the only preset is \"default\"");
}

#[test]
fn names_of_actions_are_unique() {
    let map = Keymap::built_in(&keys());
    for entry in &map.catalog.entries {
        assert_eq!(map.catalog.named(&entry.name), Some(entry));
        assert_eq!(map.catalog.entry(entry.action), Some(entry));
        assert!(entry.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
    }
}

#[test]
fn every_action_of_a_pane_is_listed_and_valid_somewhere() {
    let catalog = Keymap::built_in(&keys());
    for (pane, own) in keys().iter().flat_map(|pane| pane.actions.iter().map(move |own| (pane, own))) {
        let entry = catalog.catalog.named(own.name).unwrap_or_else(|| panic!("{} is not listed", own.name));
        assert!(entry.valid_in(pane.taken_in()), "{}", own.name);
    }
}
