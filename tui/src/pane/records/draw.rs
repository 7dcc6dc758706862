//! Draws rows without widgets, so that scrolling costs few bytes.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};
use spytui_engine::present::{
    RowRole, Widths,
    clock::{DATE, SHORT_DATE},
};
use spytui_plugin_api::row::Severity;

use super::columns::{ListColumn, ListShape, owner};
use crate::{
    model::{
        Model,
        list::{ListEntry, MOST_GUTTER_COLUMNS},
        screen::{LIST_TITLE, TimeStyle, diagnosis_line},
        search,
    },
    term::{Glyphs, Role, cut_middle, end_marked, width, wrap},
    widget::{Paint, TitleRule},
};

/// Width of `02:24:09.205 916`.
const HOST_TIME: usize = 16;
/// Maximum width of the name of a source.
const MOST_NAME: usize = 10;
/// Minimum columns for a year in dates.
const YEAR_FROM: usize = 100;
/// Minimum columns for showing every kind word completely.
const ROOMY: u16 = 120;
/// Width of the cursor while another pane receives keys.
const UNFOCUSED: u16 = 12;

pub(super) fn draw(model: &Model, area: Rect, buffer: &mut Buffer) {
    let (layout, look) = (&model.screen.layout, &model.screen.look);
    TitleRule { title: LIST_TITLE, right: &model.screen.list_title, look }.render(Rect { height: 1, ..area }, buffer);
    let mut paint = Paint::new(buffer, look);
    let rows = layout.list_area;
    let shape = shape(model);
    if let Some(y) = layout.heading {
        heading(&mut paint, &shape, y, rows.width);
    }
    for (entry, y) in model.list.page.entries.iter().zip(rows.y..rows.bottom()) {
        row(model, &mut paint, entry, &shape, y, rows.width);
        if is_selected(model, entry) {
            paint.reverse(0, y, rows.width);
        }
    }
    let behind_time = (2 + shape.widths.time) as u16;
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

/// The layout of the list on the screen.
fn shape(model: &Model) -> ListShape {
    let room = model.screen.layout.list_area.width;
    let labels = model.list.rows.source(0).decoder.labels();
    let mut widths = Widths::new(labels, model.list.rows.clock(), usize::from(room), model.list.rows.has_cores());
    if room >= ROOMY {
        widths.kind = labels.longest_kind;
    }
    widths.gutter *= model.list.page.gutter.min(MOST_GUTTER_COLUMNS);
    if model.list.rows.is_joint {
        let longest = model.links.shown().map(|source| width(&source.name())).max();
        widths.core = longest.unwrap_or_default().clamp("source".len(), MOST_NAME);
    }
    let style = model.screen.time_style.shown(model);
    widths.time = match style {
        TimeStyle::Host => HOST_TIME,
        TimeStyle::Date if usize::from(room) >= YEAR_FROM => DATE,
        TimeStyle::Date => SHORT_DATE,
        _ => widths.time,
    };
    ListShape::of(model, widths, style)
}

/// The column of the list at `x`; `None` after the last one.
pub(super) fn column_at(model: &Model, x: u16) -> Option<&'static ListColumn> {
    let mut end = 1;
    shape(model).shown().find_map(|(column, cells)| {
        end += cells as u16 + column.gap();
        (x < end).then_some(column)
    })
}

/// Draws the cursor row in reverse; only its time while another pane receives keys.
fn cursor(model: &Model, paint: &mut Paint<'_>) {
    let layout = &model.screen.layout;
    let area = layout.list_area;
    let Some(i) = model.list.page.cursor_entry() else { return };
    let y = area.y + i as u16;
    if y < area.bottom() {
        let room = if !model.panes.is_list_in_front() { area.width.min(UNFOCUSED) } else { area.width };
        let is_record = model.list.page.entries.get(i).is_some_and(|entry| entry.line.role == RowRole::Record);
        let sign = paint.symbol(0, y);
        paint.cursor_line(0, y, room);
        // An error or a mark is visible beside the cursor's own sign.
        if is_record && paint.symbol(0, y) != sign && paint.symbol(1, y) == " " {
            paint.set_symbol(1, y, &sign);
        }
    }
}

/// Within the selection begun by `v`.
fn is_selected(model: &Model, entry: &ListEntry) -> bool {
    let (first, last) = model.list.selection();
    // The cursor row is reversed anyway.
    let is_cursor = entry.first <= model.list.page.cursor && model.list.page.cursor <= entry.last;
    model.list.selected_from.is_some() && !is_cursor && entry.first <= last && entry.last >= first
}

