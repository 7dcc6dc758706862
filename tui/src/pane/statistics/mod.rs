//! The Statistics pane: rates, times, shares of the processor and levels of all records, by any column.
//!
//! | module | what is in it |
//! |---|---|
//! | `draw` | the table and what is said of it |
//! | `cells` | which columns fit |
//! | `distribution` | the values of the row under the cursor as bars |

mod cells;
mod distribution;
mod draw;

use std::{collections::BTreeMap, time::Instant};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};
use spytui_engine::{
    analysis::statistics::{
        Column, Columns, Figure, Measure, Sort, StatisticsRow, StatisticsTable,
        measure::{self, Quantity},
    },
    trace::list::StatisticsWalk,
};

use super::{pace, table::TableCursor};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{
        Model, jump,
        panes::{Offer, Pane},
    },
};

const ID: PaneId = PaneId("statistics");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "statistics",
    tab: Some("Stat"),
    actions: &[
        action(PREVIOUS, "what was measured before this", "right"),
        action(NEXT, "what was measured next", "right"),
        action(ADD[0], "also by kind", "only-core"),
        action(ADD[1], "also by group", "only-core"),
        action(ADD[2], "also by object", "only-core"),
        action(ADD[3], "also by signal", "only-core"),
        action(ADD[4], "also by core", "only-core"),
        action(REMOVE[0], "not by kind", "only-core"),
        action(REMOVE[1], "not by group", "only-core"),
        action(REMOVE[2], "not by object", "only-core"),
        action(REMOVE[3], "not by signal", "only-core"),
        action(REMOVE[4], "not by core", "only-core"),
        action(USUAL, "by the usual columns", "only-core"),
        action(BARS, "histogram on or off", "only-core"),
        action(SORT_NEXT, "sort by the next column", "source-previous"),
        action(SORT_REVERSE, "sort the other way round", "source-previous"),
    ],
    hints: &[
        Hint(&[Action::Open], "to its record"),
        Hint(&[Action::OfPane(ID, PREVIOUS), Action::OfPane(ID, NEXT)], "measures"),
        Hint(&[Action::OfPane(ID, SORT_NEXT)], "sort"),
        Hint(&[Action::OfPane(ID, ADD[2])], "add column"),
        Hint(&[Action::Search], "find"),
    ],
};

const fn action(name: &'static str, doc: &'static str, listed_after: &'static str) -> PaneAction {
    PaneAction { name, doc, valid: ID, listed_after }
}

const PREVIOUS: &str = "measure-previous";
const NEXT: &str = "measure-next";
const ADD: [&str; 5] = ["by-kind", "by-group", "by-object", "by-signal", "by-core"];
const REMOVE: [&str; 5] = ["not-by-kind", "not-by-group", "not-by-object", "not-by-signal", "not-by-core"];
const COLUMNS: [Column; 5] = [Column::Kind, Column::Group, Column::Object, Column::Signal, Column::Core];
const USUAL: &str = "by-usual";
const BARS: &str = "histogram";
const SORT_NEXT: &str = "figure-next";
const SORT_REVERSE: &str = "figure-reverse";

/// How the table of a measure was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    by: Columns,
    sort: Sort,
    reverse: bool,
}

/// What a table was made from.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Made {
    measure: Measure,
    asked: Asked,
    rows: u64,
    names: u64,
    short: bool,
}

/// The table, how it was asked for, and the cursor.
#[derive(Debug, Default)]
pub(super) struct StatisticsPane {
    /// `None` until the pane is shown.
    walk: Option<StatisticsWalk>,
    /// The one that is shown; `None` = the first one.
    measure: Option<Measure>,
    /// Steps to another one that were typed before there were others.
    steps: i64,
    asked: BTreeMap<Measure, Asked>,
    table: Option<StatisticsTable>,
    made: Option<Made>,
    made_at: Option<Instant>,
    cursor: TableCursor,
    /// Names of the row under the cursor, which stays there when rows move.
    chosen: Option<Vec<String>>,
    without_bars: bool,
}

