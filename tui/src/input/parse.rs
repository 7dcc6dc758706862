//! Parses a typed line: finds the command, splits and checks its arguments.

use std::path::PathBuf;

use spytui_engine::{
    device::{
        command::{CommandError as Mistake, number},
        line::TargetLine,
    },
    io::link::{LinkSpec, line_rate},
    query::{self, Expr, search},
};

use super::command::{
    ArgKind, ArgumentNames, Choice, CommandLineError, CommandSpec, CommandWord, CommandWords, KnownNames, Need, ON_OFF,
    RowRange, Where, notes, read_range, read_where, unescaped,
};
use crate::{config::setting_named, demo};

/// Parses a command line, without its `:`. Errors: the first error, with its column and the most similar known word.
pub fn parse(line: &str, known: &dyn KnownNames) -> Result<Given, CommandLineError> {
    let expanded = expand(line, known);
    let outcome = read(expanded.as_deref().unwrap_or(line), known);
    // Columns inside the expansion of an alias don't exist in the typed line.
    let place =
        |error: CommandLineError| if expanded.is_some() { CommandLineError { column: 0, ..error } } else { error };
    outcome.map_err(place)
}

fn read(line: &str, known: &dyn KnownNames) -> Result<Given, CommandLineError> {
    let line: Vec<char> = line.chars().collect();
    let mut words = CommandWords::new(&line);
    let command = find(&mut words, known.commands())?;
    let mut given = cut(command, &mut words, line.len())?;
    check(&mut given, known)?;
    Ok(given)
}

/// The line with a user's alias expanded, once.
fn expand(line: &str, known: &dyn KnownNames) -> Option<String> {
    let trimmed = line.trim_start();
    let (word, rest) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
    let meant = known.alias(word)?;
    Some(if rest.is_empty() { meant } else { format!("{meant} {rest}") })
}

/// The command family meant by `word`: by name, alias, or unique prefix.
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

/// Whether a word is the number of a record, as in editors that go to lines by number.
fn is_place(word: &str) -> bool {
    let digits = word.strip_prefix('#').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Consumes the words of the command.
pub(super) fn find(
    words: &mut CommandWords<'_>,
    commands: &[&'static CommandSpec],
) -> Result<&'static CommandSpec, CommandLineError> {
    let Some(word) = words.next() else {
        return Err(CommandLineError::new(0, "a command is missing; :help lists them"));
    };
    let first = family(&word.text, commands).map_err(|begun| {
        let all = commands.iter().map(|command| command.first());
        match begun.as_slice() {
            [] if is_place(&word.text) => {
                let text = word.text.trim_start_matches('#');
                CommandLineError::new(
                    word.column,
                    format!("\"{}\" is not a command; :goto #{text} goes there", word.text),
                )
            }
            [] => {
                let unknown = CommandLineError::new(word.column, format!("unknown command \"{}\"", word.text));
                let unknown = unknown.near(&word.text, all);
                let help = if unknown.nearest.is_none() { "; :help lists them, ? after one explains it" } else { "" };
                CommandLineError { message: unknown.message.clone() + help, ..unknown }
            }
            many => {
                CommandLineError::new(word.column, format!("ambiguous: {} may be {}", word.text, many.join(" or ")))
            }
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
        return bare.copied().ok_or_else(|| CommandLineError::new(word.end(), message));
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
        [only] => named(only).ok_or_else(|| CommandLineError::new(second.column, "no such form")),
        _ => {
            let alone = if bare.is_some() { format!(", or {first} alone") } else { String::new() };
            let message = format!("unknown form \"{} {}\"; use one of: {}{alone}", first, second.text, forms.join(" "));
            Err(CommandLineError::new(second.column, message).near(&second.text, forms))
        }
    }
}

/// Assigns words to the arguments of the command.
pub(super) fn cut(
    command: &'static CommandSpec,
    words: &mut CommandWords<'_>,
    end: usize,
) -> Result<Given, CommandLineError> {
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
                    return Err(CommandLineError::new(word.column, "the closing quote is missing"));
                }
                taken.push(word);
                if arg.need != Need::Many {
                    break;
                }
            }
        }
        if taken.is_empty() && arg.need == Need::Must {
            return Err(CommandLineError::new(end, format!("{} is missing: {}", arg.name, command.usage())));
        }
        args.push(taken);
    }
    match words.next() {
        Some(word) => {
            let takes =
                if command.args.is_empty() { "takes no argument".to_owned() } else { "is all it takes".to_owned() };
            let message = format!("\"{}\" is unexpected: {} {takes}", word.text, command.usage());
            Err(CommandLineError::new(word.column, message))
        }
        None => Ok(Given { command, args, target: None }),
    }
}

