//! Help text, from the descriptions of actions and commands.

use super::command::CommandSpec;
use super::keymap::Keymap;
use super::table::PaneId;

/// One line of help: what to press or write, and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpLine {
    /// Keys or usage; empty for running text.
    pub left: String,
    /// Description.
    pub right: String,
}

impl HelpLine {
    pub(super) fn new(left: impl Into<String>, right: impl Into<String>) -> HelpLine {
        HelpLine { left: left.into(), right: right.into() }
    }
}

/// The keys valid now, then the commands.
pub fn help(pane: PaneId, keys: &Keymap, commands: &[&'static CommandSpec]) -> Vec<HelpLine> {
    let now = keys.valid_now(pane).into_iter().map(|(keys, doc)| HelpLine::new(keys, doc));
    now.chain(commands.iter().map(|c| command_line(c))).collect()
}

/// The lines of `help` that contain what was typed, in keys or meaning; case does not count.
pub fn narrow(lines: &[HelpLine], typed: &str) -> Vec<HelpLine> {
    let typed = typed.to_lowercase();
    let fits = |line: &&HelpLine| format!("{} {}", line.left, line.right).to_lowercase().contains(&typed);
    lines.iter().filter(fits).cloned().collect()
}

/// How a command is written, and what it does.
pub(super) fn command_line(command: &CommandSpec) -> HelpLine {
    let aliases = command.aliases.iter().map(|alias| format!(" :{alias}")).collect::<String>();
    let also = if aliases.is_empty() { String::new() } else { format!(" (also{aliases})") };
    HelpLine::new(format!(":{}", command.usage()), format!("{}{also}", command.doc))
}
