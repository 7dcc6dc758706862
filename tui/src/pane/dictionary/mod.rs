//! The Dictionary pane: every name with its origin, and the keys that have none.

mod draw;
mod names;
mod uses;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::present::clock::grouped;

use super::table::TableCursor;
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{
        Model, filter,
        panes::{Offer, Pane},
    },
};
use names::{NameRow, NameTable, SORTS, Sort, widest};

const ID: PaneId = PaneId("dictionary");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "dictionary",
    tab: Some("Dict"),
    actions: &[
        PaneAction { name: HIDE_SPACE, doc: "hide this space", valid: ID, listed_after: "only-core" },
        PaneAction { name: HIDE_ORIGIN, doc: "hide names from here", valid: ID, listed_after: "only-core" },
        PaneAction { name: ONLY_SPACE, doc: "only this space", valid: ID, listed_after: "only-core" },
        PaneAction { name: ONLY_ORIGIN, doc: "only names from here", valid: ID, listed_after: "only-core" },
        PaneAction { name: ALL_NAMES, doc: "all names", valid: ID, listed_after: "only-core" },
        PaneAction { name: SORT_NEXT, doc: "sort by the next column", valid: ID, listed_after: "source-previous" },
        PaneAction { name: SORT_REVERSE, doc: "sort the other way round", valid: ID, listed_after: "source-previous" },
    ],
    hints: &[
        Hint(&[Action::Open], "only its rows"),
        Hint(&[Action::Search], "find"),
        Hint(&[Action::OfPane(ID, SORT_NEXT)], "sort"),
    ],
};

const HIDE_SPACE: &str = "hide-space";
const HIDE_ORIGIN: &str = "hide-origin";
const ONLY_SPACE: &str = "only-space";
const ONLY_ORIGIN: &str = "only-origin";
const ALL_NAMES: &str = "all-names";
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
            Action::OfPane(_, ALL_NAMES) => self.names.show_all(),
            Action::Open => self.filter_by_name(model),
            other => {
                if let Some((of_space, hide)) = narrowing(other) {
                    if let Some((common, ..)) = self.names.common(model, self.cursor.at, of_space) {
                        self.names.narrow(common, hide);
                    }
                    return;
                }
                self.cursor.handle(other, model.screen.front_height());
            }
        }
    }

    fn offer(&self, action: Action, model: &Model) -> Offer {
        let Some((of_space, _)) = narrowing(action) else { return Offer::Usual };
        let common = self.names.common(model, self.cursor.at, of_space);
        common.map_or(Offer::Nothing, |(_, word, count)| Offer::Words(format!("{word} {}", grouped(count as u64))))
    }

    fn work(&mut self, model: &Model) -> bool {
        self.names.count(model)
    }

    fn line(&self) -> Option<usize> {
        Some(self.cursor.at)
    }

    fn line_texts(&self, model: &Model) -> Vec<String> {
        self.names.texts(model)
    }

    fn go_to_line(&mut self, line: usize) {
        self.cursor.at = line;
    }

    fn forget_rows(&mut self) {
        self.names = NameTable::default();
        self.shown.clear();
        self.widest = [0; 7];
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        let Some((_, area)) = model.screen.layout.pane else { return };
        if at.y > area.y || area.height <= 2 {
            return self.cursor.click(at, u16::from(area.height > 2), model);
        }
        let is_heading = at.y == area.y;
        if let Some(column) = draw::sort_at(area, self.widest, at.x).filter(|_| is_heading) {
            self.sort = Sort { column, reverse: self.sort.column == column && !self.sort.reverse };
        }
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
        draw::draw(self, model, area, buffer);
    }
}

/// Whether an action is about the space or the origin of a line, and whether it hides; `None` for other actions.
fn narrowing(action: Action) -> Option<(bool, bool)> {
    match action {
        Action::OfPane(_, HIDE_SPACE) => Some((true, true)),
        Action::OfPane(_, ONLY_SPACE) => Some((true, false)),
        Action::OfPane(_, HIDE_ORIGIN) => Some((false, true)),
        Action::OfPane(_, ONLY_ORIGIN) => Some((false, false)),
        _ => None,
    }
}

impl DictionaryPane {
    /// Shows only the rows that are about the name under the cursor.
    fn filter_by_name(&self, model: &mut Model) {
        let Some(row) = self.names.lines(model, self.cursor.at, 1).pop() else { return };
        model.panes.show(RECORDS);
        filter::set_text(model, &row.filter());
    }
}
