//! Keys and commands valid now, filtered by what is typed.

use super::paint::Paint;
use crate::{
    app::{App, update::HELP_KEYS},
    term::Role,
};

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let Some((top, filter)) = &app.help else { return };
    let (width, height) = app.size;
    let first = app.layout.headers;
    let last = height.saturating_sub(2);
    let title = if filter.is_empty() { "Help".to_owned() } else { format!("Help · {filter}") };
    paint.rule(0, first, width, &title, "type to filter · j k scroll · Esc closes");
    let lines = app.help_lines();
    let columns: u16 = if width >= 100 { 2 } else { 1 };
    let room = usize::from(last.saturating_sub(first + 1));
    let column_width = width / columns;
    for (i, (keys, doc)) in lines.iter().skip(*top).take(room * usize::from(columns)).enumerate() {
        let x = (i / room.max(1)) as u16 * column_width;
        let y = first + 1 + (i % room.max(1)) as u16;
        let room = if doc.is_empty() { column_width.saturating_sub(2) } else { HELP_KEYS as u16 };
        paint.text(x + 1, y, room, keys, Role::Kind);
        let at = HELP_KEYS as u16 + 2;
        paint.text(x + at, y, column_width.saturating_sub(at + 1), doc, Role::Plain);
    }
}
