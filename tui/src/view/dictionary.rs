//! The Dictionary pane: every name with its origin, and the keys that have none.

use super::paint::Paint;
use crate::{
    app::App,
    term::{Role, cut_middle},
};

pub(super) fn draw(app: &App, paint: &mut Paint<'_>) {
    let Some((y, area)) = app.layout.pane else { return };
    let names = app.shown.names.len() - app.shown.unnamed.min(app.shown.names.len());
    let title = if area.width >= 60 { format!("Dictionary · {}", sort_word(app)) } else { "Dictionary".to_owned() };
    paint.rule(area.x, y, area.width, &title, &format!("{names} names, {} keys without one", app.shown.unnamed));
    let name_width = usize::from(area.width.saturating_sub(if area.width >= 70 { 54 } else { 28 })).max(8);
    let mut line_y = area.y;
    if area.height > 2 {
        let head = head(area.width, name_width);
        paint.text(area.x, line_y, area.width, &head, Role::Help);
        line_y += 1;
    }
    let lines = usize::from(area.bottom().saturating_sub(line_y));
    for (i, row) in app.shown.names.iter().enumerate().skip(app.dictionary.top).take(lines) {
        let y = line_y + (i - app.dictionary.top) as u16;
        let mut x = area.x + 1;
        let mut put = |paint: &mut Paint<'_>, text: &str, cells: usize, role: Role| {
            let text = cut_middle(text, cells, paint.glyphs().ellipsis()).into_owned();
            paint.text(x, y, area.right().saturating_sub(x), &text, role);
            x += cells as u16 + 1;
        };
        put(paint, &row.space, 4, Role::Group);
        put(paint, &row.key, 12, Role::Plain);
        if area.width >= 70 {
            put(paint, &row.scope, 10, Role::Plain);
        }
        match &row.name {
            Some(name) => put(paint, name, name_width, Role::Object),
            None => put(paint, "no name", name_width, Role::Warning),
        }
        if area.width >= 70 {
            put(paint, &row.from, 14, Role::Help);
        }
        put(paint, &if row.uses > 0 { row.uses.to_string() } else { String::new() }, 7, Role::Plain);
        if i == app.dictionary.cursor && !app.layout.beside {
            paint.tint(area.x, y, area.width, Role::Cursor);
        }
    }
}

fn head(width: u16, name: usize) -> String {
    if width >= 70 {
        format!(" {:<4} {:<12} {:<10} {:<name$} {:<14} uses", "in", "key", "scope", "name", "from")
    } else {
        format!(" {:<4} {:<12} {:<name$} uses", "in", "key", "name")
    }
}

fn sort_word(app: &App) -> &'static str {
    match app.dictionary.sort {
        1 => "by name",
        2 => "by uses",
        _ => "by key",
    }
}
