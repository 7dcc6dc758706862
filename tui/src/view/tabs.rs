//! The tab line: panes with their keys; while a command is typed, its preview.

use crate::{
    model::{
        Model,
        prompt::CommandLine,
        screen::{HELP, tab_line},
    },
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
    let line = tab_line(model);
    for tab in &line.tabs {
        let role = if tab.pane == model.panes.front() { Role::ActiveTab } else { Role::Plain };
        paint.text(tab.x, y, width, &tab.text, role);
    }
    if let Some((x, place)) = &line.place {
        paint.text(*x, y, width, place, Role::Help);
    }
    if let Some(x) = line.help {
        paint.text(x, y, width, HELP, Role::Help);
    }
}
