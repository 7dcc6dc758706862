//! Help text, from the descriptions of actions and commands; the explanation that `?` shows for a command.

use super::{
    command::{ArgKind, CommandSpec, KnownNames, Need, Words},
    parse::family,
    table::{Keymap, PaneId},
};

/// A line of help: keys or syntax, and the meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpLine {
    /// Keys or syntax; empty for running text.
    pub left: String,
    pub right: String,
    /// It is the heading of the lines below.
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

/// Units of typed values.
const UNITS: &str = "times in filters and goto; units s ms us ns, t = ticks; without a unit it is ticks";

/// The keys valid now, the groups of records, the units and the commands, under headings.
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

/// The lines of `help` that contain the typed text in keys or meaning, ignoring case and without headings.
pub fn narrow(lines: &[HelpLine], typed: &str) -> Vec<HelpLine> {
    if typed.is_empty() {
        return lines.to_vec();
    }
    let typed = typed.to_lowercase();
    let contains = |line: &HelpLine| format!("{} {}", line.left, line.right).to_lowercase().contains(&typed);
    lines.iter().filter(|line| !line.heading && contains(line)).cloned().collect()
}

/// Syntax and description of a command.
pub(super) fn command_line(command: &CommandSpec) -> HelpLine {
    let aliases = command.aliases.iter().map(|alias| format!(" :{alias}")).collect::<String>();
    let also = if aliases.is_empty() { String::new() } else { format!(" (also{aliases})") };
    HelpLine::new(format!(":{}", command.usage()), format!("{}{also}", command.doc))
}

/// Syntax, description and valid arguments of a command. Empty if the line is more than a command's name, or no
/// command: `?` is then a character.
pub fn explain(line: &str, known: &dyn KnownNames) -> Vec<HelpLine> {
    if let Some(meant) = known.alias(line.trim()) {
        return vec![HelpLine::new(format!(":{}", line.trim()), format!("your own command for :{meant}"))];
    }
    let commands = meant(line, known).unwrap_or_default();
    let mut lines: Vec<HelpLine> = commands.iter().map(|command| command_line(command)).collect();
    let plain = commands.iter().find(|command| command.second().is_none() || commands.len() == 1);
    for arg in plain.map_or(&[][..], |command| command.args) {
        let values = match (arg.kind, arg.need) {
            (ArgKind::NewName, Need::May) => "a name; by default the next free number",
            (kind, _) => kind.values(),
        };
        lines.push(HelpLine::new(arg.usage(), values));
    }
    lines
}

/// The commands that a line names, if it contains nothing else.
fn meant(line: &str, known: &dyn KnownNames) -> Option<Vec<&'static CommandSpec>> {
    let letters: Vec<char> = line.chars().collect();
    let mut words = Words::new(&letters);
    let first = family(&words.next()?.text, known.commands()).ok()?;
    let mut commands: Vec<&'static CommandSpec> =
        known.commands().iter().copied().filter(|command| command.first() == first).collect();
    if let Some(second) = words.next() {
        commands.retain(|command| command.second().is_some_and(|form| form.starts_with(&second.text)));
    }
    words.next().is_none().then_some(commands)
}
