//! Why nothing matches: a name in an expression that nothing here has.

use std::collections::BTreeSet;

use super::{Expr, Name, Op, Pattern, Property, Test, Value};
use crate::nearest::nearest;

/// Names listed where none resembles the one that is missing.
const LISTED: usize = 6;

/// A name that nothing here has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {what} \"{word}\" here{}", self.instead())]
pub struct Absent {
    /// The property that is compared with it.
    pub name: Name,
    /// What it should be the name of.
    pub what: &'static str,
    /// The name as written.
    pub word: String,
    /// The name that there is and that resembles it, as it is shown.
    pub nearest: Option<String>,
    /// Some names that there are, as they are shown.
    pub some: Vec<String>,
}

impl Absent {
    fn instead(&self) -> String {
        match &self.nearest {
            Some(nearest) => format!(", nearest: {nearest}"),
            None if self.some.len() > LISTED => format!("; there are {}, …", self.some[..LISTED].join(", ")),
            None => format!("; there are {}", self.some.join(", ")),
        }
    }
}

/// The first name in `expr` that nothing here has. `known` gives all names, each with how it is shown; where it gives
/// none, nothing is said.
pub fn absent(expr: &Expr, known: &dyn Fn(Name) -> Vec<(String, String)>) -> Option<Absent> {
    match expr {
        Expr::All(parts) | Expr::Any(parts) => parts.iter().find_map(|part| absent(part, known)),
        Expr::Test(Test::Compare(Property::Name(name), Op::In | Op::Eq, values)) => {
            let what = thing(*name)?;
            let names = known(*name);
            let patterns: Option<Vec<&Pattern>> = values.iter().map(word_of).collect();
            let patterns = patterns?;
            if patterns.iter().any(|pattern| names.iter().any(|(name, _)| pattern.matches(name))) {
                return None;
            }
            let word = patterns.first()?.source();
            let all = || names.iter().map(|(name, _)| name.as_str());
            let shown = |name: &str| names.iter().find(|(own, _)| own == name).map(|(_, shown)| shown.clone());
            let nearest = nearest(word, all()).and_then(shown);
            // Those of dictionaries come in no order.
            let some: BTreeSet<&String> = names.iter().map(|(_, shown)| shown).collect();
            let some: Vec<String> = some.into_iter().take(LISTED + 1).cloned().collect();
            (!some.is_empty()).then(|| Absent { name: *name, what, word: word.to_owned(), nearest, some })
        }
        // What is not there is hidden as well.
        Expr::Test(_) | Expr::Not(_) => None,
    }
}

/// The name that a value asks for; `None` for numbers, and for what may be a key without a name.
fn word_of(value: &Value) -> Option<&Pattern> {
    match value {
        Value::Text(pattern) if !pattern.may_match("0x", |c| c.is_ascii_hexdigit()) => Some(pattern),
        _ => None,
    }
}

fn thing(name: Name) -> Option<&'static str> {
    Some(match name {
        Name::Kind => "kind",
        Name::Group => "group",
        Name::Obj | Name::From | Name::To => "object",
        Name::Sig => "signal",
        Name::State => "state",
        Name::Task => "task",
        _ => return None,
    })
}
