//! The Statistics pane: rates, times, CPU shares and levels of all records, by any columns.

mod below;

use std::collections::BTreeMap;

use ratatui::layout::Rect;
use spytui_engine::{
    analysis::statistics::{
        Figure, FigureUnit, Measure, Sort, StatisticsRow, StatisticsTable, SubjectColumn, SubjectColumns, WorstFigure,
        measure::COLUMNS,
    },
    export::{
        statistics::table,
        table::{ColumnFit, PANE, Table, Value},
    },
    trace::list::{StatisticsWalk, Walking},
};

use super::{
    live::{Below, Live, LivePane, percent_read},
    table::{Body, TableCursor},
};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, RECORDS},
    model::{Model, jump, line_search, panes::ActionOffer},
    term::Role,
    widget::Paint,
};

const ID: PaneId = PaneId("statistics");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "statistics",
    tab: Some("Stat"),
    actions: &[
        PREVIOUS,
        NEXT,
        ADD[0],
        ADD[1],
        ADD[2],
        ADD[3],
        ADD[4],
        REMOVE[0],
        REMOVE[1],
        REMOVE[2],
        REMOVE[3],
        REMOVE[4],
        USUAL,
        BARS_ON,
        SORT_NEXT,
        SORT_REVERSE,
    ],
    hints: &[
        Hint(&[Action::Open], "to its record"),
        Hint(&[Action::OfPane(ID, PREVIOUS), Action::OfPane(ID, NEXT)], "measures"),
        Hint(&[Action::OfPane(ID, SORT_NEXT)], "sort"),
        Hint(&[Action::OfPane(ID, ADD[2])], "add column"),
        Hint(&[Action::Search], "find"),
    ],
    signs: "≥: at least: it has not ended yet",
};

const PREVIOUS: PaneAction = PaneAction::new("measure-previous", "what was measured before this", "right");
const NEXT: PaneAction = PaneAction::new("measure-next", "what was measured next", "right");
const ADD: [PaneAction; 5] = [
    PaneAction::new("by-kind", "also by kind", "only-core"),
    PaneAction::new("by-group", "also by group", "only-core"),
    PaneAction::new("by-object", "also by object", "only-core"),
    PaneAction::new("by-signal", "also by signal", "only-core"),
    PaneAction::new("by-core", "also by core", "only-core"),
];
const REMOVE: [PaneAction; 5] = [
    PaneAction::new("not-by-kind", "not by kind", "only-core"),
    PaneAction::new("not-by-group", "not by group", "only-core"),
    PaneAction::new("not-by-object", "not by object", "only-core"),
    PaneAction::new("not-by-signal", "not by signal", "only-core"),
    PaneAction::new("not-by-core", "not by core", "only-core"),
];
const USUAL: PaneAction = PaneAction::new("by-usual", "by the usual columns", "only-core");
const BARS_ON: PaneAction = PaneAction::new("histogram", "histogram on or off", "only-core");
const SORT_NEXT: PaneAction = PaneAction::new("figure-next", "sort by the next column", "source-previous");
const SORT_REVERSE: PaneAction = PaneAction::new("figure-reverse", "sort the other way round", "source-previous");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TableChoice {
    by: SubjectColumns,
    sort: Sort,
    reverse: bool,
}

pub(super) type StatisticsPane = LivePane<ShownStatistics>;

#[derive(Debug, Default)]
pub(super) struct ShownStatistics {
    /// The measure shown; `None` = the front page with the worst figure of each.
    measure: Option<Measure>,
    worst: Vec<WorstFigure>,
    /// Steps to another measure typed before there were others.
    steps: i64,
    asked: BTreeMap<Measure, TableChoice>,
    table: Option<StatisticsTable>,
    without_bars: bool,
}

impl Live for ShownStatistics {
    type Walk = StatisticsWalk;
    type Subject = (Measure, Vec<String>);
    type Asked = (Option<Measure>, TableChoice, bool, i64);

    const KEYS: &'static PaneKeys = &KEYS;

    fn len(&self) -> usize {
        if self.measure.is_none() { self.worst.len() } else { self.rows().len() }
    }

