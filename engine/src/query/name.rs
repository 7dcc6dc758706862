//! Names of properties and fields, and what testing them needs.

use std::borrow::Cow;

use spytui_plugin_api::Severity;

use super::{Expr, Property, Test};

/// A general property of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// Kind of the record, by name or number.
    Kind,
    /// Group of the kind, also called class.
    Group,
    /// Any entity of the row.
    Obj,
    /// The acting entity.
    From,
    /// The entity acted on.
    To,
    Sig,
    /// State entered, left or current.
    State,
    Core,
    Task,
    Sev,
    Text,
    /// Target time.
    Time,
    /// Time since the previous row with a time stamp.
    Dt,
    /// Host time since the source was opened.
    Host,
    N,
    /// Offset of the first byte.
    Pos,
    Epoch,
    /// Name of a bookmark on the row.
    Mark,
}

/// All spellings; the first one of a name is printed.
const SPELLINGS: [(&str, Name); 20] = [
    ("kind", Name::Kind),
    ("group", Name::Group),
    ("class", Name::Group),
    ("obj", Name::Obj),
    ("from", Name::From),
    ("to", Name::To),
    ("sig", Name::Sig),
    ("state", Name::State),
    ("core", Name::Core),
    ("cpu", Name::Core),
    ("task", Name::Task),
    ("sev", Name::Sev),
    ("text", Name::Text),
    ("time", Name::Time),
    ("dt", Name::Dt),
    ("host", Name::Host),
    ("n", Name::N),
    ("pos", Name::Pos),
    ("epoch", Name::Epoch),
    ("mark", Name::Mark),
];

impl Name {
    pub fn named(word: &str) -> Option<Name> {
        SPELLINGS.iter().find(|(spelling, _)| *spelling == word).map(|(_, name)| *name)
    }

    pub fn spellings() -> impl Iterator<Item = &'static str> {
        SPELLINGS.iter().map(|(spelling, _)| *spelling)
    }

    pub fn word(self) -> &'static str {
        SPELLINGS.iter().find(|(_, name)| *name == self).map_or("", |(spelling, _)| spelling)
    }

    /// Whether it is only compared as a number.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Name::Core | Name::Time | Name::Dt | Name::Host | Name::N | Name::Pos | Name::Epoch)
    }

    pub fn is_role(self) -> bool {
        self.needs() == Needs::ROLES
    }

    /// Whether it accepts time units.
    pub(super) fn is_time(self) -> bool {
        matches!(self, Name::Time | Name::Dt | Name::Host)
    }

    /// Whether it has neither order nor number.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Name::Group | Name::Text | Name::Mark)
    }

    /// Whether it is a name, so that case does not matter.
    pub(super) fn is_called(self) -> bool {
        use Name::{From, Group, Kind, Obj, Sig, State, Task, To};
        matches!(self, Kind | Group | Obj | From | To | Sig | State | Task)
    }

    /// The properties that decide a test of it.
    pub(super) fn needs(self) -> Needs {
        match self {
            Name::Kind => Needs::KIND,
            Name::Group => Needs::GROUP,
            Name::Core => Needs::CORE,
            Name::Sev => Needs::SEVERITY,
            Name::Time => Needs::TIME,
            Name::Dt => Needs::DELTA,
            Name::Host => Needs::HOST,
            Name::N => Needs::NUMBER,
            Name::Pos => Needs::POSITION,
            Name::Epoch => Needs::EPOCH,
            Name::Mark => Needs::MARK,
            Name::Obj | Name::From | Name::To | Name::Sig | Name::State | Name::Task => Needs::ROLES,
            Name::Text => Needs::TEXT,
        }
    }
}

bitflags::bitflags! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Needs: u16 {
        const KIND = 1;
        const GROUP = 1 << 1;
        const CORE = 1 << 2;
        const SEVERITY = 1 << 3;
        const TIME = 1 << 4;
        const NUMBER = 1 << 5;
        const POSITION = 1 << 6;
        const EPOCH = 1 << 7;
        /// The previous row with a time stamp.
        const DELTA = 1 << 8;
        const HOST = 1 << 9;
        const MARK = 1 << 10;
        /// Entities by role, with names from the dictionary.
        const ROLES = 1 << 11;
        const FIELDS = 1 << 12;
        const TEXT = 1 << 13;
        const ALL = (1 << 14) - 1;
        /// Known, not needed: no searched word is a name of the row's kind, so none is compared again. See
        /// [`Expr::is_decided_by_words`].
        const KIND_IS_NO_WORD = 1 << 14;

        /// Shared by all rows of one shape.
        const SHAPE = Self::KIND.bits() | Self::GROUP.bits() | Self::CORE.bits() | Self::SEVERITY.bits();
        /// Known before rendering, but not shared by the rows of one shape.
        const OF_ROW = Self::TIME.bits() | Self::NUMBER.bits() | Self::POSITION.bits() | Self::EPOCH.bits()
            | Self::DELTA.bits() | Self::HOST.bits() | Self::MARK.bits();
        /// Known before rendering, except the kind: a record may have a kind word of its own.
        const UNRENDERED = Self::GROUP.bits() | Self::CORE.bits() | Self::SEVERITY.bits() | Self::OF_ROW.bits();
        /// Available from the store's columns.
        const COLUMNS = Self::SHAPE.bits() | Self::TIME.bits() | Self::NUMBER.bits() | Self::POSITION.bits()
            | Self::EPOCH.bits();
        const RENDERING = Self::ROLES.bits() | Self::FIELDS.bits() | Self::TEXT.bits();
    }
}

