//! How names of fields are written.

use std::borrow::Cow;

use super::name::Name;

/// Says that the name behind it is that of a field.
pub(super) const FIELD: &str = "field.";

/// Whether names with this character need no quotes.
pub(super) fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.')
}

/// The name of a field as it has to be written in a test.
pub fn field_name(field: &str) -> Cow<'_, str> {
    if field.is_empty() || !field.chars().all(is_plain) {
        return format!("\"{}\"", field.replace('\\', "\\\\").replace('"', "\\\"")).into();
    }
    // The prefix distinguishes fields from general names and from numbers.
    let is_word = field.starts_with(|c: char| c.is_alphabetic() || c == '_') && !field.starts_with(FIELD);
    if is_word && Name::named(field).is_none() { field.into() } else { format!("{FIELD}{field}").into() }
}
