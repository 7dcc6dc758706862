//! Columns of tables, and the values of a row group before it is written.

use std::{fmt::Write as _, io::Write, sync::Arc};

use parquet::{
    basic::Encoding,
    column::writer::ColumnWriter,
    data_type::ByteArray,
    errors::ParquetError,
    file::{
        properties::{EnabledStatistics, WriterPropertiesBuilder},
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::{
        parser::parse_message_type,
        types::{ColumnPath, Type},
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Text,
    /// 32-bit integer.
    Int,
    /// 64-bit integer.
    Long,
    Double,
    /// Microseconds since 1970, UTC.
    Time,
    Bool,
    /// Texts by name.
    Texts,
    /// Numbers by name, each as `f64` and, if it is an integer of 64 bits, as `i64`.
    Numbers,
}

#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    pub content: Content,
    pub is_optional: bool,
    pub meaning: &'static str,
}

impl Column {
    /// A column with a value in each row.
    pub const fn new(name: &'static str, content: Content, meaning: &'static str) -> Column {
        Column { name, content, is_optional: false, meaning }
    }

    /// A column whose values may be unknown.
    pub const fn maybe(name: &'static str, content: Content, meaning: &'static str) -> Column {
        Column { is_optional: true, ..Column::new(name, content, meaning) }
    }

    /// Its type in SQL, as DuckDB and Spark both understand it.
    pub fn sql(&self) -> &'static str {
        match self.content {
            Content::Text => "STRING",
            Content::Int => "INT",
            Content::Long => "BIGINT",
            Content::Double => "DOUBLE",
            Content::Time => "TIMESTAMP",
            Content::Bool => "BOOLEAN",
            Content::Texts => "MAP<STRING, STRING>",
            Content::Numbers => "MAP<STRING, STRUCT<f64 DOUBLE, i64 BIGINT>>",
        }
    }

    fn parquet(&self) -> String {
        let (name, need) = (self.name, if self.is_optional { "optional" } else { "required" });
        let simple = |of: &str, is: &str| format!("{need} {of} {name}{is};");
        let map = |value: &str| {
            format!(
                "required group {name} (MAP) {{ repeated group key_value {{ required binary key (STRING); {value} }} }}"
            )
        };
        match self.content {
            Content::Text => simple("binary", " (STRING)"),
            Content::Int => simple("int32", ""),
            Content::Long => simple("int64", ""),
            Content::Double => simple("double", ""),
            Content::Time => simple("int64", " (TIMESTAMP(MICROS,true))"),
            Content::Bool => simple("boolean", ""),
            Content::Texts => map("required binary value (STRING);"),
            Content::Numbers => map("required group value { required double f64; optional int64 i64; }"),
        }
    }

    fn leaves(&self) -> Vec<Leaf> {
        let is_optional = i16::from(self.is_optional);
        let of_map =
            |path: &str, values, most| Leaf::new(&format!("{}.key_value.{path}", self.name), values, most, true);
        match self.content {
            Content::Texts => vec![of_map("key", Values::text(), 1), of_map("value", Values::text(), 1)],
            Content::Numbers => vec![
                of_map("key", Values::text(), 1),
                of_map("value.f64", Values::Double(Vec::new()), 1),
                of_map("value.i64", Values::Long(Vec::new()), 2),
            ],
            content => {
                let values = match content {
                    Content::Int => Values::Int(Vec::new()),
                    Content::Bool => Values::Bool(Vec::new()),
                    Content::Long | Content::Time => Values::Long(Vec::new()),
                    Content::Double => Values::Double(Vec::new()),
                    _ => Values::text(),
                };
                vec![Leaf::new(self.name, values, is_optional, false)]
            }
        }
    }
}

pub fn schema(table: &str, columns: &[Column]) -> Result<Arc<Type>, ParquetError> {
    let mut text = format!("message {table} {{");
    for column in columns {
        let _ = write!(text, " {}", column.parquet());
    }
    parse_message_type(&(text + " }")).map(Arc::new)
}

#[derive(Debug)]
enum Values {
    Int(Vec<i32>),
    Long(Vec<i64>),
    Double(Vec<f64>),
    Bool(Vec<bool>),
    /// All texts, and where each ends.
    Text(Vec<u8>, Vec<usize>),
}

impl Values {
    fn text() -> Values {
        Values::Text(Vec::new(), Vec::new())
    }
}

/// A column of the file: of a map, one for its keys and one for each part of its values.
#[derive(Debug)]
struct Leaf {
    path: ColumnPath,
    values: Values,
    /// Of each value, whether it is there; empty if all are.
    definition: Vec<i16>,
    /// Whether a value continues the map of its row; empty if it is no part of a map.
    repetition: Vec<i16>,
    most_definition: i16,
    is_of_map: bool,
}

