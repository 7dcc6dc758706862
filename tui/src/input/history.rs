//! The history of typed lines, kept in the state directory and bounded.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::sys::open_private;

/// Lines kept.
const KEPT: usize = 1_000;
/// Longer lines are not kept.
const LONGEST: usize = 4_000;

/// Kind of a typed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptKind {
    Command,
    Search,
    Filter,
    /// A note to a mark.
    Note,
}

impl PromptKind {
    /// The sign in front of the line, on the screen and in the file.
    pub fn sign(self) -> char {
        match self {
            PromptKind::Command => ':',
            PromptKind::Search => '/',
            PromptKind::Filter => '&',
            PromptKind::Note => '\'',
        }
    }

    fn of(sign: char) -> Option<PromptKind> {
        [PromptKind::Command, PromptKind::Search, PromptKind::Filter, PromptKind::Note]
            .into_iter()
            .find(|p| p.sign() == sign)
    }
}

/// Sign in the file before a line that failed: it takes back the same line before it.
const FAILED: &str = "!";

#[derive(Debug, Clone, Default)]
pub struct History {
    lines: Vec<HistoryLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HistoryLine {
    kind: PromptKind,
    text: String,
    /// It did not work: it can be recalled, but is not suggested.
    failed: bool,
}

impl History {
    /// The history in `file`, which need not exist. Lines that are no history are left out.
    /// Errors: when the file exists and cannot be read, or is too long and cannot be written.
    pub fn load(file: &Path) -> io::Result<History> {
        let text = match fs::read(file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut history = History::default();
        for line in text.lines().filter(|line| line.len() <= LONGEST) {
            if let Some((prompt, text)) = line.strip_prefix(FAILED).and_then(signed) {
                history.forget(prompt, text);
            } else if let Some((prompt, text)) = signed(line) {
                history.remember(prompt, text);
            }
        }
        if text.lines().count() > 2 * KEPT {
            history.rewrite(file)?;
        }
        Ok(history)
    }

    /// Adds a line; `true` if it belongs into the file too. Blank lines and repetitions are not kept twice.
    pub fn add(&mut self, prompt: PromptKind, line: &str) -> bool {
        let fit = !line.trim().is_empty() && line.len() <= LONGEST && !line.contains(char::is_control);
        let newest = self.lines.iter().rev().find(|known| known.kind == prompt);
        if !fit || newest.is_some_and(|newest| newest.text == line && !newest.failed) {
            return false;
        }
        self.remember(prompt, line);
        true
    }

    /// The newest line of this text did not work.
    pub fn mark_failed(&mut self, prompt: PromptKind, line: &str) {
        let known = self.lines.iter_mut().rev().find(|known| known.kind == prompt && known.text == line);
        if let Some(known) = known {
            known.failed = true;
        }
    }

    /// Adds a line to a file, or takes one back that it has: it failed.
    pub fn append(file: &Path, prompt: PromptKind, line: &str, failed: bool) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = open_private(OpenOptions::new().append(true).create(true), file)?;
        let failed = if failed { FAILED } else { "" };
        file.write_all(format!("{failed}{}{line}\n", prompt.sign()).as_bytes())
    }

    fn remember(&mut self, prompt: PromptKind, line: &str) {
        self.forget(prompt, line);
        self.lines.push(HistoryLine { kind: prompt, text: line.to_owned(), failed: false });
        let over = self.lines.len().saturating_sub(KEPT);
        self.lines.drain(..over);
    }

    fn forget(&mut self, prompt: PromptKind, line: &str) {
        self.lines.retain(|known| known.kind != prompt || known.text != line);
    }

    fn rewrite(&self, file: &Path) -> io::Result<()> {
        let text: String = self.lines.iter().map(|line| format!("{}{}\n", line.kind.sign(), line.text)).collect();
        // Renaming keeps the old file whole if this is interrupted.
        let new = file.with_extension("new");
        let mut made = open_private(OpenOptions::new().write(true).create(true).truncate(true), &new)?;
        made.write_all(text.as_bytes())?;
        fs::rename(new, file)
    }

    /// The lines of a prompt, newest first.
    pub fn lines(&self, prompt: PromptKind) -> impl Iterator<Item = &str> {
        self.lines.iter().rev().filter(move |line| line.kind == prompt).map(|line| line.text.as_str())
    }

    /// The newest line that begins with `start` and did not fail.
    pub fn newest(&self, prompt: PromptKind, start: &str) -> Option<&str> {
        let mut worked = self.lines.iter().rev().filter(|line| line.kind == prompt && !line.failed);
        worked.find(|line| line.text.starts_with(start)).map(|line| line.text.as_str())
    }
}

/// The kind and the text of a line in the file.
fn signed(line: &str) -> Option<(PromptKind, &str)> {
    let mut letters = line.chars();
    let kind = letters.next().and_then(PromptKind::of)?;
    Some((kind, letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_newest_first_and_once() {
        let mut history = History::default();
        for line in ["a", "b", "a", " ", "bad\n"] {
            history.add(PromptKind::Command, line);
        }
        history.add(PromptKind::Search, "x");
        assert_eq!(history.lines(PromptKind::Command).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(history.newest(PromptKind::Search, ""), Some("x"));
        assert_eq!(history.newest(PromptKind::Command, "c"), None);
        for i in 0..2_000 {
            history.add(PromptKind::Command, &i.to_string());
        }
        assert_eq!(history.lines(PromptKind::Command).count(), KEPT);
    }

    #[test]
    fn failed_lines_are_recalled_but_not_suggested() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history");
        let mut history = History::default();
        for line in ["goto #5", "goto #9999"] {
            assert!(history.add(PromptKind::Command, line));
            History::append(&file, PromptKind::Command, line, false).unwrap();
        }
        history.mark_failed(PromptKind::Command, "goto #9999");
        History::append(&file, PromptKind::Command, "goto #9999", true).unwrap();
        assert_eq!(history.lines(PromptKind::Command).next(), Some("goto #9999"));
        assert_eq!(history.newest(PromptKind::Command, "go"), Some("goto #5"));
        let again = History::load(&file).unwrap();
        assert_eq!(again.lines(PromptKind::Command).collect::<Vec<_>>(), ["goto #5"]);
        // What works at last is a line as any other.
        assert!(history.add(PromptKind::Command, "goto #9999"));
        assert_eq!(history.newest(PromptKind::Command, "go"), Some("goto #9999"));
    }

    #[test]
    fn the_file_is_kept_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/history");
        let mut history = History::load(&file).unwrap();
        assert!(history.add(PromptKind::Filter, "kind:Tran é"));
        History::append(&file, PromptKind::Filter, "kind:Tran é", false).unwrap();
        let mut text = fs::read_to_string(&file).unwrap();
        assert_eq!(text, "&kind:Tran é\n");
        text.insert_str(0, &":same\n".repeat(3_000));
        fs::write(&file, text + "?noise\n\n").unwrap();
        let again = History::load(&file).unwrap();
        assert_eq!(again.lines(PromptKind::Filter).collect::<Vec<_>>(), ["kind:Tran é"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), ":same\n&kind:Tran é\n");
    }
}
