//! What `?` behind a command shows about it.

use super::command::{ArgKind, CommandSpec, Need};
use super::help::{HelpLine, command_line};
use super::names::KnownNames;
use super::parse::family;
use super::words::Words;

/// How a command is written, what it does and what its arguments may be. Empty if the line is more than the name of
/// a command, or no command: `?` is a character of it then.
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

/// The commands that a line names, if it names nothing else.
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
