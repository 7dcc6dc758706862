//! Words of a line, and which of them are digits.

use super::super::digits::{after_0x, is_hex};

/// A word of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Where it begins in the line.
    pub start: usize,
    pub text: &'a str,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// How digits are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Style {
    /// `7e`, `7efe0001`.
    Bare,
    /// `0x7e`.
    ZeroX,
    /// `01:00:fe`.
    Joined(char),
}

/// Words between blanks and commas.
pub(super) fn tokens(line: &str) -> Vec<Token<'_>> {
    let is_between = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let mut all = Vec::new();
    let mut start = None;
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match (start, is_between(c)) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                all.extend(line.get(from..at).map(|text| Token { start: from, text }));
                start = None;
            }
            _ => {}
        }
    }
    all
}

/// How a word's digits are written; `None` if it is no data. Digits make whole bytes.
pub(super) fn style(word: &str) -> Option<Style> {
    if let Some(digits) = after_0x(word) {
        return digits.len().is_multiple_of(2).then_some(Style::ZeroX);
    }
    if is_hex(word) {
        return word.len().is_multiple_of(2).then_some(Style::Bare);
    }
    let joint = word.chars().find(|c| !c.is_ascii_hexdigit()).filter(|c| matches!(c, ':' | '-'))?;
    let pairs = word.strip_suffix(joint).unwrap_or(word);
    let whole = pairs.contains(joint) && pairs.split(joint).all(|pair| pair.len() == 2 && is_hex(pair));
    whole.then_some(Style::Joined(joint))
}

/// The digits of a word, without what joins or marks them.
pub(super) fn digits(word: &str) -> String {
    after_0x(word).unwrap_or(word).chars().filter(char::is_ascii_hexdigit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_make_whole_bytes() {
        assert_eq!(style("0x7E"), Some(Style::ZeroX));
        assert_eq!(style("7e"), Some(Style::Bare));
        assert_eq!(style("01:00:fe:"), Some(Style::Joined(':')));
        assert_eq!(style("01-00"), Some(Style::Joined('-')));
        for word in ["7", "0x7", "07e", "01:0", "1:00", "01:", "uart-1:", "0x", "", "01:00-fe", "7g"] {
            assert_eq!(style(word), None, "{word}");
        }
    }

    #[test]
    fn words_stand_between_blanks_and_commas() {
        let words: Vec<(usize, &str)> =
            tokens(" 01,02;\t0x3 é ").iter().map(|token| (token.start, token.text)).collect();
        assert_eq!(words, [(1, "01"), (4, "02"), (8, "0x3"), (12, "é")]);
    }
}
