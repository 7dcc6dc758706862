//! The tab line: panes with their keys; while a command is typed, its preview.

use crate::{
    model::{Model, prompt::CommandLine, screen::tabs},
    term::{Role, wrap},
    widget::Paint,
};

/// Lines of a preview at most.
const MOST_LINES: usize = 3;

/// Lines that the preview takes.
pub(super) fn preview_lines(typed: &CommandLine, width: u16) -> u16 {
    wrap(&typed.preview.text, usize::from(width.saturating_sub(2))).len().clamp(1, MOST_LINES) as u16
}

pub(super) fn draw(model: &Model, paint: &mut Paint<'_>) {
    let Some(y) = model.screen.layout.tabs else { return };
    let width = model.screen.size.0;
    if let Some(typed) = &model.prompt.line {
        let preview = &typed.preview;
        let role = if preview.error { Role::Error } else { Role::Help };
        paint.lines_up_to(y, width, &preview.text, MOST_LINES, role);
        return;
    }
    let mut x = 0;
    for tab in tabs(model) {
        let role = if tab.pane == model.panes.front() { Role::ActiveTab } else { Role::Plain };
        x = paint.text(tab.x, y, width, &tab.text, role) + 2;
    }
    if model.links.sources.len() > 1 {
        paint.text(x, y, width, &model.links.list_place(&model.links.scope), Role::Help);
    }
    let help = "? keys";
    paint.text(width.saturating_sub(help.len() as u16 + 1), y, width, help, Role::Help);
}
