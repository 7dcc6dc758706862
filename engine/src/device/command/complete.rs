//! What may stand at the cursor of a command line.

use spytui_plugin_api::{
    Info, NONE,
    info::{ArgForms, ArgInfo, CommandInfo, FilterTable},
};

use super::{names::names, parse::find, words::words};
use crate::{present::words::quoted, store::Dictionary};

/// A word that may stand at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The word.
    pub text: String,
    /// A few words about it; may be empty.
    pub help: String,
}

/// What fits at the end of a line: the column from which it replaces what was typed, and the words, in the order in
/// which they were declared. They need not begin with what was typed.
pub fn complete(line: &str, info: &Info, dictionary: &Dictionary) -> (usize, Vec<Completion>) {
    let none = (line.chars().count(), Vec::new());
    let Ok(mut typed) = words(line) else { return none };
    let last = typed.pop_if(|_| !line.ends_with(char::is_whitespace));
    let before: Vec<&str> = typed.iter().map(|word| word.text.as_str()).collect();
    let (from, text) = last.as_ref().map_or((none.0, ""), |word| (word.column, word.text.as_str()));
    let Some((command, named)) = find(&info.commands, &before) else {
        return (0, info.commands.iter().map(of_command).collect());
    };
    let place = before.len() - named;
    let last_is_list = |arg: &ArgInfo| arg.forms.intersects(ArgForms::FILTER | ArgForms::NUMBERS | ArgForms::BYTES);
    let arg = command.args.get(place).or(command.args.last().filter(|arg| last_is_list(arg)));
    let Some(arg) = arg else { return none };
    if arg.forms.intersects(ArgForms::FILTER) {
        let (skip, items) = filter(command, text, info, dictionary);
        return (from + skip, items);
    }
    (from, argument(arg, info, dictionary))
}

fn completion(text: impl Into<String>, help: impl Into<String>) -> Completion {
    Completion { text: text.into(), help: help.into() }
}

fn of_command(command: &CommandInfo) -> Completion {
    completion(command.name.as_str(), command.help.as_str())
}

fn argument(arg: &ArgInfo, info: &Info, dictionary: &Dictionary) -> Vec<Completion> {
    let choices = arg.choices.iter().map(|choice| completion(choice.as_str(), arg.name.as_str()));
    let space = info.space(arg.space).filter(|_| arg.space != NONE);
    let title = space.map_or("", |space| space.title.as_str());
    let named = names(dictionary, arg.space).into_iter().filter(|_| space.is_some());
    choices.chain(named.map(|name| completion(quoted(name), title))).collect()
}

/// How much of a word of a filter stays, in characters, and what fits behind that.
fn filter(command: &CommandInfo, text: &str, info: &Info, dictionary: &Dictionary) -> (usize, Vec<Completion>) {
    let sign = usize::from(text.starts_with(['+', '-', '=']));
    let word = &text[sign..];
    let tables: Vec<&FilterTable> = info.filters.iter().filter(|table| table.command == command.id).collect();
    if let Some((of, _)) = word.split_once(':')
        && let Some(table) = tables.iter().find(|table| table.word == of)
    {
        return (sign + of.chars().count() + 1, switches(table, info, dictionary));
    }
    let plain = tables.first().into_iter();
    let mut items: Vec<Completion> = plain.flat_map(|table| switches(table, info, dictionary)).collect();
    let others = tables.iter().filter(|table| !table.word.is_empty());
    items.extend(others.map(|table| completion(format!("{}:", table.word), table.title.as_str())));
    (sign, items)
}

fn switches(table: &FilterTable, info: &Info, dictionary: &Dictionary) -> Vec<Completion> {
    // Numbers may count within a group only.
    let colon = if table.min > table.max { ":" } else { "" };
    let groups = table.groups.iter();
    let groups = groups.map(|group| completion(format!("{}{colon}", group.name), group.title.as_str()));
    let kinds = info.kinds.iter().filter(|kind| table.is_kinds && !kind.first.is_note() && kind.first == kind.last);
    let kinds = kinds.map(|kind| completion(quoted(kind.tag().to_owned()), kind.name.as_str()));
    let named = names(dictionary, table.space).into_iter().map(|name| completion(quoted(name), table.title.as_str()));
    groups.chain(named).chain(kinds).collect()
}
