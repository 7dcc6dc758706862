//! The last line: command line, help, messages.

use std::time::Instant;

use spytui_plugin_api::Info;

use super::Model;
use crate::{
    app_log::LogLine,
    input::{self, Choice, HelpLine, History, Key, LineEditor, Lookup, PromptKind, help, narrow},
    term::{width, wrap},
};

/// Cells for keys and usages before their meaning in the help.
pub const HELP_KEYS: usize = 16;
/// Minimum width for two columns of help.
const TWO_COLUMNS: u16 = 100;
/// Completions shown at once.
pub const SHOWN: usize = 6;

/// Command line, help, keys and messages.
#[derive(Default)]
pub struct Prompt {
    /// The line while it is open.
    pub line: Option<CommandLine>,
    /// Help while it is open.
    pub help: Option<Help>,
    /// Result of the last lookup for the line.
    pub looked_up: Option<LookedUp>,
    /// Keys that begin an action.
    pub pressed: Vec<Key>,
    /// The message.
    pub notice: Option<Notice>,
    /// Last message of a link.
    pub(in crate::model) said_by_link: Option<String>,
    /// Lines typed before.
    pub history: History,
    /// A key was pressed; what is said only once is no longer shown.
    pub touched: bool,
    /// When the last key came.
    pub last_key: Option<Instant>,
    /// A question that is open.
    pub question: Option<Question>,
    /// The line that ran last, until the next key: what fails now is its failure.
    pub just_run: Option<(PromptKind, String)>,
    /// When `^c` was pressed.
    pub interrupted: Option<Instant>,
    /// The newest lines of the program's log.
    pub log: Vec<LogLine>,
}

/// A question in the last line. While it is open, keys are answers and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    text: &'static str,
    /// Its answers, in words.
    words: String,
    /// Everything received can be saved first.
    can_save: bool,
    /// Why a key was no answer.
    pub ignored: Option<String>,
}

/// What an answer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Quit,
    /// Record everything received, and quit.
    SaveAll,
}

impl Question {
    /// Whether to quit, with the answers in words; `can_save`: everything received can be saved first. Esc leaves the
    /// question.
    pub fn new(text: &'static str, words: impl Into<String>, can_save: bool) -> Question {
        Question { text, words: words.into(), can_save, ignored: None }
    }

    pub fn answer(&self, key: char) -> Option<Answer> {
        match key {
            'q' | 'y' => Some(Answer::Quit),
            's' if self.can_save => Some(Answer::SaveAll),
            _ => None,
        }
    }

    /// What the last line shows.
    pub fn line(&self) -> String {
        let ignored = self.ignored.as_ref().map(|why| format!("{why}; ")).unwrap_or_default();
        format!("{ignored}{} {} · Esc stays", self.text, self.words)
    }
}

/// Log lines kept.
const LOG_LINES: usize = 1_000;

impl Prompt {
    /// Takes new lines of the program's log.
    pub fn add_log(&mut self, lines: Vec<LogLine>) {
        self.log.extend(lines);
        let over = self.log.len().saturating_sub(LOG_LINES);
        self.log.drain(..over);
    }

    /// Opens the line, and returns it.
    pub fn open(&mut self, kind: PromptKind, text: &str) -> &mut CommandLine {
        self.notice = None;
        self.looked_up = None;
        self.line.insert(CommandLine {
            editor: LineEditor::new(kind, text),
            preview: Notice::default(),
            ghost: input::Ghost::default(),
            completions: Vec::new(),
            refused: None,
            asked: None,
            question: String::new(),
            explained: Vec::new(),
            filled: None,
            is_list: false,
            is_behind: false,
        })
    }
}

/// Files and serial ports that begin like a word of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedUp {
    pub query: Lookup,
    /// Files and folders.
    pub paths: Vec<Choice>,
    /// Serial ports.
    pub ports: Vec<Choice>,
}

/// The help page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Help {
    /// First line shown.
    pub top: usize,
    /// Filter text.
    pub filter: String,
}

/// A message in the last line, or feedback above it on a line before Enter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    pub error: bool,
}

