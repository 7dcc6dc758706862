//! The words that are known where an expression is written.

/// Known words of the decoder in use. Parsing refuses unknown field names when the fields are known.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// Field names; `None` where nobody knows them, then any name is taken for a field.
    pub fields: Option<Vec<String>>,
    /// Kind names.
    pub kinds: Vec<String>,
    /// Group names.
    pub groups: Vec<String>,
}

impl Vocabulary {
    /// A vocabulary that accepts every field name.
    pub fn open() -> Self {
        Vocabulary::default()
    }

    /// One that knows these fields and no others.
    pub fn with_fields<S: Into<String>>(fields: impl IntoIterator<Item = S>) -> Self {
        Vocabulary { fields: Some(fields.into_iter().map(Into::into).collect()), ..Vocabulary::default() }
    }

    pub(super) fn knows_field(&self, word: &str) -> bool {
        self.fields.as_ref().is_none_or(|known| known.iter().any(|name| name == word))
    }
}
