//! Which properties of a row an expression depends on, so that rows can be rejected before they are rendered.

use super::{Expr, Test};

bitflags::bitflags! {
    /// A set of properties.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Needs: u16 {
        /// Kind of the record.
        const KIND = 1;
        /// Group of the record.
        const GROUP = 1 << 1;
        /// Core.
        const CORE = 1 << 2;
        /// Severity.
        const SEVERITY = 1 << 3;
        /// Target time.
        const TIME = 1 << 4;
        /// Number of the record.
        const NUMBER = 1 << 5;
        /// Offset in the stream.
        const POSITION = 1 << 6;
        /// Target epoch.
        const EPOCH = 1 << 7;
        /// The previous row with a time stamp.
        const DELTA = 1 << 8;
        /// Host time.
        const HOST = 1 << 9;
        /// Bookmarks.
        const MARK = 1 << 10;
        /// Entities by role, with names from the dictionary.
        const ROLES = 1 << 11;
        /// Rendered fields.
        const FIELDS = 1 << 12;
        /// Rendered text.
        const TEXT = 1 << 13;
        /// Known of a row, not needed: no word that is searched for is a name of its kind, so that none is compared again.
        /// See [`Expr::is_decided_by_words`].
        const KIND_IS_NO_WORD = 1 << 14;
    }
}

impl Needs {
    /// Shared by all rows of one shape.
    pub const SHAPE: Needs = Needs::KIND.union(Needs::GROUP).union(Needs::CORE).union(Needs::SEVERITY);
    /// Known of a row before it is rendered, but not shared by the rows of one shape.
    pub const OF_ROW: Needs =
        Needs::COLUMNS.difference(Needs::SHAPE).union(Needs::DELTA).union(Needs::HOST).union(Needs::MARK);
    /// What is known of a row before it is rendered, its kind apart: a record may bring a kind word of its own.
    pub const UNRENDERED: Needs = Needs::SHAPE.difference(Needs::KIND).union(Needs::OF_ROW);
    /// Available from the store's columns.
    pub const COLUMNS: Needs =
        Needs::SHAPE.union(Needs::TIME).union(Needs::NUMBER).union(Needs::POSITION).union(Needs::EPOCH);
    /// What makes it necessary to render a row.
    pub const RENDERED: Needs = Needs::ROLES.union(Needs::FIELDS).union(Needs::TEXT);
    /// All properties.
    pub const ALL: Needs = Needs::all().difference(Needs::KIND_IS_NO_WORD);
}

impl Expr {
    /// The properties that this expression may use.
    pub fn needs(&self) -> Needs {
        match self {
            Expr::All(parts) | Expr::Any(parts) => parts.iter().fold(Needs::empty(), |sum, e| sum.union(e.needs())),
            Expr::Not(inner) => inner.needs(),
            Expr::Test(test) => test.needs(),
        }
    }
}

impl Test {
    pub(super) fn needs(&self) -> Needs {
        match self {
            Test::Word(_) => Needs::TEXT.union(Needs::KIND),
            Test::Regex(_) => Needs::TEXT,
            Test::Name { name, .. } => name.needs(),
            Test::Field { .. } => Needs::FIELDS,
        }
    }
}