impl Expr {
    pub fn needs(&self) -> Needs {
        match self {
            Expr::All(parts) | Expr::Any(parts) => parts.iter().fold(Needs::empty(), |sum, e| sum | e.needs()),
            Expr::Not(inner) => inner.needs(),
            Expr::Test(test) => test.needs(),
        }
    }
}

impl Test {
    pub(super) fn needs(&self) -> Needs {
        match self {
            Test::Word(_) => Needs::TEXT | Needs::KIND,
            Test::Regex(_) => Needs::TEXT,
            Test::Compare(Property::Name(name), ..) => name.needs(),
            Test::Compare(Property::Field(_), ..) => Needs::FIELDS,
        }
    }
}

/// Marks the following name as that of a field.
pub(super) const FIELD: &str = "field.";

/// Whether names with this character need no quotes.
pub(super) fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

/// The name of a field as written in a test.
pub fn field_name(field: &str) -> Cow<'_, str> {
    if field.is_empty() || !field.chars().all(is_plain) {
        return format!("\"{}\"", field.replace('\\', "\\\\").replace('"', "\\\"")).into();
    }
    // The prefix distinguishes fields from general names and from numbers.
    let is_word = field.starts_with(|c: char| c.is_alphabetic() || c == '_') && !field.starts_with(FIELD);
    if is_word && Name::named(field).is_none() { field.into() } else { format!("{FIELD}{field}").into() }
}

/// A name with its key, if any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fact<'a> {
    /// The text shown; invalid bytes are already replaced.
    pub text: &'a str,
    /// A key, a kind, or a field's value.
    pub num: Option<Num>,
    /// The value in nanoseconds, for times.
    pub ns: Option<i128>,
    /// Nanoseconds since 1970, for times with a date.
    pub unix: Option<i128>,
}

impl<'a> Fact<'a> {
    pub fn text(text: &'a str) -> Self {
        Fact { text, num: None, ns: None, unix: None }
    }

    pub fn key(text: &'a str, key: u64) -> Self {
        Fact { text, num: Some(Num::Int(i128::from(key))), ns: None, unix: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Num {
    /// A signed or unsigned integer of up to 64 bits.
    Int(i128),
    Float(f64),
    /// A decimal number: its digits, and how many of them are decimals.
    Decimal(i128, u32),
}

/// A numeric property of a row, plain and as a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quantity {
    /// Count, offset or ticks.
    pub plain: Option<i128>,
    /// Nanoseconds, if it is a time and the rate is known.
    pub ns: Option<i128>,
    /// Nanoseconds since 1970, if it is a time and its date is known.
    pub unix: Option<i128>,
}

/// A row as the subject of an expression. Properties may be expensive, so each is queried only when needed.
///
/// Implementations call `test` with each candidate and return `true` as soon as one passes, otherwise `false`.
pub trait Subject {
    /// Names of the row's kind, group, roles, signals, states, tasks or bookmarks: all names in use, short and full.
    fn names(&self, name: Name, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool;

    /// Whether a test of the entities in this role passes.
    fn role(&self, name: Name, test: &Test) -> bool {
        test.of_each(|ask| self.names(name, ask))
    }

    /// The final result of a test of properties that are not known yet, if it can be foreseen.
    fn foresee(&self, test: &Test) -> Option<bool> {
        let _ = test;
        None
    }

    /// Time, delta to the previous row with a time stamp (hidden rows included), host time, number, position, epoch or
    /// core.
    fn number(&self, name: Name) -> Quantity;

    fn severity(&self) -> Severity;

    fn field(&self, field: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool;

    /// Text of the row as in the list, without time.
    fn text(&self, test: &mut dyn FnMut(&str) -> bool) -> bool;
}
