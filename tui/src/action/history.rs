//! The history of typed lines, kept in the state directory and bounded.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Lines kept.
const KEPT: usize = 1_000;
/// Longer lines are not kept.
const LONGEST: usize = 4_000;

/// What a line was typed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prompt {
    /// A command.
    Command,
    /// A search.
    Search,
    /// A display filter.
    Filter,
    /// A note to a mark.
    Note,
}

impl Prompt {
    /// The sign in front of the line, on the screen and in the file.
    pub fn sign(self) -> char {
        match self {
            Prompt::Command => ':',
            Prompt::Search => '/',
            Prompt::Filter => '&',
            Prompt::Note => '\'',
        }
    }

    fn of(sign: char) -> Option<Prompt> {
        [Prompt::Command, Prompt::Search, Prompt::Filter, Prompt::Note].into_iter().find(|p| p.sign() == sign)
    }
}

/// Typed lines, oldest first.
#[derive(Debug, Clone, Default)]
pub struct History {
    lines: Vec<(Prompt, String)>,
    file: Option<PathBuf>,
}

impl History {
    /// A history in memory.
    pub fn new() -> History {
        History::default()
    }

    /// The history in `file`, which need not exist. Lines that are no history are left out.
    ///
    /// # Errors
    /// When the file exists and cannot be read; the history is then empty and stays in memory.
    pub fn load(file: &Path) -> io::Result<History> {
        let text = match fs::read(file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let mut history = History { lines: Vec::new(), file: Some(file.to_owned()) };
        for line in text.lines().filter(|line| line.len() <= LONGEST) {
            let mut letters = line.chars();
            if let Some(prompt) = letters.next().and_then(Prompt::of) {
                history.remember(prompt, letters.as_str());
            }
        }
        if text.lines().count() > 2 * KEPT {
            history.rewrite()?;
        }
        Ok(history)
    }

    /// Adds a line, and writes it to the file. Blank lines and repetitions are not kept twice.
    ///
    /// # Errors
    /// When the file cannot be written; the line is kept in memory all the same.
    pub fn add(&mut self, prompt: Prompt, line: &str) -> io::Result<()> {
        let fit = !line.trim().is_empty() && line.len() <= LONGEST && !line.contains(char::is_control);
        if !fit || self.newest(prompt, "").is_some_and(|newest| newest == line) {
            return Ok(());
        }
        self.remember(prompt, line);
        let Some(file) = &self.file else { return Ok(()) };
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().append(true).create(true).open(file)?;
        file.write_all(format!("{}{line}\n", prompt.sign()).as_bytes())
    }

    fn remember(&mut self, prompt: Prompt, line: &str) {
        self.lines.retain(|(p, l)| *p != prompt || l != line);
        self.lines.push((prompt, line.to_owned()));
        let over = self.lines.len().saturating_sub(KEPT);
        self.lines.drain(..over);
    }

    fn rewrite(&self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let text: String = self.lines.iter().map(|(prompt, line)| format!("{}{line}\n", prompt.sign())).collect();
        // Renaming keeps the old file whole if this is interrupted.
        let new = file.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(new, file)
    }

    /// The lines of a prompt, newest first.
    pub fn lines(&self, prompt: Prompt) -> impl Iterator<Item = &str> {
        self.lines.iter().rev().filter(move |(p, _)| *p == prompt).map(|(_, line)| line.as_str())
    }

    /// The newest line that begins with `start`.
    pub fn newest(&self, prompt: Prompt, start: &str) -> Option<&str> {
        self.lines(prompt).find(|line| line.starts_with(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_newest_first_and_once() {
        let mut history = History::new();
        for line in ["a", "b", "a", " ", "bad\n"] {
            history.add(Prompt::Command, line).unwrap();
        }
        history.add(Prompt::Search, "x").unwrap();
        assert_eq!(history.lines(Prompt::Command).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(history.newest(Prompt::Search, ""), Some("x"));
        assert_eq!(history.newest(Prompt::Command, "c"), None);
        for i in 0..2_000 {
            history.add(Prompt::Command, &i.to_string()).unwrap();
        }
        assert_eq!(history.lines(Prompt::Command).count(), KEPT);
    }

    #[test]
    fn the_file_is_kept_and_bounded() {
        let folder = std::env::temp_dir().join(format!("spytui-history-{}", std::process::id()));
        let file = folder.join("state/history");
        let mut history = History::load(&file).unwrap();
        history.add(Prompt::Filter, "kind:Tran é").unwrap();
        let mut text = fs::read_to_string(&file).unwrap();
        assert_eq!(text, "&kind:Tran é\n");
        text.insert_str(0, &":same\n".repeat(3_000));
        fs::write(&file, text + "?noise\n\n").unwrap();
        let again = History::load(&file).unwrap();
        assert_eq!(again.lines(Prompt::Filter).collect::<Vec<_>>(), ["kind:Tran é"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), ":same\n&kind:Tran é\n");
        fs::remove_dir_all(folder).unwrap();
    }
}
