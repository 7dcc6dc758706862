//! Draws rows without widgets, so that scrolling costs few bytes.

use std::borrow::Cow;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::{
    list::RowSource,
    present::{Role as RowRole, Widths, local_time::time_of_day},
};
use spytui_plugin_api::row::Severity;

use super::columns::Columns;
use crate::{
    model::{
        Model,
        list::{Entry, MOST_GUTTER_COLUMNS},
        screen::{LIST_TITLE, TimeStyle, diagnosis_line},
        search,
    },
    term::{Glyphs, Role, cut_middle, width, wrap},
    widget::{Paint, Rule},
};

/// Width of `02:24:09.205 916`.
const HOST_TIME: usize = 16;
/// Width of the cursor while another pane takes the keys.
const UNFOCUSED: u16 = 12;

pub(super) fn draw(model: &Model, area: Rect, buffer: &mut Buffer) {
    let (layout, look) = (&model.screen.layout, &model.screen.look);
    Rule { title: LIST_TITLE, right: &model.screen.list_title, look }.render(Rect { height: 1, ..area }, buffer);
    let mut paint = Paint::new(buffer, look);
    let rows = layout.list_area;
    let labels = model.list.decoding().decoder.labels();
    let mut widths = Widths::new(labels, model.list.rows.clock(), usize::from(rows.width), model.screen.cores);
    widths.gutter *= model.list.page.gutter.min(MOST_GUTTER_COLUMNS);
    if model.screen.time_style == TimeStyle::Host {
        widths.time = HOST_TIME;
    }
    let columns = Columns::of(model);
    for (entry, y) in model.list.page.entries.iter().zip(rows.y..rows.bottom()) {
        row(model, &mut paint, entry, (&columns, &widths), y, rows.width);
        if is_selected(model, entry) {
            paint.reverse(0, y, rows.width);
        }
    }
    let behind_time = (2 + widths.time) as u16;
    let texts = Rect { x: rows.x + behind_time, width: rows.width.saturating_sub(behind_time), ..rows };
    paint.highlight(texts, &search::patterns(model));
    cursor(model, &mut paint);
    if let Some(y) = diagnosis_line(model) {
        let text = model.screen.diagnosis.as_deref().unwrap_or_default();
        for (line, y) in wrap(text, usize::from(rows.width.saturating_sub(2))).into_iter().zip(y..) {
            paint.text(1, y, rows.width.saturating_sub(1), line, Role::Warning);
        }
    }
}

/// The cursor row in reverse; only its time, while another pane takes the keys.
fn cursor(model: &Model, paint: &mut Paint<'_>) {
    let layout = &model.screen.layout;
    let area = layout.list_area;
    let Some(i) = model.list.page.cursor_entry() else { return };
    let y = area.y + i as u16;
    if y < area.bottom() {
        let room = if layout.beside { area.width.min(UNFOCUSED) } else { area.width };
        paint.cursor_line(0, y, room);
    }
}

/// Inside the selection that `v` began.
fn is_selected(model: &Model, entry: &Entry) -> bool {
    let (first, last) = model.list.selection();
    // The cursor row is reversed anyway.
    let is_cursor = entry.first <= model.list.page.cursor && model.list.page.cursor <= entry.last;
    model.list.selected_from.is_some() && !is_cursor && entry.first <= last && entry.last >= first
}

fn row(model: &Model, paint: &mut Paint<'_>, entry: &Entry, columns: (&Columns<'_>, &Widths), y: u16, room: u16) {
    let marked = model.list.is_marked(entry);
    match entry.line.role {
        RowRole::Record => record(model, paint, entry, columns, y, room, marked),
        RowRole::Loss => {
            let hatch = paint.glyphs().hatch();
            let mark = if marked { paint.glyphs().marked_loss() } else { paint.glyphs().loss() };
            let text = format!("{mark} {} ", entry.line.what);
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

fn record(
    model: &Model,
    paint: &mut Paint<'_>,
    entry: &Entry,
    (columns, w): (&Columns<'_>, &Widths),
    y: u16,
    room: u16,
    marked: bool,
) {
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
    let time = time_text(model, entry);
    // Digits are worth more than the blanks between them.
    let time = if width(&time) > w.time { time.replace(' ', "") } else { time };
    // Addresses lose no digits: a longer one takes the room of what follows.
    let is_address = line.object.starts_with("0x") && line.object.len() <= 18;
    let object = if is_address { w.object.max(line.object.len()) } else { w.object };
    let cells = [
        (Cow::from(time), w.time, Role::Time, 1),
        (line.delta.as_str().into(), w.delta, Role::Delta, 1),
        (line.core.as_str().into(), w.core, Role::Group, 1),
        (line.group.as_str().into(), w.group, Role::Group, 1),
        (entry.gutter.as_str().into(), w.gutter, Role::Gutter, 0),
        (line.kind.as_str().into(), w.kind, severe.unwrap_or(Role::Kind), 1),
        (line.object.as_str().into(), object, Role::Object, 1),
    ];
    let cells = columns.arrange(entry, &|| host_time(model, entry), cells);
    let mut x = 1;
    for (text, cells, role, gap) in cells.into_iter().filter(|cell| cell.1 > 0) {
        let text = cut_middle(&text, cells, paint.glyphs().ellipsis());
        let is_number = matches!(role, Role::Time | Role::Delta);
        let pad = if is_number { cells.saturating_sub(width(&text)) as u16 } else { 0 };
        paint.text(x + pad, y, room.saturating_sub(x + pad), &text, role);
        x += cells as u16 + gap;
    }
    if !columns.what {
        return;
    }
    paint.spans(x, y, room.saturating_sub(x), what(entry, model.screen.sideways, paint.glyphs()));
}

/// The text in parts, without so many characters at its left.
fn what(entry: &Entry, sideways: usize, glyphs: Glyphs) -> Vec<(&str, Role)> {
    let text = entry.line.what.as_str();
    let from = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    // The mark takes the place of a character.
    let (mark, mut at) = if sideways > 0 { (glyphs.ellipsis(), from(sideways + 1)) } else { ("", 0) };
    if from(sideways) == text.len() {
        return Vec::new();
    }
    let mut parts = vec![(mark, Role::Plain)];
    for &(end, role) in entry.parts.iter().chain([&(text.len(), Role::Plain)]) {
        if end > at {
            parts.push((&text[at..end], role));
            at = end;
        }
    }
    parts
}

/// The time column in the style chosen.
fn time_text(model: &Model, entry: &Entry) -> String {
    match (model.screen.time_style, entry.time, model.list.measure_from) {
        (TimeStyle::SinceMark, Some(time), Some(from)) => model.list.rows.clock().delta_text(from, time),
        (TimeStyle::Host, ..) => host_time(model, entry),
        _ => entry.line.time.clone(),
    }
}

/// When a row was received.
fn host_time(model: &Model, entry: &Entry) -> String {
    let host = model.list.rows.source(entry.source).log.host_time_at(entry.pos);
    host.map_or_else(String::new, time_of_day)
}
