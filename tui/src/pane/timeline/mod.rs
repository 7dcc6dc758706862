//! The Timeline pane: what every object did over time around the list's cursor row, with one lane per object;
//! and the strip, the last seconds in every view.

mod draw;

use std::time::{Duration, Instant};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::Widget,
};
use spytui_engine::{
    analysis::{
        objects::ObjectKind,
        timeline::{LaneKey, LaneValue, Painted, TimeWindow, TimelineRecorder},
    },
    present::Clock,
    trace::list::{Direction, TimelineHistory, Walking},
};

use super::live::{self, TableCursor};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{
        Model, jump,
        panes::{Dock, Pane},
    },
    widget::{Paint, TitleRule},
};
use draw::Lanes;

const ID: PaneId = PaneId("timeline");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "timeline",
    tab: Some("Time"),
    actions: &[LEFT, RIGHT, HALF_LEFT, HALF_RIGHT, IN, OUT, ALL, CHANGE_NEXT, CHANGE_PREVIOUS],
    hints: &[
        Hint(&[Action::OfPane(ID, IN), Action::OfPane(ID, OUT)], "zoom"),
        Hint(&[Action::OfPane(ID, LEFT), Action::OfPane(ID, RIGHT)], "move"),
        Hint(&[Action::OfPane(ID, CHANGE_PREVIOUS), Action::OfPane(ID, CHANGE_NEXT)], "the lane's changes"),
        Hint(&[Action::OfPane(ID, ALL)], "all"),
        Hint(&[Action::Open], "to its record"),
    ],
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
    made: Option<Made>,
    /// Description of the lane under the cursor.
    words: String,
    painted_at: Option<Instant>,
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
            Action::OfPane(_, ALL) => self.view.zoom = None,
            Action::OfPane(_, CHANGE_NEXT) => self.go_to_change(model, Direction::Forward),
            Action::OfPane(_, CHANGE_PREVIOUS) => self.go_to_change(model, Direction::Backward),
            Action::Open => model.panes.show(RECORDS),
            Action::Top => jump::to_top(model),
            Action::Follow => model.list.page.end(),
            other => {
                if self.cursor.handle(other, model.screen.front_height()) {
                    self.choose();
                }
            }
        }
    }

    fn replaces_strip(&self) -> bool {
        true
    }

    fn work(&mut self, model: &Model) -> bool {
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
        let first = area.x + draw::label_width(area.width);
        let column = usize::from(at.x.saturating_sub(first));
        if at.x >= first && column < self.view.window.columns {
            self.go_to(model, self.view.window.start(column));
        }
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        self.history(model);
        let lines = usize::from(height.saturating_sub(HEADING + FOOTING));
        let columns = usize::from(width.saturating_sub(draw::label_width(width)));
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
        self.view.fit(history.recorder().span(), columns, self.here, model.list.page.follow);
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
        let here = self.lanes.all.get(self.cursor.at).zip(self.here);
        let also = here.and_then(|(lane, here)| match recorder.at(lane.number, here).0 {
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
        let (shown, is_unsure) = recorder.at(lane.number, here);
        let clock = history.clock(&model.list.rows);
        let since = recorder.change_before(lane.number, here.saturating_add(1));
        let unit = if clock.shows_seconds() { "" } else { " ticks" };
        let lasted = since.map(|since| clock.delta_text(since, here));
        let lasted = lasted.map_or_else(String::new, |text| format!(" for {}{unit}", text.trim_start_matches('+')));
        let mark = if is_unsure { "~" } else { "" };
        let column = self.view.column(here);
        let drawn = self.painted.lanes.get(self.cursor.at.wrapping_sub(self.cursor.top));
        let changes = column.and_then(|column| drawn?.get(column)).map_or(0, |cell| cell.changes);
        let many = if changes > 1 { format!("; {changes} changes in this column") } else { String::new() };
        // The names of cores already say that they are cores.
        let kind = if lane.kind == ObjectKind::Core { String::new() } else { format!("{} ", lane.kind.word()) };
        format!("{kind}{}: {mark}{}{lasted}{many}", lane.full_name(), self.lanes.word(lane, shown))
    }

    fn choose(&mut self) {
        // Beyond the end until the next frame.
        let lane = self.lanes.all.get(self.cursor.at).or(self.lanes.all.last());
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

#[derive(Debug)]
struct View {
    window: TimeWindow,
    /// Ticks per column; `None` = show everything.
    zoom: Option<u64>,
}

impl Default for View {
    fn default() -> View {
        View { window: TimeWindow { begin: 0, ticks: 1, columns: 0 }, zoom: None }
    }
}

/// The next of 1, 2, 5, 10, 20 … from a number on.
fn round_up(ticks: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for step in [1, 2, 5] {
            let round = power.saturating_mul(step);
            if round >= ticks || round == u64::MAX {
                return round;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// The greatest round number below `ticks`.
fn round_below(ticks: u64) -> u64 {
    let mut below = 1;
    let mut next = 2;
    while next < ticks {
        (below, next) = (next, round_up(next + 1));
    }
    below
}

impl View {
    /// Fits the window into this many columns, including the cursor.
    fn fit(&mut self, span: (u64, u64), columns: usize, here: Option<u64>, follows: bool) {
        let all = all_ticks(span, columns);
        let ticks = self.zoom.unwrap_or(all).max(1);
        let begin = if self.zoom.is_none() { span.0 } else { self.window.begin.max(span.0) };
        self.window = TimeWindow { begin, ticks, columns };
        self.window.begin = self.aligned_from(begin, span.0);
        let Some(here) = here.filter(|_| columns > 0) else { return };
        if here < self.window.begin || here >= self.window.end() {
            // While rows arrive, most of the window is before the newest one, so that lanes need not move with each
            // row.
            let before = if follows { columns * 7 / 8 } else { columns / 2 };
            self.put(here, before, span.0);
        }
    }

    /// Moves the window so that a position is in a column.
    fn put(&mut self, here: u64, column: usize, first: u64) {
        let begin = here.saturating_sub(self.window.ticks.saturating_mul(column as u64)).max(first);
        self.window.begin = self.aligned_from(begin, first);
    }

    /// Column boundaries are fixed, however the window moves.
    fn aligned_from(&self, at: u64, first: u64) -> u64 {
        at - at.saturating_sub(first) % self.window.ticks
    }

    /// Start of the column of a position.
    fn aligned(&self, at: u64) -> u64 {
        let (begin, ticks) = (self.window.begin, self.window.ticks);
        if at >= begin { at - (at - begin) % ticks } else { begin.saturating_sub((begin - at).div_ceil(ticks) * ticks) }
    }

    fn column(&self, at: u64) -> Option<usize> {
        (at >= self.window.begin && at < self.window.end()).then(|| self.window.column(at))
    }

    /// Zooms in, keeping the position under the cursor.
    fn zoom_in(&mut self, here: Option<u64>) {
        self.zoom_to(round_below(self.window.ticks), here);
    }

    /// Zooms out, up to everything.
    fn zoom_out(&mut self, here: Option<u64>, span: (u64, u64)) {
        let ticks = round_up(self.window.ticks.saturating_add(1));
        if ticks >= all_ticks(span, self.window.columns) {
            self.zoom = None;
            return;
        }
        self.zoom_to(ticks, here);
    }

    fn zoom_to(&mut self, ticks: u64, here: Option<u64>) {
        let here = here.filter(|here| self.column(*here).is_some());
        let middle = self.window.start(self.window.columns / 2);
        let fixed = here.unwrap_or(middle);
        let column = self.window.column(fixed);
        (self.zoom, self.window.ticks) = (Some(ticks), ticks);
        self.window.begin = fixed.saturating_sub(ticks.saturating_mul(column as u64));
    }
}

/// Ticks per column, so that everything fits with little room left.
fn all_ticks(span: (u64, u64), columns: usize) -> u64 {
    let least = (span.1 - span.0.min(span.1)) / (columns as u64).max(1) + 1;
    let mut power = 1_u64;
    while power.saturating_mul(100) < least {
        power = power.saturating_mul(10);
    }
    let steps = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100];
    steps.map(|step| power.saturating_mul(step)).into_iter().find(|ticks| *ticks >= least).unwrap_or(u64::MAX)
}

const STRIP_ID: PaneId = PaneId("strip");

const STRIP_KEYS: PaneKeys =
    PaneKeys { id: STRIP_ID, title: "strip of the timeline", tab: None, actions: &[], hints: &[] };

/// The time span shown, ns.
const TIME: u128 = 30_000_000_000;
/// If the tick rate is unknown: this part of the whole time.
const PART: u64 = 20;
/// Minimum interval between updates while rows arrive: one or two columns are added in between.
const STRIP_PAUSE: live::Pause = (Duration::from_millis(500), Duration::ZERO);
/// Maximum number of lanes examined.
const LANES: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct TimelineStrip {
    /// The pane that it shows a part of.
    pane: TimelinePane,
    /// Indices of the lanes shown, among those examined.
    shown: Vec<usize>,
    /// Input of the picture: rows, window, name changes, lines.
    made: Option<(u64, TimeWindow, u64, u16)>,
}

impl Pane for TimelineStrip {
    fn keys(&self) -> &'static PaneKeys {
        &STRIP_KEYS
    }

    fn dock(&self) -> Dock {
        Dock::Strip
    }

    // It is never in front.
    fn handle(&mut self, _action: Action, _model: &mut Model) {}

    fn work(&mut self, model: &Model) -> bool {
        let is_recent = self.is_recent(model);
        live::read_on(self.pane.history(model), model, is_recent)
    }

    fn forget_rows(&mut self) {
        *self = TimelineStrip::default();
    }

    fn memory(&self) -> usize {
        self.pane.memory()
    }

    fn click(&mut self, _at: Position, _model: &mut Model) {}

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        let columns = usize::from(width.saturating_sub(draw::label_width(width)));
        let is_recent = self.is_recent(model);
        let pane = &mut self.pane;
        pane.history(model);
        // The lanes must match the picture drawn last.
        if is_recent && self.made.is_some_and(|made| (made.1.columns, made.3) == (columns, height)) {
            return;
        }
        pane.lanes.refresh(pane.history.as_ref(), model);
        let Some(history) = &pane.history else { return };
        let recorder = history.recorder();
        pane.here = history.place(&model.list.rows, model.list.row_here());
        let (first, last) = recorder.span();
        let clock = history.clock(&model.list.rows);
        let whole = last.saturating_sub(first);
        let ticks = ticks_of(&clock).unwrap_or(whole / PART).min(whole.saturating_add(1));
        pane.view.zoom = Some(ticks.div_ceil((columns as u64).max(1)).max(1));
        pane.view.fit((first, last), columns, pane.here, model.list.page.follow);
        let made = (history.walked(), pane.view.window, model.list.rows.name_changes(), height);
        if self.made == Some(made) {
            return;
        }
        (self.made, pane.painted_at) = (Some(made), Some(model.now));
        let looked_at: Vec<u32> = pane.lanes.all.iter().take(LANES).map(|lane| lane.number).collect();
        pane.painted = recorder.paint(pane.view.window, &looked_at);
        self.shown = most_lively(&pane.painted, usize::from(height));
        pane.lanes.name_states(history, model, &pane.painted, None);
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        let look = &model.screen.look;
        let right = right(&self.pane, model);
        TitleRule { title: "Timeline", right: &right, look }.render(area, buffer);
        let area = super::below_title(area);
        let mut paint = Paint::new(buffer, look);
        let lanes = self.shown.iter().filter_map(|lane| {
            let cells = self.pane.painted.lanes.get(*lane)?;
            Some((self.pane.lanes.all.get(*lane)?, cells))
        });
        draw::draw_lanes(&self.pane, lanes, area, &mut paint);
        draw::cursor_column(&self.pane, Rect { height: area.height.min(self.shown.len() as u16), ..area }, &mut paint);
    }
}

impl TimelineStrip {
    /// Whether the present picture may still be shown, as more rows arrive soon.
    fn is_recent(&self, model: &Model) -> bool {
        live::is_live(model) && live::is_recent(model, self.pane.painted_at, STRIP_PAUSE, 0)
    }
}

/// Ticks of the time span; `None` if the tick rate is unknown.
fn ticks_of(clock: &Clock) -> Option<u64> {
    const MANY: u64 = 1_000_000;
    let ns = clock.ns(MANY).filter(|ns| *ns > 0)?;
    u64::try_from(TIME * u128::from(MANY) / u128::from(ns)).ok()
}

/// First the lanes that change in the window, then others.
fn most_lively(painted: &Painted, count: usize) -> Vec<usize> {
    let changes = |lane: &usize| painted.lanes.get(*lane).is_some_and(|cells| cells.iter().any(|c| c.changes > 0));
    let all = 0..painted.lanes.len();
    let lively = all.clone().filter(|lane| changes(lane));
    let mut shown: Vec<usize> = lively.chain(all.filter(|lane| !changes(lane))).take(count).collect();
    shown.sort_unstable();
    shown
}

/// `500ms a column`
fn right(pane: &TimelinePane, model: &Model) -> String {
    if let Some(percent) = draw::reading(pane, model) {
        return format!("reading {percent} %");
    }
    let clock = draw::clock(pane, model);
    let text = clock.delta_text(0, pane.view.window.ticks.saturating_mul(pane.view.window.columns as u64));
    let unit = if clock.shows_seconds() { "" } else { " ticks" };
    format!("{}{unit}", text.trim_start_matches('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_take_round_times() {
        assert_eq!([1, 2, 3, 6, 11, 5000, 5001].map(round_up), [1, 2, 5, 10, 20, 5000, 10_000]);
        assert_eq!([1, 2, 3, 5, 6, 10, 5000, 5001].map(round_below), [1, 1, 2, 2, 5, 5, 2000, 5000]);
        assert_eq!((round_up(u64::MAX), round_below(1)), (u64::MAX, 1));
    }

    #[test]
    fn zooming_keeps_what_is_under_the_cursor() {
        let (span, here) = ((1_000, 101_000), Some(61_234));
        let mut view = View::default();
        view.fit(span, 50, here, false);
        assert_eq!(view.window, TimeWindow { begin: 1_000, ticks: 2_500, columns: 50 });
        let column = view.column(61_234).unwrap();
        for ticks in [2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1, 1] {
            view.zoom_in(here);
            view.fit(span, 50, here, false);
            assert_eq!(view.window.ticks, ticks);
            assert!(view.column(61_234).unwrap().abs_diff(column) <= 1, "{ticks}: {:?}", view.window);
        }
        for _ in 0..12 {
            view.zoom_out(here, span);
            view.fit(span, 50, here, false);
        }
        assert_eq!((view.window.begin, view.window.ticks), (1_000, 2_500));
    }

    #[test]
    fn the_cursor_is_in_the_window() {
        let mut view = View::default();
        view.fit((0, 100_000), 100, Some(0), false);
        view.zoom_in(Some(0));
        for (here, follows) in [(99_000, true), (98_000, true), (10, false), (50_000, false), (0, false)] {
            view.fit((0, 100_000), 100, Some(here), follows);
            assert!(view.column(here).is_some(), "{here}: {:?}", view.window);
            assert_eq!(view.window.begin % view.window.ticks, 0);
        }
        // Fewer columns, or none.
        view.fit((0, 100_000), 3, Some(77_000), false);
        assert!(view.column(77_000).is_some());
        view.fit((0, 100_000), 0, Some(77_000), false);
    }
}
