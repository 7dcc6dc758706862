//! Ghost text behind the cursor: the rest of a likely line, and the missing arguments.

use super::complete::complete;
use super::names::{Completions, KnownNames};
use super::parse::find;
use super::words::Words;

/// Text behind the cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ghost {
    /// Text that → accepts.
    pub take: String,
    /// The arguments that are still to come, and what the command does.
    pub help: String,
}

/// The ghost of `line` with the cursor at its end. `before` is the newest line of the history that begins like it.
pub fn ghost(line: &str, before: Option<&str>, known: &dyn KnownNames) -> Ghost {
    let remembered = before.and_then(|before| before.strip_prefix(line)).filter(|_| !line.is_empty());
    let take = remembered.map(str::to_owned).unwrap_or_else(|| first(line, known));
    Ghost { take, help: wanted(line, known) }
}

/// The rest of the best completion, if it continues what was typed.
fn first(line: &str, known: &dyn KnownNames) -> String {
    let cursor = line.chars().count();
    let Completions { from, items, .. } = complete(line, cursor, known);
    let typed: String = line.chars().skip(from).collect();
    if typed.is_empty() {
        return String::new();
    }
    let rest = items.first().and_then(|choice| choice.text.strip_prefix(&typed));
    rest.unwrap_or_default().to_owned()
}

/// The arguments after those that were given, and the doc.
fn wanted(line: &str, known: &dyn KnownNames) -> String {
    let chars: Vec<char> = line.chars().collect();
    let mut words = Words::new(&chars);
    let Ok(command) = find(&mut words, known.commands()) else { return String::new() };
    let mut left = command.args;
    while let [arg, rest @ ..] = left {
        if words.next().is_none() {
            break;
        }
        if arg.kind.takes_rest() {
            left = &[];
            break;
        }
        left = if arg.need == super::command::Need::Many { left } else { rest };
    }
    let args: Vec<String> = left.iter().map(super::command::Arg::usage).collect();
    let gap = if args.is_empty() { "" } else { "  " };
    format!("{}{gap}{}", args.join(" "), command.doc)
}
