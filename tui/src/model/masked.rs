//! What the filter of a target keeps back, in words for the header.

use spytui_engine::target::filter_state::Masked;

use crate::term::width;

/// Words listed.
const LISTED: usize = 3;

/// In words, and in fewer for so many cells; empty if there is nothing to say.
#[must_use]
pub fn masked_words(masked: &Masked, room: usize) -> [String; 2] {
    let both = |text: &str| [format!("target filter: {text}"), format!("filter: {text}")];
    match masked {
        Masked::NoFilter => [String::new(), String::new()],
        Masked::Inferred => both("as seen"),
        Masked::Nothing => both("all on"),
        Masked::Lost => ["filter lost: 6 Enter restores".to_owned(), "filter lost: 6".to_owned()],
        Masked::Unknown => ["filter: unknown".to_owned(), "filter: ?".to_owned()],
        Masked::Off(words) => {
            let shown = words.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(" ");
            let more = words.len().saturating_sub(LISTED);
            let more = if more > 0 { format!(" +{more}") } else { String::new() };
            let off = format!("{shown}{more} off");
            let long = format!("target filter: {off}");
            let fewer = if width(&off) <= room { off } else { "masked".to_owned() };
            [long, fewer]
        }
    }
}
