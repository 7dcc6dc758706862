//! The properties of a row, queried one by one.

use spytui_plugin_api::Severity;

use super::{Name, Test};

/// A name with its key, if any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fact<'a> {
    /// The text shown; invalid bytes are already replaced.
    pub text: &'a str,
    /// The number: a key, a kind, a field's value.
    pub num: Option<Num>,
    /// The value in nanoseconds, for times.
    pub ns: Option<i128>,
    /// Nanoseconds since 1970, for times with a date.
    pub unix: Option<i128>,
}

impl<'a> Fact<'a> {
    /// A name without a number.
    pub fn text(text: &'a str) -> Self {
        Fact { text, num: None, ns: None, unix: None }
    }

    /// A name with its key.
    pub fn key(text: &'a str, key: u64) -> Self {
        Fact { text, num: Some(Num::Int(i128::from(key))), ns: None, unix: None }
    }
}

/// A numeric value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Num {
    /// A signed or unsigned integer of up to 64 bits.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// A decimal number: its digits, and how many of them are behind the point.
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
/// Implementations call `test` with each candidate and return `true` at the first one that passes, `false` if none
/// does or there is none.
pub trait Subject {
    /// Names of the row's kind, group, roles, signals, states, tasks or bookmarks: all names in use, short and full.
    fn names(&self, name: Name, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool;

    /// Whether a test of the entities in this role passes.
    fn role(&self, name: Name, test: &Test) -> bool {
        test.of_each(|ask| self.names(name, ask))
    }

    /// The result of a test of properties that are not known yet, if it can't change any more.
    fn foresee(&self, test: &Test) -> Option<bool> {
        let _ = test;
        None
    }

    /// Time, delta to the previous row with a time stamp (hidden rows included), host time, number, position, epoch or
    /// core.
    fn number(&self, name: Name) -> Quantity;

    fn severity(&self) -> Severity;

    /// Values of the field `field`.
    fn field(&self, field: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool;

    /// Text of the row as in the list, without time.
    fn text(&self, test: &mut dyn FnMut(&str) -> bool) -> bool;
}
