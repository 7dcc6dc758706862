//! Statistics by any columns, as tables.

use super::table::{ALL, CSV, ColumnFit, DATA, JSON, Report, SHOWN, Table, Value, json_object};
use crate::{
    analysis::{
        distribution::{Bin, bins},
        statistics::{
            Figure, FigureUnit, Measure, Sort, StatisticsRow, StatisticsTable, StatisticsTables, SubjectColumns,
            measure, tally::number_of_key,
        },
    },
    present::Clock,
};

const MOST_BINS: usize = 24;

/// Which tables to make, and how to sort them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatisticsRequest {
    /// Empty = all that were measured.
    pub measures: Vec<Measure>,
    /// `None` = the defaults of each measure.
    pub by: Option<SubjectColumns>,
    /// A column's name; `None` = the default of each measure.
    pub sort: Option<String>,
    pub reverse: bool,
}

impl StatisticsRequest {
    /// The sort key of a table; the default if the table lacks the column.
    fn sort(&self, measure: Measure, by: SubjectColumns) -> Sort {
        let named = self.sort.as_deref().and_then(|word| {
            let name = by.iter().find(|column| column.word() == word).map(Sort::Name);
            name.or_else(|| Figure::of_word(word, measure).map(Sort::Figure))
        });
        named.unwrap_or_else(|| Sort::usual(measure))
    }

    /// The requested tables, made by `make`: all non-empty ones, unless some are named.
    pub fn tables(&self, make: impl Fn(Measure, SubjectColumns) -> StatisticsTable) -> Vec<StatisticsTable> {
        let all = self.measures.is_empty();
        let measures = if all { Measure::all().collect() } else { self.measures.clone() };
        let made = measures.into_iter().map(|measure| {
            let by = self.by.unwrap_or_else(|| SubjectColumns::usual(measure));
            let mut table = make(measure, by);
            table.sort(self.sort(measure, by), self.reverse);
            table
        });
        made.filter(|table| !all || !table.rows.is_empty() || !table.notes.is_empty()).collect()
    }

    /// Parses `latency,step by object sort p95`; no measure, or `all`, means all. The error is the column of the
    /// offending word, from 0, and a message.
    pub fn parse(text: &str) -> Result<StatisticsRequest, (usize, String)> {
        let mut wanted = StatisticsRequest::default();
        let mut words = text.split_whitespace();
        let place = |word: &str| {
            let before = text.get(..(word.as_ptr() as usize).saturating_sub(text.as_ptr() as usize));
            before.map_or(0, |before| before.chars().count())
        };
        while let Some(word) = words.next() {
            let behind = (text.chars().count(), format!("`{word}` needs a value"));
            match word {
                "by" => {
                    let columns = words.next().ok_or(behind)?;
                    wanted.by = Some(SubjectColumns::parse(columns).map_err(|error| (place(columns), error))?);
                }
                "sort" => {
                    let column = words.next().ok_or(behind)?;
                    let is_there = StatisticsRequest::can_sort_by(column);
                    wanted.sort = Some(column.to_owned());
                    is_there.then_some(()).ok_or_else(|| (place(column), no_column(column)))?;
                }
                words => {
                    for word in words.split(',').filter(|word| *word != "all") {
                        wanted.measures.push(Measure::named(word).map_err(|error| (place(word), error))?);
                    }
                }
            }
        }
        Ok(wanted)
    }

    pub fn can_sort_by(word: &str) -> bool {
        let is_name = measure::COLUMNS.iter().any(|column| column.word() == word);
        is_name || Measure::all().any(|measure| Figure::of_word(word, measure).is_some())
    }
}

pub fn no_column(word: &str) -> String {
    format!("no table has a column `{word}`: object, count, p95, max …")
}

pub struct NamedStatistics {
    pub tables: Vec<StatisticsTable>,
    clock: Clock,
}

impl NamedStatistics {
    /// The requested tables of a stream.
    pub fn new(all: &StatisticsTables<'_>, wanted: &StatisticsRequest) -> NamedStatistics {
        NamedStatistics { tables: wanted.tables(|measure, by| all.table(measure, by)), clock: all.clock }
    }
}

impl Report for NamedStatistics {
    fn text(&self, several: bool) -> String {
        text(&self.tables, several)
    }

    fn json(&self, several: bool) -> Vec<u8> {
        let clock = self.clock;
        let bins = move |of: &StatisticsTable, row: &StatisticsRow| {
            let bins = row.sum.greatest.map(|_| histogram(&clock, of, row, MOST_BINS))?;
            let table = Table::new(&bins, several).column(JSON, "from", |bin: &Bin| number(of.unit, bin.from));
            Some(table.column(JSON, "to", |bin| number(of.unit, bin.to)).column(JSON, "count", |bin| bin.count).json())
        };
        let rows = |of: &StatisticsTable| table(of, several).column(JSON, "histogram", |row| bins(of, row)).json();
        let tables = Table::new(&self.tables, several)
            .column(JSON, "measure", |table: &StatisticsTable| table.measure.word())
            .column(JSON, "unit", |table| table.unit.word())
            .column(JSON, "by", |table| Value::strings(table.by.iter().map(measure::SubjectColumn::word)))
            .column(JSON, "rows", rows)
            .column(JSON, "notes", |table| Value::strings(table.notes.iter().map(String::as_str)));
        json_object(|object| tables.json().json(object, "measures", false))
    }

