//! Checks arguments against known names, so that mistakes show before Enter.

use spytui_engine::device::command::CommandError as Mistake;
use spytui_engine::io::link::LinkSpec;
use spytui_engine::query::{parse, search};

use super::command::ArgKind;
use super::command_error::CommandError;
use super::file_name::unescaped;
use super::given::{Given, read_baud, read_key};
use super::location::read_where;
use super::names::{Choice, KnownNames, Names};
use super::words::Word;
use crate::config::setting_named;
use crate::demo;

/// Checks every argument, and reads what is for the target.
pub(super) fn check(given: &mut Given, known: &dyn KnownNames) -> Result<(), CommandError> {
    for (arg, words) in given.command.args.iter().zip(&given.args) {
        match arg.kind {
            ArgKind::Target => {
                let Some(word) = words.first() else { continue };
                let wrong = |error: Mistake| CommandError::new(word.column + error.column, error.message);
                given.target = known.target(&word.text).map_err(wrong)?;
            }
            ArgKind::Setting => settings(words, known)?,
            kind => words.iter().try_for_each(|word| one(kind, word, given, known))?,
        }
    }
    Ok(())
}

fn one(kind: ArgKind, word: &Word, given: &Given, known: &dyn KnownNames) -> Result<(), CommandError> {
    let wrong = |message: String| CommandError::new(word.column, message);
    match kind {
        ArgKind::Protocol if word.text != "auto" => listed("decoder", word, known.names(Names::Protocols)),
        ArgKind::DecoderOption => option(word, given.text(0).unwrap_or_default(), known),
        ArgKind::Link if word.text.starts_with(demo::SCHEME) => {
            demo::check(word.text.trim_start_matches(demo::SCHEME), None).map_err(wrong)
        }
        ArgKind::Link => LinkSpec::parse(unescaped(&word.text)).map(drop).map_err(|e| wrong(e.to_string())),
        ArgKind::Baud => read_baud(&word.text).map(drop).map_err(wrong),
        ArgKind::Where => place(word, known),
        ArgKind::Space => listed("name space", word, known.names(Names::Spaces)),
        ArgKind::Key => {
            read_key(&word.text).map(drop).ok_or_else(|| wrong(format!("not a key: {}; use 8 or 0x4110E0", word.text)))
        }
        ArgKind::Plugin => listed("plugin", word, known.names(Names::Plugins)),
        ArgKind::Topic => topic(word, known),
        ArgKind::Expr => parse(&word.text, &known.vocabulary()).map(drop).map_err(|e| CommandError::inside(word, e)),
        ArgKind::Search => search(&word.text, &known.vocabulary()).map(drop).map_err(|e| CommandError::inside(word, e)),
        ArgKind::Filter => filter(word, known),
        _ => Ok(()),
    }
}

/// So many words are listed where none resembles what was typed.
const LISTED: usize = 8;

fn listed(what: &str, word: &Word, known: Vec<Choice>) -> Result<(), CommandError> {
    if known.is_empty() || known.iter().any(|choice| choice.text == word.text) {
        return Ok(());
    }
    let message = format!("unknown {what} \"{}\"", word.text);
    let error = CommandError::new(word.column, message).near(&word.text, known.iter().map(|c| c.text.as_str()));
    if error.nearest.is_some() || known.len() > LISTED {
        return Err(error);
    }
    let all: Vec<&str> = known.iter().map(|choice| choice.text.as_str()).collect();
    Err(CommandError { message: format!("{}; there are {}", error.message, all.join(" ")), ..error })
}

fn option(word: &Word, protocol: &str, known: &dyn KnownNames) -> Result<(), CommandError> {
    let Some((key, value)) = word.text.split_once('=') else {
        return Err(CommandError::new(word.column, format!("{} needs a value: {0}=VALUE", word.text)));
    };
    if protocol == "auto" {
        return Ok(());
    }
    let part = |text: &str, column| Word { text: text.to_owned(), column, length: text.len(), open: false };
    listed("option", &part(key, word.column), known.names(Names::Options(protocol)))?;
    // Unsets the option.
    if value.is_empty() {
        return Ok(());
    }
    let column = word.column + key.chars().count() + 1;
    listed("value", &part(value, column), known.names(Names::OptionValues(protocol, key)))
}

fn settings(words: &[Word], known: &dyn KnownNames) -> Result<(), CommandError> {
    let pairs = words.iter().all(|word| word.text.contains('='));
    if words.len() > 2 && !pairs {
        let word = words.iter().find(|word| !word.text.contains('='));
        return Err(CommandError::new(
            word.map_or(0, |word| word.column),
            "more than one setting: name=value name=value; a value with blanks needs quotes: name \"512 MB\"",
        ));
    }
    let count = if pairs { words.len() } else { 1 };
    for word in words.iter().take(count) {
        let name = word.text.split_once('=').map_or(word.text.as_str(), |(name, _)| name);
        // A table of free names, as [alias], takes new ones.
        if setting_named(name).is_some() {
            continue;
        }
        let word = Word { text: name.to_owned(), ..word.clone() };
        let own = known.names(Names::Settings);
        let is_own = own.iter().any(|choice| choice.text == name);
        if let Some(other) = owner(name, known).filter(|_| !is_own) {
            return Err(CommandError::new(word.column, other));
        }
        listed("setting", &word, own)?;
    }
    Ok(())
}

/// Whose an option is that the decoder in use lacks, in words.
fn owner(name: &str, known: &dyn KnownNames) -> Option<String> {
    let has = |proto: &Choice| known.names(Names::Options(&proto.text)).iter().any(|option| option.text == name);
    let owner = known.names(Names::Protocols).into_iter().find(has)?;
    let here = known.names(Names::Protocol).pop()?;
    Some(format!("{name}: an option of {}, this is {}", owner.text, here.text))
}

fn place(word: &Word, known: &dyn KnownNames) -> Result<(), CommandError> {
    if word.text == "'" {
        return Err(CommandError::new(word.end(), "the name of a mark is missing"));
    }
    if let Some(mark) = word.text.strip_prefix('\'').filter(|mark| !mark.is_empty()) {
        let mark = Word { text: mark.to_owned(), column: word.column + 1, ..word.clone() };
        return listed("mark", &mark, known.names(Names::Marks));
    }
    read_where(&word.text).map(drop).map_err(|(message, nearest)| CommandError {
        column: word.column,
        message,
        nearest,
    })
}

fn filter(word: &Word, known: &dyn KnownNames) -> Result<(), CommandError> {
    match word.text.strip_prefix('@') {
        _ if word.text == "-" => Ok(()),
        Some(name) => {
            let word = Word { text: name.to_owned(), column: word.column + 1, ..word.clone() };
            listed("filter", &word, known.names(Names::SavedFilters))
        }
        None => parse(&word.text, &known.vocabulary()).map(drop).map_err(|e| CommandError::inside(word, e)),
    }
}

fn topic(word: &Word, known: &dyn KnownNames) -> Result<(), CommandError> {
    let commands = known.commands().iter().flat_map(|c| c.words.iter().chain(c.aliases)).copied();
    let actions = known.actions().entries().iter().map(|entry| entry.name.as_str());
    let topics: Vec<&str> = commands.chain(actions).collect();
    if topics.contains(&word.text.as_str()) || super::key::Key::read(&word.text).is_some() {
        return Ok(());
    }
    Err(CommandError::new(word.column, format!("no help for \"{}\"", word.text)).near(&word.text, topics))
}
