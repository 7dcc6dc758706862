//! A click into the list: on a row, or on the heading of a column.

use ratatui::layout::Position;

use super::{draw, open};
use crate::{
    input::PromptKind,
    model::{Model, filter, screen::turn_time},
    term::Role,
};

pub(super) fn click(at: Position, model: &mut Model) {
    let layout = &model.screen.layout;
    if layout.heading == Some(at.y) {
        return column(at.x, model);
    }
    let Some(line) = at.y.checked_sub(layout.list_area.y).map(usize::from) else { return };
    let Some(entry) = model.list.page.entries.get(line) else { return };
    let (row, is_cursor) = (entry.first, model.list.page.cursor_entry() == Some(line));
    // As in a file manager: the first click chooses, the next one opens.
    if is_cursor && !model.list.page.follows() {
        return open(model);
    }
    let height = model.screen.list_height();
    let list = &mut model.list;
    list.page.go_to(&list.rows, row, height);
}

/// The time column turns to the next style; the others begin a filter.
fn column(x: u16, model: &mut Model) {
    let Some(column) = draw::column_at(model, x) else { return };
    if column.role == Role::Time {
        return turn_time(model);
    }
    let Some(test) = column.test else { return };
    let text = format!("{} {test}", filter::text(model));
    model.prompt.open(PromptKind::Filter, text.trim_start());
}