/// Highest baud rate accepted.
const FASTEST: u32 = 50_000_000;

/// A command with its arguments. They were checked when parsing, so a getter returns `None` only for an omitted
/// argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub command: &'static CommandSpec,
    pub(super) args: Vec<Vec<CommandWord>>,
    /// The meaning of the argument for the target.
    pub target: Option<TargetLine>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FilterArg {
    /// No filter: all rows.
    Clear,
    Previous,
    Saved(String),
    Expr(Expr),
}

impl Given {
    /// The words of all arguments with their columns; none if they come from an alias.
    pub fn arguments(&self, line: &str) -> impl Iterator<Item = (usize, &str)> {
        let is_called = |word| self.command.first().starts_with(word) || self.command.aliases.contains(&word);
        let own = line.split_whitespace().next().is_some_and(is_called);
        let words = self.args.iter().flatten().filter(move |_| own);
        words.map(|word| (word.column, word.text.as_str()))
    }

    pub fn text(&self, at: usize) -> Option<&str> {
        self.words(at).first().map(|word| word.text.as_str())
    }

    pub fn must(&self, at: usize) -> String {
        self.text(at).unwrap_or_default().to_owned()
    }

    pub fn path(&self, at: usize) -> PathBuf {
        PathBuf::from(unescaped(self.text(at).unwrap_or_default()))
    }

    pub fn pairs(&self, at: usize) -> Vec<(String, String)> {
        let pair =
            |word: &CommandWord| word.text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        self.words(at).iter().filter_map(pair).collect()
    }

    /// Settings: `name`, `name value` or `name=value …`.
    pub fn settings(&self, at: usize) -> Vec<(String, Option<String>)> {
        if let [name, value] = self.words(at)
            && !name.text.contains('=')
        {
            return vec![(name.text.clone(), Some(value.text.clone()))];
        }
        let one = |word: &CommandWord| match word.text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word.text.clone(), None),
        };
        self.words(at).iter().map(one).collect()
    }

    pub fn link(&self, at: usize) -> Option<LinkSpec> {
        LinkSpec::parse(unescaped(self.text(at)?)).ok()
    }

    /// A baud rate; `None` for `auto`.
    pub fn baud(&self, at: usize) -> Option<u32> {
        read_baud(self.text(at)?).ok()?
    }

    pub fn key(&self, at: usize) -> Option<u64> {
        number(self.text(at)?)
    }

    pub fn location(&self, at: usize) -> Option<Where> {
        read_where(self.text(at)?).ok()
    }

    pub fn range(&self, at: usize) -> Option<RowRange> {
        self.text(at).and_then(read_range)
    }

    pub fn expr(&self, at: usize, known: &dyn KnownNames) -> Option<Expr> {
        query::parse(self.text(at)?, &known.vocabulary()).ok()
    }

    pub fn search(&self, at: usize, known: &dyn KnownNames) -> Option<Expr> {
        search(self.text(at)?, &known.vocabulary()).ok()
    }

    pub fn filter(&self, at: usize, known: &dyn KnownNames) -> FilterArg {
        match self.text(at) {
            Some("-") => FilterArg::Previous,
            Some(text) if text.starts_with('@') => FilterArg::Saved(text[1..].to_owned()),
            _ => self.expr(at, known).map_or(FilterArg::Clear, FilterArg::Expr),
        }
    }

    fn words(&self, at: usize) -> &[CommandWord] {
        self.args.get(at).map_or(&[], Vec::as_slice)
    }
}

