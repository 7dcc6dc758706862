//! Statistics by any column, as text, JSON or CSV.

use super::{
    csv::cell as csv_cell,
    json::{self, Object},
};
use crate::{
    analysis::{
        histogram::{Bin, bins},
        objects::Wording,
        statistics::{
            Columns, Figure, Measure, Sort, Statistics, StatisticsRow, StatisticsTable, Tables, Unit, columns,
            measure::{self, Quantity},
        },
    },
    open::Decoder,
    present::Clock,
    replay::{Key, Moment},
    store::{Dictionary, Names, View},
    trace::list::row_list::number_text,
};

/// Intervals of a histogram.
const MOST_BINS: usize = 24;

/// Which tables, and how their rows are sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The measures; none = all that were measured.
    pub measures: Vec<Measure>,
    /// By which columns; `None` = the usual ones of each measure.
    pub by: Option<Columns>,
    /// Word of a name or figure; `None` = the usual one of each measure.
    pub sort: Option<String>,
    /// The other way round.
    pub reverse: bool,
}

impl Wanted {
    /// The order of a table; the usual one where it does not have the column.
    fn sort(&self, measure: Measure, by: Columns) -> Sort {
        let named = self.sort.as_deref().and_then(|word| {
            let name = by.iter().find(|column| column.word() == word).map(Sort::Name);
            name.or_else(|| Figure::of_word(word, measure).map(Sort::Figure))
        });
        named.unwrap_or_else(|| Sort::usual(measure))
    }

    /// What is wanted of the tables that `make` makes: all that are not empty, unless some are named.
    pub fn tables(&self, make: impl Fn(Measure, Columns) -> StatisticsTable) -> Vec<StatisticsTable> {
        let all = self.measures.is_empty();
        let measures = if all { &measure::ALL[..] } else { &self.measures };
        let made = measures.iter().map(|measure| {
            let by = self.by.unwrap_or_else(|| Columns::usual(*measure));
            let mut table = make(*measure, by);
            table.sort(self.sort(*measure, by), self.reverse);
            table
        });
        made.filter(|table| !all || !table.rows.is_empty() || !table.notes.is_empty()).collect()
    }

