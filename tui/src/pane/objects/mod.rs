//! The Objects pane: what every object was doing at the row under the cursor of the list.

mod draw;
mod lines;

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::{
    analysis::{
        Key,
        objects::{Moment, ObjectLine, ObjectTable},
    },
    trace::list::{Direction, ObjectHistory, object_history::Change, worded::worded},
};

use super::{pace, table::TableCursor};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{Model, filter, jump, panes::Pane},
};
use lines::{Made, Progress, SORTS, Sort, filter_of, sort_lines, text_of};

const ID: PaneId = PaneId("objects");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "objects",
    tab: Some("Obj"),
    actions: &[
        PaneAction { name: CHANGE_NEXT, doc: "its next change of state", valid: ID, listed_after: "object-previous" },
        PaneAction {
            name: CHANGE_PREVIOUS,
            doc: "its previous change of state",
            valid: ID,
            listed_after: "object-previous",
        },
        PaneAction { name: SORT_NEXT, doc: "sort by the next column", valid: ID, listed_after: "source-previous" },
        PaneAction { name: SORT_REVERSE, doc: "sort the other way round", valid: ID, listed_after: "source-previous" },
    ],
    hints: &[
        Hint(&[Action::OfPane(ID, CHANGE_PREVIOUS), Action::OfPane(ID, CHANGE_NEXT)], "its changes"),
        Hint(&[Action::Open], "only its rows"),
        Hint(&[Action::Search], "find"),
        Hint(&[Action::OfPane(ID, SORT_NEXT)], "sort"),
    ],
};

const CHANGE_NEXT: &str = "change-next";
const CHANGE_PREVIOUS: &str = "change-previous";
const SORT_NEXT: &str = "order-next";
const SORT_REVERSE: &str = "order-reverse";

/// Its lines, how they are sorted, and the cursor.
#[derive(Debug, Default)]
pub(super) struct ObjectsPane {
    /// `None` until the pane is shown.
    history: Option<ObjectHistory>,
    lines: Vec<ObjectLine>,
    sort: Sort,
    cursor: TableCursor,
    /// The object under the cursor, which stays there when lines move.
    chosen: Option<Key>,
    /// What the lines were made from.
    made: Option<Made>,
    made_at: Option<Instant>,
    progress: Progress,
    /// The row that the lines are as of.
    as_of: Option<Moment>,
}

impl Pane for ObjectsPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn stays_beside(&self) -> bool {
        true
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        match action {
            Action::OfPane(_, SORT_NEXT) => self.sort.column = (self.sort.column + 1) % SORTS.len(),
            Action::OfPane(_, SORT_REVERSE) => self.sort.reverse = !self.sort.reverse,
            Action::OfPane(_, CHANGE_NEXT) => self.go_to_change(model, Direction::Forward),
            Action::OfPane(_, CHANGE_PREVIOUS) => self.go_to_change(model, Direction::Backward),
            Action::Open => self.filter_by_object(model),
            other => {
                if self.cursor.handle(other, model.screen.front_height()) {
                    self.choose();
                }
            }
        }
    }

    fn work(&mut self, model: &Model) -> bool {
        let rows = &model.list.rows;
        self.history(model).work(rows)
    }

    fn line(&self) -> Option<usize> {
        Some(self.cursor.at)
    }

    fn line_texts(&self, _model: &Model) -> Vec<String> {
        self.lines.iter().map(text_of).collect()
    }

    fn go_to_line(&mut self, line: usize) {
        self.cursor.at = line;
        self.choose();
    }

    fn forget_rows(&mut self) {
        self.history = None;
        self.made = None;
        self.lines.clear();
    }

    fn memory(&self) -> usize {
        self.history.as_ref().map_or(0, ObjectHistory::memory)
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        let Some((_, area)) = model.screen.layout.pane else { return };
        if at.y > area.y || area.height <= 2 {
            self.cursor.click(at, u16::from(area.height > 2), model);
            return self.choose();
        }
        if let Some(column) = draw::sort_at(area, &self.lines, at.x).filter(|_| at.y == area.y) {
            self.sort = Sort { column, reverse: self.sort.column == column && !self.sort.reverse };
        }
    }

    fn prepare(&mut self, model: &Model, _width: u16, height: u16) {
        self.refresh(model);
        if let Some(at) = self.chosen.and_then(|chosen| self.lines.iter().position(|line| line.key == chosen)) {
            self.cursor.at = at;
        }
        let lines = usize::from(height).saturating_sub(usize::from(height > 2));
        self.cursor.fit(self.lines.len(), lines);
        self.choose();
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(self, model, area, buffer);
    }
}

impl ObjectsPane {
    /// The objects of the rows shown, from the first one on.
    fn history(&mut self, model: &Model) -> &mut ObjectHistory {
        let rows = &model.list.rows;
        if self.history.as_ref().is_some_and(|history| !history.is_of(rows)) {
            self.forget_rows();
        }
        self.history.get_or_insert_with(|| ObjectHistory::new(rows))
    }

    /// Makes the lines again if they are outdated.
    fn refresh(&mut self, model: &Model) {
        let (rows, cursor) = (&model.list.rows, model.list.row_here());
        let history = self.history(model);
        self.progress = Progress::of(history, rows.len(), cursor);
        let row = self.progress.row(cursor);
        let follows = pace::is_live(model);
        let made = Made { row, names: rows.name_changes(), short: model.list.page.short, sort: self.sort, follows };
        let is_recent = pace::is_recent(model, self.made_at, self.lines.len());
        let is_paused = |before: Made| is_recent && follows && before.row.is_some() && row.is_some();
        if self.made.is_some_and(|before| before == made || is_paused(before) && Made { row, ..before } == made) {
            return;
        }
        let lines = row.and_then(|row| self.history(model).lines(rows, row, made.short));
        self.lines = lines.unwrap_or_default();
        self.as_of = row.and_then(|row| self.history(model).at(rows, row)).map(ObjectTable::last);
        sort_lines(&mut self.lines, self.sort);
        (self.made, self.made_at) = (Some(made), Some(model.now));
    }

    fn choose(&mut self) {
        // Beyond the end until the next frame.
        let line = self.lines.get(self.cursor.at).or(self.lines.last());
        self.chosen = line.map(|line| line.key).or(self.chosen);
    }

    /// Moves the cursor of the list to where the state of the object begins next, or began before.
    fn go_to_change(&mut self, model: &mut Model, direction: Direction) {
        let Some(line) = self.lines.get(self.cursor.at) else { return };
        let (key, name) = (line.key, line.name.clone());
        let cursor = model.list.row_here();
        let found = self.history(model).change(&model.list.rows, cursor, key, direction);
        let is_forward = direction == Direction::Forward;
        match found {
            Change::At(row) => _ = jump::to_row(model, row),
            Change::NotRead => model.say("not yet: the records before this one are being read"),
            Change::None if is_forward => model.say(format!("{name}: no later change of its state")),
            Change::None => model.say(format!("{name}: no earlier change of its state is known")),
        }
    }

    /// Shows only the rows that are about the object under the cursor.
    fn filter_by_object(&self, model: &mut Model) {
        let Some(line) = self.lines.get(self.cursor.at) else { return };
        // The full name is that of no other object.
        let word = worded(&model.list.rows, model.list.row_here(), false, |wording| wording.bare_name(line.key));
        let text = filter_of(line, &word);
        model.panes.show(RECORDS);
        filter::set_text(model, &text);
    }
}
