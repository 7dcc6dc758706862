//! The details under the list: fields at the left, bytes at the right.

use super::paint::Paint;
use crate::{
    app::App,
    term::{Role, cut_middle},
};

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let Some((y, area)) = app.layout.details else { return };
    let Some(details) = &app.details else {
        paint.rule(0, y, area.width, "Details", "d hide");
        return;
    };
    let more = details.fields.len().saturating_sub(usize::from(area.height));
    let right = if more > 0 { format!("{more} more fields, z · d hide") } else { "d hide".to_owned() };
    paint.rule(0, y, area.width, &details.title, &right);
    let hex_columns = if area.width >= 100 { 16 } else { 12 };
    let hex_x = area.width.saturating_sub(hex_columns * 3 + 1);
    for (i, field) in details.fields.iter().take(usize::from(area.height)).enumerate() {
        let y = area.y + i as u16;
        paint.text(1, y, 7, &field.name, Role::Help);
        let value_width: u16 = if area.width >= 100 { 18 } else { 11 };
        let long = field.meaning.is_empty() && field.origin.is_empty();
        let room = if long { hex_x.saturating_sub(10) } else { value_width };
        let value = cut_middle(&field.value, usize::from(room), paint.glyphs().ellipsis()).into_owned();
        paint.text(9, y, room, &value, Role::Plain);
        let x = 9 + value_width + 1;
        if !long && hex_x > x {
            let role = if field.meaning == "no name" { Role::Help } else { Role::Object };
            let end = paint.text(x, y, hex_x - x - 1, &field.meaning, role);
            if hex_x > end + 2 {
                paint.text(end + 2, y, hex_x - end - 3, &field.origin, Role::Help);
            }
        }
    }
    for (i, chunk) in details.bytes.chunks(usize::from(hex_columns)).take(usize::from(area.height)).enumerate() {
        let hex: String = chunk.iter().map(|b| format!("{b:02x} ")).collect();
        paint.text(hex_x, area.y + i as u16, hex_columns * 3, hex.trim_end(), Role::Plain);
    }
}
