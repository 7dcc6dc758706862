//! Commands that a decoder's encoder accepts. The host uses them to parse, complete and check a command line before
//! encoding.

use abi_stable::{
    StableAbi,
    std_types::{RString, RVec},
};

use crate::number::{named_flags, named_numbers};

/// A command.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct CommandInfo {
    /// Id, used in [`crate::Command::id`].
    pub id: u16,
    /// Word on the command line; several words, as in `test probe`, are separated by a blank.
    pub name: RString,
    /// One line of help.
    pub help: RString,
    /// Arguments in order.
    pub args: RVec<ArgInfo>,
    /// It stops the target or overwrites its memory: the host asks before sending it.
    pub confirm: bool,
    /// Reserved for later minor versions, like the next two: see [`crate::info`].
    pub reserved_number: u64,
    #[doc(hidden)]
    pub reserved_text: RString,
    #[doc(hidden)]
    pub reserved_list: RVec<RString>,
}

impl CommandInfo {
    /// A command without arguments.
    pub fn new(id: u16, name: &str, help: &str) -> CommandInfo {
        CommandInfo { id, name: name.into(), help: help.into(), ..CommandInfo::default() }
    }

    /// Adds arguments.
    pub fn with(self, args: impl IntoIterator<Item = ArgInfo>) -> CommandInfo {
        CommandInfo { args: args.into_iter().collect(), ..self }
    }

    /// Makes the host ask before sending it.
    pub fn confirmed(self) -> CommandInfo {
        CommandInfo { confirm: true, ..self }
    }
}

/// An argument of a command. Values are matched in this order: choices, names of the space, numbers.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct ArgInfo {
    /// Name, for help and messages.
    pub name: RString,
    /// Accepted forms.
    pub forms: ArgForms,
    /// Minimum number.
    pub min: u64,
    /// Maximum number.
    pub max: u64,
    /// Allowed words.
    pub choices: RVec<RString>,
    /// Space of names.
    pub space: u16,
    /// Scope of names, unless an earlier argument is their scope.
    pub scope: u64,
    /// It may be omitted, together with all later ones.
    pub is_optional: bool,
}

named_flags! {
    /// Accepted forms of a value.
    pub struct ArgForms(u16) {
        /// A number, decimal or 0x, from [`ArgInfo::min`] to [`ArgInfo::max`].
        NUMBER = 1,
        /// One of [`ArgInfo::choices`].
        CHOICE = 2,
        /// A name of [`ArgInfo::space`].
        NAME = 4,
        /// Bytes, the rest of the line: one byte each (`7` or `0x7f`), `u16:500` (also `u8 u32 u64 i8 i16 i32 i64 f32
        /// f64`, in the target's byte order), `hex:00aabb`, `"text"`.
        BYTES = 8,
        /// Bytes as hexadecimal digits, the rest of the line; blanks are ignored.
        HEX = 32,
        /// One or more numbers as for [`ArgForms::NUMBER`], the rest of the line.
        NUMBERS = 64,
        /// A filter, the rest of the line; see [`FilterTable`].
        FILTER = 16,
        /// Text, the rest of the line, as bytes; quotes preserve repeated blanks.
        TEXT = 128,
    }
}

impl ArgInfo {
    /// Any of the other forms than numbers, names and choices: the rest of the line.
    pub fn new(name: &str, forms: ArgForms) -> ArgInfo {
        ArgInfo { name: name.into(), forms, space: crate::NONE, ..ArgInfo::default() }
    }

    /// A number.
    pub fn number(name: &str, range: std::ops::RangeInclusive<u64>) -> ArgInfo {
        ArgInfo { min: *range.start(), max: *range.end(), ..ArgInfo::new(name, ArgForms::NUMBER) }
    }