impl Leaf {
    fn new(path: &str, values: Values, most_definition: i16, is_of_map: bool) -> Leaf {
        let path = ColumnPath::new(path.split('.').map(str::to_owned).collect());
        Leaf { path, values, definition: Vec::new(), repetition: Vec::new(), most_definition, is_of_map }
    }

    #[inline]
    fn define(&mut self, level: i16) {
        if self.most_definition > 0 {
            self.definition.push(level);
        }
    }

    fn push_text(&mut self, text: &[u8]) {
        let Values::Text(texts, ends) = &mut self.values else { return };
        match str::from_utf8(text) {
            Ok(text) => texts.extend_from_slice(text.as_bytes()),
            Err(_) => texts.extend_from_slice(String::from_utf8_lossy(text).as_bytes()),
        }
        ends.push(texts.len());
    }

    /// A value of a map, the `nth` of its row.
    fn of_map(&mut self, nth: usize, level: i16) -> &mut Leaf {
        self.define(level);
        self.repetition.push((nth > 0).into());
        self
    }

    /// Writes the values and forgets them.
    fn write(&mut self, mut column: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let definition = (self.most_definition > 0).then_some(&*self.definition);
        let repetition = self.is_of_map.then_some(&*self.repetition);
        match (column.untyped(), &mut self.values) {
            (ColumnWriter::Int32ColumnWriter(out), Values::Int(values)) => {
                out.write_batch(values, definition, repetition)?;
                values.clear();
            }
            (ColumnWriter::Int64ColumnWriter(out), Values::Long(values)) => {
                out.write_batch(values, definition, repetition)?;
                values.clear();
            }
            (ColumnWriter::DoubleColumnWriter(out), Values::Double(values)) => {
                out.write_batch(values, definition, repetition)?;
                values.clear();
            }
            (ColumnWriter::BoolColumnWriter(out), Values::Bool(values)) => {
                out.write_batch(values, definition, repetition)?;
                values.clear();
            }
            (ColumnWriter::ByteArrayColumnWriter(out), Values::Text(texts, ends)) => {
                // The next row group will be about as long.
                let next = Vec::with_capacity(texts.len());
                let (texts, mut begin) = (ByteArray::from(std::mem::replace(texts, next)), 0);
                let text = |end: usize| texts.slice(begin, end - std::mem::replace(&mut begin, end));
                let values: Vec<ByteArray> = ends.drain(..).map(text).collect();
                out.write_batch(&values, definition, repetition)?;
            }
            _ => return Err(ParquetError::General(format!("column {} has another type", self.path.string()))),
        }
        self.definition.clear();
        self.repetition.clear();
        column.close()
    }
}

/// The rows of a row group. The cells of a row are added in the order of the columns.
#[derive(Debug)]
pub struct RowGroup {
    leaves: Vec<Leaf>,
    /// The leaf of the next cell.
    next: usize,
    pub rows: usize,
    /// Size of all texts.
    pub text_bytes: usize,
}

impl RowGroup {
    pub fn new(columns: &[Column]) -> RowGroup {
        RowGroup { leaves: columns.iter().flat_map(Column::leaves).collect(), next: 0, rows: 0, text_bytes: 0 }
    }

    /// Numbers that mostly grow are written as differences. Nobody leaves out parts of a file by what maps contain.
    pub fn properties(&self, properties: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
        self.leaves.iter().fold(properties, |properties, leaf| match leaf.values {
            _ if leaf.is_of_map => properties.set_column_statistics_enabled(leaf.path.clone(), EnabledStatistics::None),
            Values::Long(_) => properties
                .set_column_dictionary_enabled(leaf.path.clone(), false)
                .set_column_encoding(leaf.path.clone(), Encoding::DELTA_BINARY_PACKED),
            _ => properties,
        })
    }

    fn leaf(&mut self) -> Option<&mut Leaf> {
        self.next += 1;
        self.leaves.get_mut(self.next - 1)
    }

    pub fn text(&mut self, text: &[u8]) {
        self.maybe_text(Some(text));
    }

    /// Bytes that are no UTF-8 become replacement characters.
    pub fn maybe_text(&mut self, text: Option<&[u8]>) {
        self.text_bytes += text.map_or(0, <[u8]>::len);
        let Some(leaf) = self.leaf() else { return };
        leaf.define(text.is_some().into());
        text.iter().for_each(|text| leaf.push_text(text));
    }

    pub fn int(&mut self, number: impl Into<Option<i32>>) {
        let (Some(leaf), number) = (self.leaf(), number.into()) else { return };
        leaf.define(number.is_some().into());
        if let (Some(number), Values::Int(values)) = (number, &mut leaf.values) {
            values.push(number);
        }
    }