/// Parses a rate; `None` for `auto`.
fn read_baud(text: &str) -> Result<Option<u32>, String> {
    if text == "auto" {
        return Ok(None);
    }
    let rate = line_rate(text).filter(|rate| *rate <= FASTEST);
    rate.map(Some).ok_or_else(|| format!("not a baud rate: {text}; use 115200, 1MHz or auto"))
}

/// Checks every argument, and parses the line for the target.
pub(super) fn check(given: &mut Given, known: &dyn KnownNames) -> Result<(), CommandLineError> {
    for (arg, words) in given.command.args.iter().zip(&given.args) {
        match arg.kind {
            ArgKind::Target => {
                let Some(word) = words.first() else { continue };
                let wrong = |error: Mistake| CommandLineError::new(word.column + error.column, error.message);
                given.target = known.target(&word.text).map_err(wrong)?;
            }
            ArgKind::Setting => settings(words, known)?,
            kind => words.iter().try_for_each(|word| one(kind, word, given, known))?,
        }
    }
    Ok(())
}

fn one(kind: ArgKind, word: &CommandWord, given: &Given, known: &dyn KnownNames) -> Result<(), CommandLineError> {
    let wrong = |message: String| CommandLineError::new(word.column, message);
    match kind {
        ArgKind::Protocol if word.text != "auto" => listed("decoder", word, known.names(ArgumentNames::Protocols)),
        ArgKind::DecoderOption => option(word, given.text(0).unwrap_or_default(), known),
        ArgKind::Link if word.text.starts_with(demo::SCHEME) => {
            demo::check(word.text.trim_start_matches(demo::SCHEME), None).map_err(wrong)
        }
        ArgKind::Link => LinkSpec::parse(unescaped(&word.text)).map(drop).map_err(|e| wrong(e.to_string())),
        ArgKind::Baud => read_baud(&word.text).map(drop).map_err(wrong),
        ArgKind::FrontEnd if !ON_OFF.contains(&word.text.as_str()) => Err(wrong("on or off".to_owned())),
        ArgKind::Where => place(word, known),
        ArgKind::Compared if word.text.starts_with(['\'', '#', '@']) => place(word, known),
        ArgKind::Space => listed("name space", word, known.names(ArgumentNames::Spaces)),
        ArgKind::Key => {
            number(&word.text).map(drop).ok_or_else(|| wrong(format!("not a key: {}; use 8 or 0x4110E0", word.text)))
        }
        ArgKind::Plugin => listed("plugin", word, known.names(ArgumentNames::Plugins)),
        ArgKind::Topic => topic(word, known),
        ArgKind::Expr => {
            query::parse(&word.text, &known.vocabulary()).map(drop).map_err(|e| CommandLineError::inside(word, e))
        }
        ArgKind::Search => {
            search(&word.text, &known.vocabulary()).map(drop).map_err(|e| CommandLineError::inside(word, e))
        }
        ArgKind::Filter => filter(word, known),
        _ => Ok(()),
    }
}

/// Number of words listed if none is similar.
const LISTED: usize = 8;

fn listed(what: &str, word: &CommandWord, known: Vec<Choice>) -> Result<(), CommandLineError> {
    if known.is_empty() || known.iter().any(|choice| choice.text == word.text) {
        return Ok(());
    }
    let message = format!("unknown {what} \"{}\"", word.text);
    let error = CommandLineError::new(word.column, message).near(&word.text, known.iter().map(|c| c.text.as_str()));
    if error.nearest.is_some() || known.len() > LISTED {
        return Err(error);
    }
    let all: Vec<&str> = known.iter().map(|choice| choice.text.as_str()).collect();
    Err(CommandLineError { message: format!("{}; there are {}", error.message, all.join(" ")), ..error })
}

fn option(word: &CommandWord, protocol: &str, known: &dyn KnownNames) -> Result<(), CommandLineError> {
    let Some((key, value)) = word.text.split_once('=') else {
        return Err(CommandLineError::new(word.column, format!("{} needs a value: {0}=VALUE", word.text)));
    };
    if protocol == "auto" {
        return Ok(());
    }
    let part = |text: &str, column| CommandWord { text: text.to_owned(), column, length: text.len(), open: false };
    listed("option", &part(key, word.column), known.names(ArgumentNames::Options(protocol)))?;
    // Unsets the option.
    if value.is_empty() {
        return Ok(());
    }
    let column = word.column + key.chars().count() + 1;
    listed("value", &part(value, column), known.names(ArgumentNames::OptionValues(protocol, key)))
}