    /// A choice of words.
    pub fn choice<'a>(name: &str, words: impl IntoIterator<Item = &'a str>) -> ArgInfo {
        ArgInfo::new(name, ArgForms::empty()).or_choice(words)
    }

    /// Numbers, the rest of the line.
    pub fn numbers(name: &str, range: std::ops::RangeInclusive<u64>) -> ArgInfo {
        ArgInfo { forms: ArgForms::NUMBERS, ..ArgInfo::number(name, range) }
    }

    /// Also accepts these words.
    pub fn or_choice<'a>(self, words: impl IntoIterator<Item = &'a str>) -> ArgInfo {
        let choices = words.into_iter().map(RString::from).collect();
        ArgInfo { forms: self.forms | ArgForms::CHOICE, choices, ..self }
    }

    /// Also accepts a name of this space.
    pub fn or_name(self, space: u16) -> ArgInfo {
        ArgInfo { forms: self.forms | ArgForms::NAME, space, ..self }
    }

    /// Limits names to this scope.
    pub fn scoped(self, scope: u64) -> ArgInfo {
        ArgInfo { scope, ..self }
    }

    /// Makes it optional.
    pub fn optional(self) -> ArgInfo {
        ArgInfo { is_optional: true, ..self }
    }
}

/// A table of numbered switches that select which records the target sends. A filter on the command line names groups
/// of them, or single ones by number, range, kind or dictionary name.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct FilterTable {
    /// Id, used in [`crate::FilterOp::table`].
    pub id: u16,
    /// Id of the command that sets it.
    pub command: u16,
    /// Name for display.
    pub title: RString,
    /// Word before the colon, as `obj` in `-obj:door`; may be empty for a command's first table, which is the default.
    pub word: RString,
    /// Minimum switch number.
    pub min: u64,
    /// Maximum switch number. If less than [`FilterTable::min`], numbers count within a group: `GROUP:N` is switch N of
    /// each of its ranges, from 0.
    pub max: u64,
    /// Space of the names of single switches; [`crate::NONE`] = none.
    pub space: u16,
    /// Switches are wire ids of kinds, and may be named by kind.
    pub is_kinds: bool,
    /// Groups of switches.
    pub groups: RVec<FilterGroup>,
    /// Switches that the target ignores: these records are always sent.
    pub always_on: RVec<FilterRange>,
    /// The command `info` reads back the state of the switches.
    pub reads_back: bool,
    /// Only objects in rows of these groups are switches, for example active objects among all objects; empty =
    /// unspecified.
    pub groups_of_rows: RVec<u8>,
}

impl FilterTable {
    /// Whether objects in rows of this group are switches; `None` = unspecified.
    pub fn has_objects_of(&self, group: u8) -> Option<bool> {
        if self.groups_of_rows.is_empty() { None } else { Some(self.groups_of_rows.contains(&group)) }
    }
}

/// A named set of switches.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, Default)]
pub struct FilterGroup {
    /// Word on the command line.
    pub name: RString,
    /// Name for display.
    pub title: RString,
    /// The switches.
    pub ranges: RVec<FilterRange>,
    /// How useful these records are.
    pub worth: Worth,
}

impl FilterGroup {
    /// A group of these ranges.
    pub fn new(name: &str, title: &str, ranges: &[(u64, u64)]) -> FilterGroup {
        FilterGroup { name: name.into(), title: title.into(), ranges: filter_ranges(ranges), worth: Worth::DETAIL }
    }
}

named_numbers! {
    /// How useful a group of records is. If a link is too slow for everything, the host proposes to switch off the
    /// least useful groups.
    pub struct Worth(u8) {
        /// Internals of the framework.
        NOISE = 1,
        /// Details of what happens.
        DETAIL = 2,
        /// States of tasks and objects.
        STATES = 3,
        /// Records written by the application.
        APPLICATION = 4,
    }
}

/// Consecutive switches.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilterRange {
    /// First.
    pub first: u64,
    /// Last.
    pub last: u64,
}

/// Builds ranges from pairs of first and last.
pub fn filter_ranges(ranges: &[(u64, u64)]) -> RVec<FilterRange> {
    ranges.iter().map(|&(first, last)| FilterRange { first, last }).collect()
}

named_numbers! {
    /// How far a command has got, according to an answer.
    pub struct AnswerStage(u8) {
        /// The command is still running: a warning, or one of several pieces of data.
        PROGRESS = 0,
        /// Accepted.
        ACCEPTED = 1,
        /// Executed.
        DONE = 2,
        /// Its data arrived.
        DATA = 3,
        /// Refused.
        REFUSED = 4,
    }
}

impl AnswerStage {
    /// The stage's bit in [`crate::Frame::awaited`].
    pub const fn bit(self) -> u8 {
        1 << self.0
    }
}
