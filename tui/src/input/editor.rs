//! The line editor for commands, searches and filters, with readline keys; and the bounded history of typed lines in
//! the state directory.
//!
//! Editing uses the text area of `ratatui-textarea`; history, history search and completion are added here.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use crossterm::event::KeyCode;
use tui_textarea::{CursorMove, TextArea};

use super::{
    command::{Choice, Completions},
    table::KeyPress,
};
use crate::sys::open_private;

/// Maximum line length; longer lines are not kept in the history either.
const LONGEST: usize = 4_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditOutcome {
    Changed,
    Run(String),
    Leave,
    Nothing,
}

pub struct Aid<'a> {
    /// Completes a line at a cursor.
    pub complete: &'a dyn Fn(&str, usize) -> Completions,
    /// Text that → inserts at the end of the line.
    pub ghost: &'a str,
    pub history: &'a History,
}

/// Browsing history lines with the same prefix.
struct Walk {
    typed: String,
    lines: Vec<String>,
    /// Steps back; 0 is the typed line.
    at: usize,
}

struct HistorySearch {
    typed: String,
    wanted: String,
    skip: usize,
}

/// Cycling through completions.
struct Choosing {
    typed: String,
    from: usize,
    cursor: usize,
    items: Vec<Choice>,
    at: usize,
}

#[derive(Default)]
pub struct LineEditor {
    kind: PromptKind,
    area: TextArea<'static>,
    walk: Option<Walk>,
    lookup: Option<HistorySearch>,
    choosing: Option<Choosing>,
}

impl LineEditor {
    /// A line of a kind, initially with `text`.
    pub fn new(kind: PromptKind, text: &str) -> LineEditor {
        let mut editor = LineEditor { kind, ..LineEditor::default() };
        editor.set(text);
        editor
    }

    pub fn kind(&self) -> PromptKind {
        self.kind
    }

