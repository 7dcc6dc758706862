//! The Timeline pane: what every object did over time around the list's cursor row, with one lane per object.

mod draw;
mod lanes;
mod plot;
mod strip;
mod view;

use std::time::{Duration, Instant};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::{
    analysis::{
        objects::ObjectKind,
        timeline::{LaneKey, LaneValue, Painted, TimeWindow, TimelineRecorder},
    },
    trace::list::{Direction, TimelineHistory, Walking},
};

use super::{live, table::TableCursor};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{Model, jump, panes::Pane},
};
use lanes::{Lane, Lanes};
pub(super) use strip::TimelineStrip;
use view::{Fitted, TimelineZoom, View};

const ID: PaneId = PaneId("timeline");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "timeline",
    tab: Some("Time"),
    actions: &[LEFT, RIGHT, HALF_LEFT, HALF_RIGHT, IN, OUT, ALL, CHANGE_NEXT, CHANGE_PREVIOUS],
    hints: &[
        Hint(&[Action::OfPane(ID, IN), Action::OfPane(ID, OUT)], "zoom"),
        Hint(&[Action::OfPane(ID, LEFT), Action::OfPane(ID, RIGHT)], "move"),
        Hint(&[Action::OfPane(ID, CHANGE_PREVIOUS), Action::OfPane(ID, CHANGE_NEXT)], "its changes"),
        Hint(&[Action::OfPane(ID, ALL)], "all"),
        Hint(&[Action::Open], "plot, record"),
    ],
    signs: "│: a change of state; ▒: several changes in one column; \
            ▁▄█: how full it is, or for how much of the column it is on; ─: ready to run; ╱: a loss; \
            ~: uncertain since a loss; ·: nothing known",
};

const LEFT: PaneAction = PaneAction::new("time-left", "a column earlier", "right");
const RIGHT: PaneAction = PaneAction::new("time-right", "a column later", "right");
const HALF_LEFT: PaneAction = PaneAction::new("time-half-left", "half a screen earlier", "right");
const HALF_RIGHT: PaneAction = PaneAction::new("time-half-right", "half a screen later", "right");
const IN: PaneAction = PaneAction::new("time-in", "zoom in", "right");
const OUT: PaneAction = PaneAction::new("time-out", "zoom out", "right");
const ALL: PaneAction = PaneAction::new("time-all", "the whole time", "right");
const CHANGE_NEXT: PaneAction = PaneAction::new("lane-next-change", "the lane's next change", "object-previous");
const CHANGE_PREVIOUS: PaneAction =
    PaneAction::new("lane-previous-change", "the lane's previous change", "object-previous");

/// Lines that are not lanes: the times above, and a description of the lane under the cursor below.
const HEADING: u16 = 1;
const FOOTING: u16 = 1;

#[derive(Debug, Default)]
pub(super) struct TimelinePane {
    /// `None` until the pane is shown.
    history: Option<TimelineHistory>,
    lanes: Lanes,
    view: View,
    cursor: TableCursor,
    /// The lane under the cursor, which stays there when lanes are added.
    chosen: Option<LaneKey>,
    /// Position of the list's cursor row; `None` if not read yet.
    here: Option<u64>,
    /// The painted lanes from the first one on the screen.
    painted: Painted,
    /// What these lanes show at the position of the cursor row, and whether missing records may have changed it.
    shown: Vec<(LaneValue, bool)>,
    made: Option<Made>,
    /// Description of the lane under the cursor.
    words: String,
    painted_at: Option<Instant>,
    /// Shows only the numbers of the lane under the cursor.
    has_plot: bool,
}

/// Minimum interval between updates while rows arrive.
const PAUSE: live::Pause = (Duration::from_millis(200), Duration::from_micros(1));

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Made {
    rows: u64,
    window: TimeWindow,
    top: usize,
    lines: usize,
    /// The lane under the cursor, and its position.
    at: (usize, Option<u64>),
    names: (u64, bool),
}

