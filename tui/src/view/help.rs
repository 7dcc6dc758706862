//! Keys and commands valid now, filtered by what is typed.

use ratatui::{
    buffer::Buffer,
    layout::{Constraint, Layout, Rect},
    widgets::Widget,
};

use crate::{
    input::HelpLine,
    model::{
        Model,
        prompt::{HELP_KEYS, help_columns, help_lines},
    },
    term::Role,
    widget::{Paint, Rule},
};

pub(super) fn draw(model: &Model, buffer: &mut Buffer) {
    let Some(help) = &model.prompt.help else { return };
    let (width, height) = model.screen.size;
    let look = &model.screen.look;
    let top = model.screen.layout.headers;
    let area = Rect::new(0, top, width, height.saturating_sub(2 + top));
    let [rule, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let title = if help.filter.is_empty() { "Help".to_owned() } else { format!("Help · {}", help.filter) };
    Rule { title: &title, right: "type to filter · arrows scroll · Esc closes", look }.render(rule, buffer);
    let columns = help_columns(width);
    let lines = help_lines(model);
    let shown = lines.get(help.top..).unwrap_or_default();
    let mut paint = Paint::new(buffer, look);
    if lines.is_empty() {
        paint.text(1, body.y, width.saturating_sub(2), &format!("nothing matches \"{}\"", help.filter), Role::Help);
    }
    let pages = shown.chunks(usize::from(body.height.max(1)));
    let column_width = width / columns;
    for (page, i) in pages.zip(0..columns) {
        let column = Rect { x: i * column_width + 1, width: column_width.saturating_sub(2), ..body };
        for (HelpLine { left, right: doc, heading }, y) in page.iter().zip(column.y..) {
            let role = if *heading { Role::Title } else { Role::Kind };
            if doc.is_empty() {
                paint.text(column.x, y, column.width, left, role);
                continue;
            }
            let keys = (HELP_KEYS as u16).min(column.width);
            paint.text(column.x, y, keys, left, role);
            let behind = (keys + 1).min(column.width);
            paint.text(column.x + behind, y, column.width - behind, doc, Role::Plain);
        }
    }
}
