//! The commands of the command line: one table, from which everything about them comes.

/// One command.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// Its words; two for those that have forms of their own.
    pub words: &'static [&'static str],
    /// Other names of the first word.
    pub aliases: &'static [&'static str],
    /// Its arguments.
    pub args: &'static [Arg],
    /// What it does, one sentence without a full stop.
    pub doc: &'static str,
}

/// One argument.
#[derive(Debug, PartialEq, Eq)]
pub struct Arg {
    /// How it is called in help.
    pub name: &'static str,
    /// What it is.
    pub kind: ArgKind,
    /// How often it may come.
    pub need: Need,
}

/// How often an argument may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Once.
    Must,
    /// At most once.
    May,
    /// Any number of times.
    Many,
}

/// What an argument is; decides how it is read, checked and completed.
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
    /// A search; takes the rest of the line.
    Search,
    /// A place in the list.
    Where,
    /// A name that is made here.
    NewName,
    /// A kept filter.
    SavedFilter,
    /// A bookmark.
    Mark,
    /// Free text; takes the rest of the line.
    Text,
    /// A name space of the dictionary.
    Space,
    /// A key in the name space before.
    Key,
    /// A plugin.
    Plugin,
    /// A word with a page of help.
    Topic,
}

impl ArgKind {
    /// Whether it takes the rest of the line as it stands.
    pub fn takes_rest(self) -> bool {
        matches!(self, ArgKind::Expr | ArgKind::Filter | ArgKind::Search | ArgKind::Text)
    }
}

const fn must(name: &'static str, kind: ArgKind) -> Arg {
    Arg { name, kind, need: Need::Must }
}

const fn may(name: &'static str, kind: ArgKind) -> Arg {
    Arg { name, kind, need: Need::May }
}

const fn many(name: &'static str, kind: ArgKind) -> Arg {
    Arg { name, kind, need: Need::Many }
}

const fn command(
    words: &'static [&'static str],
    aliases: &'static [&'static str],
    args: &'static [Arg],
    doc: &'static str,
) -> Command {
    Command { words, aliases, args, doc }
}

/// Every command, in the order of the help.
pub const COMMANDS: &[Command] = &[
    command(
        &["proto"],
        &["p"],
        &[must("NAME|auto", ArgKind::Protocol), many("key=value", ArgKind::DecoderOption)],
        "switch the decoder and decode the log again",
    ),
    command(
        &["set"],
        &[],
        &[many("name value", ArgKind::Setting)],
        "change an option of the decoder or the app; alone list them with their origin",
    ),
    command(&["open"], &["o"], &[must("LINK", ArgKind::Link)], "open a file, port or socket"),
    command(&["show"], &[], &[must("SOURCE", ArgKind::Source)], "show another source, by its number or name"),
    command(
        &["baud"],
        &[],
        &[must("N|auto", ArgKind::Baud)],
        "rate of the serial line; auto listens at each usual one",
    ),
    command(
        &["record"],
        &["r"],
        &[may("PATH|stop", ArgKind::Recording)],
        "record what was received so far and what follows; never overwrites",
    ),
    command(
        &["write"],
        &["w"],
        &[must("PATH", ArgKind::Output), may("RANGE", ArgKind::Range), may("EXPR", ArgKind::Expr)],
        "write rows as .txt .jsonl .csv, bytes as .bin; RANGE as #10..#20, 1ms.., ...$, sel",
    ),
    command(
        &["export", "perfetto"],
        &[],
        &[must("PATH", ArgKind::Output)],
        "write everything received so far as a trace for the Perfetto viewer; never overwrites",
    ),
    command(
        &["filter"],
        &["f"],
        &[may("EXPR|@name|-", ArgKind::Filter)],
        "show only rows that pass; alone shows all, - the filter before",
    ),
    command(&["filter", "save"], &[], &[must("NAME", ArgKind::NewName)], "keep the filter under a name"),
    command(&["find"], &[], &[must("EXPR", ArgKind::Search)], "go to the next row that passes"),
    command(
        &["goto"],
        &["g"],
        &[must("WHERE", ArgKind::Where)],
        "go to #714, 12.5ms, @0x1a4f0, 'mark, gap, error, reset, first or last",
    ),
    command(&["mark"], &[], &[may("NAME", ArgKind::NewName), may("NOTE", ArgKind::Text)], "mark the cursor row"),
    command(&["dict", "save"], &[], &[must("PATH", ArgKind::Output)], "save the names to a .dic file"),
    command(&["dict", "load"], &[], &[must("PATH", ArgKind::Input)], "load names from a .dic file"),
    command(&["dict", "clear"], &[], &[], "forget all names"),
    command(
        &["name"],
        &[],
        &[must("SPACE", ArgKind::Space), must("KEY", ArgKind::Key), must("NAME", ArgKind::Text)],
        "give something a name, as obj 0x4110E0 pump",
    ),
    command(&["plugin", "list"], &[], &[], "list decoders and plugins"),
    command(&["plugin", "load"], &[], &[must("PATH", ArgKind::Input)], "load a plugin"),
    command(&["plugin", "reload"], &[], &[may("NAME", ArgKind::Plugin)], "load plugins anew"),
    command(&["plugin", "enable"], &[], &[must("NAME", ArgKind::Plugin)], "use a plugin"),
    command(&["plugin", "disable"], &[], &[must("NAME", ArgKind::Plugin)], "do without a plugin"),
    command(&["stats"], &[], &[], "the program's own figures: bytes drawn, frames, memory"),
    command(&["help"], &["h"], &[may("WORD", ArgKind::Topic)], "help, about a command, a key or an action"),
    command(&["q"], &["quit"], &[], "quit at once, without asking"),
    command(&["wq"], &[], &[must("PATH", ArgKind::Output)], "record everything to PATH and quit"),
];

impl Command {
    /// Its words with blanks between.
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// How it is written: `proto NAME|auto [key=value …]`.
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
    /// How it is written in help.
    pub fn usage(&self) -> String {
        match self.need {
            Need::Must => self.name.to_owned(),
            Need::May => format!("[{}]", self.name),
            Need::Many => format!("[{} …]", self.name),
        }
    }
}
