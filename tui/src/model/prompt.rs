//! The last line: command line, help, messages, or otherwise keys for what is on the screen.

use std::time::Instant;

use spytui_engine::present::{Role as RowRole, clock::grouped};
use spytui_plugin_api::{
    Info,
    row::{RowFlags, Severity},
};

use super::{Model, jump, list::Entry, screen::TICK_RATE};
use crate::{
    app_log::LogLine,
    input::{
        self, Action, Choice, HelpLine, Hint, History, JumpTarget, Key, LineEditor, Lookup, PaneId, PromptKind,
        RECORDS, help, narrow,
    },
    term::{width, wrap},
};

/// Width of keys and syntax before their meaning in the help.
pub const HELP_KEYS: usize = 16;
/// Minimum width for two columns of help.
const TWO_COLUMNS: u16 = 100;
/// Number of completions shown.
pub const SHOWN: usize = 6;

#[derive(Default)]
pub struct Prompt {
    pub line: Option<CommandLine>,
    pub help: Option<Help>,
    /// Result of the last lookup for the line.
    pub looked_up: Option<LookedUp>,
    /// Keys that begin an action.
    pub pressed: Vec<Key>,
    pub notice: Option<Notice>,
    /// Last message of a link.
    pub(in crate::model) said_by_link: Option<String>,
    pub history: History,
    /// A key was pressed, so messages shown once are gone.
    pub touched: bool,
    /// Time of the last key.
    pub last_key: Option<Instant>,
    pub question: Option<Question>,
    /// The line that ran last, until the next key: errors now belong to it.
    pub just_run: Option<(PromptKind, String)>,
    /// When `^c` was pressed.
    pub interrupted: Option<Instant>,
    /// The newest lines of the program's log.
    pub log: Vec<LogLine>,
}

/// A question in the last line. While open, keys are only answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    text: &'static str,
    /// Its possible answers as text.
    words: String,
    /// Everything received can be saved first.
    can_save: bool,
    /// Why a key was no answer.
    pub ignored: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Quit,
    /// Record everything received, and quit.
    SaveAll,
}

impl Question {
    /// A question about quitting with its answers as text; `can_save` = everything received can be saved first. Esc
    /// cancels it.
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

    /// The text of the last line.
    pub fn line(&self) -> String {
        let ignored = self.ignored.as_ref().map(|why| format!("{why}; ")).unwrap_or_default();
        format!("{ignored}{} {} · Esc stays", self.text, self.words)
    }
}

/// Number of log lines kept.
const LOG_LINES: usize = 1_000;

impl Prompt {
    /// Takes new lines of the program's log.
    pub fn add_log(&mut self, lines: Vec<LogLine>) {
        self.log.extend(lines);
        let over = self.log.len().saturating_sub(LOG_LINES);
        self.log.drain(..over);
    }

    /// Opens and returns the line.
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
    pub ports: Vec<Choice>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Help {
    /// First line shown.
    pub top: usize,
    pub filter: String,
}

/// A message in the last line, or feedback above it on an unfinished line.
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
    pub preview: Notice,
    /// Suggested rest of the line, and help.
    pub ghost: input::Ghost,
    /// Completions, one of which may be chosen.
    pub completions: Vec<Choice>,
    /// Why Enter did not run the line, until it changes.
    pub refused: Option<String>,
    /// The line whose question Enter answers, until the line changes.
    pub asked: Option<String>,
    pub question: String,
    /// Explanation of the command from `?`, until the next key.
    pub explained: Vec<HelpLine>,
    /// The line for the target as filled in by a key.
    pub filled: Option<String>,
    /// It was opened as a list with its first completion chosen, and nothing was typed yet.
    pub is_list: bool,
    /// Preview, ghost and completions are outdated.
    pub is_behind: bool,
}

