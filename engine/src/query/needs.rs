//! Which facts of a row decide an expression, so that rows can be refused before they are rendered.

use super::{Expr, Test};

/// A set of kinds of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs(u16);

impl Needs {
    /// None: the expression is a constant.
    pub const NOTHING: Needs = Needs(0);
    /// Kind of the record.
    pub const KIND: Needs = Needs(1);
    /// Its group.
    pub const GROUP: Needs = Needs(1 << 1);
    /// Core or channel.
    pub const LANE: Needs = Needs(1 << 2);
    /// Severity.
    pub const SEVERITY: Needs = Needs(1 << 3);
    /// Target time.
    pub const TIME: Needs = Needs(1 << 4);
    /// Number of the row.
    pub const NUMBER: Needs = Needs(1 << 5);
    /// Offset in the stream.
    pub const POSITION: Needs = Needs(1 << 6);
    /// Target epoch.
    pub const EPOCH: Needs = Needs(1 << 7);
    /// The stamped row before.
    pub const DELTA: Needs = Needs(1 << 8);
    /// Time of arrival.
    pub const HOST: Needs = Needs(1 << 9);
    /// Bookmarks.
    pub const MARK: Needs = Needs(1 << 10);
    /// Entities in their roles, with names from the dictionary.
    pub const ROLES: Needs = Needs(1 << 11);
    /// Rendered fields.
    pub const FIELDS: Needs = Needs(1 << 12);
    /// Rendered text.
    pub const TEXT: Needs = Needs(1 << 13);

    /// What every row of one kind, core, severity and group shares.
    pub const SHAPE: Needs = Needs::KIND.and(Needs::GROUP).and(Needs::LANE).and(Needs::SEVERITY);
    /// What the columns of the store hold.
    pub const COLUMNS: Needs = Needs::SHAPE.and(Needs::TIME).and(Needs::NUMBER).and(Needs::POSITION).and(Needs::EPOCH);
    /// All of them.
    pub const ALL: Needs = Needs((1 << 14) - 1);

    /// Both sets together.
    pub const fn and(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    /// Whether all of `other` is in this set.
    pub const fn contains(self, other: Needs) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the columns of the store are enough.
    pub const fn columns_suffice(self) -> bool {
        Needs::COLUMNS.contains(self)
    }

    /// Whether the decoder has to render the row.
    pub const fn rendering(self) -> bool {
        self.0 & (Needs::ROLES.0 | Needs::FIELDS.0 | Needs::TEXT.0) != 0
    }
}

impl Expr {
    /// The facts this expression may look at.
    pub fn needs(&self) -> Needs {
        match self {
            Expr::All(parts) | Expr::Any(parts) => parts.iter().fold(Needs::NOTHING, |sum, e| sum.and(e.needs())),
            Expr::Not(inner) => inner.needs(),
            Expr::Test(test) => test.needs(),
        }
    }
}

impl Test {
    pub(super) fn needs(&self) -> Needs {
        match self {
            Test::Word(_) | Test::Regex(_) => Needs::TEXT,
            Test::Name { name, .. } => name.needs(),
            Test::Field { .. } => Needs::FIELDS,
        }
    }
}
