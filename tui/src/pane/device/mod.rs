//! The Target pane: what the target reported of itself, its filter as a tree of switches, the latest commands. Changes are
//! staged here and filled into the command line; no key sends anything.

mod commands;
mod draw;
mod facts;
mod folds;
mod line;
mod offers;
mod staged;
mod tree;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use self::{
    commands::CommandLines,
    folds::Folds,
    line::{Line, Place},
    staged::Staged,
};
use super::table::TableCursor;
use crate::{
    input::{Action, Hint, PaneAction, PaneKeys, PromptKind, TARGET},
    model::{Model, panes::Pane},
};

const KEYS: PaneKeys = PaneKeys {
    id: TARGET,
    title: "target",
    tab: Some("Tgt"),
    actions: &[
        PaneAction { name: STAGE, doc: "stage a change of this switch", listed_after: "only-core" },
        PaneAction { name: UNSTAGE, doc: "take all staged changes back", listed_after: "only-core" },
        PaneAction { name: UNFOLD, doc: "what is in this group", listed_after: "only-core" },
        PaneAction { name: FOLD, doc: "the group alone", listed_after: "only-core" },
    ],
    hints: &[
        Hint(&[Action::OfPane(TARGET, STAGE)], "stages a change"),
        Hint(&[Action::Open], "into the command line"),
        Hint(&[Action::Advise], "advice"),
    ],
};

const STAGE: &str = "stage";
const UNSTAGE: &str = "unstage";
const UNFOLD: &str = "unfold-group";
const FOLD: &str = "fold-group";

/// Its lines, the cursor, and what is staged.
#[derive(Debug, Default)]
pub(super) struct TargetPane {
    /// The source, and the decoder that its switches are of.
    of: (usize, String),
    lines: Vec<Line>,
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
            Action::OfPane(_, UNSTAGE) => self.staged.clear(),
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
        self.lines.iter().map(Line::text).collect()
    }

    fn go_to_line(&mut self, line: usize) {
        self.cursor.at = line;
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        self.cursor.click(at, 0, model);
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        let source = model.links.first();
        let of = (model.links.scope[0], source.decoding().decoder.info.id.to_string());
        if self.of != of {
            *self = TargetPane { of, ..TargetPane::default() };
        }
        let here = self.place();
        self.staged.forget_sent(&source.status.target);
        self.lines = tree::lines(model, &mut self.folds, &self.staged);
        self.commands = CommandLines::new(model, width, height);
        // Lines above may come and go.
        let moved = here.and_then(|here| self.lines.iter().position(|line| line.place() == Some(here)));
        self.cursor.at = moved.unwrap_or(self.cursor.at);
        self.cursor.fit(self.lines.len(), usize::from(height).saturating_sub(self.commands.height(&self.staged)));
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(self, model, area, buffer);
    }
}

impl TargetPane {
    /// What the line under the cursor switches.
    fn place(&self) -> Option<Place> {
        self.lines.get(self.cursor.at).and_then(Line::place)
    }

    /// Stages the next change of the switch under the cursor.
    fn stage(&mut self, model: &mut Model) {
        match self.lines.get(self.cursor.at) {
            Some(Line::Switch(line)) if line.changes.is_empty() => model.say("the target always sends this"),
            Some(Line::Switch(line)) => self.staged.turn(line),
            _ => model.say("a switch has [ ]: j and k go there"),
        }
    }

    fn fold(&mut self, close: bool) {
        let Some(place) = self.place() else { return };
        if !close {
            return self.folds.open(place);
        }
        let parent = self.folds.close(place);
        self.cursor.at = self.lines.iter().position(|line| line.place() == Some(parent)).unwrap_or(self.cursor.at);
    }

    /// Fills the command line: with what is staged, otherwise with what the line under the cursor offers.
    fn open(&mut self, model: &mut Model) {
        let line = self.lines.get(self.cursor.at);
        // Where there is no switch, Enter is for the offer, wherever that stands.
        let offer = match line {
            Some(Line::Switch(_)) => None,
            other => other.and_then(Line::offer).or_else(|| self.lines.iter().find_map(Line::offer)),
        };
        let staged = self.staged.line(self.place().map(|place| place.command));
        match offer.or(staged).or_else(|| line.and_then(Line::change)) {
            Some(text) => _ = model.prompt.open(PromptKind::Command, &text),
            None => {
                if let Some(place) = self.place() {
                    self.folds.turn(place);
                }
            }
        }
    }
}
