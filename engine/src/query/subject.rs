//! The facts of one row, asked for one by one.

use spytui_plugin_api::Severity;

use super::Name;

/// A name, with the key it stands for where it has one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fact<'a> {
    /// How it is shown. Broken bytes of the target are replaced before.
    pub text: &'a str,
    /// Its number: a key, a kind, the value of a field.
    pub num: Option<Num>,
    /// The value in nanoseconds, for what is a time.
    pub ns: Option<i128>,
}

impl<'a> Fact<'a> {
    /// A name without a number.
    pub fn text(text: &'a str) -> Self {
        Fact { text, num: None, ns: None }
    }

    /// A name with its key.
    pub fn key(text: &'a str, key: u64) -> Self {
        Fact { text, num: Some(Num::Int(i128::from(key))), ns: None }
    }
}

/// A numeric value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Num {
    /// A whole number of up to 64 bits, with or without sign.
    Int(i128),
    /// A fraction.
    Float(f64),
}

/// A number of the row itself, plain and as a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quantity {
    /// Count, offset or ticks.
    pub plain: Option<i128>,
    /// Nanoseconds, where it is a time of known rate.
    pub ns: Option<i128>,
}

/// One row as the language sees it. Every answer may cost something, so each is asked for only when it decides.
///
/// The callbacks get each candidate in turn; the implementation stops and returns `true` at the first one for which
/// `test` does, and returns `false` when none did or the row has none.
pub trait Subject {
    /// Names of the row for kind, group, roles, signals, states, tasks or marks. Give every name under which people
    /// know the thing: the short one of the list and the full one.
    fn names(&self, name: Name, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool;

    /// Time, Δ to the stamped row before (of all rows, hidden or not), host time, number, position, epoch or core.
    fn number(&self, name: Name) -> Quantity;

    /// Rank of the severity, see [`super::SEVERITIES`].
    fn severity(&self) -> Severity;

    /// The values of the field `field`.
    fn field(&self, field: &str, test: &mut dyn FnMut(Fact<'_>) -> bool) -> bool;

    /// The whole text of the row as shown in the list, without its time.
    fn text(&self, test: &mut dyn FnMut(&str) -> bool) -> bool;
}
