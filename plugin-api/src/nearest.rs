//! Finds the known word nearest to a mistyped one, for messages of the form `unknown; nearest: …`.
//!
//! The host uses it for protocols, options, settings, commands and filter words; decoders use it for words in user
//! files.

/// Only this many characters of a word are compared, which bounds the work on hostile input.
const LONGEST: usize = 64;
/// Length of an abbreviation.
const SHORT: std::ops::RangeInclusive<usize> = 3..=5;

/// The candidate most similar to `word`, or `None` if none is similar enough.
///
/// Ignores case. Of several equally similar candidates, the first wins. A candidate that `word` (at least three
/// characters) begins or abbreviates, as `ptr` abbreviates `pointer`, is similar regardless of its length.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = letters(word);
    let len = wanted.chars().count();
    let limit = (len / 3).clamp(1, 4);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let known = letters(candidate);
        let is_short_form = len >= 3 && known.starts_with(&wanted) || abbreviates(&wanted, &known);
        // Half an edit: an unfinished word is more likely than a typo.
        let far = match known.chars().count().abs_diff(len) {
            _ if is_short_form => 1,
            // At least this many edits are needed.
            more if more > limit => continue,
            _ => 2 * strsim::osa_distance(&wanted, &known),
        };
        if far <= 2 * limit && best.is_none_or(|(d, _)| far < d) {
            best = Some((far, candidate));
        }
    }
    // A single letter is similar to every other letter.
    best.filter(|(far, _)| *far < 2 * len).map(|(_, word)| word)
}

/// Whether the long word contains all letters of the short one in order, with the same first and last letters.
fn abbreviates(short: &str, long: &str) -> bool {
    let mut rest = long.chars();
    SHORT.contains(&short.chars().count())
        && short.chars().next() == long.chars().next()
        && short.chars().last() == long.chars().last()
        && short.chars().all(|c| rest.any(|other| other == c))
}

fn letters(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let known = ["qs", "rkh", "tband", "qnx", "filter", "find"];
        assert_eq!(nearest("rkj", known), Some("rkh"));
        assert_eq!(nearest("fitler", known), Some("filter"));
        assert_eq!(nearest("FIND", known), Some("find"));
        assert_eq!(nearest("filt", known), Some("filter"));
        assert_eq!(nearest("elephant", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("x", known), None);
    }

    #[test]
    fn an_abbreviation_is_nearer_than_a_mistyped_word() {
        assert_eq!(nearest("ptr", ["dtr", "pointer"]), Some("pointer"));
        assert_eq!(nearest("ptr", ["dtr", "printed"]), Some("dtr"));
    }

    #[test]
    fn counts_a_swap_as_one_edit() {
        assert_eq!(nearest("tiem", ["time"]), Some("time"));
        assert_eq!(nearest("kitten", ["sitting"]), None);
    }

    #[test]
    fn survives_long_words() {
        let long = "x".repeat(100_000);
        assert_eq!(nearest(&long, ["y"]), None);
    }
}
