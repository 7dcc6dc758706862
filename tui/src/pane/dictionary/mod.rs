//! The Dictionary pane: every name with its origin, and the keys that have none.

mod draw;
mod names;

use ratatui::{buffer::Buffer, layout::Rect};

use super::table::TableCursor;
use crate::{
    action::{Action, PaneAction, PaneId, PaneKeys, RECORDS, quoted},
    model::{Model, filter, panes::Pane},
};
use names::{NameRow, NameTable, SORTS, Sort, widest};

const ID: PaneId = PaneId("dictionary");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "dictionary",
    tab: Some("Dict"),
    actions: &[
        PaneAction { name: SORT_NEXT, doc: "sort by the next column", valid: ID, listed_after: "source-previous" },
        PaneAction { name: SORT_REVERSE, doc: "sort the other way round", valid: ID, listed_after: "source-previous" },
    ],
};

const SORT_NEXT: &str = "sort-next";
const SORT_REVERSE: &str = "sort-reverse";

/// Lines from the top that the columns are wide enough for.
const SAMPLE: usize = 500;

/// Its lines, how they are sorted, and the cursor.
#[derive(Debug, Default)]
pub(super) struct DictionaryPane {
    names: NameTable,
    sort: Sort,
    cursor: TableCursor,
    /// The lines on the screen.
    shown: Vec<NameRow>,
    /// Width of the longest text of each column so far.
    widest: [usize; 7],
}

impl Pane for DictionaryPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        match action {
            Action::OfPane(_, SORT_NEXT) => self.sort.column = (self.sort.column + 1) % SORTS.len(),
            Action::OfPane(_, SORT_REVERSE) => self.sort.reverse = !self.sort.reverse,
            Action::Open => self.filter_by_name(model),
            other => {
                self.cursor.handle(other, model.screen.list_height());
            }
        }
    }

    fn forget_rows(&mut self) {
        self.names = NameTable::default();
        self.shown.clear();
        self.widest = [0; 7];
    }

    fn prepare(&mut self, model: &Model, _width: u16, height: u16) {
        self.names.refresh(model, self.sort);
        let lines = usize::from(height).saturating_sub(usize::from(height > 2));
        self.cursor.fit(self.names.len(), lines);
        self.shown = self.names.lines(model, self.cursor.top, lines);
        if self.widest == [0; 7] {
            // Columns should not move with every page.
            self.widest = widest(self.widest, &self.names.lines(model, 0, SAMPLE));
        }
        self.widest = widest(self.widest, &self.shown);
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(self, &model.screen.look, area, buffer);
    }
}

impl DictionaryPane {
    /// Shows only the rows that are about the name under the cursor.
    fn filter_by_name(&self, model: &mut Model) {
        let Some(row) = self.names.lines(model, self.cursor.at, 1).pop() else { return };
        let word = row.name.as_ref().unwrap_or(&row.key);
        let role = match row.space.as_str() {
            "sig" => "sig",
            "fun" | "state" => "state",
            _ => "obj",
        };
        model.panes.show(RECORDS);
        filter::set_text(model, &format!("{role}:{}", quoted(word)));
    }
}
