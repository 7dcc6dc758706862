//! Help text, from the descriptions of actions and commands.

use super::command::CommandSpec;
use super::key::Key;
use super::keymap::{Keymap, Meaning};
use super::table::{Action, PaneId};

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
pub fn help(word: Option<&str>, pane: PaneId, keys: &Keymap, commands: &[&'static CommandSpec]) -> Vec<HelpLine> {
    match word {
        None => {
            let now = keys.valid_now(pane).into_iter().map(|(keys, doc)| HelpLine::new(keys, doc));
            now.chain(commands.iter().map(|c| command(c))).collect()
        }
        Some(word) => about(word, pane, keys, commands),
    }
}

/// The lines of `help` that contain what was typed, in keys or meaning; case does not count.
pub fn narrow(lines: &[HelpLine], typed: &str) -> Vec<HelpLine> {
    let typed = typed.to_lowercase();
    let fits = |line: &&HelpLine| format!("{} {}", line.left, line.right).to_lowercase().contains(&typed);
    lines.iter().filter(fits).cloned().collect()
}

fn about(word: &str, pane: PaneId, keys: &Keymap, commands: &[&'static CommandSpec]) -> Vec<HelpLine> {
    let named = |c: &&&'static CommandSpec| c.words.contains(&word) || c.aliases.contains(&word);
    let mut lines: Vec<HelpLine> = commands.iter().filter(named).map(|c| command(c)).collect();
    let bound = Key::read(word).map(|key| keys.meaning(pane, &[key]));
    match bound {
        Some(Meaning::Action(found)) => lines.extend(action(found, pane, keys)),
        Some(Meaning::Prefix(found)) => lines.extend(found.into_iter().filter_map(|(_, a)| action(a, pane, keys))),
        _ => {}
    }
    lines.extend(keys.catalog().named(word).and_then(|entry| action(entry.action, pane, keys)));
    lines.dedup();
    lines
}

fn command(command: &CommandSpec) -> HelpLine {
    let aliases = command.aliases.iter().map(|alias| format!(" :{alias}")).collect::<String>();
    let also = if aliases.is_empty() { String::new() } else { format!(" (also{aliases})") };
    HelpLine::new(format!(":{}", command.usage()), format!("{}{also}", command.doc))
}

fn action(action: Action, pane: PaneId, keys: &Keymap) -> Option<HelpLine> {
    let entry = keys.catalog().entry(action)?;
    Some(HelpLine::new(keys.keys(pane, action).join(" "), format!("{} ({})", entry.doc, entry.name)))
}
