//! The vocabulary of a decoder, for checking expressions.

use rustc_hash::FxHashSet;
use spytui_plugin_api::Info;

use crate::present::words::kind_words;

/// Known words of the current decoder. If the fields are known, unknown field names are errors.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Field names; `None` accepts any name as a field.
    pub fields: Option<Vec<String>>,
    /// Fields that only other decoders have, with the decoder.
    pub elsewhere: Vec<(String, String)>,
    /// Kind names.
    pub kinds: Vec<String>,
    /// Group tags and names.
    pub groups: Vec<String>,
    /// Whether ticks can be compared with times.
    pub rate: TickRate,
}

/// What is known of the rate of the time stamps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TickRate {
    /// It may become known, or is.
    #[default]
    Open,
    /// It is known, but no date of any record.
    Undated,
    /// It is not known: times have no meaning. With what to do about it.
    Unknown(String),
}

impl Vocabulary {
    /// A vocabulary that accepts every field name.
    pub fn open() -> Self {
        Vocabulary::default()
    }

    /// A vocabulary with exactly these fields.
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

    /// The same beside other decoders: whose a field is that this one lacks.
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

/// Fields of the notes of any decoder.
const OF_NOTES: [&str; 6] = ["text", "total", "from", "to", "gap", "missing"];

/// The fields of the records and notes of a decoder, and what it measures of them, each once.
fn fields_of(info: &Info) -> Vec<&str> {
    let measured = info.attachments.iter().filter(|spec| spec.id.is_own() && !spec.unit.is_empty());
    let fields = info.kinds.iter().flat_map(|kind| &kind.fields).chain(measured.map(|spec| &spec.name));
    let mut seen = FxHashSet::default();
    fields.map(|field| field.as_str()).chain(OF_NOTES).filter(|field| seen.insert(*field)).collect()
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::{info::KindInfo, row::RowKind};

    use super::*;

    /// With a look at all other kinds for each, this takes minutes.
    #[test]
    fn many_kinds_cost_no_more_each() {
        let kind = |n| KindInfo::new(RowKind(n), &format!("QS_LONG_NAME_OF_A_KIND_{n}"), 0);
        let info = Info { kinds: (1..60_000).map(kind).collect(), ..Info::default() };
        let mut rounds = (0..3).map(|_| Vocabulary::of(&info).kinds.len());
        assert!(rounds.all(|words| words == 4 * 59_999));
    }
}
