//! A table: some things, and columns of what is said of each. It becomes text, CSV, JSON, and the body of a pane.

use super::{
    csv::cell as csv_cell,
    json::{self, Object},
};
use crate::{
    present::clock::{grouped, short_count},
    replay::Moment,
    trace::list::row_list::number_text,
};

/// What a column says of a thing.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not known, or absent.
    Nothing,
    Text(String),
    /// A text to look at.
    Warning(String),
    Number(u64),
    /// A number with a fraction.
    Double(f64),
    /// Yes or no.
    Flag(bool),
    /// A record, by its number.
    Record(Moment),
    /// A value of JSON alone.
    Json(Vec<u8>),
}

impl Value {
    /// Texts, for JSON.
    pub(super) fn strings<'t>(texts: impl Iterator<Item = &'t str>) -> Value {
        let mut out = vec![b'['];
        for (i, text) in texts.enumerate() {
            if i > 0 {
                out.push(b',');
            }
            json::string(&mut out, text.as_bytes());
        }
        out.push(b']');
        Value::Json(out)
    }

    fn text(&self, several: bool) -> String {
        match self {
            Value::Number(n) => grouped(*n),
            other => other.csv(several),
        }
    }

    fn csv(&self, several: bool) -> String {
        match self {
            Value::Nothing | Value::Json(_) => String::new(),
            Value::Text(text) | Value::Warning(text) => text.clone(),
            Value::Number(n) => n.to_string(),
            Value::Double(n) => json::float(*n),
            Value::Flag(is) => is.to_string(),
            Value::Record(at) => number_text(several.then_some(at.source), at.n),
        }
    }

    pub(super) fn json(&self, object: &mut Object<'_>, name: &str, several: bool) {
        match self {
            Value::Nothing => {}
            Value::Text(text) | Value::Warning(text) => _ = json::string(object.key(name.as_bytes()), text.as_bytes()),
            Value::Number(n) => json::number(object.key(name.as_bytes()), *n),
            Value::Double(n) => json::double(object.key(name.as_bytes()), *n),
            Value::Flag(is) => json::boolean(object.key(name.as_bytes()), *is),
            Value::Record(at) => {
                json::number(object.key(name.as_bytes()), at.n);
                if several {
                    json::number(object.key(format!("{name}_source").as_bytes()), at.source);
                }
            }
            Value::Json(value) => object.key(name.as_bytes()).extend_from_slice(value),
        }
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Value {
        value.map_or(Value::Nothing, V::into)
    }
}

macro_rules! from {
    ($($value:ty => $variant:ident),*) => {
        $(impl From<$value> for Value {
            fn from(value: $value) -> Value {
                Value::$variant(value.into())
            }
        })*
    };
}

from!(&str => Text, String => Text, u64 => Number, f64 => Double, bool => Flag, Moment => Record);

/// How a column shares the width of a pane, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// What it gets of what its texts need, whatever room there is.
    pub least: usize,
    /// What it gets of that before any column gets more.
    pub usual: usize,
    /// What it never gets more than.
    pub most: usize,
    /// What it gets even if its texts need less, where there is room.
    pub roomy: usize,
    /// Of columns that need more, the lower number gets it first.
    pub rank: u8,
    /// Width of the pane from which on it is shown.
    pub from: u16,
    /// Where not all columns have their usual width, the highest number is left out first; 0 = it stays.
    pub goes: u8,
    /// It is left out where all its cells are empty.
    pub is_optional: bool,
    /// Texts stand at the right.
    pub is_right: bool,
    /// Texts that are too long lose their end, not their middle.
    pub cuts_end: bool,
}

impl Fit {
    /// A minimum width in cells, usually enough.
    pub const fn new(least: usize, usual: usize) -> Fit {
        let (is_optional, is_right, cuts_end) = (false, false, false);
        Fit { least, usual, most: usize::MAX, roomy: 0, rank: 0, from: 0, goes: 0, is_optional, is_right, cuts_end }
    }

    /// A minimum width in cells, for numbers.
    pub const fn number(least: usize) -> Fit {
        Fit { is_right: true, ..Fit::new(least, least) }
    }
}

/// Where a column is.
pub type Places = u8;
pub const TEXT: Places = 1;
pub const PANE: Places = 2;
pub const CSV: Places = 4;
pub const JSON: Places = 8;
/// For people.
pub const SHOWN: Places = TEXT | PANE;
/// For programs.
pub const DATA: Places = CSV | JSON;
/// Everywhere.
pub const ALL: Places = SHOWN | DATA;