fn row(model: &Model, paint: &mut Paint<'_>, entry: &ListEntry, shape: &ListShape, y: u16, room: u16) {
    let marked = model.list.is_marked(entry);
    let owner = if model.list.rows.is_joint { format!("{}: ", owner(model, entry)) } else { String::new() };
    match entry.line.role {
        RowRole::Record => record(model, paint, entry, shape, y, room, marked),
        RowRole::Loss => {
            let mark = paint.glyphs().loss(marked);
            let what = format!("{owner}{}", entry.line.what);
            let what = with_tail(&what, usize::from(room).saturating_sub(width(mark) + 1), paint.glyphs());
            let end = paint.text(0, y, room, &format!("{mark} {what}"), Role::Loss);
            let fill = format!(" {}", "░".repeat(usize::from(room.saturating_sub(end + 1))));
            paint.text(end, y, room.saturating_sub(end), &fill, Role::Loss);
        }
        RowRole::Event | RowRole::Console => {
            let mark = if marked { '•' } else { '═' };
            let what = if entry.line.what.is_empty() { &entry.line.kind } else { &entry.line.what };
            let word = if entry.line.role == RowRole::Console { "console: " } else { "" };
            let text = format!("{mark}═ {owner}{word}{what} ");
            let end = paint.text(0, y, room, &text, Role::Banner);
            let fill = "═".repeat(usize::from(room.saturating_sub(end).min(2)));
            paint.text(end, y, room.saturating_sub(end), &fill, Role::Banner);
        }
        RowRole::Note => {
            let sign = if entry.line.warns() { '!' } else { ' ' };
            let role = if entry.line.warns() { Role::Warning } else { Role::Help };
            paint.text(0, y, room, &format!("{sign}─ {owner}{}", entry.line.what), role);
        }
    }
}

fn record(model: &Model, paint: &mut Paint<'_>, entry: &ListEntry, shape: &ListShape, y: u16, room: u16, marked: bool) {
    let line = &entry.line;
    let severe = match line.severity {
        Severity::NORMAL => None,
        Severity::INFO | Severity::WARNING => Some(Role::Warning),
        _ => Some(Role::Error),
    };
    let usual = if entry.changes_state { Role::Change } else { Role::Kind };
    let sign = match (marked, severe) {
        (true, _) => "•",
        (_, Some(_)) => "!",
        _ => " ",
    };
    paint.text(0, y, 1, sign, severe.unwrap_or(Role::Mark));
    let w = &shape.widths;
    // Addresses must not be cut: a longer one takes room from what follows.
    let is_address = line.object.starts_with("0x") && line.object.len() <= 18;
    let object = if is_address { w.object.max(line.object.len()) } else { w.object };
    let is_neighbour = |pair: &[&ListColumn]| pair[0].role == Role::Kind && pair[1].role == Role::Object;
    // A long kind takes the room of a missing object.
    let (kind, object) = match line.object.is_empty() && shape.columns.windows(2).any(is_neighbour) {
        true => (w.kind + 1 + object, 0),
        false => (w.kind, object),
    };
    let mut x = 1;
    for column in &shape.columns {
        let (cells, role) = match column.role {
            Role::Kind => (kind, severe.unwrap_or(usual)),
            Role::Object => (object, Role::Object),
            role => (column.cells(shape), role),
        };
        if cells == 0 {
            continue;
        }
        let text = column.text(model, entry, shape);
        let shown = cut_middle(&text, cells, paint.glyphs().ellipsis());
        let pad = if column.is_number() { cells.saturating_sub(width(&shown)) as u16 } else { 0 };
        let free = room.saturating_sub(x + pad);
        match role {
            Role::Object => paint.object(x, y, free, &text, &shown),
            _ => paint.text(x + pad, y, free, &shown, role),
        };
        x += cells as u16 + column.gap();
    }
    if !shape.what {
        return;
    }
    paint.spans(x, y, room.saturating_sub(x), what(entry, model.screen.sideways, paint.glyphs()));
}

fn heading(paint: &mut Paint<'_>, shape: &ListShape, y: u16, room: u16) {
    let mut x = 1;
    for (column, cells) in shape.shown() {
        let text = column.heading(shape);
        let pad = if column.is_number() { cells.saturating_sub(width(text)) as u16 } else { 0 };
        // A word may take the gap.
        paint.text(x + pad, y, (cells as u16 + column.gap()).saturating_sub(pad), text, Role::Help);
        x += cells as u16 + column.gap();
    }
    if shape.what {
        paint.text(x, y, room.saturating_sub(x), "what", Role::Help);
    }
}

/// The text of a note in at most `cells`, keeping the size at its end.
fn with_tail(text: &str, cells: usize, glyphs: Glyphs) -> String {
    let text = glyphs.spell(text);
    if width(&text) <= cells {
        return text.into_owned();
    }
    let separator = glyphs.spell(" · ");
    let tail = text.rfind(&*separator).map_or("", |at| &text[at..]);
    if tail.is_empty() {
        return cut_middle(&text, cells, glyphs.ellipsis()).into_owned();
    }
    if width(tail) > cells / 4 {
        return end_marked(&text, cells, glyphs.ellipsis()).into_owned();
    }
    let head = end_marked(&text[..text.len() - tail.len()], cells - width(tail), glyphs.ellipsis());
    format!("{head}{tail}")
}

/// The parts of the text, without its first `sideways` characters.
fn what(entry: &ListEntry, sideways: usize, glyphs: Glyphs) -> Vec<(&str, Role)> {
    let text = entry.line.what.as_str();
    let from = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    // The mark replaces a character.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_that_is_too_long_keeps_its_size() {
        let text = "damaged frame, a code byte points past its end: bytes are missing or wrong · 1 234 B";
        let cut = |cells| with_tail(text, cells, Glyphs::Unicode);
        assert_eq!(cut(90), text);
        assert_eq!(cut(60), "damaged frame, a code byte points past its end: b… · 1 234 B");
        assert_eq!(width(&cut(60)), 60);
        let dropped = "44 events dropped by the target (total 44 000), between 3 600.009 and 3 601.018 ms";
        assert!(with_tail(dropped, 76, Glyphs::Ascii).ends_with("3 601.018 ms"));
    }
}
