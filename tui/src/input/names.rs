//! Names of the running program that arguments are checked against and completed from.

use spytui_engine::{
    device::{command::CommandError, line::TargetLine},
    query::Vocabulary,
};

use super::command::CommandSpec;
use super::table::ActionCatalog;

/// A word that may be chosen, with a few words about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub text: String,
    /// Description; may be empty.
    pub help: String,
}

impl Choice {
    /// A choice with a word of help.
    pub fn new(text: impl Into<String>, help: impl Into<String>) -> Choice {
        Choice { text: text.into(), help: help.into() }
    }
}

/// A query for files, and maybe serial ports, that begin like a word of the line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lookup {
    /// Beginning of the path.
    pub path: String,
    /// Serial ports are wanted too.
    pub ports: bool,
}

/// Words that fit at the cursor, best first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completions {
    /// Start of the completed part, in characters; it ends at the cursor.
    pub from: usize,
    pub items: Vec<Choice>,
    /// Files and ports that would be completions, too, once they are known.
    pub lookup: Option<Lookup>,
}

impl Completions {
    pub(super) fn of(from: usize, typed: &str, choices: Vec<Choice>) -> Completions {
        Completions { from, items: rank(typed, choices), lookup: None }
    }
}

/// Those that begin with what was typed, then those that contain it; case does not count.
fn rank(typed: &str, choices: Vec<Choice>) -> Vec<Choice> {
    let typed = typed.to_lowercase();
    let (mut begin, mut contain) = (Vec::new(), Vec::new());
    for choice in choices {
        match choice.text.to_lowercase() {
            text if text.starts_with(&typed) => begin.push(choice),
            text if text.contains(&typed) => contain.push(choice),
            _ => {}
        }
    }
    begin.append(&mut contain);
    begin
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names<'a> {
    Protocols,
    Protocol,
    Options(&'a str),
    /// Values an option of this decoder may have.
    OptionValues(&'a str, &'a str),
    /// Settings of `:set`: options of the decoder in use, and of the app.
    Settings,
    Values(&'a str),
    SavedFilters,
    Marks,
    /// Name spaces of the dictionary.
    Spaces,
    Keys(&'a str),
    Sources,
    Plugins,
    Links,
    /// Files and folders whose path begins like this.
    Paths(&'a str),
    /// Kinds of records.
    Kinds,
    Groups,
    /// Entities.
    Objects,
    Signals,
    States,
    Tasks,
    Dates,
    Fields,
}

/// The running program as the command line sees it.
pub trait KnownNames {
    /// The commands that there are, in the order of the help.
    fn commands(&self) -> &[&'static CommandSpec];

    fn actions(&self) -> &ActionCatalog;

    /// The names of a kind; empty when nobody knows them, then nothing is refused for being unknown.
    fn names(&self, names: Names<'_>) -> Vec<Choice>;

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::open()
    }

    /// What a line for the target asks for; `None` where there is no target yet.
    fn target(&self, _line: &str) -> Result<Option<TargetLine>, CommandError> {
        Ok(None)
    }

    /// What may stand at the end of a command to the target, and the column from which on it replaces what was typed.
    fn target_completions(&self, line: &str) -> (usize, Vec<Choice>) {
        (line.chars().count(), Vec::new())
    }

    fn alias(&self, _name: &str) -> Option<String> {
        None
    }

    fn aliases(&self) -> Vec<Choice> {
        Vec::new()
    }
}