    fn subject(&self, line: usize) -> Option<Self::Subject> {
        if self.measure.is_none() {
            return self.worst.get(line).map(|worst| (worst.measure, worst.names.clone()));
        }
        let table = self.table.as_ref()?;
        Some((table.measure, table.rows.get(line)?.names.clone()))
    }

    fn line_of(&self, (measure, names): &Self::Subject) -> Option<usize> {
        if self.measure.is_none() {
            return self.worst.iter().position(|worst| worst.measure == *measure);
        }
        let table = self.table.as_ref().filter(|table| table.measure == *measure)?;
        table.rows.iter().position(|row| row.names == *names)
    }

    fn line_texts(&self, _model: &Model) -> Vec<String> {
        if self.measure.is_none() {
            return self.worst.iter().map(|worst| format!("{} {}", worst.measure.word(), worst.subject)).collect();
        }
        self.rows().iter().map(|row| row.names.join(" ")).collect()
    }

    fn asked(&self, _walk: &StatisticsWalk, model: &Model) -> Self::Asked {
        let measure = self.measure();
        (self.measure, self.asked(measure), model.list.page.short, self.steps)
    }

    fn things(&self, walk: &StatisticsWalk) -> usize {
        let measures = Measure::all().filter(|measure| self.measure.is_none_or(|shown| shown == *measure));
        measures.map(|measure| walk.reader.tally.sums(measure).count()).sum()
    }

    fn make(&mut self, walk: &mut StatisticsWalk, model: &Model, cursor: &mut TableCursor) {
        let rows = &model.list.rows;
        if self.steps != 0 {
            self.turn(0, walk, rows.len());
        }
        let Some(measure) = self.measure else {
            self.worst = walk.tables(rows, model.list.page.short, |tables| {
                tables.worst(|measure| model.settings.config.deadline(measure))
            });
            self.table = None;
            return;
        };
        let asked = self.asked(measure);
        let mut table = walk.tables(rows, model.list.page.short, |tables| tables.table(measure, asked.by));
        table.sort(asked.sort, asked.reverse);
        if self.table.replace(table).is_none_or(|before| before.measure != measure) {
            *cursor = TableCursor::default();
        }
    }

    fn forget(&mut self) {
        (self.table, self.worst) = (None, Vec::new());
    }

    fn act(&mut self, action: Action, line: usize, walk: &mut StatisticsWalk, model: &mut Model) {
        let Action::OfPane(_, name) = action else { return self.open(line, model) };
        let measure = self.measure();
        let mut asked = self.asked(measure);
        let sorts = Sort::all(measure, asked.by);
        match name {
            NEXT => return self.turn(1, walk, model.list.rows.len()),
            PREVIOUS => return self.turn(-1, walk, model.list.rows.len()),
            BARS_ON => return self.without_bars = !self.without_bars,
            // The front page has no columns to choose.
            _ if self.measure.is_none() => return,
            USUAL => asked.by = SubjectColumns::usual(measure),
            SORT_REVERSE => asked.reverse = !asked.reverse,
            SORT_NEXT => {
                let next = sorts.iter().position(|sort| *sort == asked.sort).map_or(0, |at| at + 1);
                asked.sort = sorts[next % sorts.len()];
            }
            name => {
                asked.by = column_of(name).map_or(asked.by, |(column, adds)| asked.by.with(column, adds));
            }
        }
        // Sorting by a name requires its column.
        if matches!(asked.sort, Sort::Name(column) if !asked.by.has(column)) {
            asked.sort = Sort::usual(measure);
        }
        self.asked.insert(measure, asked);
    }

    fn offer(&self, action: Action, _line: usize, _model: &Model) -> ActionOffer {
        if self.measure.is_none() && action == Action::Open {
            return ActionOffer::Words("to its table".to_owned());
        }
        let Action::OfPane(_, name) = action else { return ActionOffer::Usual };
        if self.measure.is_none() && !matches!(name, NEXT | PREVIOUS) {
            return ActionOffer::Nothing;
        }
        let by = self.asked(self.measure()).by;
        let is_so = column_of(name).is_some_and(|(column, adds)| by.has(column) == adds);
        if is_so { ActionOffer::Nothing } else { ActionOffer::Usual }
    }