impl Pane for StatisticsPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        match action {
            Action::OfPane(_, name) => self.act(name),
            Action::Open => self.open(model),
            other => {
                if self.cursor.handle(other, model.screen.front_height()) {
                    self.choose();
                }
            }
        }
    }

    fn offer(&self, action: Action, _model: &Model) -> Offer {
        let Action::OfPane(_, name) = action else { return Offer::Usual };
        let by = self.asked(self.measure()).by;
        let has = |names: [&str; 5], is_there: bool| {
            names.iter().position(|own| *own == name).is_some_and(|at| by.has(COLUMNS[at]) == is_there)
        };
        if has(ADD, true) || has(REMOVE, false) { Offer::Nothing } else { Offer::Usual }
    }

    fn work(&mut self, model: &Model) -> bool {
        let is_recent = self.is_recent(model);
        let walk = self.walk(model);
        !pace::may_wait(model, walk.walked(), is_recent) && walk.work(&model.list.rows)
    }

    fn line(&self) -> Option<usize> {
        Some(self.cursor.at)
    }

    fn line_texts(&self, _model: &Model) -> Vec<String> {
        self.rows().iter().map(|row| row.names.join(" ")).collect()
    }

    fn go_to_line(&mut self, line: usize) {
        self.cursor.at = line;
        self.choose();
    }

    fn forget_rows(&mut self) {
        (self.walk, self.table, self.made) = (None, None, None);
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        let Some((_, area)) = model.screen.layout.pane else { return };
        if at.y > area.y {
            self.cursor.click(at, draw::HEADING, model);
            return self.choose();
        }
        let several = model.list.rows.sources() > 1;
        let column = usize::from(at.x.saturating_sub(area.x + 1));
        let room = usize::from(area.width.saturating_sub(1));
        let sort = self.table.as_ref().and_then(|table| cells::sort_at(table, room, several, column));
        if let Some(sort) = sort.filter(|_| at.y == area.y) {
            let asked = self.asked(self.measure());
            let reverse = asked.sort == sort && !asked.reverse;
            self.asked.insert(self.measure(), Asked { sort, reverse, ..asked });
        }
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        self.refresh(model);
        let chosen = self.chosen.as_ref();
        if let Some(at) = chosen.and_then(|chosen| self.rows().iter().position(|row| row.names == *chosen)) {
            self.cursor.at = at;
        }
        let lines = draw::parts(self, model, Rect { x: 0, y: 0, width, height }).lines.height;
        self.cursor.fit(self.rows().len(), lines.into());
        self.choose();
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        draw::draw(self, model, area, buffer);
    }
}

impl StatisticsPane {
    fn rows(&self) -> &[StatisticsRow] {
        self.table.as_ref().map_or(&[], |table| &table.rows)
    }

    fn measure(&self) -> Measure {
        self.measure.unwrap_or(Measure::Rate)
    }

    /// How the table of a measure is asked for.
    fn asked(&self, measure: Measure) -> Asked {
        let usual = Asked { by: Columns::usual(measure), sort: Sort::usual(measure), reverse: false };
        self.asked.get(&measure).copied().unwrap_or(usual)
    }

    /// What there is of the rows so far.
    fn measures(&self) -> Vec<Measure> {
        let Some(walk) = &self.walk else { return vec![Measure::Rate] };
        let statistics = walk.reader();
        let is_there = |measure: &Measure| {
            *measure == Measure::Rate
                || *measure == self.measure()
                || statistics.counts(*measure).begun > 0
                || statistics.sums(*measure).next().is_some()
        };
        measure::ALL.into_iter().filter(is_there).collect()
    }