    pub fn text(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    /// Characters before the cursor.
    pub fn cursor(&self) -> usize {
        self.area.cursor().1
    }

    /// `true` if the cursor is at the end.
    pub fn at_end(&self) -> bool {
        self.cursor() == self.text().chars().count()
    }

    /// Text being searched in the history, if any.
    pub fn wanted(&self) -> Option<&str> {
        self.lookup.as_ref().map(|lookup| lookup.wanted.as_str())
    }

    /// The completions that Tab cycles through, and the index of the current one.
    pub fn choices(&self) -> Option<(&[Choice], usize)> {
        self.choosing.as_ref().map(|choosing| (choosing.items.as_slice(), choosing.at))
    }

    /// Sets the text, with the cursor at its end.
    pub fn set(&mut self, text: &str) {
        self.area = TextArea::new(vec![one_line(text)]);
        self.area.move_cursor(CursorMove::End);
    }

    pub fn go_to(&mut self, column: usize) {
        self.area.move_cursor(CursorMove::Jump(0, u16::try_from(column).unwrap_or(u16::MAX)));
    }

    /// Inserts pasted text: line ends become blanks, so a paste never runs.
    pub fn paste(&mut self, text: &str) -> EditOutcome {
        self.settle();
        self.area.insert_str(one_line(text));
        if self.text().chars().count() > LONGEST {
            let cut: String = self.text().chars().take(LONGEST).collect();
            self.set(&cut);
        }
        EditOutcome::Changed
    }

    fn settle(&mut self) {
        (self.walk, self.lookup, self.choosing) = (None, None, None);
    }

    pub fn key(&mut self, key: KeyPress, aid: &Aid<'_>) -> EditOutcome {
        if self.lookup.is_some()
            && let Some(done) = self.search(key, aid)
        {
            return done;
        }
        match (key.code(), key.control()) {
            (KeyCode::Tab, _) => self.choose(1, aid),
            (KeyCode::BackTab, _) => self.choose(-1, aid),
            (KeyCode::Up, _) if self.choosing.is_some() => self.choose(-1, aid),
            (KeyCode::Down, _) if self.choosing.is_some() => self.choose(1, aid),
            (KeyCode::Up, _) => self.step(true, aid),
            (KeyCode::Down, _) => self.step(false, aid),
            (KeyCode::Char('r'), true) => {
                let typed = self.text().to_owned();
                self.settle();
                self.lookup = Some(HistorySearch { typed, wanted: String::new(), skip: 0 });
                EditOutcome::Changed
            }
            (KeyCode::Esc, _) | (KeyCode::Char('g' | 'c'), true) => self.escape(key),
            (KeyCode::Enter, _) => self.run(aid),
            _ => {
                self.settle();
                self.edit(key, aid.ghost)
            }
        }
    }

    /// Leaves the completions, if Tab is cycling through them, otherwise the line.
    fn escape(&mut self, key: KeyPress) -> EditOutcome {
        match self.choosing.take() {
            Some(choosing) if key.code() == KeyCode::Esc => {
                self.put(&choosing.typed, choosing.cursor);
                EditOutcome::Changed
            }
            _ => EditOutcome::Leave,
        }
    }

    fn run(&mut self, aid: &Aid<'_>) -> EditOutcome {
        self.settle();
        if !self.text().trim().is_empty() || matches!(self.kind, PromptKind::Filter | PromptKind::Note) {
            return EditOutcome::Run(self.text().to_owned());
        }
        aid.history.newest(self.kind, "").map_or(EditOutcome::Leave, |last| EditOutcome::Run(last.to_owned()))
    }

    fn put(&mut self, text: &str, cursor: usize) {
        self.set(text);
        self.go_to(cursor);
    }

    fn edit(&mut self, key: KeyPress, ghost: &str) -> EditOutcome {
        let (at_end, empty) = (self.at_end(), self.text().is_empty());
        let area = &mut self.area;
        match (key.code(), key.control()) {
            (KeyCode::Left, true) => area.move_cursor(CursorMove::WordBack),
            (KeyCode::Right, true) => area.move_cursor(CursorMove::WordForward),
            (KeyCode::Left, false) | (KeyCode::Char('b'), true) => area.move_cursor(CursorMove::Back),
            (KeyCode::Right, false) | (KeyCode::Char('f'), true) if at_end => {
                area.insert_str(one_line(ghost));
            }
            (KeyCode::Right, false) | (KeyCode::Char('f'), true) => area.move_cursor(CursorMove::Forward),
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => area.move_cursor(CursorMove::Head),
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => area.move_cursor(CursorMove::End),
            (KeyCode::Char('w'), true) => return changed(self.delete_word()),
            (KeyCode::Char('u'), true) => return changed(area.delete_line_by_head()),
            (KeyCode::Char('k'), true) => return changed(area.delete_line_by_end()),
            (KeyCode::Char('y'), true) => return changed(area.paste()),
            (KeyCode::Backspace, _) if empty => return EditOutcome::Leave,
            (KeyCode::Backspace, _) => return changed(area.delete_char()),
            (KeyCode::Delete, _) | (KeyCode::Char('d'), true) => return changed(area.delete_next_char()),
            _ => return self.insert(key),
        }
        EditOutcome::Changed
    }

    /// Deletes back to a blank, like shells: a whole test of an expression, not a part of it.
    fn delete_word(&mut self) -> bool {
        let before: Vec<char> = self.text().chars().take(self.cursor()).collect();
        let blanks = before.iter().rev().take_while(|c| c.is_whitespace()).count();
        let word = before.iter().rev().skip(blanks).take_while(|c| !c.is_whitespace()).count();
        let count = blanks + word;
        for _ in 0..count {
            self.area.delete_char();
        }
        count > 0
    }

    fn insert(&mut self, key: KeyPress) -> EditOutcome {
        match key.character() {
            Some(c) if !c.is_control() && self.text().chars().count() < LONGEST => {
                self.area.insert_char(c);
                EditOutcome::Changed
            }
            _ => EditOutcome::Nothing,
        }
    }

    /// One step to older or newer lines with the typed prefix.
    fn step(&mut self, back: bool, aid: &Aid<'_>) -> EditOutcome {
        (self.lookup, self.choosing) = (None, None);
        let typed = self.text().to_owned();
        let prompt = self.kind;
        let walk = self.walk.get_or_insert_with(|| {
            let lines = aid.history.lines(prompt).filter(|line| line.starts_with(&typed) && **line != typed);
            Walk { lines: lines.map(str::to_owned).collect(), typed, at: 0 }
        });
        let at = if back { (walk.at + 1).min(walk.lines.len()) } else { walk.at.saturating_sub(1) };
        if at == walk.at {
            return EditOutcome::Nothing;
        }
        walk.at = at;
        let line = at.checked_sub(1).and_then(|i| walk.lines.get(i)).unwrap_or(&walk.typed).clone();
        self.set(&line);
        EditOutcome::Changed
    }

    /// Handles a key during history search; `None` ends the search and handles it as an ordinary key.
    fn search(&mut self, key: KeyPress, aid: &Aid<'_>) -> Option<EditOutcome> {
        let lookup = self.lookup.as_mut()?;
        match (key.code(), key.control()) {
            (KeyCode::Char('r'), true) => lookup.skip += 1,
            (KeyCode::Backspace, _) => {
                lookup.wanted.pop();
                lookup.skip = 0;
            }
            (KeyCode::Esc, _) | (KeyCode::Char('g' | 'c'), true) => {
                let typed = self.lookup.take()?.typed;
                self.set(&typed);
                return Some(EditOutcome::Changed);
            }
            _ => {
                let Some(c) = key.character() else {
                    self.lookup = None;
                    return None;
                };
                lookup.wanted.push(c);
                lookup.skip = 0;
            }
        }
        let wanted = lookup.wanted.to_lowercase();
        let mut hits = aid.history.lines(self.kind).filter(|line| line.to_lowercase().contains(&wanted));
        match hits.nth(lookup.skip) {
            Some(hit) => self.set(hit),
            None => lookup.skip = lookup.skip.saturating_sub(1),
        }
        Some(EditOutcome::Changed)
    }

    fn choose(&mut self, step: i32, aid: &Aid<'_>) -> EditOutcome {
        (self.walk, self.lookup) = (None, None);
        match &mut self.choosing {
            Some(choosing) => {
                let count = choosing.items.len() as i32;
                choosing.at = (choosing.at as i32 + step).rem_euclid(count) as usize;
            }
            None => {
                let (typed, cursor) = (self.text().to_owned(), self.cursor());
                let Completions { from, items, .. } = (aid.complete)(&typed, cursor);
                if items.is_empty() {
                    return EditOutcome::Nothing;
                }
                let at = if step > 0 { 0 } else { items.len() - 1 };
                self.choosing = Some(Choosing { typed, from, cursor, items, at });
            }
        }
        self.show_choice()
    }

    fn show_choice(&mut self) -> EditOutcome {
        let Some(choosing) = &self.choosing else { return EditOutcome::Nothing };
        let Some(choice) = choosing.items.get(choosing.at) else { return EditOutcome::Nothing };
        let letters: Vec<char> = choosing.typed.chars().collect();
        let only = choosing.items.len() == 1;
        // A single completion is followed by a blank, unless its value follows.
        let open = choice.text.ends_with(['=', ':', '/', '"']);
        let gap = if only && !open && choosing.cursor == letters.len() { " " } else { "" };
        let head: String = letters.iter().take(choosing.from).collect();
        let tail: String = letters.iter().skip(choosing.cursor).collect();
        let cursor = choosing.from + choice.text.chars().count() + gap.len();
        let line = format!("{head}{}{gap}{tail}", choice.text);
        self.put(&line, cursor);
        if only {
            self.choosing = None;
        }
        EditOutcome::Changed
    }
}

fn changed(done: bool) -> EditOutcome {
    if done { EditOutcome::Changed } else { EditOutcome::Nothing }
}

/// Text for a single line: line ends and tabs become blanks, other control characters are removed.
fn one_line(text: &str) -> String {
    let blank = |c: char| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c };
    text.replace("\r\n", "\n").trim_end_matches('\n').chars().map(blank).filter(|c| !c.is_control()).collect()
}

