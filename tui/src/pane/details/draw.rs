//! Fields in columns at the left, bytes as a paragraph at the right.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    text::Line,
    widgets::{Paragraph, Widget},
};

use crate::{
    model::details::{DetailField, Details},
    term::{Role, cut_middle, width},
    widget::{Look, Rule},
};

/// Maximum width of the value column before a meaning.
const VALUE: usize = 20;

pub(super) fn draw(details: Option<&Details>, look: &Look, area: Rect, buffer: &mut Buffer) {
    let Some(details) = details else {
        return Rule { title: "Details", right: "d hide", look }.render(area, buffer);
    };
    let inner = super::super::below_title(area);
    let right = hide_hint(details, inner);
    Rule { title: &details.title, right: &right, look }.render(area, buffer);
    let hex_width = if details.bytes.is_empty() { 0 } else { hex_columns(area.width) * 3 };
    let links = details.links.len().min(usize::from(inner.height)) as u16;
    let [above, below] = Layout::vertical([Constraint::Fill(1), Constraint::Length(links)]).areas(inner);
    let needed = usize::from(above.height).min(lines_above(details, area.width)) as u16;
    let below = Rect { y: above.y + needed, ..below };
    let above = Rect { height: needed, ..above };
    let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(hex_width)]).areas(above);
    let columns = FieldColumns::new(&details.fields, usize::from(left.width).saturating_sub(1));
    for (field, y) in details.fields.iter().zip(left.y..left.bottom()) {
        columns.draw(field, look, Rect { y, height: 1, ..left }, buffer);
    }
    let end = usize::from(below.width).saturating_sub(1);
    let columns = FieldColumns { value: columns.value, ..FieldColumns::new(&details.links, end) };
    for (line, y) in details.links.iter().zip(below.y..below.bottom()) {
        columns.draw(line, look, Rect { y, height: 1, ..below }, buffer);
    }
    Paragraph::new(hex(&details.bytes, area.width)).style(look.style(Role::Plain)).render(right, buffer);
}

/// Lines that show everything on a screen of this width.
pub(super) fn lines_needed(details: &Details, width: u16) -> usize {
    lines_above(details, width) + details.links.len()
}

/// Lines of the fields and the bytes, which are above those on cause and effect.
fn lines_above(details: &Details, width: u16) -> usize {
    details.fields.len().max(details.bytes.len().div_ceil(usize::from(hex_columns(width))))
}

/// The key that hides the pane, and the number of lines that are not visible.
fn hide_hint(details: &Details, area: Rect) -> String {
    let room = usize::from(area.width).saturating_sub(width(&details.title) + 9);
    match lines_needed(details, area.width).saturating_sub(usize::from(area.height)) {
        0 => "d hide".to_owned(),
        1 if room >= 30 => "1 more line: Enter · d hide".to_owned(),
        more if room >= 30 => format!("{more} more lines: Enter · d hide"),
        more => format!("{more} more: Enter"),
    }
}

/// Bytes in a line, on a screen of this width.
fn hex_columns(width: u16) -> u16 {
    if width >= 100 { 16 } else { 12 }
}

fn hex(bytes: &[u8], width: u16) -> Vec<Line<'static>> {
    let line = |chunk: &[u8]| Line::from(chunk.iter().map(|b| format!("{b:02x} ")).collect::<String>());
    bytes.chunks(usize::from(hex_columns(width))).map(line).collect()
}

/// Start of the columns, by the width of their contents.
struct FieldColumns {
    value: usize,
    meaning: usize,
    origin: usize,
    end: usize,
    short: bool,
}

impl FieldColumns {
    fn new(fields: &[DetailField], end: usize) -> FieldColumns {
        let widest = |text: fn(&DetailField) -> &str| fields.iter().map(|f| width(text(f))).max().unwrap_or(0);
        let name = widest(|f| &f.name).clamp(4, 12);
        let values = fields.iter().filter(|f| !f.meaning.is_empty()).map(|f| width(&f.value)).max();
        let value = 1 + name + 2;
        let meaning = value + values.unwrap_or(0).min(VALUE) + 2;
        let origin = meaning + widest(|f| &f.meaning) + 2;
        let short = origin + widest(|f| &f.origin) > end;
        let shown = fields.iter().map(|f| width(origin_of(f, short))).max().unwrap_or(0);
        let origin = origin.min(end.saturating_sub(shown));
        FieldColumns { value, meaning, origin: origin.max(meaning + 2), end, short }
    }

    /// Draws a field; without meaning or origin, its other columns get their room.
    fn draw(&self, field: &DetailField, look: &Look, area: Rect, buffer: &mut Buffer) {
        let mut cells = vec![(1, self.value - 1, field.name.as_str(), Role::Help)];
        let role = if field.meaning == "no name" { Role::Warning } else { Role::Object };
        if field.meaning.is_empty() {
            cells.push((self.value, self.end, &field.value, Role::Plain));
        } else if field.origin.is_empty() {
            cells.push((self.value, self.meaning - 1, &field.value, Role::Plain));
            cells.push((self.meaning, self.end, &field.meaning, role));
        } else {
            cells.push((self.value, self.meaning - 1, &field.value, Role::Plain));
            cells.push((self.meaning, self.origin - 1, &field.meaning, role));
            cells.push((self.origin, self.end, origin_of(field, self.short), Role::Help));
        }
        for (from, to, text, role) in cells {
            let room = to.saturating_sub(from);
            let text = cut_middle(text, room, look.glyphs.ellipsis());
            let place = Rect { x: area.x + from as u16, width: room as u16, ..area }.intersection(buffer.area);
            look.line(&text, role).render(place, buffer);
        }
    }
}

/// The origin of a name; the short form is without the position.
fn origin_of(field: &DetailField, short: bool) -> &str {
    if short { field.origin.split(" @").next().unwrap_or_default() } else { &field.origin }
}
