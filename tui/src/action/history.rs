//! The history of typed lines, kept in the state directory and bounded.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Lines kept.
const KEPT: usize = 1_000;
/// Longer lines are not kept.
const LONGEST: usize = 4_000;

/// Kind of a typed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptKind {
    /// A command.
    Command,
    /// A search.
    Search,
    /// A display filter.
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

/// Typed lines, oldest first.
#[derive(Debug, Clone, Default)]
pub struct History {
    lines: Vec<(PromptKind, String)>,
}

impl History {
    /// The history in `file`, which need not exist. Lines that are no history are left out.
    ///
    /// # Errors
    /// When the file exists and cannot be read, or is too long and cannot be written.
    pub fn load(file: &Path) -> io::Result<History> {
        let text = match fs::read(file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut history = History::default();
        for line in text.lines().filter(|line| line.len() <= LONGEST) {
            let mut letters = line.chars();
            if let Some(prompt) = letters.next().and_then(PromptKind::of) {
                history.remember(prompt, letters.as_str());
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
        if !fit || self.newest(prompt, "").is_some_and(|newest| newest == line) {
            return false;
        }
        self.remember(prompt, line);
        true
    }

    /// Adds a line to a file.
    pub fn append(file: &Path, prompt: PromptKind, line: &str) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().append(true).create(true).open(file)?;
        file.write_all(format!("{}{line}\n", prompt.sign()).as_bytes())
    }

    fn remember(&mut self, prompt: PromptKind, line: &str) {
        self.lines.retain(|(p, l)| *p != prompt || l != line);
        self.lines.push((prompt, line.to_owned()));
        let over = self.lines.len().saturating_sub(KEPT);
        self.lines.drain(..over);
    }

    fn rewrite(&self, file: &Path) -> io::Result<()> {
        let text: String = self.lines.iter().map(|(prompt, line)| format!("{}{line}\n", prompt.sign())).collect();
        // Renaming keeps the old file whole if this is interrupted.
        let new = file.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(new, file)
    }

    /// The lines of a prompt, newest first.
    pub fn lines(&self, prompt: PromptKind) -> impl Iterator<Item = &str> {
        self.lines.iter().rev().filter(move |(p, _)| *p == prompt).map(|(_, line)| line.as_str())
    }

    /// The newest line that begins with `start`.
    pub fn newest(&self, prompt: PromptKind, start: &str) -> Option<&str> {
        self.lines(prompt).find(|line| line.starts_with(start))
    }
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
    fn the_file_is_kept_and_bounded() {
        let folder = std::env::temp_dir().join(format!("spytui-history-{}", std::process::id()));
        let file = folder.join("state/history");
        let mut history = History::load(&file).unwrap();
        assert!(history.add(PromptKind::Filter, "kind:Tran é"));
        History::append(&file, PromptKind::Filter, "kind:Tran é").unwrap();
        let mut text = fs::read_to_string(&file).unwrap();
        assert_eq!(text, "&kind:Tran é\n");
        text.insert_str(0, &":same\n".repeat(3_000));
        fs::write(&file, text + "?noise\n\n").unwrap();
        let again = History::load(&file).unwrap();
        assert_eq!(again.lines(PromptKind::Filter).collect::<Vec<_>>(), ["kind:Tran é"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), ":same\n&kind:Tran é\n");
        fs::remove_dir_all(folder).unwrap();
    }
}
