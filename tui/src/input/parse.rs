//! A typed line to a command with its arguments: finds the command, cuts and checks the arguments.

use super::check::check;
use super::command::{ArgKind, CommandSpec, Need};
use super::command_error::CommandError;
use super::given::Given;
use super::location::read_range;
use super::names::KnownNames;
use super::words::Words;

/// Reads a command line, without its `:`.
///
/// # Errors
/// The first mistake, with its column and the nearest known word.
pub fn parse(line: &str, known: &dyn KnownNames) -> Result<Given, CommandError> {
    let expanded = expand(line, known);
    let outcome = read(expanded.as_deref().unwrap_or(line), known);
    // Columns in the text of an alias mean nothing in the line.
    let place = |error: CommandError| if expanded.is_some() { CommandError { column: 0, ..error } } else { error };
    outcome.map_err(place)
}

fn read(line: &str, known: &dyn KnownNames) -> Result<Given, CommandError> {
    let line: Vec<char> = line.chars().collect();
    let mut words = Words::new(&line);
    let command = find(&mut words, known.commands())?;
    let mut given = cut(command, &mut words, line.len())?;
    check(&mut given, known)?;
    Ok(given)
}

/// The line with a user's alias replaced, once.
pub(super) fn expand(line: &str, known: &dyn KnownNames) -> Option<String> {
    let trimmed = line.trim_start();
    let (word, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
    let meant = known.alias(word)?;
    Some(if rest.is_empty() { meant } else { format!("{meant} {rest}") })
}

/// The commands whose first word is meant by `word`: by name, alias, or unique beginning.
pub(crate) fn family(word: &str, commands: &[&'static CommandSpec]) -> Result<&'static str, Vec<&'static str>> {
    let exact = commands.iter().find(|c| c.first() == word || c.aliases.contains(&word));
    if let Some(command) = exact {
        return Ok(command.first());
    }
    let mut begun: Vec<_> =
        commands.iter().map(|command| command.first()).filter(|first| first.starts_with(word)).collect();
    begun.dedup();
    if let [only] = begun.as_slice() { Ok(only) } else { Err(begun) }
}

/// Whether a word is a number of a record, as in editors that go to lines by it.
fn is_place(word: &str) -> bool {
    let digits = word.strip_prefix('#').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Takes the words of the command.
pub(super) fn find(
    words: &mut Words<'_>,
    commands: &[&'static CommandSpec],
) -> Result<&'static CommandSpec, CommandError> {
    let Some(word) = words.next() else { return Err(CommandError::new(0, "a command is missing; :help lists them")) };
    let first = family(&word.text, commands).map_err(|begun| {
        let all = commands.iter().map(|command| command.first());
        match begun.as_slice() {
            [] if is_place(&word.text) => {
                let text = word.text.trim_start_matches('#');
                CommandError::new(word.column, format!("\"{}\" is no command; :goto #{text} goes there", word.text))
            }
            [] => {
                let unknown = CommandError::new(word.column, format!("unknown command \"{}\"", word.text));
                let unknown = unknown.near(&word.text, all);
                let help = if unknown.nearest.is_none() { "; :help lists them, ? behind one explains it" } else { "" };
                CommandError { message: unknown.message.clone() + help, ..unknown }
            }
            many => CommandError::new(word.column, format!("ambiguous: {} may be {}", word.text, many.join(" or "))),
        }
    })?;
    let family: Vec<&'static CommandSpec> = commands.iter().copied().filter(|c| c.first() == first).collect();
    let bare = family.iter().find(|c| c.second().is_none());
    let forms: Vec<&'static str> = family.iter().filter_map(|c| c.second()).collect();
    if let (Some(bare), true) = (bare, forms.is_empty()) {
        return Ok(bare);
    }
    let Some(second) = words.next() else {
        let message = format!("{first} needs one of: {}", forms.join(" "));
        return bare.copied().ok_or_else(|| CommandError::new(word.end(), message));
    };
    let named = |form: &str| family.iter().find(|c| c.second() == Some(form)).copied();
    if let Some(command) = named(&second.text) {
        return Ok(command);
    }
    if let Some(bare) = bare.filter(|bare| !bare.args.is_empty()) {
        words.back_to(&second);
        return Ok(bare);
    }
    let begun: Vec<_> = forms.iter().filter(|form| form.starts_with(&second.text)).collect();
    match begun.as_slice() {
        [only] => named(only).ok_or_else(|| CommandError::new(second.column, "no such form")),
        _ => {
            let alone = if bare.is_some() { format!(", or {first} alone") } else { String::new() };
            let message = format!("unknown form \"{} {}\"; use one of: {}{alone}", first, second.text, forms.join(" "));
            Err(CommandError::new(second.column, message).near(&second.text, forms))
        }
    }
}

/// Gives each argument of the command its words.
pub(super) fn cut(command: &'static CommandSpec, words: &mut Words<'_>, end: usize) -> Result<Given, CommandError> {
    let mut args = Vec::new();
    for arg in command.args {
        let mut taken = Vec::new();
        if arg.kind.takes_rest() {
            taken.extend(words.rest());
        } else {
            while let Some(word) = words.next() {
                if arg.kind == ArgKind::Range && read_range(&word.text).is_none() {
                    words.back_to(&word);
                    break;
                }
                if word.open {
                    return Err(CommandError::new(word.column, "the closing quote is missing"));
                }
                taken.push(word);
                if arg.need != Need::Many {
                    break;
                }
            }
        }
        if taken.is_empty() && arg.need == Need::Must {
            return Err(CommandError::new(end, format!("{} is missing: {}", arg.name, command.usage())));
        }
        args.push(taken);
    }
    match words.next() {
        Some(word) => {
            let takes = if command.args.is_empty() { "takes no argument".to_owned() } else { "takes less".to_owned() };
            let message = format!("\"{}\" is too much: {} {takes}", word.text, command.usage());
            Err(CommandError::new(word.column, message))
        }
        None => Ok(Given { command, args, target: None }),
    }
}
