//! `did you mean "…"?` behind messages about unknown words.

use spytui_engine::nearest::nearest;

/// The end of a message about an unknown word; empty when no known word resembles it.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggestion(nearest(word, known))
}

/// The same for a word that was found already.
pub fn suggestion(word: Option<&str>) -> String {
    word.map(|word| format!("; did you mean \"{word}\"?")).unwrap_or_default()
}