    fn sort_by(&mut self, column: usize) {
        let measure = self.measure();
        let asked = self.asked(measure);
        let sort = self.sorts().nth(column).filter(|sort| *sort != Sort::Figure(Figure::At));
        if let Some(sort) = sort {
            let reverse = asked.sort == sort && !asked.reverse;
            self.asked.insert(measure, TableChoice { sort, reverse, ..asked });
        }
    }

    /// Highlights the sort column, and the interesting figure with its record.
    fn body(&self, model: &Model, _width: u16) -> Body {
        let several = model.list.rows.sources() > 1;
        if self.measure.is_none() && !self.worst.is_empty() {
            let roles = [Role::Kind, Role::Object, Role::Number, Role::Plain, Role::Time];
            return Body::new(&worst_table(&self.worst, several), &self.worst, &roles);
        }
        let Some(own) = self.table.as_ref().filter(|table| !table.rows.is_empty()) else { return Body::default() };
        let roles: Vec<Role> = self.sorts().map(|sort| role(sort, own.measure)).collect();
        let mut body = Body::new(&table(own, several), &own.rows, &roles);
        let sorted = self.asked(own.measure).sort;
        for (column, _) in body.columns.iter_mut().zip(self.sorts()).filter(|(_, sort)| *sort == sorted) {
            column.1 = Role::Title;
        }
        body
    }

    fn why_empty(&self, walk: &StatisticsWalk, model: &Model) -> String {
        let (rows, walked) = (model.list.rows.len(), walk.walked());
        match walk.failure() {
            Some(failure) => format!("the records can't be read again: {failure}"),
            None if walked < rows => format!("reading the records: {} %", walked * 100 / rows.max(1)),
            None if rows == 0 => "no records yet".to_owned(),
            None => self.measure().needs().to_owned(),
        }
    }

    /// `Statistics · latency, post to dispatch, ticks · by object, signal`
    fn title(&self, walk: &StatisticsWalk, model: &Model, width: u16) -> (String, String) {
        let percent = percent_read(model, walk.walked());
        let reading = percent.map_or_else(String::new, |percent| format!("{percent} % read · "));
        let Some(measure) = self.measure else {
            return ("Statistics · the worst of each measure".to_owned(), format!("{reading}{}", self.worst.len()));
        };
        let unit = self.table.as_ref().filter(|table| table.unit == FigureUnit::Ticks).map_or("", |_| ", ticks");
        let name = if width < 70 || !measure.is_time() && width < 90 {
            measure.word().to_owned()
        } else {
            format!("{}: {}", measure.word(), measure.title())
        };
        let is_short = width < 60 || width < 100 && line_search::of_pane(model, ID).is_some();
        let by = if is_short { String::new() } else { format!(" · by {}", self.asked(measure).by.text()) };
        let measures = self.measures(walk);
        let number = measures.iter().position(|own| *own == self.measure).unwrap_or(0);
        (format!("Statistics · {name}{unit}{by}"), format!("{reading}{number} of {}", measures.len() - 1))
    }

    fn below(&self, about: &Below<'_, StatisticsWalk>) -> u16 {
        self.bars(about.size.1) + self.notes(about).len() as u16
    }

    fn draw_below(&self, about: &Below<'_, StatisticsWalk>, area: Rect, paint: &mut Paint<'_>) {
        below::draw(self, about, area, paint);
    }
}

/// `response  supervisor TEMPERATURE  4.00s  median 6us  #657`
fn worst_table(worst: &[WorstFigure], several: bool) -> Table<'_, WorstFigure> {
    let text = |worst: &WorstFigure| match worst.is_alarming {
        true => Value::Warning(worst.text.clone()),
        false => Value::Text(worst.text.clone()),
    };
    Table::new(worst, several)
        .column(PANE, "measure", |worst| worst.measure.word())
        .fit(ColumnFit::new(10, 10))
        .column(PANE, "of", |worst| worst.subject.clone())
        .fit(ColumnFit { rank: 1, ..ColumnFit::new(12, 32) })
        .column(PANE, "worst", text)
        .fit(ColumnFit::number(9))
        .column(PANE, "median", |worst| worst.median.clone())
        .fit(ColumnFit::number(9))
        .column(PANE, "at", |worst| worst.at)
        .fit(ColumnFit::number(9))
}

