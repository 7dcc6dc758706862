//! A table of items and columns. It becomes text, CSV, JSON, and the body of a pane.

use super::{
    csv::cell as csv_cell,
    json::{self, Object},
};
use crate::{
    present::clock::{grouped, short_count},
    replay::Moment,
    trace::list::row_list::number_text,
};

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Unknown or absent.
    Nothing,
    Text(String),
    /// A text that deserves attention.
    Warning(String),
    Number(u64),
    Double(f64),
    Flag(bool),
    /// A record, by its number.
    Record(Moment),
    /// Encoded JSON; empty in other forms.
    Json(Vec<u8>),
}

impl Value {
    /// An array of texts, for JSON only.
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
pub struct ColumnFit {
    /// Width it always gets if its texts need it.
    pub least: usize,
    /// Width it gets before any column gets more.
    pub usual: usize,
    pub most: usize,
    /// Width it gets, space permitting, even if its texts need less.
    pub roomy: usize,
    /// Columns with a lower number grow first.
    pub rank: u8,
    /// Minimum width of the pane for showing it.
    pub from: u16,
    /// If not all columns get their usual width, the highest number is hidden first; 0 = never.
    pub goes: u8,
    /// Hidden if all its cells are empty.
    pub is_optional: bool,
    pub is_right: bool,
    /// Texts too long are cut at the end, not in the middle.
    pub cuts_end: bool,
}

impl ColumnFit {
    /// Layout of a text column, with its minimum and usual width in cells.
    pub const fn new(least: usize, usual: usize) -> ColumnFit {
        let (is_optional, is_right, cuts_end) = (false, false, false);
        ColumnFit {
            least,
            usual,
            most: usize::MAX,
            roomy: 0,
            rank: 0,
            from: 0,
            goes: 0,
            is_optional,
            is_right,
            cuts_end,
        }
    }

    /// Layout of a number column, with its minimum width in cells.
    pub const fn number(least: usize) -> ColumnFit {
        ColumnFit { is_right: true, ..ColumnFit::new(least, least) }
    }
}

/// Bit set of the outputs that contain a column.
pub type Places = u8;
pub const TEXT: Places = 1;
pub const PANE: Places = 2;
pub const CSV: Places = 4;
pub const JSON: Places = 8;
pub const SHOWN: Places = TEXT | PANE;
pub const DATA: Places = CSV | JSON;
pub const ALL: Places = SHOWN | DATA;

pub struct Column<'a, T> {
    /// Heading, and key in JSON.
    pub heading: &'static str,
    pub fit: ColumnFit,
    places: Places,
    of: Box<dyn Fn(&T) -> Value + 'a>,
}

pub struct Table<'a, T> {
    rows: &'a [T],
    columns: Vec<Column<'a, T>>,
    /// The target has several sources.
    several: bool,
}

impl<'a, T> Table<'a, T> {
    /// Without columns; with `several` sources, record numbers include the source.
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
        self.columns.push(Column { heading, fit: ColumnFit::new(0, usize::MAX), places, of });
        self
    }

    /// Sets how the last column fits into a pane.
    pub fn fit(mut self, fit: ColumnFit) -> Table<'a, T> {
        if let Some(column) = self.columns.last_mut() {
            column.fit = fit;
        }
        self
    }

    fn at(&self, place: u8) -> impl Iterator<Item = &Column<'a, T>> {
        self.columns.iter().filter(move |column| column.places & place != 0)
    }

    pub fn columns(&self) -> impl Iterator<Item = &Column<'a, T>> {
        self.at(PANE)
    }

    /// The texts of a row in a pane, and whether each deserves attention. Numbers take at most six cells.
    pub fn cells(&self, row: &T) -> impl Iterator<Item = (String, bool)> {
        self.columns().map(move |column| match (column.of)(row) {
            Value::Number(n @ 100_000..) => (short_count(n), false),
            value => (value.text(self.several), matches!(value, Value::Warning(_))),
        })
    }

    /// A heading and rows, with columns as wide as needed. `is_brief` omits columns without text.
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

    /// An array of objects; unknown values are omitted.
    pub(super) fn json(&self) -> Value {
        let mut out = Vec::new();
        json::objects(&mut out, self.rows, |object, row| {
            self.at(JSON).for_each(|column| (column.of)(row).json(object, column.heading, self.several));
        });
        Value::Json(out)
    }
}

/// A report that can be printed in each form; with `several` sources, record numbers include the source.
pub trait Report {
    fn text(&self, several: bool) -> String;

    /// One JSON object, ended by a newline; `docs/output.md` describes its keys.
    fn json(&self, several: bool) -> Vec<u8>;

    fn csv(&self, several: bool) -> String;
}

/// Version of JSON objects; raised when a key is removed or changes its meaning. New keys may be added at any time.
const SCHEMA: u64 = 1;

/// An object with these keys, ended by a newline.
pub(super) fn json_object(keys: impl FnOnce(&mut Object<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.number("schema", SCHEMA);
    keys(&mut object);
    object.close();
    out.push(b'\n');
    out
}