    fn act(&mut self, name: &str) {
        let measure = self.measure();
        let mut asked = self.asked(measure);
        let sorts = Sort::all(measure, asked.by);
        match name {
            NEXT => return self.turn(1),
            PREVIOUS => return self.turn(-1),
            BARS => return self.without_bars = !self.without_bars,
            USUAL => asked.by = Columns::usual(measure),
            SORT_REVERSE => asked.reverse = !asked.reverse,
            SORT_NEXT => {
                let next = sorts.iter().position(|sort| *sort == asked.sort).map_or(0, |at| at + 1);
                asked.sort = sorts[next % sorts.len()];
            }
            name => {
                let at = |names: [&str; 5]| names.iter().position(|own| *own == name);
                asked.by = match (at(ADD), at(REMOVE)) {
                    (Some(column), _) => asked.by.with(COLUMNS[column], true),
                    (_, Some(column)) => asked.by.with(COLUMNS[column], false),
                    _ => asked.by,
                };
            }
        }
        // A name that is no column any more sorts nothing.
        if matches!(asked.sort, Sort::Name(column) if !asked.by.has(column)) {
            asked.sort = Sort::usual(measure);
        }
        self.asked.insert(measure, asked);
    }

    /// To another measure.
    fn turn(&mut self, by: i64) {
        self.steps += by;
        let measures = self.measures();
        if measures.len() < 2 {
            return;
        }
        let by = std::mem::take(&mut self.steps);
        let at = measures.iter().position(|measure| *measure == self.measure()).unwrap_or(0) as i64;
        let next = (at + by).rem_euclid(measures.len() as i64) as usize;
        self.measure = measures.get(next).copied();
        (self.chosen, self.cursor) = (None, TableCursor::default());
    }

    /// Whether the table was made just now.
    fn is_recent(&self, model: &Model) -> bool {
        let statistics = self.walk.as_ref().map(StatisticsWalk::reader);
        let sums = statistics.map_or(0, |statistics| statistics.sums(self.measure()).count());
        pace::is_recent(model, self.made_at, sums)
    }

    /// The statistics of the rows shown, from the first one on.
    fn walk(&mut self, model: &Model) -> &mut StatisticsWalk {
        let rows = &model.list.rows;
        if self.walk.as_ref().is_some_and(|walk| !walk.is_of(rows)) {
            self.forget_rows();
        }
        self.walk.get_or_insert_with(|| StatisticsWalk::new(rows))
    }

    /// Makes the table again if it is outdated.
    fn refresh(&mut self, model: &Model) {
        let rows = &model.list.rows;
        let walked = self.walk(model).walked();
        if self.steps != 0 {
            self.turn(0);
            // There is no other one.
            self.steps = if walked < rows.len() { self.steps } else { 0 };
        }
        let measure = self.measure();
        let (asked, names, short) = (self.asked(measure), rows.name_changes(), model.list.page.short);
        let made = Made { measure, asked, rows: walked, names, short };
        let is_paused = self.is_recent(model) && (walked < rows.len() || !model.links.is_over());
        let is_same = self
            .made
            .is_some_and(|before| before == made || is_paused && Made { rows: walked, names, ..before } == made);
        if is_same {
            return;
        }
        let mut table = self.walk(model).table(rows, (measure, asked.by), short);
        table.sort(asked.sort, asked.reverse);
        (self.table, self.made, self.made_at) = (Some(table), Some(made), Some(model.now));
    }

    fn choose(&mut self) {
        // Beyond the end until the next frame.
        let row = self.rows().get(self.cursor.at).or(self.rows().last());
        self.chosen = row.map(|row| row.names.clone()).or(self.chosen.take());
    }

    /// Goes to the record with the value to look at.
    fn open(&mut self, model: &mut Model) {
        let measure = self.measure();
        let (Some(row), Some(table)) = (self.rows().get(self.cursor.at), &self.table) else { return };
        let Some(extreme) = row.extreme(measure) else { return };
        if extreme.at.row < model.list.rows.first_kept() {
            return model.say("the bytes of that record are not kept any more");
        }
        model.panes.show(RECORDS);
        if jump::to_row(model, extreme.at.row) {
            // The record is often one about something else: what was measured ends with it.
            let figure = if measure.is_low_worse() { Figure::Min } else { Figure::Max };
            let end = if measure.quantity() == Quantity::Time { ", ends here" } else { "" };
            let (word, value) = (figure.heading(measure), figure.text(row, table.unit));
            model.say(format!("{} {}: {word} {value}{end}", measure.word(), row.names.join(" ")));
        }
    }
}
