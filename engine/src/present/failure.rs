//! Marks in the text of rows that could not be rendered or formatted.

const NOT_RENDERED: &str = "[not rendered: ";
const FORMATTER: &str = " [formatter ";
const FAILED: &str = " failed]";
/// Names of formatters are shorter.
const LONGEST: usize = 200;

/// The text of a row on which its decoder failed.
#[must_use]
pub fn not_rendered(fault: &str) -> String {
    format!("{NOT_RENDERED}{fault}]")
}

/// What stands behind the decoder's text when a formatter failed.
#[must_use]
pub fn formatter_failed(name: &str) -> String {
    format!("{FORMATTER}{name}{FAILED}")
}

/// Whether a text has one of these marks.
#[must_use]
#[inline]
pub fn is_marked(text: &[u8]) -> bool {
    text.last() == Some(&b']') && has_mark(text)
}

fn has_mark(text: &[u8]) -> bool {
    let end = &text[text.len().saturating_sub(LONGEST)..];
    let is_formatter = || end.windows(FORMATTER.len()).any(|part| part == FORMATTER.as_bytes());
    text.starts_with(NOT_RENDERED.as_bytes()) || (text.ends_with(FAILED.as_bytes()) && is_formatter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found() {
        assert!(is_marked(not_rendered("no").as_bytes()));
        assert!(is_marked(format!("text{}", formatter_failed("axis")).as_bytes()));
        for text in ["", "]", "[1]", "it failed]", "text [formatter axis failed] and more"] {
            assert!(!is_marked(text.as_bytes()), "{text}");
        }
    }
}