    /// Reads `latency,step by object sort p95`; without a measure, or with `all`, all are wanted.
    ///
    /// # Errors
    /// What is not understood, with the column of its word, from 0.
    pub fn parse(text: &str) -> Result<Wanted, (usize, String)> {
        let mut wanted = Wanted::default();
        let mut words = text.split_whitespace();
        let place = |word: &str| {
            let before = text.get(..(word.as_ptr() as usize).saturating_sub(text.as_ptr() as usize));
            before.map_or(0, |before| before.chars().count())
        };
        while let Some(word) = words.next() {
            let behind = (text.chars().count(), format!("something is missing behind `{word}`"));
            match word {
                "by" => {
                    let columns = words.next().ok_or(behind)?;
                    wanted.by = Some(Columns::parse(columns).map_err(|error| (place(columns), error))?);
                }
                "sort" => {
                    let column = words.next().ok_or(behind)?;
                    let is_there = Wanted::can_sort_by(column);
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

    /// Whether any table can be sorted by a word.
    #[must_use]
    pub fn can_sort_by(word: &str) -> bool {
        let is_name = columns::ALL.iter().any(|column| column.word() == word);
        is_name || measure::ALL.iter().any(|measure| Figure::of_word(word, *measure).is_some())
    }
}

/// There is no such column.
#[must_use]
pub fn no_column(word: &str) -> String {
    format!("no table has a column `{word}`: object, count, p95, max …")
}

/// Statistics with what is needed to name them.
#[derive(Clone, Copy)]
pub struct NamedStatistics<'a> {
    /// The decoder.
    pub decoder: &'a Decoder,
    /// Its names.
    pub names: &'a Dictionary,
    /// The target has several sources.
    pub several: bool,
    /// The figures.
    pub statistics: &'a Statistics,
    /// The clock in which times are.
    pub clock: Clock,
}

impl NamedStatistics<'_> {
    /// The tables.
    #[must_use]
    pub fn tables(&self, wanted: &Wanted) -> Vec<StatisticsTable> {
        let (dictionary, view) = (self.names, View::Effective);
        let names = Names { dictionary, others: &[], row: u64::MAX, rows: &[], view, short: false };
        let of_formats = |key: Key| self.decoder.formatting.track_name(key.space, key.key);
        let wording = Wording { info: &self.decoder.info, names: &names, of_formats: &of_formats };
        let tables = Tables { statistics: self.statistics, wording, clock: self.clock };
        wanted.tables(|measure, by| tables.table(measure, by))
    }

    /// One JSON object, ended by a newline; `docs/output.md` has its keys.
    #[must_use]
    pub fn json(&self, tables: &[StatisticsTable]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.number("schema", SCHEMA);
        json::objects(object.key(b"measures"), tables, |object, table| self.json_table(object, table));
        object.close();
        out.push(b'\n');
        out
    }

    fn json_table(&self, object: &mut Object<'_>, table: &StatisticsTable) {
        object.string("measure", table.measure.word().as_bytes());
        object.string("unit", table.unit.word().as_bytes());
        strings(object.key(b"by"), table.by.iter().map(|column| column.word()));
        json::objects(object.key(b"rows"), &table.rows, |object, row| {
            for (column, name) in table.by.iter().zip(&row.names) {
                object.string(column.word(), name.as_bytes());
            }
            self.json_figures(object, table, row);
        });
        strings(object.key(b"notes"), table.notes.iter().map(String::as_str));
    }

    fn json_figures(&self, object: &mut Object<'_>, table: &StatisticsTable, row: &StatisticsRow) {
        object.number("count", row.count);
        object.maybe("total", row.total);
        object.maybe("share_permille", row.permille);
        for (key, rate) in [("per_second", row.per_second), ("bytes_per_second", row.bytes_per_second)] {
            if let Some(rate) = rate {
                json::double(object.key(key.as_bytes()), rate);
            }
        }
        if let Some(least) = row.sum.least {
            object.number("min", row.ends[0]);
            self.json_record(object, ["min_at", "min_at_source"], &least.at);
        }
        if let Some(greatest) = row.sum.greatest {
            let keys = ["median", "p95", "p99"];
            keys.into_iter().zip(row.percentiles).for_each(|(key, value)| object.number(key, value));
            object.number("max", row.ends[1]);
            self.json_record(object, ["max_at", "max_at_source"], &greatest.at);
            json::objects(object.key(b"histogram"), self.histogram(table, row), |object, bin| {
                object.number("from", bin.from);
                object.number("to", bin.to);
                object.number("count", bin.count);
            });
        }
    }

    fn histogram(&self, table: &StatisticsTable, row: &StatisticsRow) -> Vec<Bin> {
        histogram(&self.clock, table, row, MOST_BINS)
    }

    fn json_record(&self, object: &mut Object<'_>, [number, source]: [&'static str; 2], at: &Moment) {
        object.number(number, at.n);
        if self.several {
            object.number(source, at.source);
        }
    }

    /// A header and one line for each row of each table.
    #[must_use]
    pub fn csv(&self, tables: &[StatisticsTable]) -> String {
        let mut text = String::from("measure,unit,");
        text.push_str(&columns::ALL.map(columns::Column::word).join(","));
        text.push_str(",count,total,share_permille,per_second,bytes_per_second");
        text.push_str(",min,median,p95,p99,max,min_at,max_at\n");
        for table in tables {
            for row in &table.rows {
                text.push_str(&self.csv_cells(table, row).map(|cell| csv_cell(&cell)).join(","));
                text.push('\n');
            }
        }
        text
    }

    fn csv_cells(&self, table: &StatisticsTable, row: &StatisticsRow) -> [String; 19] {
        let name = |column| {
            let at = table.by.iter().position(|own| own == column);
            at.and_then(|at| row.names.get(at)).cloned().unwrap_or_default()
        };
        let [kind, group, object, signal, core] = columns::ALL.map(name);
        let figure = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
        let rate = |n: Option<f64>| n.map_or_else(String::new, json::float);
        let [least, greatest] = [row.sum.least, row.sum.greatest];
        let [median, p95, p99] = row.percentiles.map(|value| figure(greatest.map(|_| value)));
        [
            table.measure.word().to_owned(),
            table.unit.word().to_owned(),
            kind,
            group,
            object,
            signal,
            core,
            row.count.to_string(),
            figure(row.total),
            figure(row.permille.map(u64::from)),
            rate(row.per_second),
            rate(row.bytes_per_second),
            figure(least.map(|_| row.ends[0])),
            median,
            p95,
            p99,
            figure(greatest.map(|_| row.ends[1])),
            least.map_or_else(String::new, |end| number(&end.at, self.several)),
            greatest.map_or_else(String::new, |end| number(&end.at, self.several)),
        ]
    }
}

/// Tables as text; of `several` sources records have the number of theirs.
#[must_use]
pub fn text(tables: &[StatisticsTable], several: bool) -> String {
    let paragraphs: Vec<String> = tables.iter().map(|table| paragraph(table, several)).collect();
    if paragraphs.is_empty() { format!("{}\n", Measure::Rate.needs()) } else { paragraphs.join("\n") }
}

fn paragraph(table: &StatisticsTable, several: bool) -> String {
    let StatisticsTable { measure, by, unit, rows, notes } = table;
    let unit = if measure.quantity() == Quantity::Time && *unit == Unit::Ticks { ", ticks" } else { "" };
    let mut text = format!("{}, {}{unit}, by {}\n", measure.word(), measure.title(), by.text());
    if rows.is_empty() {
        text.push_str(&format!("{}\n", measure.needs()));
    } else {
        lines(table, several, &mut text);
    }
    notes.iter().for_each(|note| text.push_str(&format!("({note})\n")));
    text
}

fn lines(table: &StatisticsTable, several: bool, text: &mut String) {
    let figures = Figure::shown(table.measure);
    let names = table.by.iter().count();
    let heading = table.by.iter().map(|column| column.word().to_owned());
    let heading: Vec<String> =
        heading.chain(figures.iter().map(|figure| figure.heading(table.measure).to_owned())).collect();
    let rows = table.rows.iter().map(|row| {
        let figures = figures.iter().map(|figure| match figure {
            Figure::At => record(table.measure, row, several).unwrap_or_default(),
            figure => figure.text(row, table.unit),
        });
        row.names.iter().cloned().chain(figures).collect::<Vec<String>>()
    });
    let lines: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    // A column without any figure is left out: without a rate of the clock nothing is said per second.
    let is_there = |column: usize| lines.iter().skip(1).any(|line| !line[column].is_empty());
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let columns: Vec<(usize, usize)> =
        (0..names + figures.len()).filter(|column| is_there(*column)).map(|column| (column, width(column))).collect();
    for line in &lines {
        let cells = columns.iter().map(|&(column, width)| {
            let cell = &line[column];
            if column < names { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
}

/// The record with the value to look at.
fn record(measure: Measure, row: &StatisticsRow, several: bool) -> Option<String> {
    row.extreme(measure).map(|extreme| number(&extreme.at, several))
}

fn number(at: &Moment, several: bool) -> String {
    number_text(several.then_some(at.source), at.n)
}

/// The histogram of a row in the unit of its table.
#[must_use]
pub fn histogram(clock: &Clock, table: &StatisticsTable, row: &StatisticsRow, most: usize) -> Vec<Bin> {
    let given = |value: u64| match table.unit {
        Unit::Ns => clock.shown_ns(value).unwrap_or(value),
        _ => value,
    };
    let bins = bins(&row.sum.values, most);
    bins.into_iter().map(|bin| Bin { from: given(bin.from), to: given(bin.to), ..bin }).collect()
}

/// Version of the object: greater where a key goes or gets another meaning. New keys may come at any time.
const SCHEMA: u64 = 1;

fn strings<'a>(out: &mut Vec<u8>, texts: impl Iterator<Item = &'a str>) {
    out.push(b'[');
    for (i, text) in texts.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        json::string(out, text.as_bytes());
    }
    out.push(b']');
}
