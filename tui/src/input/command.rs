//! Descriptions of commands for parser, completion and help, and the running program's names for checking and
//! completing arguments.

use spytui_engine::{
    device::{command::CommandError, line::TargetLine},
    query::Vocabulary,
};

use super::table::ActionCatalog;

#[derive(Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// Its words; two for commands with subcommands.
    pub words: &'static [&'static str],
    /// Other names of the first word.
    pub aliases: &'static [&'static str],
    pub args: &'static [Arg],
    /// Description: one sentence without a full stop.
    pub doc: &'static str,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Arg {
    pub name: &'static str,
    pub kind: ArgKind,
    pub need: Need,
}

/// Number of occurrences of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Must,
    /// At most once.
    May,
    /// Any number of times.
    Many,
}

macro_rules! kinds {
    ($($kind:ident $values:literal;)*) => {
        /// Type of an argument; decides how it is parsed, checked and completed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ArgKind {
            $(#[doc = $values] $kind,)*
        }

        impl ArgKind {
            /// Describes the valid values of this type.
            pub(super) fn values(self) -> &'static str {
                match self { $(ArgKind::$kind => $values,)* }
            }
        }
    };
}

kinds! {
    Protocol "a decoder, or auto to find out from the bytes";
    DecoderOption "options of this decoder; Tab lists them";
    Setting "name shows it; name value or name=value … change it; Tab lists names and values";
    Link "a path (\\xE9 is a byte of its name), serial:/dev/ttyUSB0?baud=921600, tcp:HOST:PORT, unix:PATH, listen:PORT, udp:PORT, demo:qs";
    Baud "bits per second, as 115200; auto tries the usual rates";
    Source "a source, by its number or name";
    Input "a file to read";
    Output "a file to write; one that exists is not overwritten";
    Recording "a file to write, by default named from the time; stop ends the recording";
    Range "rows from here to there: #10..#20, 1ms.., .. '2, ...$; sel is the selection";
    Expr "an expression, as kind:Tran to:motor; by default the filter shown";
    Filter "an expression, as kind:Tran,Ignored -sig:TEMP*; @NAME a saved one; - the one before";
    Target "what the decoder offers, as filter -SM or info; Tab lists it";
    Search "words as they stand in the rows, /regex/, or an expression";
    Where "#714, #1:714, 12.5ms, 327490841t, @0x1a4f0, 'mark, gap, error, reset, first, last";
    NewName "a new name";
    Text "any text";
    Space "a name space of the decoder; Tab lists them";
    Key "a number in this name space, as 8 or 0x4110E0";
    Plugin "a plugin; Tab lists them";
    Topic "a command, a key or an action; by default everything";
}

impl ArgKind {
    /// `true` if it takes the rest of the line verbatim.
    pub fn takes_rest(self) -> bool {
        matches!(self, ArgKind::Expr | ArgKind::Filter | ArgKind::Search | ArgKind::Target | ArgKind::Text)
    }
}

impl Arg {
    /// A required argument.
    pub const fn must(name: &'static str, kind: ArgKind) -> Arg {
        Arg { name, kind, need: Need::Must }
    }

    /// An optional argument.
    pub const fn may(name: &'static str, kind: ArgKind) -> Arg {
        Arg { name, kind, need: Need::May }
    }

    /// An argument that may occur any number of times.
    pub const fn many(name: &'static str, kind: ArgKind) -> Arg {
        Arg { name, kind, need: Need::Many }
    }

    /// Its syntax in the help.
    pub fn usage(&self) -> String {
        match self.need {
            Need::Must => self.name.to_owned(),
            Need::May => format!("[{}]", self.name),
            Need::Many => format!("[{} …]", self.name),
        }
    }
}

impl CommandSpec {
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// Its syntax: `proto NAME|auto [key=value …]`.
    pub fn usage(&self) -> String {
        let args = self.args.iter().map(|arg| format!(" {}", arg.usage()));
        self.name() + &args.collect::<String>()
    }

    pub(super) fn first(&self) -> &'static str {
        self.words.first().copied().unwrap_or_default()
    }

    pub(super) fn second(&self) -> Option<&'static str> {
        self.words.get(1).copied()
    }
}

/// A word to choose, with a short description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub text: String,
    /// May be empty.
    pub help: String,
}

impl Choice {
    pub fn new(text: impl Into<String>, help: impl Into<String>) -> Choice {
        Choice { text: text.into(), help: help.into() }
    }
}

/// A request for files, and perhaps serial ports, that begin like a word of the line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lookup {
    /// Beginning of the path.
    pub path: String,
    /// Serial ports are requested, too.
    pub ports: bool,
}

/// Words that fit at the cursor, best first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completions {
    /// Start of the completed part, in characters; it ends at the cursor.
    pub from: usize,
    pub items: Vec<Choice>,
    /// Files and ports to look up for further completions.
    pub lookup: Option<Lookup>,
}

impl Completions {
    pub(super) fn of(from: usize, typed: &str, choices: Vec<Choice>) -> Completions {
        Completions { from, items: rank(typed, choices), lookup: None }
    }
}

/// First choices that begin with the typed text, then those that contain it, ignoring case.
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
    /// Files and folders whose path begins with this.
    Paths(&'a str),
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
    /// All commands, in the order of the help.
    fn commands(&self) -> &[&'static CommandSpec];

    fn actions(&self) -> &ActionCatalog;

    /// The names of a kind; empty if unknown, and then no name is refused.
    fn names(&self, names: Names<'_>) -> Vec<Choice>;

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::open()
    }

    /// The meaning of a line for the target; `None` without a target.
    fn target(&self, _line: &str) -> Result<Option<TargetLine>, CommandError> {
        Ok(None)
    }

    /// Completions at the end of a command to the target, and the column where the replaced part begins.
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
