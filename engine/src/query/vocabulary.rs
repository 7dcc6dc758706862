//! The words that a filter may use, and warnings about unknown ones.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use spytui_plugin_api::Info;

use super::{Comparison, Expr, Name, QueryProperty, Test, TestValue, TextPattern};
use crate::{nearest::nearest, present::words::kind_words};

/// Known words of the current decoder. If the fields are known, unknown field names are errors.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Field names; `None` accepts any name as a field.
    pub fields: Option<Vec<String>>,
    /// Fields that only other decoders have, with the decoder.
    pub elsewhere: Vec<(String, String)>,
    pub kinds: Vec<String>,
    /// Group tags and names.
    pub groups: Vec<String>,
    /// Whether ticks can be compared with times.
    pub rate: TickRate,
}

/// What is known about the rate of the time stamps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TickRate {
    /// Known, or may become known.
    #[default]
    Open,
    /// Known, but records have no dates.
    Undated,
    /// Unknown, so times have no meaning; with the next step.
    Unknown(String),
}

impl Vocabulary {
    /// A vocabulary that accepts every field name.
    pub fn open() -> Self {
        Vocabulary::default()
    }

    pub fn with_fields<S: Into<String>>(fields: impl IntoIterator<Item = S>) -> Self {
        Vocabulary { fields: Some(fields.into_iter().map(Into::into).collect()), ..Vocabulary::default() }
    }

    /// The fields, kinds and groups of a decoder. Elements of application records are named by their index.
    pub fn of(info: &Info) -> Self {
        let mut kinds: Vec<String> = info.kinds.iter().map(|kind| kind.tag().to_owned()).collect();
        kinds.extend(kind_words(info).flat_map(|(_, words)| words));
        let mut groups: Vec<String> = info.groups.iter().map(|group| group.tag.to_string()).collect();
        groups.extend(info.groups.iter().filter(|group| group.name != group.tag).map(|group| group.name.to_string()));
        Vocabulary { kinds, groups, ..Vocabulary::with_fields(fields_of(info)) }
    }

    /// Adds fields of other decoders, to name the decoder of an unknown field.
    pub fn beside<'a>(mut self, others: impl IntoIterator<Item = &'a Info>) -> Self {
        let own: FxHashSet<&str> = self.fields.iter().flatten().map(String::as_str).collect();
        for info in others {
            let theirs = fields_of(info).into_iter().filter(|field| !own.contains(field));
            self.elsewhere.extend(theirs.map(|field| (field.to_owned(), info.id.to_string())));
        }
        self
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().flatten().map(String::as_str)
    }

    pub(super) fn knows_field(&self, word: &str) -> bool {
        let is_element = word.bytes().all(|b| b.is_ascii_digit());
        is_element || self.fields.as_ref().is_none_or(|known| known.iter().any(|name| name == word))
    }
}

const OF_NOTES: [&str; 6] = ["text", "total", "from", "to", "gap", "missing"];

/// The fields of a decoder's records and notes, and its measured values, without duplicates.
fn fields_of(info: &Info) -> Vec<&str> {
    let measured = info.attachments.iter().filter(|spec| spec.id.is_own() && !spec.unit.is_empty());
    let fields = info.kinds.iter().flat_map(|kind| &kind.fields).chain(measured.map(|spec| &spec.name));
    let mut seen = FxHashSet::default();
    fields.map(|field| field.as_str()).chain(OF_NOTES).filter(|field| seen.insert(*field)).collect()
}

/// The first unknown kind or group in `expr`, with the nearest known one; none if the vocabulary has no kinds or groups.
pub fn doubt(expr: &Expr, vocabulary: &Vocabulary) -> Option<String> {
    let doubt_of = |test: &Test| match test {
        Test::Compare(QueryProperty::Name(name @ (Name::Kind | Name::Group)), op, values)
            if *op != Comparison::Like =>
        {
            let known = if *name == Name::Kind { &vocabulary.kinds } else { &vocabulary.groups };
            let is_unknown = |value: &&TestValue| match value {
                TestValue::Text(pattern) => !known.is_empty() && !known.iter().any(|word| pattern.matches(word)),
                _ => false,
            };
            let word = values.iter().find(is_unknown)?.pattern()?.source();
            let nearest = nearest(word, known.iter().map(String::as_str));
            let hint = nearest.map_or_else(String::new, |nearest| format!("; nearest: {nearest}"));
            Some(format!("unknown {} \"{word}\"{hint}", name.word()))
        }
        _ => None,
    };
    expr.tests().into_iter().find_map(doubt_of)
}

/// Number of names listed if none is similar.
const LISTED: usize = 6;

/// A name that nothing here has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {what} \"{word}\" here{}", self.instead())]
pub struct Absent {
    pub name: Name,
    /// The sort of thing it should name.
    pub what: &'static str,
    /// As written.
    pub word: String,
    /// The most similar existing name, as shown.
    pub nearest: Option<String>,
    /// Some existing names, as shown.
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

/// The first name in `expr` that nothing here has. `known` returns all names, each as matched and as shown; if empty,
/// nothing is reported.
pub fn absent(expr: &Expr, known: &dyn Fn(Name) -> Vec<(String, String)>) -> Option<Absent> {
    match expr {
        Expr::All(parts) | Expr::Any(parts) => parts.iter().find_map(|part| absent(part, known)),
        Expr::Test(Test::Compare(QueryProperty::Name(name), Comparison::In | Comparison::Eq, values)) => {
            let what = name.thing()?;
            let names = known(*name);
            let patterns: Option<Vec<&TextPattern>> = values.iter().map(word_of).collect();
            let patterns = patterns?;
            if patterns.iter().any(|pattern| names.iter().any(|(name, _)| pattern.matches(name))) {
                return None;
            }
            let word = patterns.first()?.source();
            let all = || names.iter().map(|(name, _)| name.as_str());
            let shown = |name: &str| names.iter().find(|(own, _)| own == name).map(|(_, shown)| shown.clone());
            let nearest = nearest(word, all()).and_then(shown);
            // Dictionary order is arbitrary, so sort the names.
            let some: BTreeSet<&String> = names.iter().map(|(_, shown)| shown).collect();
            let some: Vec<String> = some.into_iter().take(LISTED + 1).cloned().collect();
            (!some.is_empty()).then(|| Absent { name: *name, what, word: word.to_owned(), nearest, some })
        }
        // An absent name hides nothing.
        Expr::Test(_) | Expr::Not(_) => None,
    }
}

/// The name that a value looks for; `None` for numbers, and for keys without a name.
fn word_of(value: &TestValue) -> Option<&TextPattern> {
    match value {
        TestValue::Text(pattern) if !pattern.may_match("0x", |c| c.is_ascii_hexdigit()) => Some(pattern),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{info::KindInfo, row::RowKind};

    use super::*;

    /// If each were compared with all others, this would take minutes.
    #[test]
    fn many_kinds_cost_no_more_each() {
        let kind = |n| KindInfo::new(RowKind(n), &format!("QS_LONG_NAME_OF_A_KIND_{n}"), 0);
        let info = Info { kinds: (1..60_000).map(kind).collect(), ..Info::default() };
        let mut rounds = (0..3).map(|_| Vocabulary::of(&info).kinds.len());
        assert!(rounds.all(|words| words == 4 * 59_999));
    }
}
