//! The Sequence pane: messages and states around the cursor row of the list, as a sequence diagram.
//! `around` finds the steps around it.

mod around;
mod draw;

use std::time::{Duration, Instant};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::analysis::lifelines::Lifeline;

use super::{
    live,
    table::{TableCursor, lines_moved},
};
use crate::{
    config::SettingOrigin,
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{
        Model, jump,
        panes::{ActionOffer, Pane},
    },
};
use around::{Around, SequenceLine, StepContent};
use draw::{HEADING, fitting};

const ID: PaneId = PaneId("sequence");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "sequence",
    tab: Some("Seq"),
    actions: &[LEFT, RIGHT, HIDE, ONLY, ALL, TAKEN],
    hints: &[
        Hint(&[Action::Open], "to its record"),
        Hint(&[Action::OfPane(ID, LEFT), Action::OfPane(ID, RIGHT)], "lifelines"),
        Hint(&[Action::OfPane(ID, ONLY)], "only these"),
        Hint(&[Action::OfPane(ID, ALL)], "all"),
        Hint(&[Action::OfPane(ID, TAKEN)], "taken"),
    ],
    signs: "├─►│: a message; ─×: a message that was refused; ┄►: an answer; ×: an event that was ignored; \
            ●: an event that was taken; [busy]: a state that it comes into; ?: whoever no record names; \
            ░ ═: a loss, a reset",
};

const LEFT: PaneAction = PaneAction::new("lifelines-left", "lifelines further left", "right");
const RIGHT: PaneAction = PaneAction::new("lifelines-right", "lifelines further right", "right");
const HIDE: PaneAction = PaneAction::new("hide-lifelines", "hide these lifelines", "only-core");
const ONLY: PaneAction = PaneAction::new("only-lifelines", "only these lifelines", "only-core");
const ALL: PaneAction = PaneAction::new("all-lifelines", "all lifelines", "only-core");
const TAKEN: PaneAction = PaneAction::new("show-taken", "show when events are taken", "only-core");

const LIFELINES: &str = "ui.lifelines";
/// Minimum interval between updates for new rows: a pause, plus some time per row decoded again, so that following
/// takes at most a hundredth of the time.
const PAUSE: live::Pause = (Duration::from_millis(250), Duration::from_micros(25));
/// Distance to the end of the examined rows at which more are examined.
const NEAR: u64 = 512;

/// The surroundings of the cursor, and the cursor.
#[derive(Debug, Default)]
pub(super) struct SequencePane {
    around: Option<Around>,
    cursor: TableCursor,
    /// The list row that the cursor followed last.
    followed: Option<u64>,
    /// The cursor was moved here, so the list's cursor follows.
    moved: bool,
    first: usize,
    /// Also shows when events are taken.
    taken: bool,
    looked: Option<Instant>,
}

impl Pane for SequencePane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        match action {
            Action::OfPane(_, LEFT) => self.first = self.first.saturating_sub(1),
            Action::OfPane(_, RIGHT) => self.first += 1,
            Action::OfPane(_, TAKEN) => self.taken = !self.taken,
            Action::OfPane(_, ALL) => choose(model, ""),
            Action::OfPane(_, ONLY) => self.choose_here(model, true),
            Action::OfPane(_, HIDE) => self.choose_here(model, false),
            Action::Open => self.open(model),
            Action::Top => jump::to_top(model),
            Action::Follow => model.list.page.follow = true,
            other => self.step(other, model),
        }
    }

    fn offer(&self, action: Action, _model: &Model) -> ActionOffer {
        let Action::OfPane(_, ONLY | HIDE) = action else { return ActionOffer::Usual };
        let names: Vec<String> = self.here().into_iter().map(Lifeline::name).collect();
        if names.is_empty() { ActionOffer::Nothing } else { ActionOffer::Words(names.join(", ")) }
    }

    fn forget_rows(&mut self) {
        (self.around, self.followed) = (None, None);
    }

    fn shown(&mut self) {
        // The most used lifeline is first again.
        self.forget_rows();
        self.first = 0;
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        self.cursor.click(at, HEADING, model);
        self.list_follows(model);
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        let lines = usize::from(height.saturating_sub(HEADING));
        self.look(model, lines);
        let (count, lifelines) = self.around.as_ref().map_or((0, 0), |around| (around.lines.len(), around.order.len()));
        self.first = self.first.min(lifelines.saturating_sub(fitting(width, lifelines)));
        self.cursor.fit(count, lines);
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(self, model, area, buffer);
    }
}