impl CommandLine {
    /// The completion chosen with Tab.
    pub fn chosen(&self) -> Option<usize> {
        self.editor.choices().map(|(_, at)| at)
    }

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

/// Meanings of a decoder's group tags. Groups that share a tag are one line.
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

/// The lines of the help page after filtering, each with a left and a right part.
pub fn help_lines(model: &Model) -> Vec<HelpLine> {
    let groups = groups(&model.list.decoding().decoder.info);
    let all = help(model.panes.front(), &model.settings.keymap, groups, model.settings.command_specs());
    let typed = model.prompt.help.as_ref().map_or("", |help| help.filter.as_str());
    let width_of_all = model.screen.size.0;
    let room = (width_of_all / help_columns(width_of_all)).saturating_sub(HELP_KEYS as u16 + 3);
    // Long syntax has its own line.
    let is_alone = |line: &HelpLine| line.heading || width(&line.left) > HELP_KEYS;
    narrow(&all, typed).iter().flat_map(|line| in_lines(line, usize::from(room.max(1)), is_alone(line))).collect()
}

/// A help line wrapped to `room` for the right part. `is_alone` = the left part has its own line.
pub fn in_lines(line: &HelpLine, room: usize, is_alone: bool) -> Vec<HelpLine> {
    let parts = is_alone.then_some("").into_iter().chain(wrap(&line.right, room));
    let lefts = std::iter::once(line.left.as_str()).chain(std::iter::repeat(""));
    let lines = parts.zip(lefts).map(|(right, left)| HelpLine { heading: line.heading, ..HelpLine::new(left, right) });
    lines.collect()
}

/// Shown while following the newest row, whatever it is: a line that changed with each row would flicker.
const FOLLOWING: &[Hint] = &[
    Hint(&[Action::Command], "command"),
    Hint(&[Action::Search], "find"),
    Hint(&[Action::LossNext], "losses"),
    Hint(&[Action::Cause], "why"),
    Hint(&[Action::Hold], "hold"),
    Hint(&[Action::ShowPane(PaneId("counters"))], "counters"),
    Hint(&[Action::Help], "all keys"),
];
const RECORD: &[Hint] = &[
    Hint(&[Action::Cause], "why"),
    Hint(&[Action::Effect], "then"),
    Hint(&[Action::HideKind], "hide"),
    Hint(&[Action::OnlyKind], "only"),
    Hint(&[Action::ObjectNext], "next of object"),
    Hint(&[Action::Mark], "mark"),
    Hint(&[Action::Follow], "newest"),
];
const LOSS: &[Hint] = &[
    Hint(&[Action::Effect], "after"),
    Hint(&[Action::Open], "details"),
    Hint(&[Action::ShowPane(PaneId("counters"))], "counters"),
    Hint(&[Action::Advise], "advice"),
];
const ERROR: &[Hint] = &[
    Hint(&[Action::ErrorNext, Action::ErrorPrevious], "errors"),
    Hint(&[Action::Cause], "why"),
    Hint(&[Action::HideKind], "hide"),
    Hint(&[Action::Mark], "mark"),
    Hint(&[Action::Follow], "newest"),
];
const RESET: &[Hint] = &[
    Hint(&[Action::WarningNext, Action::WarningPrevious], "warnings and resets"),
    Hint(&[Action::ShowPane(PaneId("target"))], "target"),
    Hint(&[Action::Follow], "newest"),
];
const DICTIONARY: &[Hint] = &[
    Hint(&[Action::Open], "unfold"),
    Hint(&[Action::ShowPane(PaneId("dictionary"))], "dictionary"),
    Hint(&[Action::Follow], "newest"),
];

/// Updates the line, once per frame.
pub fn refresh(model: &mut Model) {
    model.screen.hint = if model.settings.config.on("ui.hints") { line(model) } else { String::new() };
}

fn line(model: &mut Model) -> String {
    let front = model.panes.front();
    if front != RECORDS {
        let own = model.panes.get(front).map_or(&[][..], |pane| pane.keys().hints);
        return format!("{} · {}", keys(model, own), keys(model, &[Hint(&[Action::ShowPane(RECORDS)], "records")]));
    }
    if !model.prompt.touched && has_ticks(model) {
        return "times are ticks; :set ticks-per-second 1000000 makes them seconds".to_owned();
    }
    if model.list.page.follow {
        return keys(model, FOLLOWING);
    }
    let Some(entry) = model.list.cursor_entry().cloned() else { return keys(model, FOLLOWING) };
    let (about, hints) = of_row(model, &entry);
    let losses = if about == "a loss" { losses(model) } else { String::new() };
    let on = if about.is_empty() { String::new() } else { format!("on {about}: ") };
    format!("{on}{losses}{}", keys(model, hints))
}

/// Whether times are ticks because nobody specified their rate.
fn has_ticks(model: &Model) -> bool {
    let info = &model.list.decoding().decoder.info;
    let clock = model.list.rows.clock();
    info.option(TICK_RATE).is_some() && !clock.known() && model.list.page.entries.iter().any(|e| e.time.is_some())
}

/// What a row is, if that matters, and the keys for it.
fn of_row(model: &Model, entry: &Entry) -> (&'static str, &'static [Hint]) {
    let flags = model.list.rows.shape(entry.first).map(|shape| shape.flags).unwrap_or_default();
    match entry.line.role {
        RowRole::Loss => ("a loss", LOSS),
        RowRole::Note if entry.folds_names() => ("", DICTIONARY),
        RowRole::Event if flags.contains(RowFlags::EPOCH) => ("a reset", RESET),
        RowRole::Event | RowRole::Note | RowRole::Console => ("", RESET),
        RowRole::Record if entry.line.severity >= Severity::ERROR => ("an error", ERROR),
        RowRole::Record => ("", RECORD),
    }
}

/// `x X losses 2/2 · `
fn losses(model: &mut Model) -> String {
    let about = (model.list.page.cursor, model.list.rows.rows_of(|shape| shape.kind.is_loss()));
    let known = model.screen.loss_place.filter(|(of, _)| *of == about);
    let (_, place) = known.unwrap_or_else(|| (about, jump::place(model, about.0, JumpTarget::Loss)));
    model.screen.loss_place = Some((about, place));
    let keys = keys(model, &[Hint(&[Action::LossNext, Action::LossPrevious], "losses")]);
    match place {
        Some((place, total)) => format!("{keys} {}/{} · ", grouped(place), grouped(total)),
        None => format!("{keys} · "),
    }
}

/// `x X losses · c why`; actions without keys are omitted.
fn keys(model: &Model, hints: &[Hint]) -> String {
    let (keymap, front) = (&model.settings.keymap, model.panes.front());
    let key = |action: &Action| keymap.keys(front, *action).into_iter().next();
    let words = hints.iter().filter_map(|Hint(actions, words)| {
        // The first key of a sequence: it offers the others.
        let first = |keys: String| keys.split(' ').next().map(str::to_owned);
        let keys: Vec<String> = actions.iter().filter_map(key).filter_map(first).collect();
        (!keys.is_empty()).then(|| format!("{} {words}", keys.join(" ")))
    });
    words.collect::<Vec<_>>().join(" · ")
}