fn settings(words: &[CommandWord], known: &dyn KnownNames) -> Result<(), CommandLineError> {
    let pairs = words.iter().all(|word| word.text.contains('='));
    if words.len() > 2 && !pairs {
        let word = words.iter().find(|word| !word.text.contains('='));
        return Err(CommandLineError::new(
            word.map_or(0, |word| word.column),
            "more than one setting: name=value name=value; a value with blanks needs quotes: name \"512 MB\"",
        ));
    }
    let count = if pairs { words.len() } else { 1 };
    for word in words.iter().take(count) {
        let name = word.text.split_once('=').map_or(word.text.as_str(), |(name, _)| name);
        // A table with free names, such as [alias], accepts new ones.
        if setting_named(name).is_some() {
            continue;
        }
        let word = CommandWord { text: name.to_owned(), ..word.clone() };
        let own = known.names(ArgumentNames::Settings);
        let is_own = own.iter().any(|choice| choice.text == name);
        if let Some(other) = owner(name, known).filter(|_| !is_own) {
            return Err(CommandLineError::new(word.column, other));
        }
        listed("setting", &word, own)?;
    }
    Ok(())
}

/// The decoders that have an option which the present one lacks, as text.
fn owner(name: &str, known: &dyn KnownNames) -> Option<String> {
    let has =
        |proto: &Choice| known.names(ArgumentNames::Options(&proto.text)).iter().any(|option| option.text == name);
    let owner = known.names(ArgumentNames::Protocols).into_iter().find(has)?;
    let here = known.names(ArgumentNames::Protocol).pop()?;
    Some(format!("{name}: an option of {}, this is {}", owner.text, here.text))
}

fn place(word: &CommandWord, known: &dyn KnownNames) -> Result<(), CommandLineError> {
    if word.text == "'" {
        return Err(CommandLineError::new(word.end(), "the name of a mark is missing"));
    }
    if let Some(mark) = word.text.strip_prefix('\'').filter(|mark| !mark.is_empty()) {
        let mark = CommandWord { text: mark.to_owned(), column: word.column + 1, ..word.clone() };
        return listed("mark", &mark, known.names(ArgumentNames::Marks));
    }
    read_where(&word.text).map(drop).map_err(|(message, nearest)| CommandLineError {
        column: word.column,
        message,
        nearest,
    })
}

fn filter(word: &CommandWord, known: &dyn KnownNames) -> Result<(), CommandLineError> {
    match word.text.strip_prefix('@') {
        _ if word.text == "-" => Ok(()),
        Some(name) => {
            let word = CommandWord { text: name.to_owned(), column: word.column + 1, ..word.clone() };
            listed("filter", &word, known.names(ArgumentNames::SavedFilters))
        }
        None => query::parse(&word.text, &known.vocabulary()).map(drop).map_err(|e| CommandLineError::inside(word, e)),
    }
}

fn topic(word: &CommandWord, known: &dyn KnownNames) -> Result<(), CommandLineError> {
    let commands = known.commands().iter().flat_map(|c| c.words.iter().chain(c.aliases)).copied();
    let actions = known.actions().entries.iter().map(|entry| entry.name.as_str());
    let kinds = known.names(ArgumentNames::Kinds);
    let kinds = kinds.iter().flat_map(|kind| [kind.text.as_str(), &kind.help]);
    let notes = notes().map(|(note, _)| note);
    let topics: Vec<&str> = commands.chain(actions).chain(kinds).chain(notes).collect();
    let is_topic = topics.iter().any(|topic| topic.eq_ignore_ascii_case(&word.text));
    if is_topic || super::table::KeyPress::read(&word.text).is_some() {
        return Ok(());
    }
    Err(CommandLineError::new(word.column, format!("no help for \"{}\"", word.text)).near(&word.text, topics))
}
