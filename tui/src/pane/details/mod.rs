//! The details under the list: fields of the cursor row at the left, its bytes at the right.

mod draw;

use ratatui::{buffer::Buffer, layout::Rect};
use spytui_engine::present::Role as RowRole;

use crate::{
    input::{Action, PaneAction, PaneId, PaneKeys},
    model::{
        Effect, Model,
        details::{Details, changes, details, loss_at},
        list::Entry,
        panes::{Dock, Pane},
        screen::Layout,
    },
};

const ID: PaneId = PaneId("details");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "details",
    tab: None,
    actions: &[
        PaneAction { name: TOGGLE, doc: "details on or off", listed_after: "zoom" },
        PaneAction { name: COPY, doc: "copy the details", listed_after: "copy" },
    ],
    hints: &[],
};

const TOGGLE: &str = "details";
const COPY: &str = "copy-details";

/// The details of the row under the cursor.
#[derive(Debug, Default)]
pub(super) struct DetailsPane {
    details: Option<Details>,
}

impl Pane for DetailsPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn dock(&self) -> Dock {
        Dock::Below
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        match action {
            Action::OfPane(_, TOGGLE) => model.panes.toggle_details(Layout::is_low(model.screen.size.1)),
            Action::OfPane(_, COPY) => copy(model),
            _ => {}
        }
    }

    fn forget_rows(&mut self) {
        self.details = None;
    }

    fn prepare(&mut self, model: &Model, _width: u16, _height: u16) {
        let Some(entry) = model.list.cursor_entry() else {
            self.details = None;
            return;
        };
        let rows = &model.list.rows;
        let names = changes(rows);
        let (first, row) = rows_of(model, entry);
        if self.details.as_ref().is_some_and(|d| d.row == row && d.changes == names) {
            return;
        }
        self.details = details(rows, row);
        // While the newest rows are followed, the cursor row changes with every frame.
        if let Some(shown) = self.details.as_mut().filter(|_| !model.list.page.follows() || model.links.is_over()) {
            shown.add_links(rows);
        }
        let frame = (first < row).then(|| details(rows, first)).flatten();
        if let (Some(shown), Some(frame)) = (self.details.as_mut(), frame) {
            shown.add_frame(frame);
        }
    }

    fn lines_wanted(&self, model: &Model) -> Option<u16> {
        if !model.panes.details_large {
            return None;
        }
        let Some(details) = &self.details else { return Some(0) };
        u16::try_from(draw::lines_needed(details, model.screen.size.0)).ok()
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(self.details.as_ref(), model.panes.details_large, &model.screen.look, area, buffer);
    }
}

/// The row of a line that the details are about, and the one before it that may have bytes where that has none. Of
/// losses it is the last row of the one under the cursor, which is the gap where there is one.
fn rows_of(model: &Model, entry: &Entry) -> (u64, u64) {
    match entry.line.role {
        RowRole::Loss => loss_at(&model.list.rows, model.list.page.cursor(), (entry.first, entry.last)),
        _ if entry.folds_names() => (entry.first, entry.first),
        _ => (entry.last, entry.last),
    }
}

/// Copies the details of the cursor row.
fn copy(model: &mut Model) {
    let Some(mut details) = details(&model.list.rows, model.list.page.cursor()) else { return };
    details.add_links(&model.list.rows);
    let mut text = format!("{}\n", details.title);
    for f in details.fields.iter().chain(&details.links) {
        text.push_str(format!("{:<8} {:<12} {} {}", f.name, f.value, f.meaning, f.origin).trim_end());
        text.push('\n');
    }
    model.ask_for(Effect::Copy { what: "the details".to_owned(), text });
}
