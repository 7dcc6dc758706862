//! Why nothing matches: a name in an expression that nothing here has.

use super::{Expr, Name, Op, Pattern, Test, Value};
use crate::nearest::{closest, nearest};

/// A name that nothing here has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {what} \"{word}\" here, nearest: {nearest}")]
pub struct Absent {
    /// What it should be the name of.
    pub what: &'static str,
    /// The name as written.
    pub word: String,
    /// The nearest name that there is, as it is shown.
    pub nearest: String,
}

/// The first name in `expr` that nothing here has. `known` gives all names, each with how it is shown; where it gives
/// none, nothing is said.
pub fn absent(expr: &Expr, known: &dyn Fn(Name) -> Vec<(String, String)>) -> Option<Absent> {
    match expr {
        Expr::All(parts) | Expr::Any(parts) => parts.iter().find_map(|part| absent(part, known)),
        Expr::Test(Test::Name { name, op: Op::In | Op::Eq, values }) => {
            let what = thing(*name)?;
            let names = known(*name);
            let patterns: Option<Vec<&Pattern>> = values.iter().map(word_of).collect();
            let patterns = patterns?;
            if patterns.iter().any(|pattern| names.iter().any(|(name, _)| pattern.matches(name))) {
                return None;
            }
            let word = patterns.first()?.source();
            let all = || names.iter().map(|(name, _)| name.as_str());
            let near = nearest(word, all()).or_else(|| closest(word, all()))?;
            let (_, nearest) = names.iter().find(|(name, _)| name == near)?.clone();
            Some(Absent { what, word: word.to_owned(), nearest })
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
