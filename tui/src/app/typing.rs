//! What is being typed in the last line: commands, searches, filters, notes; with preview, completions and errors
//! before Enter.

use spytui_engine::{
    list::{Direction, RowSource},
    present::sanitise,
    query::{self, Expr, Vocabulary},
};
use spytui_plugin_api::info::space;

use super::{
    finding::Finding,
    state::{App, Search},
};
use crate::{
    action::{self, Aid, Call, Choice, Completions, Filter, Key, LineEditor, Prompt, Typed},
    app_log::{self, Level},
    term::width,
};

/// Completions shown at once.
pub const SHOWN: usize = 6;

/// The line while it is open.
pub struct Typing {
    /// The editor.
    pub editor: LineEditor,
    /// Preview in the tab line, and whether it is an error.
    pub preview: (String, bool),
    /// What → takes over, and help behind it.
    pub ghost: action::Ghost,
    /// Completions on offer, of which one may be chosen.
    pub completions: Vec<Choice>,
}

impl Typing {
    /// The completion chosen with Tab.
    #[must_use]
    pub fn chosen(&self) -> Option<usize> {
        self.editor.choices().map(|(_, at)| at)
    }

    /// First completion shown.
    #[must_use]
    pub fn first_shown(&self) -> usize {
        self.chosen().map_or(0, |at| (at + 1).saturating_sub(SHOWN))
    }

    /// What is shown of the text in `room` columns: text, column of the cursor in it.
    #[must_use]
    pub fn shown(&self, room: usize) -> (String, usize) {
        let (text, cursor) = (self.editor.text(), self.editor.cursor());
        let before: String = text.chars().take(cursor).collect();
        // Long lines are shown around the cursor.
        let skip = (width(&before) + 1).saturating_sub(room.max(1));
        (text.chars().skip(skip).collect(), cursor - skip.min(cursor))
    }
}

impl App {
    /// Opens the line.
    pub fn ask(&mut self, prompt: Prompt, text: &str) {
        self.notice = None;
        self.typing = Some(Typing {
            editor: LineEditor::new(prompt, text),
            preview: (String::new(), false),
            ghost: action::Ghost::default(),
            completions: Vec::new(),
        });
        self.follow_typing();
    }

    /// A key while the line is open.
    pub fn type_key(&mut self, key: Key) {
        let Some(mut typing) = self.typing.take() else { return };
        let prompt = typing.editor.prompt();
        let done = {
            let complete = |text: &str, cursor: usize| self.complete(prompt, text, cursor);
            let aid = Aid { complete: &complete, ghost: &typing.ghost.take, history: &self.history };
            typing.editor.key(key, &aid)
        };
        match done {
            Typed::Leave => {}
            Typed::Run(line) => self.run_line(prompt, &line),
            Typed::Changed | Typed::Nothing => {
                self.typing = Some(typing);
                self.follow_typing();
            }
        }
    }

    /// Pasted text: into the line; elsewhere it is not taken.
    pub fn paste(&mut self, text: &str) {
        match &mut self.typing {
            Some(typing) => {
                typing.editor.paste(text);
                self.follow_typing();
            }
            None => self.say("pasted text is taken in the command line only: press : first"),
        }
    }

    fn complete(&self, prompt: Prompt, text: &str, cursor: usize) -> Completions {
        match prompt {
            Prompt::Command => action::complete(text, cursor, self),
            Prompt::Filter => {
                let mut found = action::complete(&format!("filter {text}"), cursor + 7, self);
                found.from = found.from.saturating_sub(7);
                found
            }
            Prompt::Search | Prompt::Note => Completions::default(),
        }
    }

    /// Preview, ghost and completions for what stands in the line now.
    fn follow_typing(&mut self) {
        let Some(mut typing) = self.typing.take() else { return };
        let (prompt, text) = (typing.editor.prompt(), typing.editor.text().to_owned());
        let before = self.history.newest(prompt, &text).filter(|_| typing.editor.at_end());
        typing.ghost = match prompt {
            Prompt::Command if typing.editor.at_end() => action::ghost(&text, before, self),
            _ => action::Ghost::default(),
        };
        typing.completions = match typing.editor.choices() {
            Some((items, _)) => items.to_vec(),
            None if text.is_empty() => Vec::new(),
            None => self.complete(prompt, &text, typing.editor.cursor()).items,
        };
        typing.preview = self.preview(prompt, &text, &typing);
        self.typing = Some(typing);
    }

