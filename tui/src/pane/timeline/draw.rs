//! Draws the pane: the cells of each lane, and their surroundings.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::{
    analysis::timeline::{Cell, LaneValue, Painted},
    present::Clock,
    trace::list::Walking,
};
use spytui_plugin_api::Row;

use super::{
    FOOTING, HEADING, ID, TimelinePane,
    lanes::{DrawnLane, Lane, LaneScale, Lanes, StateMeaning, label_width},
    plot,
};
use crate::{
    model::{Model, line_search},
    pane::{
        below_title,
        live::{highlight, percent_read},
    },
    term::{Role, cut_apart, width, wrap},
    widget::{Paint, TitleRule},
};

/// Columns between times.
const TIMES: usize = 10;

pub(super) fn draw(pane: &TimelinePane, model: &Model, area: Rect, buffer: &mut Buffer) {
    let look = &model.screen.look;
    let line = pane.cursor.at.wrapping_sub(pane.cursor.top);
    let plotted = DrawnLane::of(pane, pane.cursor.at, line).filter(|_| pane.has_plot);
    let name = plotted.as_ref().map(|DrawnLane { lane, level, .. }| {
        let unit = if lane.unit.is_empty() { String::new() } else { format!(" in {}", lane.unit) };
        format!(" · {}{unit}{level}", lane.full_name())
    });
    let title = format!("Timeline{}{}", name.unwrap_or_default(), line_search::title(model, ID));
    let room = TitleRule::room(area.width.into(), &title);
    TitleRule { title: &title, right: &right(pane, model, room), look }.render(area, buffer);
    let area = below_title(area);
    let mut paint = Paint::new(buffer, look);
    if pane.lanes.all.is_empty() {
        let why = why_empty(pane, model);
        let lines = wrap(&why, area.width.saturating_sub(2).into());
        for (line, y) in lines.into_iter().zip(area.y..area.bottom()) {
            paint.text(area.x + 1, y, area.width.saturating_sub(2), line, Role::Help);
        }
        return;
    }
    let label = label_width(area.width);
    let first = area.x + label;
    ruler(pane, model, (first, area.y), &mut paint);
    let lanes = Rect { y: area.y + HEADING, height: area.height.saturating_sub(HEADING + FOOTING), ..area };
    if let Some(plotted) = plotted {
        plot::draw(&plotted, &hatched(&pane.painted), lanes, look, buffer);
        let mut paint = Paint::new(buffer, look);
        cursor_column(pane, Rect { height: HEADING + lanes.height, ..area }, &mut paint);
        foot(pane, area, &mut paint);
        return;
    }
    let shown = (0..pane.painted.lanes.len()).filter_map(|line| DrawnLane::of(pane, pane.cursor.top + line, line));
    draw_lanes(pane, shown, lanes, &mut paint);
    highlight(model, ID, Rect { width: label, ..lanes }, &mut paint);
    cursor(pane, model, (area, lanes), &mut paint);
    foot(pane, area, &mut paint);
}

fn foot(pane: &TimelinePane, area: Rect, paint: &mut Paint<'_>) {
    let foot = area.bottom().saturating_sub(FOOTING);
    if foot > area.y {
        paint.text(area.x + 1, foot, area.width.saturating_sub(1), &pane.words, Role::Plain);
    }
}

pub(super) fn draw_lanes<'l>(
    pane: &TimelinePane,
    shown: impl Iterator<Item = DrawnLane<'l>>,
    area: Rect,
    paint: &mut Paint<'_>,
) {
    let label = label_width(area.width);
    let room = usize::from(label.saturating_sub(2));
    let hatched = hatched(&pane.painted);
    // Nothing is known after the newest row.
    let known = pane.view.window.column(pane.span().1).saturating_add(1);
    let shown: Vec<DrawnLane<'_>> = shown.take(area.height.into()).collect();
    let mut above = None;
    let names: Vec<String> = shown
        .iter()
        .map(|DrawnLane { lane, .. }| {
            let is_below = above.replace(lane.below) == Some(lane.below);
            if is_below { lane.label() } else { lane.full_name() }
        })
        .collect();
    let rooms = shown.iter().map(|shown| room.saturating_sub(width(&shown.level)));
    let names = cut_apart(names.iter().map(String::as_str).zip(rooms), paint.glyphs().ellipsis());
    for ((DrawnLane { lane, cells, level }, name), y) in shown.iter().zip(names).zip(area.y..area.bottom()) {
        let end = paint.object(area.x + 1, y, room as u16, &lane.name, &name);
        paint.text(end, y, (area.x + label).saturating_sub(end), level, Role::Number);
        let mut drawn = lane_cells(lane, cells, pane.view.window.ticks, &pane.lanes);
        for (cell, _) in drawn.iter_mut().zip(&hatched).filter(|(_, is_hatched)| **is_hatched) {
            *cell = HATCH;
        }
        drawn.truncate(known);
        row(&drawn, (area.x + label, y), paint);
    }
}

