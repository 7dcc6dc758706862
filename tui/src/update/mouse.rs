//! The mouse, where it was taken: the wheel scrolls, a click chooses a row, a pane or a column.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::{command_line, keys::scroll_help};
use crate::{
    input::{Action, PaneId, RECORDS},
    model::{Model, panes::with_pane, screen::tab_line},
};

/// Lines of a step of the wheel.
const STEP: usize = 3;

/// The mouse did something.
pub(super) fn mouse(model: &mut Model, event: MouseEvent) {
    let at = Position::new(event.column, event.row);
    match event.kind {
        MouseEventKind::ScrollUp => wheel(model, at, Action::Up),
        MouseEventKind::ScrollDown => wheel(model, at, Action::Down),
        MouseEventKind::Down(MouseButton::Left) => click(model, at),
        _ => {}
    }
}

fn wheel(model: &mut Model, at: Position, action: Action) {
    if model.prompt.help.is_some() {
        return scroll_help(model, if action == Action::Up { -(STEP as isize) } else { STEP as isize });
    }
    let pane = pane_at(model, at).unwrap_or(model.panes.front());
    for _ in 0..STEP {
        with_pane(model, pane, |pane, model| pane.handle(action, model));
    }
}

/// A click is no answer to a question, and does not leave a line that is being typed.
fn click(model: &mut Model, at: Position) {
    if model.prompt.line.is_some() || model.prompt.question.is_some() || model.prompt.help.is_some() {
        return;
    }
    model.prompt.notice = None;
    model.prompt.pressed.clear();
    if model.screen.layout.tabs == Some(at.y) {
        let tab = tab_line(model).tabs.into_iter().find(|tab| (tab.x..tab.end()).contains(&at.x));
        return tab.map_or((), |tab| model.panes.show(tab.pane));
    }
    let Some(pane) = pane_at(model, at) else { return };
    if pane != model.panes.front() {
        model.panes.show(pane);
    }
    with_pane(model, pane, |pane, model| pane.click(at, model));
    command_line::refresh(model);
}

/// The pane at a place, its title included.
fn pane_at(model: &Model, at: Position) -> Option<PaneId> {
    let layout = &model.screen.layout;
    if layout.pane.is_some_and(|(title, area)| area.contains(at) || (title == at.y && area.x <= at.x)) {
        return model.panes.beside();
    }
    let list = layout.list_area;
    let is_heading = layout.list_rule == Some(at.y) || layout.heading == Some(at.y);
    (list.contains(at) || is_heading && at.x < list.width).then_some(RECORDS)
}
