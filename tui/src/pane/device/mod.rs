//! The Target pane: the target's own information, its filter as a tree of switches, the latest commands. Changes are
//! staged here and filled into the command line; no key sends anything.

mod draw;
mod lines;
mod tree;

use std::collections::BTreeSet;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::device::control::TargetStatus;

use super::table::TableCursor;
use crate::{
    input::{Action, Hint, PaneAction, PaneKeys, PromptKind, TARGET},
    model::{Model, panes::Pane},
};
use draw::CommandLines;
use lines::{SwitchLine, TreeLine, TreePlace};

const KEYS: PaneKeys = PaneKeys {
    id: TARGET,
    title: "target",
    tab: Some("Tgt"),
    actions: &[STAGE, UNSTAGE, UNFOLD, FOLD],
    hints: &[
        Hint(&[Action::OfPane(TARGET, STAGE)], "stages a change"),
        Hint(&[Action::Open], "into the command line"),
        Hint(&[Action::Advise], "advice"),
    ],
    signs: "+ -: a staged change: on, off; !: a command that the target did not do",
};

const STAGE: PaneAction = PaneAction::new("stage", "stage a change of this switch", "only-core");
const UNSTAGE: PaneAction = PaneAction::new("unstage", "take all staged changes back", "only-core");
const UNFOLD: PaneAction = PaneAction::new("unfold-group", "what is in this group", "only-core");
const FOLD: PaneAction = PaneAction::new("fold-group", "the group alone", "only-core");

/// Its lines, the cursor, and staged changes.
#[derive(Debug, Default)]
pub(super) struct TargetPane {
    /// The source, and the decoder of its switches.
    of: (usize, String),
    lines: Vec<TreeLine>,
    commands: CommandLines,
    folds: Folds,
    staged: Staged,
    cursor: TableCursor,
}

impl Pane for TargetPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        match action {
            Action::OfPane(_, STAGE) => self.stage(model),
            Action::OfPane(_, UNSTAGE) => self.staged.changes.clear(),
            Action::OfPane(_, UNFOLD) => self.fold(false),
            Action::OfPane(_, FOLD) => self.fold(true),
            Action::Open => self.open(model),
            other => {
                self.cursor.handle(other, model.screen.front_height());
            }
        }
    }

    fn line(&self) -> Option<usize> {
        Some(self.cursor.at)
    }

    fn line_texts(&self, _model: &Model) -> Vec<String> {
        self.lines.iter().map(TreeLine::text).collect()
    }

    fn go_to_line(&mut self, line: usize) {
        self.cursor.at = line;
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        self.cursor.click(at, 0, model);
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        let source = model.links.addressed();
        let of = (model.links.focus, source.decoding().decoder.info.id.to_string());
        if self.of != of {
            *self = TargetPane { of, ..TargetPane::default() };
        }
        let here = self.place();
        self.staged.forget_sent(&source.status.target);
        self.lines = tree::lines(model, &mut self.folds, &self.staged);
        self.commands = CommandLines::new(model, width, height);
        // Lines above may appear and disappear.
        let moved = here.and_then(|here| self.lines.iter().position(|line| line.place() == Some(here)));
        self.cursor.at = moved.unwrap_or(self.cursor.at);
        self.cursor.fit(self.lines.len(), usize::from(height).saturating_sub(self.commands.height(&self.staged)));
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(self, model, area, buffer);
    }
}

impl TargetPane {
    /// The place switched by the line under the cursor.
    fn place(&self) -> Option<TreePlace> {
        self.lines.get(self.cursor.at).and_then(TreeLine::place)
    }

    /// Stages the next change of the switch under the cursor.
    fn stage(&mut self, model: &mut Model) {
        match self.lines.get(self.cursor.at) {
            Some(TreeLine::Switch(line)) if line.changes.is_empty() => model.say("the target always sends this"),
            Some(TreeLine::Switch(line)) => self.staged.turn(line),
            _ => model.say("a switch has [ ]: j and k go there"),
        }
    }

    fn fold(&mut self, close: bool) {
        let Some(place) = self.place() else { return };
        if !close {
            self.folds.open.insert(place);
            return;
        }
        let parent = self.folds.close(place);
        self.cursor.at = self.lines.iter().position(|line| line.place() == Some(parent)).unwrap_or(self.cursor.at);
    }

