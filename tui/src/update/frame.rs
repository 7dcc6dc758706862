//! Makes everything that the next frame shows, so that drawing only reads the model.

use ratatui::layout::Rect;

use super::command_line;
use crate::{
    input::PaneId,
    model::{
        Model, hints, line_search, links,
        panes::with_pane,
        screen::{self, Layout, LayoutRequest},
    },
};

/// Limit for repeating the layout because a pane needs more lines.
const ROUNDS: usize = 3;

/// Prepares a frame of this size.
pub(super) fn prepare(model: &mut Model, size: (u16, u16)) {
    model.screen.size = size;
    command_line::catch_up(model);
    let before = others_shown(model);
    lay_out(model);
    // What has come into view has work to do, although nothing else may happen.
    model.jobs.unfinished |= others_shown(model).into_iter().zip(before).any(|(is, was)| is && !was);
    screen::refresh_header(model, model.now);
    screen::refresh_list_title(model);
    if let (Some(pane), Some((_, area))) = (model.panes.beside(), model.screen.layout.pane) {
        prepare_pane(model, pane, area);
        if line_search::look_again(model) {
            prepare_pane(model, pane, area);
        }
    }
    if let (Some(pane), Some((_, area))) = (model.panes.strip(), model.screen.layout.strip) {
        prepare_pane(model, pane, area);
    }
    hints::refresh(model);
    model.screen.diagnosis = links::diagnosis(model);
}

/// Whether there is a pane beside or instead of the list, and a strip.
fn others_shown(model: &Model) -> [bool; 2] {
    let layout = &model.screen.layout;
    [layout.pane.is_some(), layout.strip.is_some()]
}

/// Lays out the screen and prepares the page and the pane under the list, which may need more lines.
fn lay_out(model: &mut Model) {
    for _ in 0..ROUNDS {
        let wanted = lines_wanted(model);
        let request = LayoutRequest {
            pane: !model.panes.is_list_in_front(),
            stays: model.settings.config.on("ui.beside") && model.panes.beside().is_some(),
            strip: model.settings.config.on("ui.strip") && model.panes.strip().is_some(),
            details: model.panes.details_open,
            details_all: wanted,
            zoom: model.panes.zoom,
            stacked: is_stacked(model),
            heading: model.settings.config.on("ui.heading"),
        };
        model.screen.layout = Layout::new(model.screen.size, request);
        let layout = model.screen.layout;
        if layout.list_area.height > 0 {
            model.list.fill_page(usize::from(layout.list_area.height), model.now);
        }
        let below = model.panes.below().map(|pane| pane.keys().id);
        if let (Some((_, area)), Some(pane)) = (layout.details, below) {
            prepare_pane(model, pane, area);
        }
        // More lines for the details may move the list, but not to another row.
        if lines_wanted(model) == wanted {
            return;
        }
    }
}

/// A pane beside the list makes every scrolled line cost its whole width.
fn is_stacked(model: &Model) -> bool {
    match model.settings.config.text("ui.layout") {
        "stacked" => true,
        "side" => false,
        _ => model.screen.slow_line,
    }
}

fn lines_wanted(model: &Model) -> Option<u16> {
    model.panes.below().and_then(|pane| pane.lines_wanted(model))
}

fn prepare_pane(model: &mut Model, id: PaneId, area: Rect) {
    with_pane(model, id, |pane, model| pane.prepare(model, area.width, area.height));
}
