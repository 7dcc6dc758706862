//! Names of general properties.

use super::Needs;

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
    /// Signal.
    Sig,
    /// State entered, left or current.
    State,
    /// Core, also called CPU.
    Core,
    /// Task or thread.
    Task,
    /// Severity.
    Sev,
    /// Rendered text.
    Text,
    /// Target time.
    Time,
    /// Time since the previous row with a time stamp.
    Dt,
    /// Host time since the source was opened.
    Host,
    /// Number of the record.
    N,
    /// Offset of the first byte.
    Pos,
    /// Target epoch.
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
    /// The name with this spelling.
    pub fn named(word: &str) -> Option<Name> {
        SPELLINGS.iter().find(|(spelling, _)| *spelling == word).map(|(_, name)| *name)
    }

    /// All spellings, in the order of the documentation.
    pub fn spellings() -> impl Iterator<Item = &'static str> {
        SPELLINGS.iter().map(|(spelling, _)| *spelling)
    }

    /// Its text form.
    pub fn word(self) -> &'static str {
        SPELLINGS.iter().find(|(_, name)| *name == self).map_or("", |(spelling, _)| spelling)
    }

    /// Whether it is compared only as a number.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Name::Core | Name::Time | Name::Dt | Name::Host | Name::N | Name::Pos | Name::Epoch)
    }

    /// Whether it is a role that entities play.
    pub fn is_role(self) -> bool {
        self.needs() == Needs::ROLES
    }

    /// Whether it takes time units.
    pub(super) fn is_time(self) -> bool {
        matches!(self, Name::Time | Name::Dt | Name::Host)
    }

    /// Whether it has neither order nor number.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Name::Group | Name::Text | Name::Mark)
    }

    /// Whether it is what something is called, so that case does not matter.
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
