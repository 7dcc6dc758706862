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
    /// It stands above lines that belong together.
    pub heading: bool,
}

impl HelpLine {
    pub fn new(left: impl Into<String>, right: impl Into<String>) -> HelpLine {
        HelpLine { left: left.into(), right: right.into(), heading: false }
    }

    fn heading(text: &str) -> HelpLine {
        HelpLine { left: text.to_owned(), right: String::new(), heading: true }
    }
}

/// Units of what is typed.
const UNITS: &str = "times in filters and goto; units s ms us ns, t = ticks; without a unit it is ticks";

/// The keys valid now, then what the groups of records are, then the units, then the commands, under headings.
pub fn help(pane: PaneId, keys: &Keymap, groups: Vec<HelpLine>, commands: &[&'static CommandSpec]) -> Vec<HelpLine> {
    let mut lines = Vec::new();
    let mut heading = "";
    for (keys, entry) in keys.valid_now(pane) {
        if entry.heading != heading {
            heading = entry.heading;
            lines.push(HelpLine::heading(heading));
        }
        lines.push(HelpLine::new(keys, entry.doc));
    }
    if !groups.is_empty() {
        lines.push(HelpLine::heading("Groups of records"));
        lines.extend(groups);
    }
    lines.push(HelpLine::heading("Units"));
    lines.push(HelpLine::new("12.5ms 3us 40t", UNITS));
    lines.push(HelpLine::heading("Commands"));
    lines.extend(commands.iter().map(|c| command_line(c)));
    lines
}

/// The lines of `help` that contain what was typed, in keys or meaning, without headings; case does not count.
pub fn narrow(lines: &[HelpLine], typed: &str) -> Vec<HelpLine> {
    if typed.is_empty() {
        return lines.to_vec();
    }
    let typed = typed.to_lowercase();
    let contains = |line: &HelpLine| format!("{} {}", line.left, line.right).to_lowercase().contains(&typed);
    lines.iter().filter(|line| !line.heading && contains(line)).cloned().collect()
}

/// How a command is written, and what it does.
pub(super) fn command_line(command: &CommandSpec) -> HelpLine {
    let aliases = command.aliases.iter().map(|alias| format!(" :{alias}")).collect::<String>();
    let also = if aliases.is_empty() { String::new() } else { format!(" (also{aliases})") };
    HelpLine::new(format!(":{}", command.usage()), format!("{}{also}", command.doc))
}
