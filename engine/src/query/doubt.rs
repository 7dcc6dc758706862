//! Finds tests that are well-formed but can't match anything of the decoder.

use super::{Expr, Name, Op, Property, Test, Value, Vocabulary};
use crate::nearest::nearest;

/// An unknown kind or group, probably mistyped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} \"{word}\"{}", self.nearest.as_ref().map(|w| format!("; nearest: {w}")).unwrap_or_default())]
pub struct Doubt {
    /// `kind` or `group`.
    pub what: &'static str,
    /// The word as written.
    pub word: String,
    /// The nearest known word.
    pub nearest: Option<String>,
}

/// Unknown kinds and groups in `expr`; none if the vocabulary has no kinds or groups.
pub fn doubts(expr: &Expr, vocabulary: &Vocabulary) -> Vec<Doubt> {
    match expr {
        Expr::All(parts) | Expr::Any(parts) => parts.iter().flat_map(|part| doubts(part, vocabulary)).collect(),
        Expr::Not(inner) => doubts(inner, vocabulary),
        Expr::Test(Test::Compare(Property::Name(name @ (Name::Kind | Name::Group)), op, values)) if *op != Op::Like => {
            let known = if *name == Name::Kind { &vocabulary.kinds } else { &vocabulary.groups };
            values.iter().filter_map(|value| doubt(*name, value, known)).collect()
        }
        Expr::Test(_) => Vec::new(),
    }
}

fn doubt(name: Name, value: &Value, known: &[String]) -> Option<Doubt> {
    let Value::Text(pattern) = value else { return None };
    if known.is_empty() || known.iter().any(|word| pattern.matches(word)) {
        return None;
    }
    let word = pattern.source().to_owned();
    let nearest = nearest(&word, known.iter().map(String::as_str)).map(str::to_owned);
    Some(Doubt { what: name.word(), word, nearest })
}