const HATCH: DrawnCell = ('╱', Role::Loss);

/// Draws cells; neighbours often have the same role.
fn row(drawn: &[DrawnCell], (x, y): (u16, u16), paint: &mut Paint<'_>) {
    let mut x = x;
    for same in drawn.chunk_by(|a, b| a.1 == b.1) {
        let role = same.first().map_or(Role::Plain, |cell| cell.1);
        x = paint.cells(x, y, same.iter().map(|cell| cell.0), role);
    }
}

/// The hatched columns: those that are mostly missing. Few short losses are hatched, too; many would hide everything.
fn hatched(painted: &Painted) -> Vec<bool> {
    let few = painted.lost.iter().flatten().count() * 8 <= painted.lost.len();
    painted.lost.iter().map(|lost| lost.is_some_and(|lost| few || lost > painted.ticks / 2)).collect()
}

/// The times of the columns, relative to the first one; losses are marked. A time that a mark would cut is omitted.
fn ruler(pane: &TimelinePane, model: &Model, (x, y): (u16, u16), paint: &mut Paint<'_>) {
    let window = pane.view.window;
    let clock = clock(pane, model);
    for column in (0..window.columns).step_by(TIMES) {
        let text = clock.delta_text(0, window.ticks.saturating_mul(column as u64));
        let text = if column == 0 { "0".to_owned() } else { text };
        let room = (window.columns - column).min(TIMES - 1);
        let is_marked = pane.painted.lost.iter().skip(column).take(text.len()).any(Option::is_some);
        if text.len() <= room && !is_marked {
            paint.text(x + column as u16, y, room as u16, &text, Role::Help);
        }
    }
    for (column, _) in pane.painted.lost.iter().enumerate().filter(|(_, lost)| lost.is_some()) {
        row(&[HATCH], (x + column as u16, y), paint);
    }
}

pub(super) fn clock(pane: &TimelinePane, model: &Model) -> Clock {
    pane.history.as_ref().map_or_else(|| model.list.rows.clock(), |history| history.clock(&model.list.rows))
}

/// Draws the lane under the cursor, and the column of the cursor row through all lanes.
fn cursor(pane: &TimelinePane, model: &Model, (area, lanes): (Rect, Rect), paint: &mut Paint<'_>) {
    let label = label_width(area.width);
    let line = pane.cursor.at.saturating_sub(pane.cursor.top) as u16;
    if model.panes.front() == ID && line < lanes.height {
        paint.cursor_line(lanes.x, lanes.y + line, label.saturating_sub(1));
    }
    let last = lanes.y + (pane.painted.lanes.len() as u16).min(lanes.height);
    cursor_column(pane, Rect { height: last - area.y, ..area }, paint);
}

pub(super) fn cursor_column(pane: &TimelinePane, area: Rect, paint: &mut Paint<'_>) {
    let Some(column) = pane.here.and_then(|here| pane.view.column(here)) else { return };
    for y in area.y..area.bottom() {
        paint.reverse(area.x + label_width(area.width) + column as u16, y, 1);
    }
}

/// `2.00ms a column · lanes 1-17 of 23 · #744 · at 329 191 177`, as far as it fits.
fn right(pane: &TimelinePane, model: &Model, room: usize) -> String {
    let rows = &model.list.rows;
    let clock = clock(pane, model);
    let mut parts = Vec::new();
    if let Some(percent) = reading(pane, model) {
        parts.push(format!("reading {percent} %"));
    }
    let row = model.list.row_here();
    let number = rows.number(row).unwrap_or_default();
    let time = rows.row(row).filter(Row::has_time).map(|row| rows.clock().time_text(row.time));
    if !pane.lanes.all.is_empty() {
        parts.push(format!("{} a column", duration(&clock, pane.view.window.ticks)));
        let (top, shown, all) = (pane.cursor.top, pane.painted.lanes.len(), pane.lanes.all.len());
        if shown < all {
            parts.push(format!("lanes {}-{} of {all}", top + 1, top + shown));
        }
        if pane.painted.coarse {
            parts.push("sums only".to_owned());
        }
    }
    if !number.is_empty() {
        parts.push(number);
    }
    parts.extend(time.map(|time| format!("at {}", time.trim_start())));
    while parts.len() > 1 && parts.join(" · ").chars().count() > room {
        parts.pop();
    }
    parts.join(" · ")
}