impl SequencePane {
    /// Searches the steps around the list's cursor row if the known ones don't suffice, and follows it.
    fn look(&mut self, model: &Model, lines: usize) {
        let row = model.list.page.cursor;
        let wanted = around::StepRequest::of(model, self.taken);
        let is_current = self.around.as_ref().is_some_and(|around| {
            let is_paused = live::is_recent(model, self.looked, PAUSE, around.decoded);
            around.serves(row, &wanted, (lines, is_paused))
        });
        let is_here = std::mem::take(&mut self.moved) || self.followed == Some(row);
        if !is_current {
            let before = self.around.take();
            let order = before.map(Around::lifelines_in_order).unwrap_or_default();
            self.around = Some(Around::of(model, row, wanted, (lines, &order)));
            self.looked = Some(model.now);
        }
        if !is_here || !is_current {
            self.follow(row, lines, is_here);
        }
        self.followed = Some(row);
    }

    /// Moves the cursor to the line of a row. A row that it was on keeps its position on the screen.
    fn follow(&mut self, row: u64, lines: usize, is_here: bool) {
        let above = self.cursor.at.saturating_sub(self.cursor.top);
        self.cursor.at = self.around.as_ref().map_or(0, |around| around.line_at(row));
        let is_shown = (self.cursor.top..self.cursor.top + lines).contains(&self.cursor.at);
        if is_here {
            self.cursor.top = self.cursor.at.saturating_sub(above);
        } else if !is_shown {
            // Leaves room for what follows below.
            self.cursor.top = self.cursor.at.saturating_sub(lines * 2 / 3);
        }
    }

    /// Moves the cursor, and the list's with it. At the end of the known steps, searches for more.
    fn step(&mut self, action: Action, model: &mut Model) {
        let (before, len) = (self.cursor.at, self.cursor.len);
        if !self.cursor.handle(action, model.screen.front_height()) {
            return;
        }
        self.cursor.at = self.cursor.at.min(len.saturating_sub(1));
        if self.cursor.at == before
            && let Some(around) = &self.around
        {
            let down = lines_moved(action, 1).is_some_and(|by| by > 0);
            match around.beyond(model, down) {
                Some(row) => jump::without_trace(model, row),
                None => model.say(if down { "no later step nearby" } else { "no earlier step nearby" }),
            }
            return;
        }
        self.list_follows(model);
    }

    /// The line under the pane's cursor.
    fn line_here(&self) -> Option<&SequenceLine> {
        self.around.as_ref()?.lines.get(self.cursor.at)
    }

    /// Moves the list's cursor to the row of the step under the pane's cursor.
    fn list_follows(&mut self, model: &mut Model) {
        let Some(row) = self.line_here().map(|line| line.row) else { return };
        jump::without_trace(model, row);
        self.moved = true;
    }

    fn open(&mut self, model: &mut Model) {
        let Some(row) = self.line_here().map(|line| line.row) else { return };
        model.panes.show(RECORDS);
        jump::to_row(model, row);
    }

    /// The lifelines of the line under the cursor.
    fn here(&self) -> Vec<&Lifeline> {
        let Some(around) = &self.around else { return Vec::new() };
        let lines = match self.line_here().map(|line| &line.what) {
            Some(StepContent::Message { from, to, .. }) if from == to => vec![*from],
            Some(StepContent::Message { from, to, .. }) => vec![*from, *to],
            Some(StepContent::Mark { on, .. }) => vec![*on],
            _ => Vec::new(),
        };
        lines.into_iter().filter_map(|line| around.lifelines.all.get(line)).collect()
    }

    /// Shows only the lifelines under the cursor, or hides them.
    fn choose_here(&mut self, model: &mut Model, only: bool) {
        let here: Vec<String> = self.here().into_iter().map(Lifeline::name).collect();
        let Some(around) = self.around.as_ref().filter(|_| !here.is_empty()) else {
            return model.say("no lifeline is under the cursor");
        };
        let names = around.order.iter().filter_map(|line| around.lifelines.all.get(*line)).map(Lifeline::name);
        let chosen: Vec<String> = names.filter(|name| here.contains(name) == only).collect();
        if chosen.is_empty() {
            return model.say("no lifeline would be left");
        }
        choose(model, &chosen.join(","));
    }
}

/// Chooses the lifelines by name; empty = all.
fn choose(model: &mut Model, names: &str) {
    match model.settings.config.set(LIFELINES, names, SettingOrigin::Typed) {
        Err(error) => model.fail(error),
        Ok(()) if names.is_empty() => model.say("all lifelines, the most used first"),
        Ok(()) => model.say(format!("only {names}; :set {LIFELINES} changes that")),
    }
}
