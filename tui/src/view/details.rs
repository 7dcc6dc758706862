//! The details under the list: fields at the left, bytes at the right.

use super::paint::Paint;
use crate::{
    app::{
        App,
        details::{DetailField, Details},
    },
    term::{Role, cut_middle, width},
};

/// Longest value that stands in a column of its own before a meaning.
const VALUE: usize = 20;

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let Some((y, area)) = app.layout.details else { return };
    let Some(details) = &app.details else {
        paint.rule(0, y, area.width, "Details", "d hide");
        return;
    };
    let lines = usize::from(area.height);
    let per_line = hex_columns(area.width);
    let needed = details.fields.len().max(details.bytes.len().div_ceil(usize::from(per_line)));
    let room = usize::from(area.width).saturating_sub(width(&details.title) + 9);
    let hide = match needed.saturating_sub(lines) {
        0 => "d hide".to_owned(),
        1 if room >= 30 => "1 more line: Enter · d hide".to_owned(),
        more if room >= 30 => format!("{more} more lines: Enter · d hide"),
        more => format!("{more} more: Enter"),
    };
    paint.rule(0, y, area.width, &details.title, &hide);
    let hex_x = if details.bytes.is_empty() { area.width } else { area.width.saturating_sub(per_line * 3) };
    let columns = Columns::new(&details.fields, usize::from(hex_x).saturating_sub(1));
    for (i, field) in details.fields.iter().take(lines).enumerate() {
        columns.draw(field, paint, area.y + i as u16);
    }
    bytes(details, paint, hex_x, area.y, lines, per_line);
}

/// Bytes a line.
#[must_use]
pub fn hex_columns(width: u16) -> u16 {
    if width >= 100 { 16 } else { 12 }
}

fn bytes(details: &Details, paint: &mut Paint<'_>, x: u16, y: u16, lines: usize, per_line: u16) {
    for (i, chunk) in details.bytes.chunks(usize::from(per_line)).take(lines).enumerate() {
        let hex: String = chunk.iter().map(|b| format!("{b:02x} ")).collect();
        paint.text(x, y + i as u16, per_line * 3, hex.trim_end(), Role::Plain);
    }
}

/// Columns as wide as what is in them.
struct Columns {
    value: usize,
    meaning: usize,
    origin: usize,
    end: usize,
    short: bool,
}

impl Columns {
    fn new(fields: &[DetailField], end: usize) -> Columns {
        let widest = |text: fn(&DetailField) -> &str| fields.iter().map(|f| width(text(f))).max().unwrap_or(0);
        let name = widest(|f| &f.name).clamp(4, 12);
        let values = fields.iter().filter(|f| !f.meaning.is_empty()).map(|f| width(&f.value)).max();
        let value = 1 + name + 2;
        let meaning = value + values.unwrap_or(0).min(VALUE) + 2;
        let origin = meaning + widest(|f| &f.meaning) + 2;
        let short = origin + widest(|f| &f.origin) > end;
        let shown = fields.iter().map(|f| width(origin_of(f, short))).max().unwrap_or(0);
        let origin = origin.min(end.saturating_sub(shown));
        Columns { value, meaning, origin: origin.max(meaning + 2), end, short }
    }

    fn draw(&self, field: &DetailField, paint: &mut Paint<'_>, y: u16) {
        let mut put = |from: usize, to: usize, text: &str, role: Role| {
            let room = to.saturating_sub(from);
            let text = cut_middle(text, room, paint.glyphs().ellipsis()).into_owned();
            paint.text(from as u16, y, room as u16, &text, role);
        };
        put(1, self.value - 1, &field.name, Role::Help);
        if field.meaning.is_empty() {
            return put(self.value, self.end, &field.value, Role::Plain);
        }
        put(self.value, self.meaning - 1, &field.value, Role::Plain);
        let role = if field.meaning == "no name" { Role::Warning } else { Role::Object };
        if field.origin.is_empty() {
            return put(self.meaning, self.end, &field.meaning, role);
        }
        put(self.meaning, self.origin - 1, &field.meaning, role);
        put(self.origin, self.end, origin_of(field, self.short), Role::Help);
    }
}

/// Where a name comes from; in short without the place.
fn origin_of(field: &DetailField, short: bool) -> &str {
    if short { field.origin.split(" @").next().unwrap_or_default() } else { &field.origin }
}
