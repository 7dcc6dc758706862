//! Which properties of a row an expression depends on, so that rows can be rejected before they are rendered.

use super::{Expr, Property, Test};

bitflags::bitflags! {
    /// A set of properties.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Needs: u16 {
        /// Kind of the record.
        const KIND = 1;
        /// Group of the record.
        const GROUP = 1 << 1;
        const CORE = 1 << 2;
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
        /// All properties.
        const ALL = (1 << 14) - 1;
        /// Known of a row, not needed: no word that is searched for is a name of its kind, so that none is compared again. See
        /// [`Expr::is_decided_by_words`].
        const KIND_IS_NO_WORD = 1 << 14;

        /// Shared by all rows of one shape.
        const SHAPE = Self::KIND.bits() | Self::GROUP.bits() | Self::CORE.bits() | Self::SEVERITY.bits();
        /// Known of a row before it is rendered, but not shared by the rows of one shape.
        const OF_ROW = Self::TIME.bits() | Self::NUMBER.bits() | Self::POSITION.bits() | Self::EPOCH.bits()
            | Self::DELTA.bits() | Self::HOST.bits() | Self::MARK.bits();
        /// What is known of a row before it is rendered, its kind apart: a record may bring a kind word of its own.
        const UNRENDERED = Self::GROUP.bits() | Self::CORE.bits() | Self::SEVERITY.bits() | Self::OF_ROW.bits();
        /// Available from the store's columns.
        const COLUMNS = Self::SHAPE.bits() | Self::TIME.bits() | Self::NUMBER.bits() | Self::POSITION.bits()
            | Self::EPOCH.bits();
        /// The row must be rendered.
        const RENDERING = Self::ROLES.bits() | Self::FIELDS.bits() | Self::TEXT.bits();
    }
}

impl Expr {
    /// The properties that this expression may use.
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
