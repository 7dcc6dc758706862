//! The words of a line, descriptions of commands for parser, completion and help, and the running program's names for checking and
//! completing arguments.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write,
    path::Path,
};

use spytui_engine::{
    device::{self, line::TargetLine},
    nearest::nearest,
    query::{NumberLiteral, NumberUnit, QueryError, Vocabulary, date},
};

use super::table::ActionCatalog;
use crate::{
    hint::suggestion,
    sys::{name_bytes, name_of_bytes},
};

#[derive(Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// Words of the command; two for commands with subcommands.
    pub words: &'static [&'static str],
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
    Written "a file to write, never overwritten; text, binary, matlab, sequence or dictionary, alone or =PATH, and parquet=DIR also get what comes later, until stop";
    Recording "a file to write, by default named from the time; stop ends the recording";
    Range "rows from here to there: #10..#20, 1ms.., .. '2, ...$; sel is the selection";
    Expr "an expression, as kind:Tran to:motor; by default the filter shown";
    Filter "an expression, as kind:Tran,Ignored -sig:TEMP*; @NAME a saved one; - the one before";
    Trigger "an expression, then bell, mark, hold, record 10s or run COMMAND; off removes all, off N one";
    Target "what the decoder offers, as filter -SM or info; Tab lists it";
    FrontEnd "on or off";
    Search "words as they stand in the rows, /regex/, or an expression";
    Where "#714, #1:714, 12.5ms, 327490841t, @0x1a4f0, 'mark, gap, error, reset, first, last";
    Compared "a row, as for goto; or a recording to read, ./NAME if its name is like a row's";
    NewName "a new name";
    Text "any text";
    Space "a name space of the decoder; Tab lists them";
    Key "a number in this name space, as 8 or 0x4110E0";
    Plugin "a plugin; Tab lists them";
    Topic "a command, a key, an action or a kind of records; by default everything";
}

/// Values of [`ArgKind::FrontEnd`].
pub(super) const ON_OFF: [&str; 2] = ["on", "off"];

impl ArgKind {
    /// `true` if it takes the rest of the line verbatim.
    pub fn takes_rest(self) -> bool {
        matches!(
            self,
            ArgKind::Expr | ArgKind::Filter | ArgKind::Search | ArgKind::Target | ArgKind::Text | ArgKind::Trigger
        )
    }
}

impl Arg {
    pub const fn must(name: &'static str, kind: ArgKind) -> Arg {
        Arg { name, kind, need: Need::Must }
    }

    pub const fn may(name: &'static str, kind: ArgKind) -> Arg {
        Arg { name, kind, need: Need::May }
    }

    /// An argument that may occur any number of times.
    pub const fn many(name: &'static str, kind: ArgKind) -> Arg {
        Arg { name, kind, need: Need::Many }
    }

    /// Syntax in the help.
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

