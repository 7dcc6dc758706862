//! `did you mean "…"?` for messages about unknown words.

use spytui_engine::nearest::nearest;

/// End of a message about an unknown word; empty if no known word is similar.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggestion(nearest(word, known))
}

/// [`did_you_mean`] with a given suggestion.
pub fn suggestion(word: Option<&str>) -> String {
    word.map(|word| format!("; did you mean \"{word}\"?")).unwrap_or_default()
}