/// The column that an action adds (`true`) or removes.
fn column_of(action: PaneAction) -> Option<(SubjectColumn, bool)> {
    let of = |actions: [PaneAction; 5]| COLUMNS.into_iter().zip(actions).find(|own| own.1 == action).map(|own| own.0);
    of(ADD).map(|column| (column, true)).or_else(|| of(REMOVE).map(|column| (column, false)))
}

/// Names have their roles; the interesting figure and its record are highlighted.
fn role(sort: Sort, measure: Measure) -> Role {
    let extreme = if measure.is_low_worse() { Figure::Min } else { Figure::Max };
    match sort {
        Sort::Name(SubjectColumn::Kind) => Role::Kind,
        Sort::Name(SubjectColumn::Group) => Role::Group,
        Sort::Name(SubjectColumn::Object) => Role::Object,
        Sort::Name(SubjectColumn::Signal) => Role::Signal,
        Sort::Figure(Figure::At) => Role::Time,
        Sort::Figure(figure) if figure == extreme => Role::Number,
        _ => Role::Plain,
    }
}

impl ShownStatistics {
    fn rows(&self) -> &[StatisticsRow] {
        self.table.as_ref().map_or(&[], |table| &table.rows)
    }

    fn measure(&self) -> Measure {
        self.measure.unwrap_or(Measure::Rate)
    }

    fn asked(&self, measure: Measure) -> TableChoice {
        let usual = TableChoice { by: SubjectColumns::usual(measure), sort: Sort::usual(measure), reverse: false };
        self.asked.get(&measure).copied().unwrap_or(usual)
    }

    fn sorts(&self) -> impl Iterator<Item = Sort> {
        self.table.iter().flat_map(|table| {
            let figures = Figure::shown(table.measure).iter().map(|figure| Sort::Figure(*figure));
            table.by.iter().map(Sort::Name).chain(figures)
        })
    }

    /// The front page and the measures that have values.
    fn measures(&self, walk: &StatisticsWalk) -> Vec<Option<Measure>> {
        let statistics = &walk.reader;
        let is_there = |measure: &Measure| {
            *measure == Measure::Rate
                || Some(*measure) == self.measure
                || statistics.tally.counts(*measure).begun > 0
                || statistics.tally.sums(*measure).next().is_some()
        };
        std::iter::once(None).chain(Measure::all().filter(is_there).map(Some)).collect()
    }

    /// Goes to another measure, once there are others than the first one or all `rows` were read.
    fn turn(&mut self, by: i64, walk: &StatisticsWalk, rows: u64) {
        self.steps += by;
        let measures = self.measures(walk);
        if measures.len() < 3 && walk.walked() < rows {
            return;
        }
        let by = std::mem::take(&mut self.steps);
        let at = measures.iter().position(|measure| *measure == self.measure).unwrap_or(0) as i64;
        let next = (at + by).rem_euclid(measures.len() as i64) as usize;
        self.measure = measures.get(next).copied().flatten();
    }

    /// Goes to the record with the interesting value; on the front page, to the table of a measure.
    fn open(&mut self, line: usize, model: &mut Model) {
        if self.measure.is_none() {
            return self.measure = self.worst.get(line).map(|worst| worst.measure);
        }
        let (Some(row), Some(table)) = (self.rows().get(line), &self.table) else { return };
        let measure = table.measure;
        // The record is often about something else; the measured interval ends there.
        let end = if measure.is_time() { ", ends here" } else { "" };
        let ended = row.extreme(measure).map(|extreme| (extreme.at.row, end));
        let open = row.greatest_open().map(|open| (open.row, ", begins here and has not ended"));
        let Some((at, what)) = open.or(ended) else { return };
        if at < model.list.rows.first_kept() {
            return model.say("the bytes of that record are not kept any more");
        }
        model.panes.show(RECORDS);
        if jump::to_row(model, at) {
            let figure = if measure.is_low_worse() { Figure::Min } else { Figure::Max };
            let (word, value) = (figure.heading(measure), figure.text(row, |value| table.unit.text(value)));
            model.say(format!("{} {}: {word} {value}{what}", measure.word(), table.by.words(&row.names)));
        }
    }
}