    /// Syntax of the command: `proto NAME|auto [key=value …]`.
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
pub struct PathLookup {
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
    pub lookup: Option<PathLookup>,
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
pub enum ArgumentNames<'a> {
    Protocols,
    Protocol,
    Options(&'a str),
    OptionValues(&'a str, &'a str),
    /// Settings of `:set`: options of the decoder in use, and of the app.
    Settings,
    Values(&'a str),
    SavedFilters,
    Marks,
    Spaces,
    Keys(&'a str),
    Sources,
    Plugins,
    Links,
    /// Files and folders whose path begins with this.
    Paths(&'a str),
    Kinds,
    Groups,
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
    fn names(&self, names: ArgumentNames<'_>) -> Vec<Choice>;

    fn vocabulary(&self) -> Vocabulary {
        Vocabulary::open()
    }

    /// The meaning of a line for the target; `None` without a target.
    fn target(&self, _line: &str) -> Result<Option<TargetLine>, device::command::CommandError> {
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandWord {
    /// Number of characters before it.
    pub(super) column: usize,
    pub(super) text: String,
    /// Characters it takes in the line, quotes included.
    pub(super) length: usize,
    pub(super) open: bool,
}

impl CommandWord {
    pub(super) fn end(&self) -> usize {
        self.column + self.length
    }
}

/// Iterates over the words of a line; quotes keep blanks together.
pub(super) struct CommandWords<'a> {
    line: &'a [char],
    at: usize,
}

impl<'a> CommandWords<'a> {
    pub(super) fn new(line: &'a [char]) -> CommandWords<'a> {
        CommandWords { line, at: 0 }
    }

    fn skip_blanks(&mut self) {
        while self.line.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    pub(super) fn back_to(&mut self, word: &CommandWord) {
        self.at = word.column;
    }

    /// The trimmed rest of the line; `None` if empty.
    pub(super) fn rest(&mut self) -> Option<CommandWord> {
        self.skip_blanks();
        let column = self.at;
        let rest = &self.line[column.min(self.line.len())..];
        let length = rest.iter().rposition(|c| !c.is_whitespace()).map_or(0, |last| last + 1);
        self.at = self.line.len();
        let text = rest[..length].iter().collect();
        (length > 0).then_some(CommandWord { column, text, length, open: false })
    }
}

impl Iterator for CommandWords<'_> {
    type Item = CommandWord;

    fn next(&mut self) -> Option<CommandWord> {
        self.skip_blanks();
        let (column, mut text, mut quoted) = (self.at, String::new(), false);
        while let Some(c) = self.line.get(self.at) {
            match c {
                '"' => quoted = !quoted,
                c if c.is_whitespace() && !quoted => break,
                c => text.push(*c),
            }
            self.at += 1;
        }
        let length = self.at - column;
        (length > 0).then_some(CommandWord { column, text, length, open: quoted })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", suggestion(self.nearest.as_deref()))]
pub struct CommandLineError {
    /// Column of the error in the typed line, in characters.
    pub column: usize,
    pub message: String,
    /// The known word most similar to the wrong one.
    pub nearest: Option<String>,
}

impl CommandLineError {
    pub fn new(column: usize, message: impl Into<String>) -> CommandLineError {
        CommandLineError { column, message: message.into(), nearest: None }
    }

    pub(super) fn near<'a>(mut self, word: &str, known: impl IntoIterator<Item = &'a str>) -> CommandLineError {
        self.nearest = nearest(word, known).map(str::to_owned);
        self
    }

    /// An error of an expression within the line, with its column counted from the beginning of the line.
    pub(super) fn inside(word: &CommandWord, error: QueryError) -> CommandLineError {
        CommandLineError { column: word.column + error.column, message: error.message, nearest: error.nearest }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Where {
    Row(u64),
    /// A row in one of several sources, by source number and row number.
    RowOf(u16, u64),
    /// A time in nanoseconds since the start.
    Ns(u64),
    Date(i128),
    Ticks(u64),
    Byte(u64),
    Mark(String),
    /// The next row of a kind.
    Next(JumpTarget),
    First,
    Last,
    /// The cursor row; only in ranges.
    Here,
}

/// Targets of jumps to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JumpTarget {
    Loss,
    Error,
    Warning,
    Reset,
}

pub(super) const WORDS: [(&str, Where, &str); 5] = [
    ("gap", Where::Next(JumpTarget::Loss), "next loss"),
    ("error", Where::Next(JumpTarget::Error), "next error"),
    ("reset", Where::Next(JumpTarget::Reset), "next reset"),
    ("first", Where::First, "first row"),
    ("last", Where::Last, "last row"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowRange {
    Selection,
    /// From and to, inclusive; `None` = open.
    Between(Option<Where>, Option<Where>),
}

pub fn read_where(text: &str) -> Result<Where, (String, Option<String>)> {
    if let Some((_, place, _)) = WORDS.iter().find(|(word, ..)| *word == text) {
        return Ok(place.clone());
    }
    fixed(text).ok_or_else(|| {
        let near = nearest(text, WORDS.iter().map(|(word, ..)| *word)).map(str::to_owned);
        (format!("not a location: {text}; use #714, 12.5ms, @0x1a4f0, 'mark, gap, error, reset, first or last"), near)
    })
}

/// Parses a range; `None` if malformed.
pub fn read_range(text: &str) -> Option<RowRange> {
    if text == "sel" {
        return Some(RowRange::Selection);
    }
    let side = |text: &str| match text {
        "" => Some(None),
        "." => Some(Some(Where::Here)),
        "$" => Some(Some(Where::Last)),
        text => fixed(text).map(Some),
    };
    // The cursor row is itself a dot, so there may be several places to split: `...$`.
    let dots = text.as_bytes().windows(2).enumerate().filter(|(_, pair)| pair == b"..").map(|(at, _)| at);
    dots.into_iter().find_map(|at| {
        let (from, to) = (side(&text[..at])?, side(&text[at + 2..])?);
        Some(RowRange::Between(from, to))
    })
}

fn fixed(text: &str) -> Option<Where> {
    if let Some(mark) = text.strip_prefix('\'') {
        return (!mark.is_empty()).then(|| Where::Mark(mark.to_owned()));
    }
    if let Some((source, n)) = text.strip_prefix('#').and_then(|t| t.split_once(':')) {
        return Some(Where::RowOf(source.parse().ok()?, n.parse().ok()?));
    }
    if let Some(unix_ns) = date(text) {
        return Some(Where::Date(unix_ns));
    }
    let number = NumberLiteral::read(text)?;
    let whole = || number.whole().and_then(|n| u64::try_from(n).ok());
    match (text.as_bytes().first(), number.unit) {
        (Some(b'@'), NumberUnit::Plain | NumberUnit::Bytes) => whole().map(Where::Byte),
        (Some(b'@'), _) => None,
        (_, NumberUnit::Plain) => whole().map(Where::Row),
        (Some(b'#'), _) => None,
        (_, NumberUnit::Ticks) => whole().map(Where::Ticks),
        (_, NumberUnit::Time(_)) => number.nanoseconds().and_then(|ns| u64::try_from(ns).ok()).map(Where::Ns),
        _ => None,
    }
}

/// Start of an escape; two hexadecimal digits follow.
const ESCAPE: &str = "\\x";

/// A name as written in a command line.
pub fn escaped(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name_bytes(name).utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            let is_escape = chunk.valid().get(at..).is_some_and(|rest| rest.starts_with(ESCAPE));
            if c.is_control() || is_escape || c == '"' {
                push_bytes(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                text.push(c);
            }
        }
        push_bytes(&mut text, chunk.invalid());
    }
    text
}

fn push_bytes(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(text, "{ESCAPE}{byte:02X}");
    }
}

/// The name that a word of a command line denotes. A file with exactly that name takes precedence.
pub fn unescaped(word: &str) -> OsString {
    if !word.contains(ESCAPE) || Path::new(word).symlink_metadata().is_ok() {
        return word.into();
    }
    let mut pieces = word.split(ESCAPE);
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        match piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(piece.bytes().skip(2));
            }
            None => {
                bytes.extend(ESCAPE.bytes());
                bytes.extend(piece.bytes());
            }
        }
    }
    name_of_bytes(bytes)
}

/// Kinds of rows that are no record, and what they report.
pub fn notes() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("notes.txt").lines().filter_map(|line| line.split_once(" = "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_columns() {
        let line: Vec<char> = "write \"a b.txt\"  kind:Tran  x ".chars().collect();
        let mut words = CommandWords::new(&line);
        assert_eq!(words.next().map(|w| (w.column, w.text)), Some((0, "write".into())));
        let path = words.next().unwrap();
        assert_eq!((path.column, path.text.as_str(), path.end(), path.open), (6, "a b.txt", 15, false));
        assert_eq!(words.rest().map(|w| (w.column, w.text)), Some((17, "kind:Tran  x".into())));
        assert_eq!((words.next(), words.rest()), (None, None));
        assert!(CommandWords::new(&['"', 'a']).next().unwrap().open);
    }

    #[test]
    fn places_are_read() {
        for (text, place) in [
            ("#714", Where::Row(714)),
            ("714", Where::Row(714)),
            ("#1:714", Where::RowOf(1, 714)),
            ("12.5ms", Where::Ns(12_500_000)),
            ("2026-03-11T09:14:30.5", Where::Date(1_773_220_470_500_000_000)),
            ("327490841t", Where::Ticks(327_490_841)),
            ("@0x1a4f0", Where::Byte(0x1a4f0)),
            ("'start", Where::Mark("start".into())),
            ("gap", Where::Next(JumpTarget::Loss)),
            ("first", Where::First),
        ] {
            assert_eq!(read_where(text), Ok(place), "{text}");
        }
        assert_eq!(read_where("lsat").unwrap_err().1.as_deref(), Some("last"));
        for wrong in ["", "'", "-5", "1.5", "#x", "@1ms"] {
            assert!(read_where(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_are_read() {
        let between = |from, to| Some(RowRange::Between(from, to));
        assert_eq!(read_range("sel"), Some(RowRange::Selection));
        assert_eq!(read_range("#1..#5"), between(Some(Where::Row(1)), Some(Where::Row(5))));
        assert_eq!(read_range("...$"), between(Some(Where::Here), Some(Where::Last)));
        assert_eq!(read_range("'a.."), between(Some(Where::Mark("a".into())), None));
        assert_eq!(read_range(".."), between(None, None));
        assert_eq!(read_range("1ms..2.5ms"), between(Some(Where::Ns(1_000_000)), Some(Where::Ns(2_500_000))));
        for none in ["kind:Tran", "a..b", "5", ""] {
            assert_eq!(read_range(none), None, "{none}");
        }
    }

    #[test]
    fn every_name_comes_back() {
        let there_and_back = |name: &[u8], text: &str| {
            let name = name_of_bytes(name.to_vec());
            assert_eq!(escaped(&name), text);
            assert_eq!(unescaped(text), name);
        };
        there_and_back(b"run.bin", "run.bin");
        there_and_back("Grüße".as_bytes(), "Grüße");
        there_and_back(b"caf\xE9.bin", "caf\\xE9.bin");
        there_and_back(b"\xE9\xFF", "\\xE9\\xFF");
        there_and_back(b"a\x1b[2J\n", "a\\x1B[2J\\x0A");
        there_and_back(b"a\\x41", "a\\x5Cx41");
        there_and_back(b"a\\b\\", "a\\b\\");
        assert_eq!(unescaped("a\\xZZ\\x4"), "a\\xZZ\\x4");
        assert_eq!(unescaped("a\\x\u{e9}1"), "a\\x\u{e9}1");
    }
}
