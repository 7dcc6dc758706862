//! Descriptions of commands; parser, completion and help use them.

/// One command.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// Its words; two for those that have forms of their own.
    pub words: &'static [&'static str],
    /// Other names of the first word.
    pub aliases: &'static [&'static str],
    /// Its arguments.
    pub args: &'static [Arg],
    /// Description: one sentence without a full stop.
    pub doc: &'static str,
}

/// One argument.
#[derive(Debug, PartialEq, Eq)]
pub struct Arg {
    /// Its name in the help.
    pub name: &'static str,
    /// Its type.
    pub kind: ArgKind,
    /// Number of occurrences.
    pub need: Need,
}

/// Number of occurrences of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Once.
    Must,
    /// At most once.
    May,
    /// Any number of times.
    Many,
}

/// Type of an argument; decides how it is read, checked and completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgKind {
    /// Name of a decoder, or `auto`.
    Protocol,
    /// `key=value` of the decoder named before.
    DecoderOption,
    /// `name`, `name value` or `name=value`.
    Setting,
    /// A link.
    Link,
    /// Bits a second, or `auto`.
    Baud,
    /// A source, by number or name.
    Source,
    /// A file to read.
    Input,
    /// A file to write.
    Output,
    /// A file to write, or `stop`.
    Recording,
    /// Rows from here to there.
    Range,
    /// An expression; takes the rest of the line.
    Expr,
    /// An expression, `@name` or `-`; takes the rest of the line.
    Filter,
    /// A command to the target; takes the rest of the line.
    Target,
    /// A search; takes the rest of the line.
    Search,
    /// A location in the list.
    Where,
    /// A new name.
    NewName,
    /// Free text; takes the rest of the line.
    Text,
    /// A name space of the dictionary.
    Space,
    /// A key in the name space before.
    Key,
    /// A plugin.
    Plugin,
    /// A help topic.
    Topic,
}

impl ArgKind {
    /// `true` if it takes the rest of the line verbatim.
    pub fn takes_rest(self) -> bool {
        matches!(self, ArgKind::Expr | ArgKind::Filter | ArgKind::Search | ArgKind::Target | ArgKind::Text)
    }
}

impl Arg {
    /// An argument that must be given.
    pub const fn must(name: &'static str, kind: ArgKind) -> Arg {
        Arg { name, kind, need: Need::Must }
    }

    /// An argument that may be left out.
    pub const fn may(name: &'static str, kind: ArgKind) -> Arg {
        Arg { name, kind, need: Need::May }
    }

    /// An argument that may be given any number of times.
    pub const fn many(name: &'static str, kind: ArgKind) -> Arg {
        Arg { name, kind, need: Need::Many }
    }
}

impl CommandSpec {
    /// Its words with blanks between.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// Its syntax: `proto NAME|auto [key=value …]`.
    pub fn usage(&self) -> String {
        let args = self.args.iter().map(|arg| format!(" {}", arg.usage()));
        self.name() + &args.collect::<String>()
    }

    /// Its first word.
    pub(super) fn first(&self) -> &'static str {
        self.words.first().copied().unwrap_or_default()
    }

    /// Its second word, if it has one.
    pub(super) fn second(&self) -> Option<&'static str> {
        self.words.get(1).copied()
    }
}

impl Arg {
    /// Its syntax in the help.
    pub fn usage(&self) -> String {
        match self.need {
            Need::Must => self.name.to_owned(),
            Need::May => format!("[{}]", self.name),
            Need::Many => format!("[{} …]", self.name),
        }
    }
}
