//! Lines of format files for a decoder that takes them itself, as its option `fmt`.

use std::sync::{
    PoisonError, RwLock, RwLockReadGuard,
    atomic::{AtomicU64, Ordering},
};

use spytui_formats::{Loader, limits};

use crate::format_files::FormatSet;

/// The lines in force.
#[derive(Debug, Default)]
pub struct FormatLines {
    lines: RwLock<Lines>,
    /// Number of exchanges.
    version: AtomicU64,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Lines {
    /// Of files that the user did not name.
    usual: String,
    named: String,
}

impl FormatLines {
    /// Exchanges the lines.
    pub(super) fn set(&self, formats: &FormatSet) {
        let lines = Lines { usual: formats.usual_text.clone(), named: formats.named_text.clone() };
        if *self.read() != lines {
            *self.lines.write().unwrap_or_else(PoisonError::into_inner) = lines;
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Number of exchanges so far.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// All lines, with those of the option between those of other files. In a reference style only what the user named.
    #[must_use]
    pub fn all(&self, is_reference: bool, own: &str) -> Vec<u8> {
        let lines = self.read();
        let usual = if is_reference { "" } else { lines.usual.as_str() };
        [usual, own, "\n", lines.named.as_str()].concat().trim_ascii().as_bytes().to_vec()
    }

    /// All lines of format files.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = self.read();
        [lines.usual.as_str(), &lines.named].concat()
    }

    fn read(&self) -> RwLockReadGuard<'_, Lines> {
        self.lines.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right lines of a file, and what is wrong with the others, with the name of the file: the decoder gets them
/// together with those of other files, and could not tell where they are.
#[must_use]
pub fn right_lines(path: &str, text: &[u8]) -> (String, Vec<String>) {
    let mut loader = Loader::new();
    if path.to_ascii_lowercase().ends_with(".xml") {
        loader.add_xml(text);
    } else {
        loader.add_text(text);
    }
    let loaded = loader.finish();
    let mut faults: Vec<String> = loaded.faults.iter().map(|fault| format!("{path}:{fault}")).collect();
    if loaded.more_faults > 0 {
        faults.push(format!("{path}: more than {} wrong lines", limits::FAULTS));
    }
    (loaded.texts.concat(), faults)
}

/// What tells a decoder that runs: a line `fmt=LINE` for each, or `fmt=` for none.
#[must_use]
pub fn as_options(lines: &[u8]) -> Vec<u8> {
    lines.split(|byte| *byte == b'\n').flat_map(|line| [b"fmt=", line, b"\n"].concat()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoder_gets_the_lines_of_all_files_and_for_reference_text_those_that_were_named() {
        let lines = FormatLines::default();
        assert_eq!((lines.all(false, ""), lines.version()), (Vec::new(), 0));
        let named_text = "user 2 B \"\"\n".to_owned();
        let usual_text = "user 1 A \"\"\n".to_owned();
        let set = FormatSet { named_text, usual_text, ..FormatSet::default() };
        lines.set(&set);
        assert_eq!(lines.all(false, "own"), b"user 1 A \"\"\nown\nuser 2 B \"\"");
        assert_eq!(lines.all(true, "own"), b"own\nuser 2 B \"\"");
        lines.set(&set);
        assert_eq!(lines.version(), 1);
    }

    #[test]
    fn wrong_lines_are_told_with_the_name_of_their_file() {
        let (lines, faults) = right_lines("a.fmt", b"user 1 A \"\"\n\nuser 2");
        assert_eq!(lines, "user 1 A \"\"\n");
        assert_eq!(faults, ["a.fmt:3:1: too few words; a line is: user NUM NAME \"TEMPLATE\""]);
        let xml = b"<datakey format='%4u1x a'><event class='6' id='1'/></datakey>";
        assert_eq!(right_lines("a.XML", xml), ("user 1 1 \"a %lx\"\n".to_owned(), Vec::new()));
    }

    #[test]
    fn options_have_a_line_each() {
        assert_eq!(as_options(b"a\nb"), b"fmt=a\nfmt=b\n");
        assert_eq!(as_options(b""), b"fmt=\n");
    }
}