impl Pane for TimelinePane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        let columns = self.view.window.columns as i64;
        // Effects of keys must be visible at once.
        self.painted_at = None;
        match action {
            Action::OfPane(_, LEFT) => self.step(model, -1),
            Action::OfPane(_, RIGHT) => self.step(model, 1),
            Action::OfPane(_, HALF_LEFT) => self.step(model, -(columns / 2).max(1)),
            Action::OfPane(_, HALF_RIGHT) => self.step(model, (columns / 2).max(1)),
            Action::OfPane(_, IN) => self.view.zoom_in(self.here),
            Action::OfPane(_, OUT) => self.view.zoom_out(self.here, self.span()),
            Action::OfPane(_, ALL) => self.view.zoom = TimelineZoom::All,
            Action::OfPane(_, CHANGE_NEXT) => self.go_to_change(model, Direction::Forward),
            Action::OfPane(_, CHANGE_PREVIOUS) => self.go_to_change(model, Direction::Backward),
            Action::Open => {
                self.has_plot = !self.has_plot && self.lanes.all.get(self.cursor.at).is_some_and(Lane::is_numeric);
                if !self.has_plot {
                    model.panes.show(RECORDS);
                }
            }
            Action::Top => jump::to_top(model),
            Action::Follow => model.list.page.follow = true,
            other => {
                if self.cursor.handle(other, model.screen.front_height()) {
                    self.choose();
                }
            }
        }
    }

    fn leave(&mut self) -> bool {
        std::mem::take(&mut self.has_plot)
    }

    fn replaces_strip(&self) -> bool {
        true
    }

    fn work(&mut self, model: &mut Model) -> bool {
        let is_recent = self.is_recent(model);
        live::read_on(self.history(model), model, is_recent)
    }

    fn line(&self) -> Option<usize> {
        Some(self.cursor.at)
    }

    fn line_texts(&self, _model: &Model) -> Vec<String> {
        self.lanes.all.iter().map(|lane| lane.name.clone()).collect()
    }

    fn go_to_line(&mut self, line: usize) {
        self.cursor.at = line;
        self.choose();
    }

    fn forget_rows(&mut self) {
        // The same width for other rows.
        let view = View { zoom: self.view.zoom, ..View::default() };
        *self = TimelinePane { view, chosen: self.chosen, ..TimelinePane::default() };
    }

    fn memory(&self) -> usize {
        self.recorder().map_or(0, TimelineRecorder::memory)
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        let Some((_, area)) = model.screen.layout.pane else { return };
        self.cursor.click(at, HEADING, model);
        self.choose();
        let first = area.x + lanes::label_width(area.width);
        let column = usize::from(at.x.saturating_sub(first));
        if at.x >= first && column < self.view.window.columns {
            self.go_to(model, self.view.window.start(column));
        }
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        self.history(model);
        let lines = usize::from(height.saturating_sub(HEADING + FOOTING));
        let columns = usize::from(width.saturating_sub(lanes::label_width(width)));
        let is_same = self.made.is_some_and(|made| {
            (made.top, made.lines, made.at.0, made.window.columns) == (self.cursor.top, lines, self.cursor.at, columns)
        });
        // The lanes must match the picture drawn last.
        if is_same && model.list.page.follow && self.is_recent(model) {
            return;
        }
        self.lanes.refresh(self.history.as_ref(), model);
        if let Some(at) = self.chosen.and_then(|chosen| self.lanes.all.iter().position(|lane| lane.key == chosen)) {
            self.cursor.at = at;
        }
        self.cursor.fit(self.lanes.all.len(), lines);
        self.choose();
        let Some(history) = &self.history else { return };
        self.here = history.place(&model.list.rows, model.list.row_here());
        self.view.fit(&Fitted {
            span: history.recorder().span(),
            minute: view::ticks_of(&history.clock(&model.list.rows), view::MINUTE),
            columns,
            here: self.here,
            follows: model.list.page.follow,
        });
        self.refresh(model, lines);
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(self, model, area, buffer);
    }
}

impl TimelinePane {
    /// The timeline of the rows shown, from the first row on.
    fn history(&mut self, model: &Model) -> &mut TimelineHistory {
        let rows = &model.list.rows;
        if self.history.as_ref().is_some_and(|history| !history.is_of(rows)) {
            self.forget_rows();
        }
        self.history.get_or_insert_with(|| TimelineHistory::new(rows))
    }

    /// Whether the picture may still be shown while rows arrive.
    fn is_recent(&self, model: &Model) -> bool {
        live::is_recent(model, self.painted_at, PAUSE, self.painted.looked_at)
    }

    fn recorder(&self) -> Option<&TimelineRecorder> {
        self.history.as_ref().map(TimelineHistory::recorder)
    }

    fn span(&self) -> (u64, u64) {
        self.recorder().map_or((0, 0), TimelineRecorder::span)
    }

