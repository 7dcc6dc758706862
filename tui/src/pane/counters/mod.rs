//! The Counters pane: the accounting, every counter, bandwidth by group, the list of losses.

mod bandwidth;
mod figures;
mod lines;
mod losses;
mod sums;
mod verdict;

use std::{collections::BTreeSet, time::Instant};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::Widget,
};

use super::{pace, table::TableCursor};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, PromptKind, RECORDS},
    model::{Model, jump, panes::Pane, screen::Piece},
    term::Role,
    widget::Rule,
};

const ID: PaneId = PaneId("counters");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "counters",
    tab: Some("Cnt"),
    actions: &[
        PaneAction { name: UNFOLD, doc: "kinds of this group", listed_after: "zoom" },
        PaneAction { name: FOLD, doc: "this group in one line", listed_after: "zoom" },
    ],
    hints: &[
        Hint(&[Action::Open], "goes there"),
        Hint(&[Action::OfPane(ID, UNFOLD)], "kinds of a group"),
        Hint(&[Action::Advise], "advice"),
    ],
};

const UNFOLD: &str = "unfold-kinds";
const FOLD: &str = "fold-kinds";

/// Its lines and the cursor.
#[derive(Debug, Default)]
pub(super) struct CountersPane {
    lines: Vec<CounterRow>,
    cursor: TableCursor,
    /// When the lines were made.
    made_at: Option<Instant>,
    /// Groups whose kinds are listed.
    unfolded: BTreeSet<String>,
}

impl Pane for CountersPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        // What a key does is seen at once.
        self.made_at = None;
        if self.cursor.handle(action, model.screen.front_height()) {
            return;
        }
        let Some(line) = self.lines.get(self.cursor.at) else { return };
        match (action, &line.group) {
            (Action::OfPane(_, UNFOLD), Some(group)) => {
                self.unfolded.insert(group.clone());
            }
            (Action::OfPane(_, FOLD), Some(group)) => {
                self.unfolded.remove(group);
            }
            (Action::Open, _) => open(line, model),
            _ => {}
        }
    }

    fn forget_rows(&mut self) {
        self.made_at = None;
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        self.cursor.click(at, 0, model);
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        if !pace::is_live(model) || !pace::is_recent(model, self.made_at, self.lines.len()) {
            self.lines = lines::lines(model, &self.unfolded, usize::from(width));
            self.made_at = Some(model.now);
        }
        self.cursor.fit(self.lines.len(), usize::from(height));
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        let look = &model.screen.look;
        Rule { title: "Counters", right: "now │ as of the cursor", look }.render(area, buffer);
        let area = super::below_title(area);
        self.cursor.draw_lines(&self.lines, |row| row.pieces.clone(), look, area, buffer);
    }
}

/// One line of the pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct CounterRow {
    /// Its parts.
    pieces: Vec<Piece>,
    /// A row to go to with Enter.
    row: Option<u64>,
    /// A command that Enter puts into the command line.
    line: Option<String>,
    /// The group of records that it is about.
    group: Option<String>,
}

impl CounterRow {
    fn of(pieces: Vec<Piece>) -> CounterRow {
        CounterRow { pieces, ..CounterRow::default() }
    }

    fn plain(text: &str) -> CounterRow {
        CounterRow::of(vec![(text.to_owned(), Role::Plain)])
    }
}

/// Goes to the row of a line, or puts its command into the command line.
fn open(line: &CounterRow, model: &mut Model) {
    if let Some(row) = line.row {
        model.panes.show(RECORDS);
        jump::to_row(model, row);
    } else if let Some(command) = &line.line {
        model.prompt.open(PromptKind::Command, command);
    }
}
