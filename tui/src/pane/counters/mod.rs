//! The Counters pane: the accounting, every counter, bandwidth by group, the list of losses.

mod figures;
mod lines;
mod losses;
mod row;
mod sums;

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use super::table::TableCursor;
use crate::{
    action::{Action, PaneId, PaneKeys, RECORDS},
    model::{Model, jump, panes::Pane},
    widget::Rule,
};

const ID: PaneId = PaneId("counters");

const KEYS: PaneKeys = PaneKeys { id: ID, title: "counters", tab: Some("Cnt"), actions: &[] };

/// Its lines and the cursor.
#[derive(Debug, Default)]
pub(super) struct CountersPane {
    lines: Vec<row::CounterRow>,
    cursor: TableCursor,
}

impl Pane for CountersPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        if self.cursor.handle(action, model.screen.list_height()) || action != Action::Open {
            return;
        }
        if let Some(row) = self.lines.get(self.cursor.at).and_then(|line| line.row) {
            model.panes.show(RECORDS);
            jump::to_row(model, row);
        }
    }

    fn prepare(&mut self, model: &Model, _width: u16, height: u16) {
        self.lines = lines::lines(model);
        self.cursor.fit(self.lines.len(), usize::from(height));
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        let look = &model.screen.look;
        Rule { title: "Counters", right: "now │ as of the cursor", look }.render(area, buffer);
        let area = super::below_title(area);
        self.cursor.draw_lines(&self.lines, |row| row.pieces.clone(), look, area, buffer);
    }
}
