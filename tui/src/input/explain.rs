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
        lines.push(HelpLine::new(arg.usage(), values(arg.kind, arg.need)));
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

/// What an argument may be.
fn values(kind: ArgKind, need: Need) -> &'static str {
    match kind {
        ArgKind::Protocol => "a decoder, or auto to find out from the bytes",
        ArgKind::DecoderOption => "options of this decoder; Tab lists them",
        ArgKind::Setting => "name shows it; name value or name=value … change it; Tab lists names and values",
        ArgKind::Link => {
            "a path (\\xE9 is a byte of its name), serial:/dev/ttyUSB0?baud=921600, tcp:HOST:PORT, unix:PATH, listen:PORT, udp:PORT, demo:qs"
        }
        ArgKind::Baud => "bits per second, as 115200; auto tries the usual rates",
        ArgKind::Source => "a source, by its number or name",
        ArgKind::Input => "a file to read",
        ArgKind::Output => "a file to write; one that exists is not overwritten",
        ArgKind::Recording => "a file to write, by default named from the time; stop ends the recording",
        ArgKind::Range => "rows from here to there: #10..#20, 1ms.., .. '2, ...$; sel is the selection",
        ArgKind::Expr => "an expression, as kind:Tran to:motor; by default the filter shown",
        ArgKind::Filter => "an expression, as kind:Tran,Ignored -sig:TEMP*; @NAME a saved one; - the one before",
        ArgKind::Search => "words as they stand in the rows, /regex/, or an expression",
        ArgKind::Target => "what the decoder offers, as filter -SM or info; Tab lists it",
        ArgKind::Where => "#714, #1:714, 12.5ms, 327490841t, @0x1a4f0, 'mark, gap, error, reset, first, last",
        ArgKind::NewName if need == Need::May => "a name; by default the next free number",
        ArgKind::NewName => "a new name",
        ArgKind::Text => "any text",
        ArgKind::Space => "a name space of the decoder; Tab lists them",
        ArgKind::Key => "a number in this name space, as 8 or 0x4110E0",
        ArgKind::Plugin => "a plugin; Tab lists them",
        ArgKind::Topic => "a command, a key or an action; by default everything",
    }
}