    /// Fills the command line with the staged changes, otherwise with what the line under the cursor offers.
    fn open(&mut self, model: &mut Model) {
        let line = self.lines.get(self.cursor.at);
        // On lines without a switch, Enter takes the offer, wherever that is.
        let offer = match line {
            Some(TreeLine::Switch(_)) => None,
            other => other.and_then(TreeLine::offer).or_else(|| self.lines.iter().find_map(TreeLine::offer)),
        };
        let staged = self.staged.line(self.place().map(|place| place.command));
        match offer.or(staged).or_else(|| line.and_then(TreeLine::change)) {
            Some(text) => _ = model.prompt.open(PromptKind::Command, &text),
            None => {
                if let Some(place) = self.place() {
                    self.folds.turn(place);
                }
            }
        }
    }
}

#[derive(Debug, Default)]
struct Folds {
    open: BTreeSet<TreePlace>,
    /// Tables that were opened automatically.
    met: BTreeSet<TreePlace>,
}

impl Folds {
    fn turn(&mut self, place: TreePlace) {
        if !self.open.remove(&place) {
            self.open.insert(place);
        }
    }

    /// Closes what is open here, or its parent; returns that.
    fn close(&mut self, place: TreePlace) -> TreePlace {
        let closed = if self.open.contains(&place) { place } else { place.above() };
        self.open.remove(&closed);
        closed
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    place: TreePlace,
    on: bool,
    word: String,
    command: String,
    size: u64,
}

impl Change {
    /// `-SM`
    fn signed(&self) -> String {
        format!("{}{}", if self.on { '+' } else { '-' }, self.word)
    }
}

/// All changes in sending order: a single switch may differ from its group.
#[derive(Debug, Default)]
struct Staged {
    changes: Vec<Change>,
    seen: u32,
}

impl Staged {
    fn at(&self, place: TreePlace) -> Option<bool> {
        self.changes.iter().find(|change| change.place == place).map(|change| change.on)
    }

    /// Stages the next sensible change; after the last one, none.
    fn turn(&mut self, line: &SwitchLine) {
        let next = match self.at(line.place.alone()) {
            None => line.changes.first(),
            Some(now) => line.changes.iter().skip_while(|change| **change != now).nth(1),
        };
        self.changes.retain(|change| change.place != line.place.alone());
        if let Some(&on) = next {
            let (word, command) = (line.word.clone(), line.command.clone());
            self.changes.push(Change { place: line.place.alone(), on, word, command, size: line.size });
            self.changes.sort_by_key(|change| std::cmp::Reverse(change.size));
        }
    }

    /// The command line for the changes of a command, otherwise of the first one that has any.
    fn line(&self, command: Option<u16>) -> Option<String> {
        let first = self.changes.iter().find(|change| Some(change.place.command) == command);
        let command = &first.or(self.changes.first())?.command;
        Some(format!("target {command} {}", self.words(command)))
    }

    fn words(&self, command: &str) -> String {
        let own = self.changes.iter().filter(|change| change.command == command);
        own.map(Change::signed).collect::<Vec<_>>().join(" ")
    }

    /// All changes as text: `filter -SM +U0 · local -EP`.
    fn text(&self) -> String {
        let mut commands: Vec<&str> = self.changes.iter().map(|change| change.command.as_str()).collect();
        commands.sort_unstable();
        commands.dedup();
        commands.iter().map(|command| format!("{command} {}", self.words(command))).collect::<Vec<_>>().join(" · ")
    }

    /// Forgets changes in commands sent since the last call.
    fn forget_sent(&mut self, target: &TargetStatus) {
        for sent in target.commands.iter().filter(|command| command.number > self.seen) {
            let words: Vec<&str> = sent.line.split_whitespace().skip(1).collect();
            let is_sent = |change: &Change| sent.name == change.command && words.contains(&change.signed().as_str());
            self.changes.retain(|change| !is_sent(change));
        }
        self.seen = target.commands.last().map_or(self.seen, |last| last.number);
    }
}
