//! What failed, in words: marks in the text of rows that could not be rendered, formatted, or read as
//! their line says, and faults of plugins.

use spytui_plugin_api::Fault;

use super::sanitise::sanitise_text;

const NOT_RENDERED: &str = "[not rendered: ";
/// What stands behind the bytes of a row whose decoder is not asked.
pub const RAW: &str = "[not rendered]";
const FORMATTER: &str = " [formatter ";
const FAILED: &str = " failed]";
const DOES_NOT_FIT: &str = " [does not fit: ";
/// What is said of a call that takes longer than it may.
pub const TOO_LONG: &str = "has not returned for 2 s";
/// Names of formatters are shorter.
const LONGEST: usize = 200;

/// The text of a row on which its decoder failed.
pub fn not_rendered(fault: &str) -> String {
    format!("{NOT_RENDERED}{fault}]")
}

/// What stands behind the decoder's text when a formatter failed.
pub fn formatter_failed(name: &str) -> String {
    format!("{FORMATTER}{name}{FAILED}")
}

/// A fault of a plugin, with everything visible that a terminal would obey.
pub fn safe_fault(fault: Fault) -> Fault {
    Fault { text: sanitise_text(&fault.text).as_ref().into(), ..fault }
}

/// What stands behind the text of a record that is shorter than the fields of its line.
pub fn does_not_fit(bytes: usize) -> String {
    format!("{DOES_NOT_FIT}{bytes} bytes]")
}

/// Whether a text has one of these marks.
#[inline]
pub fn is_marked(text: &[u8]) -> bool {
    text.last() == Some(&b']') && has_mark(text)
}

fn has_mark(text: &[u8]) -> bool {
    let end = &text[text.len().saturating_sub(LONGEST)..];
    let has = |mark: &str| end.windows(mark.len()).any(|part| part == mark.as_bytes());
    text.starts_with(NOT_RENDERED.as_bytes())
        || text.ends_with(RAW.as_bytes())
        || (text.ends_with(FAILED.as_bytes()) && has(FORMATTER))
        || (text.ends_with(b" bytes]") && has(DOES_NOT_FIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found() {
        assert!(is_marked(not_rendered("no").as_bytes()));
        assert!(is_marked(format!("21 {RAW}").as_bytes()));
        assert!(is_marked(format!("text{}", formatter_failed("axis")).as_bytes()));
        assert!(is_marked(format!("rpm 3{}", does_not_fit(2)).as_bytes()));
        for text in ["", "]", "[2 bytes]", "[1]", "it failed]", "text [formatter axis failed] and more"] {
            assert!(!is_marked(text.as_bytes()), "{text}");
        }
    }
}
