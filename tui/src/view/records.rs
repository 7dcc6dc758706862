//! The list of rows.

use spytui_engine::{
    export::text::gutter,
    list::RowSource,
    present::{Role as RowRole, Widths, clock::seconds},
};

use spytui_plugin_api::row::Severity;

use super::paint::Paint;
use crate::{
    app::{App, Entry, TimeStyle},
    term::{Role, cut_middle, width, wrap},
};

/// Width of the cursor while another pane takes the keys.
const UNFOCUSED: u16 = 12;

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let area = app.layout.list_area;
    if let Some(y) = app.layout.list_rule {
        let room = if app.layout.beside { app.layout.divider } else { area.width };
        paint.rule(0, y, room, "Records", &app.shown.list_title);
    }
    let legend = app.decoded.decoder.legend();
    let widths = Widths::new(legend, app.rows.clock(), usize::from(area.width), app.shown.cores);
    for (i, entry) in app.list.entries.iter().take(usize::from(area.height)).enumerate() {
        let y = area.y + i as u16;
        row(app, paint, entry, &widths, y, area.width);
        if is_marked_area(app, entry) {
            paint.tint(0, y, area.width, Role::Cursor);
        }
    }
    cursor(app, paint);
    if let Some(y) = trouble_at(app) {
        let text = app.shown.trouble.as_deref().unwrap_or_default();
        for (i, line) in wrap(text, usize::from(area.width.saturating_sub(2))).into_iter().enumerate() {
            paint.text(1, y + i as u16, area.width.saturating_sub(1), line, Role::Warning);
        }
    }
}

/// Where below the rows there is room to say what is wrong.
pub(super) fn trouble_at(app: &App) -> Option<u16> {
    let area = app.layout.list_area;
    let text = app.shown.trouble.as_deref()?;
    let lines = wrap(text, usize::from(area.width.saturating_sub(2))).len();
    let rows = app.list.entries.len();
    (rows + 1 + lines <= usize::from(area.height)).then(|| area.y + rows as u16 + 1)
}

/// The cursor row in reverse; only its time, while another pane takes the keys.
fn cursor(app: &App, paint: &mut Paint<'_>) {
    let area = app.layout.list_area;
    let Some(i) = app.list.cursor_entry() else { return };
    let y = area.y + i as u16;
    if y < area.bottom() {
        let room = if app.layout.beside { area.width.min(UNFOCUSED) } else { area.width };
        paint.cursor_line(0, y, room);
    }
}

/// Inside the selection that `v` began.
fn is_marked_area(app: &App, entry: &Entry) -> bool {
    app.selected_from.is_some_and(|from| {
        let (first, last) = (from.min(app.list.cursor), from.max(app.list.cursor));
        entry.first <= last && entry.last >= first
    })
}

fn row(app: &App, paint: &mut Paint<'_>, entry: &Entry, w: &Widths, y: u16, room: u16) {
    let marked = app.is_marked(entry);
    match entry.line.role {
        RowRole::Record => record(app, paint, entry, w, y, room, marked),
        RowRole::Loss => {
            let hatch = paint.glyphs().hatch();
            let text = format!("{} {} ", paint.glyphs().loss(), entry.line.what);
            let end = paint.text(0, y, room, &text, Role::Loss);
            let fill = hatch.repeat(usize::from(room.saturating_sub(end)));
            paint.text(end, y, room.saturating_sub(end), &fill, Role::Loss);
        }
        RowRole::Event | RowRole::Console => {
            let mark = if marked { '•' } else { '═' };
            let what = if entry.line.what.is_empty() { &entry.line.kind } else { &entry.line.what };
            let word = if entry.line.role == RowRole::Console { "console: " } else { "" };
            let text = format!("{mark}═ {word}{what} ");
            let end = paint.text(0, y, room, &text, Role::Banner);
            let fill = "═".repeat(usize::from(room.saturating_sub(end).min(2)));
            paint.text(end, y, room.saturating_sub(end), &fill, Role::Banner);
        }
        RowRole::Note => {
            let sign = if entry.line.warns() { '!' } else { ' ' };
            let role = if entry.line.warns() { Role::Warning } else { Role::Help };
            paint.text(0, y, room, &format!("{sign}─ {}", entry.line.what), role);
        }
    }
}

fn record(app: &App, paint: &mut Paint<'_>, entry: &Entry, w: &Widths, y: u16, room: u16, marked: bool) {
    let line = &entry.line;
    let severe = match line.severity {
        Severity::NORMAL => None,
        Severity::INFO | Severity::WARNING => Some(Role::Warning),
        _ => Some(Role::Error),
    };
    let sign = match (marked, severe) {
        (true, _) => "•",
        (_, Some(_)) => "!",
        _ => " ",
    };
    paint.text(0, y, 1, sign, severe.unwrap_or(Role::Mark));
    let mut x = 1;
    let mut column = |paint: &mut Paint<'_>, text: &str, cells: usize, role: Role, right: bool| {
        if cells == 0 {
            return;
        }
        let text = cut_middle(text, cells, paint.glyphs().ellipsis()).into_owned();
        let pad = if right { cells.saturating_sub(width(&text)) as u16 } else { 0 };
        paint.text(x + pad, y, room.saturating_sub(x + pad), &text, role);
        x += cells as u16 + 1;
    };
    let time = time_text(app, entry);
    // Digits are worth more than the blanks between them.
    let time = if width(&time) > w.time { time.replace(' ', "") } else { time };
    column(paint, &time, w.time, Role::Time, true);
    column(paint, &line.delta, w.delta, Role::Delta, true);
    column(paint, &line.core, w.core, Role::Group, false);
    column(paint, &line.group, w.group, Role::Group, false);
    if w.gutter > 0 {
        paint.text(x, y, 1, &gutter(line.span, line.unsure).to_string(), Role::Gutter);
        x += 1;
    }
    let mut column = |paint: &mut Paint<'_>, text: &str, cells: usize, role: Role| {
        let text = cut_middle(text, cells, paint.glyphs().ellipsis()).into_owned();
        paint.text(x, y, room.saturating_sub(x), &text, role);
        x += cells as u16 + 1;
    };
    column(paint, &line.kind, w.kind, severe.unwrap_or(Role::Kind));
    // Addresses lose no digits: a longer one takes the room of what follows.
    let address = line.object.starts_with("0x") && line.object.len() <= 18;
    column(paint, &line.object, if address { w.object.max(line.object.len()) } else { w.object }, Role::Object);
    let what: String = line.what.chars().skip(app.sideways).collect();
    paint.text(x, y, room.saturating_sub(x), &what, Role::Text);
}

/// The time column in the style chosen.
fn time_text(app: &App, entry: &Entry) -> String {
    match (app.time_style, entry.time) {
        (TimeStyle::SinceMark, Some(time)) => {
            let clock = app.rows.clock();
            app.measure_from.map_or_else(String::new, |from| clock.delta_text(from, time))
        }
        (TimeStyle::Host, _) => {
            let host = app.rows.source(entry.source).log.host_time_at(entry.pos);
            host.map_or_else(String::new, |ns| seconds(ns % 86_400_000_000_000, 6))
        }
        _ => entry.line.time.clone(),
    }
}