pub struct Column<'a, T> {
    /// Its heading, and its key in JSON.
    pub heading: &'static str,
    /// Its place in a pane.
    pub fit: Fit,
    places: Places,
    of: Box<dyn Fn(&T) -> Value + 'a>,
}

/// Things with columns.
pub struct Table<'a, T> {
    rows: &'a [T],
    columns: Vec<Column<'a, T>>,
    /// The target has several sources.
    several: bool,
}

impl<'a, T> Table<'a, T> {
    /// A table without columns; with `several` sources, records have the number of theirs.
    pub fn new(rows: &'a [T], several: bool) -> Table<'a, T> {
        Table { rows, columns: Vec::new(), several }
    }

    pub fn column<V: Into<Value>>(
        mut self,
        places: Places,
        heading: &'static str,
        of: impl Fn(&T) -> V + 'a,
    ) -> Table<'a, T> {
        let of = Box::new(move |row: &T| of(row).into());
        self.columns.push(Column { heading, fit: Fit::new(0, usize::MAX), places, of });
        self
    }

    /// How the last column fits into a pane.
    pub fn fit(mut self, fit: Fit) -> Table<'a, T> {
        if let Some(column) = self.columns.last_mut() {
            column.fit = fit;
        }
        self
    }

    fn at(&self, place: u8) -> impl Iterator<Item = &Column<'a, T>> {
        self.columns.iter().filter(move |column| column.places & place != 0)
    }

    /// Its columns in a pane.
    pub fn columns(&self) -> impl Iterator<Item = &Column<'a, T>> {
        self.at(PANE)
    }

    /// The texts of a row in a pane, and whether each is one to look at. Numbers take at most six cells.
    pub fn cells(&self, row: &T) -> impl Iterator<Item = (String, bool)> {
        self.columns().map(move |column| match (column.of)(row) {
            Value::Number(n @ 100_000..) => (short_count(n), false),
            value => (value.text(self.several), matches!(value, Value::Warning(_))),
        })
    }

    /// A heading and the rows in columns that are as wide as they need to be. With `is_brief`, columns without any text
    /// are left out.
    pub fn text(&self, is_brief: bool) -> String {
        let heading = self.at(TEXT).map(|column| column.heading.to_owned()).collect();
        let row = |row: &T| self.at(TEXT).map(|column| (column.of)(row).text(self.several)).collect();
        let lines: Vec<Vec<String>> = std::iter::once(heading).chain(self.rows.iter().map(row)).collect();
        let columns = self.at(TEXT).enumerate().filter_map(|(at, column)| {
            let is_empty = lines.iter().skip(1).all(|line| line[at].is_empty());
            let width = lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
            (!is_brief || !is_empty).then_some((at, width, column.fit.is_right))
        });
        let columns: Vec<(usize, usize, bool)> = columns.collect();
        let mut text = String::new();
        for line in &lines {
            let cells = columns.iter().map(|&(at, width, is_right)| match is_right {
                true => format!("{:>width$}", line[at]),
                false => format!("{:<width$}", line[at]),
            });
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// A header and a line for each row.
    pub fn csv(&self) -> String {
        self.csv_header() + &self.csv_lines()
    }

    pub(super) fn csv_header(&self) -> String {
        self.at(CSV).map(|column| column.heading).collect::<Vec<_>>().join(",") + "\n"
    }

    pub(super) fn csv_lines(&self) -> String {
        let cell = |column: &Column<'_, T>, row: &T| csv_cell(&(column.of)(row).csv(self.several));
        let line = |row: &T| self.at(CSV).map(|column| cell(column, row)).collect::<Vec<_>>().join(",") + "\n";
        self.rows.iter().map(line).collect()
    }

    /// An array of objects; what is not known is left out.
    pub(super) fn json(&self) -> Value {
        let mut out = Vec::new();
        json::objects(&mut out, self.rows, |object, row| {
            self.at(JSON).for_each(|column| (column.of)(row).json(object, column.heading, self.several));
        });
        Value::Json(out)
    }
}

/// What can be printed in each of the forms.
pub trait Report {
    /// For people.
    fn text(&self) -> String;

    /// One JSON object, ended by a newline; `docs/output.md` has its keys.
    fn json(&self) -> Vec<u8>;

    /// A header and lines.
    fn csv(&self) -> String;
}

/// Version of JSON objects: greater where a key goes or gets another meaning. New keys may come at any time.
const SCHEMA: u64 = 1;

/// An object of these keys, ended by a newline.
pub(super) fn json_object(keys: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.number("schema", SCHEMA);
    keys(&mut object);
    object.close();
    out.push(b'\n');
    out
}
