//! Help text, from the tables of actions and commands.

use super::command::{COMMANDS, Command};
use super::key::Key;
use super::keymap::{Keymap, Meaning};
use super::table::{ACTIONS, Action, Place};

/// One line of help: what to press or write, and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpLine {
    /// Keys or usage; empty for running text.
    pub left: String,
    /// What it does.
    pub right: String,
}

impl HelpLine {
    fn new(left: impl Into<String>, right: impl Into<String>) -> HelpLine {
        HelpLine { left: left.into(), right: right.into() }
    }
}

/// The keys valid now and the commands, or what there is about `word`.
pub fn help(word: Option<&str>, place: Place, keys: &Keymap) -> Vec<HelpLine> {
    match word {
        None => {
            let now = keys.valid_now(place).into_iter().map(|(keys, doc)| HelpLine::new(keys, doc));
            now.chain(COMMANDS.iter().map(command)).collect()
        }
        Some(word) => about(word, place, keys),
    }
}

/// The lines of `help` that contain what was typed, in keys or meaning; case does not count.
pub fn narrow(lines: &[HelpLine], typed: &str) -> Vec<HelpLine> {
    let typed = typed.to_lowercase();
    let fits = |line: &&HelpLine| format!("{} {}", line.left, line.right).to_lowercase().contains(&typed);
    lines.iter().filter(fits).cloned().collect()
}

fn about(word: &str, place: Place, keys: &Keymap) -> Vec<HelpLine> {
    let named = |c: &&Command| c.words.contains(&word) || c.aliases.contains(&word);
    let mut lines: Vec<HelpLine> = COMMANDS.iter().filter(named).map(command).collect();
    let bound = Key::read(word).map(|key| keys.meaning(place, &[key]));
    match bound {
        Some(Meaning::Action(act)) => lines.push(action(act, place, keys)),
        Some(Meaning::Prefix(acts)) => lines.extend(acts.into_iter().map(|(_, act)| action(act, place, keys))),
        _ => {}
    }
    lines.extend(ACTIONS.iter().filter(|entry| entry.name == word).map(|entry| action(entry.act, place, keys)));
    lines.dedup();
    lines
}

fn command(command: &Command) -> HelpLine {
    let aliases = command.aliases.iter().map(|alias| format!(" :{alias}")).collect::<String>();
    let also = if aliases.is_empty() { String::new() } else { format!(" (also{aliases})") };
    HelpLine::new(format!(":{}", command.usage()), format!("{}{also}", command.doc))
}

fn action(act: Action, place: Place, keys: &Keymap) -> HelpLine {
    HelpLine::new(keys.keys(place, act).join(" "), format!("{} ({})", act.entry().doc, act.entry().name))
}
