//! Which properties of a row an expression depends on, so that rows can be rejected before they are rendered.

use super::{Expr, Test};

/// A set of properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs(u16);

impl Needs {
    /// None: the expression is constant.
    pub const NOTHING: Needs = Needs(0);
    /// Kind of the record.
    pub const KIND: Needs = Needs(1);
    /// Group of the record.
    pub const GROUP: Needs = Needs(1 << 1);
    /// Core.
    pub const CORE: Needs = Needs(1 << 2);
    /// Severity.
    pub const SEVERITY: Needs = Needs(1 << 3);
    /// Target time.
    pub const TIME: Needs = Needs(1 << 4);
    /// Number of the record.
    pub const NUMBER: Needs = Needs(1 << 5);
    /// Offset in the stream.
    pub const POSITION: Needs = Needs(1 << 6);
    /// Target epoch.
    pub const EPOCH: Needs = Needs(1 << 7);
    /// The previous row with a time stamp.
    pub const DELTA: Needs = Needs(1 << 8);
    /// Host time.
    pub const HOST: Needs = Needs(1 << 9);
    /// Bookmarks.
    pub const MARK: Needs = Needs(1 << 10);
    /// Entities by role, with names from the dictionary.
    pub const ROLES: Needs = Needs(1 << 11);
    /// Rendered fields.
    pub const FIELDS: Needs = Needs(1 << 12);
    /// Rendered text.
    pub const TEXT: Needs = Needs(1 << 13);
    /// Known of a row, not needed: no word that is searched for is a name of its kind, so that none is compared again. See
    /// [`Expr::is_decided_by_words`].
    pub const KIND_IS_NO_WORD: Needs = Needs(1 << 14);

    /// Shared by all rows of one shape.
    pub const SHAPE: Needs = Needs::KIND.and(Needs::GROUP).and(Needs::CORE).and(Needs::SEVERITY);
    /// What is known of a row before it is rendered, its kind apart: a record may bring a kind word of its own.
    pub const UNRENDERED: Needs = Needs::GROUP.and(Needs::CORE).and(Needs::SEVERITY).and(Needs::OF_ROW);
    /// Known of a row before it is rendered, but not shared by the rows of one shape.
    pub const OF_ROW: Needs = Needs::TIME
        .and(Needs::NUMBER)
        .and(Needs::POSITION)
        .and(Needs::EPOCH)
        .and(Needs::DELTA)
        .and(Needs::HOST)
        .and(Needs::MARK);
    /// Available from the store's columns.
    pub const COLUMNS: Needs = Needs::SHAPE.and(Needs::TIME).and(Needs::NUMBER).and(Needs::POSITION).and(Needs::EPOCH);
    /// All properties.
    pub const ALL: Needs = Needs((1 << 14) - 1);

    /// Union of both sets.
    pub const fn and(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    /// Whether `other` is a subset.
    pub const fn contains(self, other: Needs) -> bool {
        self.0 & other.0 == other.0
    }

    /// What is in both sets.
    pub const fn intersection(self, other: Needs) -> Needs {
        Needs(self.0 & other.0)
    }

    /// Whether any of `other` is in this set.
    pub const fn intersects(self, other: Needs) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the store's columns are sufficient.
    pub const fn columns_suffice(self) -> bool {
        Needs::COLUMNS.contains(self)
    }

    /// Whether the row must be rendered.
    pub const fn rendering(self) -> bool {
        self.0 & (Needs::ROLES.0 | Needs::FIELDS.0 | Needs::TEXT.0) != 0
    }
}

impl Expr {
    /// The properties that this expression may use.
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
            Test::Word(_) => Needs::TEXT.and(Needs::KIND),
            Test::Regex(_) => Needs::TEXT,
            Test::Name { name, .. } => name.needs(),
            Test::Field { .. } => Needs::FIELDS,
        }
    }
}