    fn csv(&self, several: bool) -> String {
        let none = Vec::new();
        let (by, unit) = (SubjectColumns::default(), FigureUnit::Bytes);
        let none = StatisticsTable { measure: Measure::Rate, by, unit, rows: none, notes: Vec::new() };
        let lines = self.tables.iter().map(|own| table(own, several).csv_lines());
        std::iter::once(table(&none, several).csv_header()).chain(lines).collect()
    }
}

fn number(unit: FigureUnit, value: u64) -> Value {
    match unit {
        FigureUnit::Numbers => Value::Double(number_of_key(value)),
        _ => Value::Number(value),
    }
}

/// The figures of a table with all columns; with `several` sources, record numbers include the source.
pub fn table(of: &StatisticsTable, several: bool) -> Table<'_, StatisticsRow> {
    /// Figures that narrow panes leave out, the last one first.
    const LEFT_OUT: [Figure; 6] =
        [Figure::Total, Figure::P95, Figure::Min, Figure::P99, Figure::PerSecond, Figure::BytesPerSecond];
    let StatisticsTable { measure, unit, .. } = *of;
    let mut table =
        Table::new(&of.rows, several)
            .column(CSV, "measure", move |_| measure.word())
            .column(CSV, "unit", move |_| unit.word());
    for column in measure::COLUMNS {
        let at = of.by.iter().position(|own| own == column);
        let name = move |row: &StatisticsRow| at.and_then(|at| row.names.get(at)).cloned();
        table = table.column(if at.is_some() { ALL } else { CSV }, column.word(), name).fit(ColumnFit::new(8, 16));
    }
    for figure in Figure::shown(measure).iter().copied() {
        let goes = LEFT_OUT.iter().position(|own| *own == figure).map_or(0, |at| at as u8 + 1);
        let writes = of.writes(figure);
        let text = move |row: &StatisticsRow| -> Value {
            match figure {
                Figure::At if row.greatest_open().is_none() => row.extreme(measure).map(|extreme| extreme.at).into(),
                _ => writes(row).into(),
            }
        };
        let fit = ColumnFit { roomy: 8, goes, is_optional: true, ..ColumnFit::number(usize::MAX) };
        table = table.column(SHOWN, figure.heading(measure), text).fit(fit);
    }
    let least = |row: &StatisticsRow| row.sum.least.map(|least| least.at);
    let greatest = |row: &StatisticsRow| row.sum.greatest.map(|greatest| greatest.at);
    let number = move |value| number(unit, value);
    let percentile = |at: usize| move |row: &StatisticsRow| row.sum.greatest.map(|_| number(row.percentiles[at]));
    table
        .column(DATA, "count", |row| row.count)
        .column(DATA, "total", |row| row.total)
        .column(DATA, "share_permille", |row| row.permille.map(u64::from))
        .column(DATA, "per_second", |row| row.per_second)
        .column(DATA, "bytes_per_second", |row| row.bytes_per_second)
        .column(DATA, "min", move |row| row.sum.least.map(|_| number(row.ends[0])))
        .column(JSON, "min_at", least)
        .column(DATA, "median", percentile(0))
        .column(DATA, "p95", percentile(1))
        .column(DATA, "p99", percentile(2))
        .column(DATA, "max", move |row| row.sum.greatest.map(|_| number(row.ends[1])))
        .column(JSON, "max_at", greatest)
        .column(DATA, "open", |row| row.open.map(|open| open.value))
        .column(CSV, "min_at", least)
        .column(CSV, "max_at", greatest)
}

/// Tables as text; with `several` sources, record numbers include the source.
pub fn text(tables: &[StatisticsTable], several: bool) -> String {
    let paragraphs: Vec<String> = tables.iter().map(|table| paragraph(table, several)).collect();
    if paragraphs.is_empty() { format!("{}\n", Measure::Rate.needs()) } else { paragraphs.join("\n") }
}

fn paragraph(of: &StatisticsTable, several: bool) -> String {
    let StatisticsTable { measure, by, unit, rows, notes } = of;
    let unit = if *unit == FigureUnit::Ticks { ", ticks" } else { "" };
    let mut text = format!("{}, {}{unit}, by {}\n", measure.word(), measure.title(), by.text());
    // Without a clock rate there are no rates per second.
    text.push_str(&if rows.is_empty() { format!("{}\n", measure.needs()) } else { table(of, several).text(true) });
    notes.iter().for_each(|note| text.push_str(&format!("({note})\n")));
    text
}

/// The histogram of a row in the unit of its table.
pub fn histogram(clock: &Clock, table: &StatisticsTable, row: &StatisticsRow, most: usize) -> Vec<Bin> {
    let given = |value: u64| match table.unit {
        FigureUnit::Ns => clock.shown_ns(value).unwrap_or(value),
        _ => value,
    };
    let bins = bins(&row.sum.values, most);
    bins.into_iter().map(|bin| Bin { from: given(bin.from), to: given(bin.to), ..bin }).collect()
}