/// `2.00ms`, or `12 ticks` if times are not shown in seconds.
pub(super) fn duration(clock: &Clock, ticks: u64) -> String {
    let unit = if clock.shows_seconds() { "" } else { " ticks" };
    format!("{}{unit}", clock.delta_text(0, ticks).trim_start_matches('+'))
}

/// Percentage read, if much is missing.
pub(super) fn reading(pane: &TimelinePane, model: &Model) -> Option<u64> {
    percent_read(model, pane.history.as_ref()?.walked())
}

fn why_empty(pane: &TimelinePane, model: &Model) -> String {
    let failure = pane.history.as_ref().and_then(|history| history.failure());
    match (failure, reading(pane, model)) {
        (Some(failure), _) => format!("what the objects did can't be found: {failure}"),
        (_, Some(percent)) => format!("reading the records: {percent} %"),
        _ if model.list.rows.is_empty() => "no records yet".to_owned(),
        _ => {
            "Timeline needs states, tasks, interrupts, levels or values. No record so far has any of them; the target \
              may leave them out: :target filter."
                .to_owned()
        }
    }
}

type DrawnCell = (char, Role);

const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const UNKNOWN: DrawnCell = ('·', Role::Help);
/// A state changes more than once.
const BUSY: char = '▒';

/// The cells of a lane; `ticks` = per column.
fn lane_cells(lane: &Lane, cells: &[Cell], ticks: u64, lanes: &Lanes) -> Vec<DrawnCell> {
    let is_named = |state: &(u32, u64)| lanes.state(state.0).is_some_and(|state| state.0 == StateMeaning::Named);
    if cells.iter().any(|cell| cell.range.is_some()) {
        numbers(lane, cells)
    } else if cells.iter().flat_map(|cell| &cell.states).any(is_named) {
        names(lane, cells, lanes)
    } else {
        cells.iter().map(|cell| bar(cell, ticks, lanes)).collect()
    }
}

fn role(cell: &Cell, role: Role) -> Role {
    if cell.unsure { Role::Unsure } else { role }
}

/// Share of the column in which something runs, or is ready.
fn bar(cell: &Cell, ticks: u64, lanes: &Lanes) -> DrawnCell {
    if cell.is_blank() {
        return UNKNOWN;
    }
    let with = |meaning| {
        let has = |state: &&(u32, u64)| lanes.state(state.0).is_some_and(|state| state.0 == meaning);
        let mut states = cell.states.iter().filter(has).map(|state| state.1).peekable();
        states.peek().is_some().then_some(()).map(|()| states.sum::<u64>())
    };
    if let Some(on) = with(StateMeaning::On) {
        let eighth = u128::from(on) * 8 / u128::from(ticks.max(1));
        return (
            EIGHTHS[usize::try_from(eighth).map_or(7, |eighth| eighth.saturating_sub(1).min(7))],
            role(cell, Role::Running),
        );
    }
    let (sign, certain) = match (with(StateMeaning::Ready), with(StateMeaning::Blocked)) {
        (Some(_), _) => ('─', Role::Ready),
        (None, Some(_)) => ('╌', Role::Blocked),
        (None, None) => (' ', Role::Plain),
    };
    (if cell.unsure { '~' } else { sign }, role(cell, certain))
}

/// A line of small bars. Each column shows its greatest number, or its fullest level.
fn numbers(lane: &Lane, cells: &[Cell]) -> Vec<DrawnCell> {
    let scale = LaneScale::of(lane, cells);
    let height = |number: f64| match (number - scale.least) / (scale.most - scale.least) {
        // Nothing finite, or only one number was shown.
        share if share.is_nan() => 0,
        share => (share * 7.0).ceil().clamp(0.0, 7.0) as usize,
    };
    let draw = |cell: &Cell| match scale.range(cell) {
        Some((_, high)) => (EIGHTHS[height(high)], role(cell, Role::Number)),
        None => UNKNOWN,
    };
    cells.iter().map(draw).collect()
}

