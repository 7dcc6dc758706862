//! The strip: the last seconds of the timeline in every view.

use std::time::Duration;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::{
    analysis::timeline::{Painted, TimeWindow},
    trace::list::Walking,
};

use super::{
    TimelinePane, draw, lanes,
    view::{self, Fitted, TimelineZoom},
};
use crate::{
    input::{Action, PaneId, PaneKeys},
    model::{
        Model,
        panes::{Dock, Pane},
    },
    pane::{below_title, live},
    widget::{Paint, TitleRule},
};

const ID: PaneId = PaneId("strip");

const KEYS: PaneKeys =
    PaneKeys { id: ID, title: "strip of the timeline", tab: None, actions: &[], hints: &[], signs: "" };

/// The time span shown, ns.
const TIME: u128 = 30_000_000_000;
/// If the tick rate is unknown: this part of the whole time.
const PART: u64 = 20;
/// Minimum interval between updates while rows arrive: one or two columns are added in between.
const PAUSE: live::Pause = (Duration::from_millis(500), Duration::ZERO);
/// Maximum number of lanes examined.
const LANES: usize = 64;

#[derive(Debug, Default)]
pub(in crate::pane) struct TimelineStrip {
    /// The pane that it shows a part of.
    pane: TimelinePane,
    /// Indices of the lanes shown, among those examined.
    shown: Vec<usize>,
    /// Input of the picture: rows, window, name changes, lines.
    made: Option<(u64, TimeWindow, u64, u16)>,
}

impl Pane for TimelineStrip {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn dock(&self) -> Dock {
        Dock::Strip
    }

    // It is never in front.
    fn handle(&mut self, _action: Action, _model: &mut Model) {}

    fn work(&mut self, model: &mut Model) -> bool {
        let is_recent = self.is_recent(model);
        live::read_on(self.pane.history(model), model, is_recent)
    }

    fn forget_rows(&mut self) {
        *self = TimelineStrip::default();
    }

    fn memory(&self) -> usize {
        self.pane.memory()
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        let columns = usize::from(width.saturating_sub(lanes::label_width(width)));
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
        let ticks = view::ticks_of(&clock, TIME).unwrap_or(whole / PART).min(whole.saturating_add(1));
        pane.view.zoom = TimelineZoom::Ticks(ticks.div_ceil((columns as u64).max(1)).max(1));
        pane.view.fit(&Fitted {
            span: (first, last),
            minute: None,
            columns,
            here: pane.here,
            follows: model.list.page.follow,
        });
        let made = (history.walked(), pane.view.window, model.list.rows.name_changes(), height);
        if self.made == Some(made) {
            return;
        }
        (self.made, pane.painted_at) = (Some(made), Some(model.now));
        let looked_at: Vec<u32> = pane.lanes.all.iter().take(LANES).map(|lane| lane.number).collect();
        pane.painted = recorder.paint(pane.view.window, &looked_at);
        pane.shown = pane.here.map_or_else(Vec::new, |here| recorder.at(&looked_at, here));
        self.shown = most_lively(&pane.painted, usize::from(height));
        pane.lanes.name_states(history, model, &pane.painted, None);
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        let look = &model.screen.look;
        let right = right(&self.pane, model);
        TitleRule { title: "Timeline", right: &right, look }.render(area, buffer);
        let area = below_title(area);
        let mut paint = Paint::new(buffer, look);
        let lanes = self.shown.iter().filter_map(|lane| lanes::DrawnLane::of(&self.pane, *lane, *lane));
        draw::draw_lanes(&self.pane, lanes, area, &mut paint);
        draw::cursor_column(&self.pane, Rect { height: area.height.min(self.shown.len() as u16), ..area }, &mut paint);
    }
}

impl TimelineStrip {
    /// Whether the present picture may still be shown, as more rows arrive soon.
    fn is_recent(&self, model: &Model) -> bool {
        live::is_live(model) && live::is_recent(model, self.pane.painted_at, PAUSE, 0)
    }
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
    let window = pane.view.window;
    draw::duration(&draw::clock(pane, model), window.ticks.saturating_mul(window.columns as u64))
}
