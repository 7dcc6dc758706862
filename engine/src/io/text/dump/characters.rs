//! The characters beside the digits.

use super::super::digits::{Order, hex_bytes};

/// The orders in which digits are the characters beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shown {
    /// As the digits stand.
    pub written: bool,
    /// With the bytes of each word turned round.
    pub little: bool,
}

impl Shown {
    pub(super) fn is_any(self) -> bool {
        self.written || self.little
    }

    /// The only order that fits.
    pub(super) fn order(self) -> Option<Order> {
        match (self.written, self.little) {
            (true, false) => Some(Order::Written),
            (false, true) => Some(Order::Little),
            _ => None,
        }
    }
}

/// Whether `text` shows the bytes of some words as characters.
pub(super) fn shows(words: &[String], text: &str) -> Shown {
    let bytes =
        |order: Order| -> Vec<u8> { words.iter().filter_map(|word| hex_bytes(word, order)).flatten().collect() };
    let bars = ["|", ">", "'", "\"", "#"];
    let bare = bars.iter().find_map(|bar| text.trim().strip_prefix(bar));
    let bare = bare.map(|text| text.trim_end_matches(['|', '<', '\'', '"']));
    let shown = |order: Order| {
        let bytes = bytes(order);
        is_of(&bytes, text) || bare.is_some_and(|text| is_of(&bytes, text))
    };
    Shown { written: shown(Order::Written), little: shown(Order::Little) }
}

/// Whether characters are those of bytes, one for each. Blanks at either end may be missing, and stand between halves.
fn is_of(bytes: &[u8], text: &str) -> bool {
    let is_blank = |byte: &u8| *byte == b' ';
    let first = bytes.iter().position(|byte| !is_blank(byte)).unwrap_or(bytes.len());
    let last = bytes.iter().rposition(|byte| !is_blank(byte)).map_or(first, |at| at + 1);
    let bytes = bytes.get(first..last).unwrap_or_default();
    let mut characters = text.trim().chars();
    let each = bytes.iter().all(|byte| characters.next().is_some_and(|c| is_shown_as(*byte, c)));
    each && characters.next().is_none()
}

fn is_shown_as(byte: u8, c: char) -> bool {
    match byte {
        0x20..0x7F => c == char::from(byte),
        _ => !c.is_ascii_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_show_bytes_and_their_order() {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let of = |list: &[&str], text: &str| shows(&words(list), text);
        assert_eq!(of(&["0100", "4142"], "..AB").order(), Some(Order::Written));
        assert_eq!(of(&["0001", "4241"], "..AB").order(), Some(Order::Little));
        assert_eq!(of(&["41", "42"], "|AB|"), Shown { written: true, little: true });
        assert_eq!(of(&["7c", "42"], "|B"), Shown { written: true, little: true });
        assert_eq!(of(&["20", "42", "20"], " B"), Shown { written: true, little: true });
        assert!(of(&["41", "42"], ">AB<").is_any());
        for text in ["AC", "A", "ABC", "41 42", ""] {
            assert!(!of(&["41", "42"], text).is_any(), "{text}");
        }
    }
}