/// States by name: a line at each change, followed by the name.
fn names(lane: &Lane, cells: &[Cell], lanes: &Lanes) -> Vec<DrawnCell> {
    let mut drawn = Vec::with_capacity(cells.len());
    while drawn.len() < cells.len() {
        let at = drawn.len();
        let Some(cell) = cells.get(at) else { break };
        if cell.is_blank() {
            drawn.push(UNKNOWN);
        } else if cell.changes > 1 {
            drawn.push((BUSY, role(cell, Role::State)));
        } else {
            let long = cells[at + 1..].iter().take_while(|next| next.changes == 0 && !next.is_blank()).count() + 1;
            stretch(&cells[at..at + long], |state| lanes.state_of(lane, state), &mut drawn);
        }
    }
    drawn
}

fn stretch<'l>(cells: &[Cell], word_of: impl Fn(u32) -> &'l str, drawn: &mut Vec<DrawnCell>) {
    let begins = cells.first().is_some_and(|cell| cell.changes > 0);
    let shown = cells.first().map(|cell| cell.last);
    let word = match shown {
        Some(LaneValue::State(state)) => word_of(state),
        _ => "",
    };
    let room = cells.len() - usize::from(begins);
    // Wide characters would exceed their columns.
    let fits = width(word) == word.chars().count() && room > 2;
    let mut letters = word.chars().take(if fits { room } else { 0 });
    for (column, cell) in cells.iter().enumerate() {
        if column == 0 && begins {
            drawn.push(('│', role(cell, Role::Plain)));
            continue;
        }
        let line = if cell.unsure { '~' } else { '─' };
        drawn.push(match letters.next() {
            Some(letter) => (letter, role(cell, Role::State)),
            None => (line, role(cell, Role::Help)),
        });
    }
}

#[cfg(test)]
mod tests {
    use spytui_engine::analysis::{Key, objects::ObjectKind, timeline::LaneKey};

    use super::*;

    fn drawn(is_level: bool, counts_free: bool, ranges: &[Option<(f64, f64)>]) -> String {
        drawn_of(is_level, counts_free, None, ranges)
    }

    fn drawn_of(is_level: bool, counts_free: bool, capacity: Option<u64>, ranges: &[Option<(f64, f64)>]) -> String {
        let key = LaneKey { object: Key { space: 16, key: 1, scope: 0 }, is_level };
        let lane = Lane {
            number: 0,
            key,
            name: String::new(),
            below: key.object,
            is_second: false,
            kind: ObjectKind::Queue,
            counts_free,
            capacity,
            unit: String::new(),
        };
        let cells: Vec<Cell> = ranges.iter().map(|range| Cell { range: *range, ..Cell::default() }).collect();
        numbers(&lane, &cells).into_iter().map(|cell| cell.0).collect()
    }

    #[test]
    fn values_lie_between_the_least_and_the_greatest() {
        let value = |number: f64| Some((number, number));
        assert_eq!(drawn(false, false, &[value(-4.0), None, value(10.0), Some((-4.0, 3.0))]), "▁·█▅");
        assert_eq!(drawn(false, false, &[value(5.0), value(5.0)]), "▁▁");
    }

    #[test]
    fn levels_show_how_full_something_is() {
        let level = |number: f64| Some((number, number));
        // The most free elements seen of a pool are its capacity.
        assert_eq!(drawn(true, true, &[level(4.0), level(0.0), Some((2.0, 4.0))]), "▁█▅");
        // An empty queue has one free element more than with one element.
        assert_eq!(drawn(true, true, &[level(f64::INFINITY), level(6.0), level(0.0)]), "▁▂█");
        assert_eq!(drawn(true, true, &[level(f64::INFINITY)]), "▁");
        assert_eq!(drawn(true, false, &[level(0.0), level(8.0), level(1.0), level(f64::INFINITY)]), "▁█▂█");
        assert_eq!(drawn(true, false, &[level(0.0)]), "▁");
        // A known capacity is the scale.
        assert_eq!(drawn_of(true, false, Some(8), &[level(0.0), level(1.0), level(8.0)]), "▁▂█");
        assert_eq!(drawn_of(true, true, Some(8), &[level(8.0), level(7.0), level(f64::INFINITY)]), "▁▂▁");
    }
}