    /// Repaints the lanes on the screen if outdated.
    fn refresh(&mut self, model: &Model, lines: usize) {
        let Some(history) = &self.history else { return };
        let recorder = history.recorder();
        let made = Made {
            rows: history.walked(),
            window: self.view.window,
            top: self.cursor.top,
            lines,
            at: (self.cursor.at, self.here),
            names: (model.list.rows.name_changes(), model.list.page.short),
        };
        if self.made == Some(made) {
            return;
        }
        let shown: Vec<u32> = self.lanes.all.iter().skip(self.cursor.top).take(lines).map(|lane| lane.number).collect();
        self.painted = recorder.paint(self.view.window, &shown);
        self.shown = self.here.map_or_else(Vec::new, |here| recorder.at(&shown, here));
        let also = self.shown.get(self.cursor.at.wrapping_sub(self.cursor.top)).and_then(|shown| match shown.0 {
            LaneValue::State(state) => Some(state),
            _ => None,
        });
        self.lanes.name_states(history, model, &self.painted, also);
        self.words = self.describe(history, model);
        self.painted_at = Some(model.now);
        self.made = Some(made);
    }

    /// `machine motor: Motor_fault for 12.3ms; 3 changes in this column`
    fn describe(&self, history: &TimelineHistory, model: &Model) -> String {
        let (Some(lane), Some(here)) = (self.lanes.all.get(self.cursor.at), self.here) else { return String::new() };
        let recorder = history.recorder();
        let line = self.cursor.at.wrapping_sub(self.cursor.top);
        let (shown, is_unsure) = self.shown.get(line).copied().unwrap_or_default();
        let clock = history.clock(&model.list.rows);
        let since = recorder.change_before(lane.number, here.saturating_add(1));
        let lasted = since.map(|since| format!(" for {}", draw::duration(&clock, here.saturating_sub(since))));
        let lasted = lasted.unwrap_or_default();
        let mark = if is_unsure { "~" } else { "" };
        let column = self.view.column(here);
        let drawn = self.painted.lanes.get(line);
        let changes = column.and_then(|column| drawn?.get(column)).map_or(0, |cell| cell.changes);
        let many = if changes > 1 { format!("; {changes} changes in this column") } else { String::new() };
        // The names of cores already say that they are cores.
        let kind = if lane.kind == ObjectKind::Core { String::new() } else { format!("{} ", lane.kind.word()) };
        format!("{kind}{}: {mark}{}{lasted}{many}", lane.full_name(), self.lanes.word(lane, shown))
    }

    fn choose(&mut self) {
        // Beyond the end until the next frame.
        let lane = self.lanes.all.get(self.cursor.at).or(self.lanes.all.last());
        self.has_plot &= lane.is_some_and(Lane::is_numeric);
        self.chosen = lane.map(|lane| lane.key).or(self.chosen);
    }

    /// Moves the list's cursor by columns, or to the next row in this direction.
    fn step(&mut self, model: &mut Model, by: i64) {
        let Some(here) = self.here else { return model.say(NOT_READ) };
        let window = self.view.window;
        let start = self.view.aligned(here);
        let wanted = start.saturating_add_signed(by.saturating_mul(i64::try_from(window.ticks).unwrap_or(i64::MAX)));
        let row = model.list.row_here();
        let Some(history) = &self.history else { return };
        let found = history.row_at(&model.list.rows, wanted);
        let next = match found {
            Some(found) if by > 0 => found.max((row + 1).min(history.walked().saturating_sub(1))),
            // The columns before it are empty: the last row before them.
            Some(found) if found >= row => row.saturating_sub(1),
            Some(found) => match history.place(&model.list.rows, found) {
                Some(place) if place >= start => {
                    let before = history.row_at(&model.list.rows, start);
                    before.map_or(found, |before| before.saturating_sub(1))
                }
                _ => found,
            },
            None => return,
        };
        jump::without_trace(model, next.max(model.list.rows.first_kept()));
    }

    /// Moves the list's cursor to a position.
    fn go_to(&self, model: &mut Model, at: u64) {
        let row = self.history.as_ref().and_then(|history| history.row_at(&model.list.rows, at));
        if let Some(row) = row {
            jump::without_trace(model, row);
        }
    }

    /// Moves the list's cursor to the next or previous change of the lane.
    fn go_to_change(&self, model: &mut Model, direction: Direction) {
        let (Some(lane), Some(here), Some(recorder)) = (self.lanes.all.get(self.cursor.at), self.here, self.recorder())
        else {
            return model.say(NOT_READ);
        };
        let found = match direction {
            Direction::Forward => recorder.change_after(lane.number, here),
            Direction::Backward => recorder.change_before(lane.number, here),
        };
        match found {
            Some(at) => self.go_to(model, at),
            None if direction == Direction::Forward => model.say(format!("{}: no later change", lane.full_name())),
            None => model.say(format!("{}: no earlier change", lane.full_name())),
        }
    }
}

const NOT_READ: &str = "not yet: the records before this one are being read";