    /// A number of more than 63 bits is unknown.
    pub fn long(&mut self, number: impl Into<Option<u64>>) {
        self.signed(number.into().and_then(|number| i64::try_from(number).ok()));
    }

    pub fn signed(&mut self, number: Option<i64>) {
        let Some(leaf) = self.leaf() else { return };
        leaf.define(number.is_some().into());
        if let (Some(number), Values::Long(values)) = (number, &mut leaf.values) {
            values.push(number);
        }
    }

    pub fn double(&mut self, value: f64) {
        if let Some(Leaf { values: Values::Double(values), .. }) = self.leaf() {
            values.push(value);
        }
    }

    pub fn bool(&mut self, value: impl Into<Option<bool>>) {
        let (Some(leaf), value) = (self.leaf(), value.into()) else { return };
        leaf.define(value.is_some().into());
        if let (Some(value), Values::Bool(values)) = (value, &mut leaf.values) {
            values.push(value);
        }
    }

    pub fn texts(&mut self, cells: &NamedTexts) {
        self.text_bytes += cells.bytes.len();
        let Some([keys, texts]) = self.leaves_of_map() else { return };
        for nth in 0..cells.count() {
            keys.of_map(nth, 1).push_text(cells.part(2 * nth));
            texts.of_map(nth, 1).push_text(cells.text(nth));
        }
        if cells.count() == 0 {
            [keys, texts].into_iter().for_each(|leaf| _ = leaf.of_map(0, 0));
        }
    }

    /// Numbers, each with the index of its name in `names`.
    pub fn numbers(&mut self, names: &NamedTexts, cells: &[NamedNumber]) {
        let Some([keys, reals, ints]) = self.leaves_of_map() else { return };
        for (nth, cell) in cells.iter().enumerate() {
            keys.of_map(nth, 1).push_text(names.part(2 * cell.name));
            if let Values::Double(reals) = &mut reals.of_map(nth, 1).values {
                reals.push(cell.f64);
            }
            let ints = ints.of_map(nth, if cell.i64.is_some() { 2 } else { 1 });
            if let Values::Long(ints) = &mut ints.values {
                ints.extend(cell.i64);
            }
        }
        if cells.is_empty() {
            [keys, reals, ints].into_iter().for_each(|leaf| _ = leaf.of_map(0, 0));
        }
    }

    fn leaves_of_map<const N: usize>(&mut self) -> Option<[&mut Leaf; N]> {
        let begin = self.next;
        self.next += N;
        let leaves = self.leaves.get_mut(begin..self.next)?;
        <&mut [Leaf; N]>::try_from(leaves).ok().map(<[Leaf; N]>::each_mut)
    }

    /// Writes the rows and forgets them.
    pub fn write<W: Write + Send>(&mut self, out: &mut SerializedFileWriter<W>) -> Result<(), ParquetError> {
        let mut group = out.next_row_group()?;
        for leaf in &mut self.leaves {
            let column = group.next_column()?;
            leaf.write(column.ok_or_else(|| ParquetError::General("the file has fewer columns".to_owned()))?)?;
        }
        (self.rows, self.text_bytes) = (0, 0);
        group.close().map(drop)
    }

    pub fn end_row(&mut self) {
        debug_assert_eq!(self.next, self.leaves.len(), "cells of a row");
        self.next = 0;
        self.rows += 1;
    }
}

/// A number of a map.
#[derive(Debug, Clone, Copy)]
pub struct NamedNumber {
    /// Index of its name.
    pub name: usize,
    pub f64: f64,
    /// If it is an integer of 64 bits with a sign.
    pub i64: Option<i64>,
}

/// The texts of a map, by name.
#[derive(Debug, Default)]
pub struct NamedTexts {
    bytes: Vec<u8>,
    /// Ends of names and texts in turn.
    ends: Vec<usize>,
}

impl NamedTexts {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn count(&self) -> usize {
        self.ends.len() / 2
    }

    fn part(&self, at: usize) -> &[u8] {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[begin..self.ends[at]]
    }

    pub fn text(&self, at: usize) -> &[u8] {
        self.part(2 * at + 1)
    }

    pub fn find(&self, name: &[u8]) -> Option<usize> {
        (0..self.count()).find(|at| self.part(2 * at) == name)
    }

    /// Adds a text that `push` appends. A name that is there already gets a number: `x`, `x.2`, `x.3`.
    pub fn add(&mut self, name: &[u8], push: impl FnOnce(&mut Vec<u8>)) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(name);
        let mut number = 1;
        while self.find(&self.bytes[begin..]).is_some() {
            number += 1;
            self.bytes.truncate(begin + name.len());
            // Writing to memory never fails.
            let _ = write!(self.bytes, ".{number}");
        }
        self.ends.push(self.bytes.len());
        push(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }
}