impl Notice {
    /// A message, or a description of the line.
    pub fn said(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), error: false }
    }

    /// An error.
    pub fn mistake(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), error: true }
    }
}

/// A line being typed: command, search, filter or note.
pub struct CommandLine {
    pub editor: LineEditor,
    /// Description or error.
    pub preview: Notice,
    /// Suggested rest of the line, and help.
    pub ghost: input::Ghost,
    /// Completions on offer, of which one may be chosen.
    pub completions: Vec<Choice>,
    /// Why Enter did not run the line, until it changes.
    pub refused: Option<String>,
    /// The line whose question Enter answers, until the line changes.
    pub asked: Option<String>,
    pub question: String,
    /// What `?` shows about the command, until the next key.
    pub explained: Vec<HelpLine>,
    /// The line as a key filled it in, for the target.
    pub filled: Option<String>,
    /// It was opened as a list, of which the first completion is chosen at once, and nothing was typed yet.
    pub is_list: bool,
    /// Preview, ghost and completions are those of fewer characters.
    pub is_behind: bool,
}

impl CommandLine {
    /// The completion chosen with Tab.
    pub fn chosen(&self) -> Option<usize> {
        self.editor.choices().map(|(_, at)| at)
    }

    /// First completion shown.
    pub fn first_shown(&self) -> usize {
        self.chosen().map_or(0, |at| (at + 1).saturating_sub(SHOWN))
    }

    /// The visible part of the text in `room` columns, and the cursor in it.
    pub fn shown(&self, room: usize) -> (String, usize) {
        let (text, cursor) = (self.editor.text(), self.editor.cursor());
        let before: String = text.chars().take(cursor).collect();
        // Long lines are shown around the cursor.
        let skip = (width(&before) + 1).saturating_sub(room.max(1));
        (text.chars().skip(skip).collect(), cursor - skip.min(cursor))
    }
}

/// Number of columns of the help on a screen of this width.
pub fn help_columns(width: u16) -> u16 {
    if width >= TWO_COLUMNS { 2 } else { 1 }
}

/// What the tags of a decoder's groups stand for. Groups that share a tag are one line.
fn groups(info: &Info) -> Vec<HelpLine> {
    let mut lines: Vec<HelpLine> = Vec::new();
    for group in info.groups.iter().filter(|group| !group.tag.is_empty() && !group.title.is_empty()) {
        match lines.iter_mut().find(|line| line.left == *group.tag) {
            Some(line) => line.right.push_str(&format!(", {}", group.title)),
            None => lines.push(HelpLine::new(group.tag.as_str(), group.title.as_str())),
        }
    }
    lines
}

/// The help page after filtering: lines with a left and a right part.
pub fn help_lines(model: &Model) -> Vec<HelpLine> {
    let groups = groups(&model.list.decoding().decoder.info);
    let all = help(model.panes.front(), &model.settings.keymap, groups, model.settings.command_specs());
    let typed = model.prompt.help.as_ref().map_or("", |help| help.filter.as_str());
    let width_of_all = model.screen.size.0;
    let room = (width_of_all / help_columns(width_of_all)).saturating_sub(HELP_KEYS as u16 + 3);
    // Long usages stand on a line of their own.
    let is_alone = |line: &HelpLine| line.heading || width(&line.left) > HELP_KEYS;
    narrow(&all, typed).iter().flat_map(|line| in_lines(line, usize::from(room.max(1)), is_alone(line))).collect()
}

/// A line of help in several, of which the first has the left part, with so much room for the right one. `is_alone`: the
/// left part stands on a line of its own.
pub fn in_lines(line: &HelpLine, room: usize, is_alone: bool) -> Vec<HelpLine> {
    let parts = is_alone.then_some("").into_iter().chain(wrap(&line.right, room));
    let lefts = std::iter::once(line.left.as_str()).chain(std::iter::repeat(""));
    let lines = parts.zip(lefts).map(|(right, left)| HelpLine { heading: line.heading, ..HelpLine::new(left, right) });
    lines.collect()
}