    fn preview(&self, prompt: Prompt, text: &str, typing: &Typing) -> (String, bool) {
        if let Some(wanted) = typing.editor.wanted() {
            return (format!("history with \"{wanted}\" · ^r older"), false);
        }
        if text.trim().is_empty() {
            let help = match prompt {
                Prompt::Command => "a command; Tab completes, Up recalls, Enter repeats the last",
                Prompt::Search => "words as they stand in the rows, /regex/, or a test as kind:Tran",
                Prompt::Filter => "which rows to show, as kind:Tran,Ignored -sig:TEMP*; empty shows all",
                Prompt::Note => "a note for this row",
            };
            return (help.to_owned(), false);
        }
        match prompt {
            Prompt::Command => match action::parse(text, self) {
                Ok(Call::Filter(Filter::Expr(expr)) | Call::Find(expr)) => match self.doubt(&expr, typing) {
                    Some(doubt) => (doubt, true),
                    None => (typing.ghost.help.clone(), false),
                },
                Ok(_) => (typing.ghost.help.clone(), false),
                // What is still to be typed is no mistake yet.
                Err(error) if error.column >= text.chars().count() => (typing.ghost.help.clone(), false),
                Err(error) => (error.to_string(), true),
            },
            Prompt::Filter => match self.parse(text) {
                Ok(expr) => self.doubt(&expr, typing).map_or((String::new(), false), |doubt| (doubt, true)),
                Err(error) => (error, true),
            },
            Prompt::Search => match query::search(text, &self.vocabulary()) {
                Ok(_) => (String::new(), false),
                Err(error) => (error.to_string(), true),
            },
            Prompt::Note => (String::new(), false),
        }
    }

    /// What an expression names and nobody knows; nothing while the word may still become a known one.
    fn doubt(&self, expr: &Expr, typing: &Typing) -> Option<String> {
        if !typing.completions.is_empty() && !typing.editor.text().ends_with(' ') {
            return None;
        }
        query::doubts(expr, &self.vocabulary()).first().map(ToString::to_string)
    }

    /// Runs what was typed.
    pub fn run_line(&mut self, prompt: Prompt, line: &str) {
        if let Err(error) = self.history.add(prompt, line) {
            app_log::note(Level::Warning, "history", &error.to_string());
        }
        match prompt {
            Prompt::Command => match action::parse(line, self) {
                Ok(call) => self.call(call),
                Err(error) => self.fail(error.to_string()),
            },
            Prompt::Filter => self.filter_from_text(line),
            Prompt::Search => self.search_from_text(line),
            Prompt::Note => self.add_mark(None, line.to_owned()),
        }
    }

    /// Words that expressions may use.
    #[must_use]
    pub fn vocabulary(&self) -> Vocabulary {
        let mut words = Vocabulary::of(&self.decoded.decoder.info);
        for state in self.rows.read_all() {
            let named = state.dictionary.iter().filter(|entry| entry.0 == space::KINDS);
            let names = named.filter_map(|(.., names)| names.last()?.text.as_deref());
            words.kinds.extend(names.map(sanitise));
        }
        words
    }

    /// Reads an expression.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(&self, text: &str) -> Result<Expr, String> {
        query::parse(text, &self.vocabulary()).map_err(|e| e.to_string())
    }

    /// The filter as text; empty where everything shows.
    #[must_use]
    pub fn filter_text(&self) -> String {
        let expr = self.list.filter.expr();
        if expr.is_everything() { String::new() } else { expr.to_string() }
    }

    /// Sets the filter from text.
    pub fn filter_from_text(&mut self, text: &str) {
        match self.parse(text) {
            Ok(expr) => self.set_filter(expr),
            Err(error) => self.fail(error),
        }
    }

    fn search_from_text(&mut self, text: &str) {
        match query::search(text, &self.vocabulary()) {
            Ok(expr) => {
                self.search = Some(Search { expr: expr.clone(), text: text.to_owned() });
                self.start_find(expr, Direction::Forward);
            }
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// The next match of the last search.
    pub fn search_on(&mut self, direction: Direction) {
        match self.search.clone() {
            Some(search) => self.start_find(search.expr, direction),
            None => self.say("nothing was searched for yet; / begins"),
        }
    }

    /// Starts looking for a row.
    pub fn start_find(&mut self, expr: Expr, direction: Direction) {
        let from = Some(self.list.cursor).filter(|_| !self.rows.is_empty());
        match Finding::start(self.rows.clone(), from, direction, expr, self.wake.clone()) {
            Ok(finding) => {
                // Most searches end before the next frame; the others go on beside it.
                let quick = finding.wait(std::time::Duration::from_millis(30));
                self.finding = Some(finding);
                match quick {
                    Some(answer) => self.found(answer),
                    None => self.say("searching… ^c stops"),
                }
            }
            Err(error) => self.fail(format!("no thread for searching: {error}")),
        }
    }

    /// What a search found.
    pub fn found(&mut self, row: Option<u64>) {
        self.finding = None;
        match row {
            Some(row) => {
                self.notice = None;
                self.go_to_row(row);
            }
            None => self.say("no further match"),
        }
    }
}
