//! The names a test can ask about.

use super::Needs;

/// What a test looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// Kind of the record, by any of its names, or its number.
    Kind,
    /// Group of the kind.
    Group,
    /// Any entity with a role in the row.
    Obj,
    /// The entity that activities.
    From,
    /// The entity that is acted on.
    To,
    /// Signal.
    Sig,
    /// State, entered or left or stood in.
    State,
    /// Core, also called CPU: the core.
    Core,
    /// The task or thread in a role.
    Task,
    /// Severity.
    Sev,
    /// The rendered text.
    Text,
    /// Target time.
    Time,
    /// Time since the stamped row before.
    Dt,
    /// Host time since the source was opened.
    Host,
    /// Number of the row.
    N,
    /// Offset of its first byte.
    Pos,
    /// Target epoch.
    Epoch,
    /// Name of a bookmark on it.
    Mark,
}

/// Every name with its spellings, the first of which is printed.
const SPELLINGS: [(&str, Name); 19] = [
    ("kind", Name::Kind),
    ("group", Name::Group),
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
    /// The name spelt `word`.
    pub fn named(word: &str) -> Option<Name> {
        SPELLINGS.iter().find(|(spelling, _)| *spelling == word).map(|(_, name)| *name)
    }

    /// Every spelling, in the order of the language's description.
    pub fn spellings() -> impl Iterator<Item = &'static str> {
        SPELLINGS.iter().map(|(spelling, _)| *spelling)
    }

    /// How it is written.
    pub fn word(self) -> &'static str {
        SPELLINGS.iter().find(|(_, name)| *name == self).map_or("", |(spelling, _)| spelling)
    }

    /// Compared as a number only.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Name::Core | Name::Time | Name::Dt | Name::Host | Name::N | Name::Pos | Name::Epoch)
    }

    /// May be given in units of time.
    pub(super) fn is_time(self) -> bool {
        matches!(self, Name::Time | Name::Dt | Name::Host)
    }

    /// Has neither an order nor a number.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Name::Group | Name::Text | Name::Mark)
    }

    /// The facts that decide a test on it.
    pub(super) fn needs(self) -> Needs {
        match self {
            Name::Kind => Needs::KIND,
            Name::Group => Needs::GROUP,
            Name::Core => Needs::LANE,
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