/// Number of lines kept.
const KEPT: usize = 1_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum PromptKind {
    #[default]
    Command,
    Search,
    Filter,
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
}

/// Sign in the file before a line that failed: it cancels the preceding same line.
const FAILED: &str = "!";

#[derive(Debug, Clone, Default)]
pub struct History {
    lines: Vec<HistoryLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HistoryLine {
    kind: PromptKind,
    text: String,
    /// It failed: it can be recalled, but is not suggested.
    failed: bool,
}

impl History {
    /// Loads the history from `file`, if it exists. Ignores malformed lines. Errors: the file can't be read, or is too
    /// long and can't be rewritten.
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

    /// Adds a line; `true` if it belongs in the file, too. Blank and repeated lines are not added.
    pub fn add(&mut self, prompt: PromptKind, line: &str) -> bool {
        let fit = !line.trim().is_empty() && line.len() <= LONGEST && !line.contains(char::is_control);
        let newest = self.lines.iter().rev().find(|known| known.kind == prompt);
        if !fit || newest.is_some_and(|newest| newest.text == line && !newest.failed) {
            return false;
        }
        self.remember(prompt, line);
        true
    }

    /// Marks the newest line with this text as failed.
    pub fn mark_failed(&mut self, prompt: PromptKind, line: &str) {
        let known = self.lines.iter_mut().rev().find(|known| known.kind == prompt && known.text == line);
        if let Some(known) = known {
            known.failed = true;
        }
    }

    /// Adds a line to a file, or cancels one that failed.
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
        // Renaming keeps the old file intact if interrupted.
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

/// Kind and text of a line in the file.
fn signed(line: &str) -> Option<(PromptKind, &str)> {
    let mut letters = line.chars();
    let sign = letters.next()?;
    let all = [PromptKind::Command, PromptKind::Search, PromptKind::Filter, PromptKind::Note];
    let kind = all.into_iter().find(|kind| kind.sign() == sign)?;
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
        // A line that succeeds later is an ordinary line.
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
