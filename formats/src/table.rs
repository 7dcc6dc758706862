//! Definitions of format files, and the result of loading them.

use std::{collections::HashMap, fmt};

use crate::{layout::Layout, template::Template};

#[derive(Clone, Debug, Default)]
pub struct FormatTable {
    /// The date format, if defined. Its conversions, and those of [`FormatTable::header`], are listed in [`crate`].
    pub date: Option<String>,
    pub milli: Option<Template>,
    /// The header before each text, if defined.
    pub header: Option<String>,
    pub severities: HashMap<u8, String>,
    pub majors: HashMap<u32, String>,
    pub events: HashMap<FormatCode, NamedTemplate>,
    /// For each protocol, the record with the total of records that the target dropped.
    pub drops: HashMap<String, DropTotal>,
    pub(crate) records: HashMap<String, HashMap<String, (Template, Option<Layout>)>>,
}

/// The application record with the total of records that the target dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropTotal {
    pub record: String,
    pub element: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTemplate {
    pub name: String,
    pub template: Template,
}

/// Code of an event with a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormatCode {
    /// Major and minor code; `None` = all minor codes without a line of their own.
    Minor(u32, Option<u16>),
    /// An event of the kernel profile.
    Opcode(u8),
    User(u16),
}

impl FormatTable {
    /// The template of an application record, by protocol and id or name. Empty if a layout provides the text.
    pub fn record(&self, protocol: &str, id: &str) -> Option<&Template> {
        self.records.get(protocol)?.get(id).map(|(template, _)| template)
    }

    /// The layout of an application record, if its line has fields.
    pub fn layout(&self, protocol: &str, id: &str) -> Option<&Layout> {
        self.records.get(protocol)?.get(id)?.1.as_ref()
    }

    /// Templates and layouts of a protocol's application records, each with its id or name.
    pub fn records(&self, protocol: &str) -> impl Iterator<Item = (&str, &Template, Option<&Layout>)> {
        let records = self.records.get(protocol).into_iter().flatten();
        records.map(|(id, (template, layout))| (id.as_str(), template, layout.as_ref()))
    }

    pub fn remove_record(&mut self, protocol: &str, id: &str) {
        if let Some(records) = self.records.get_mut(protocol) {
            records.remove(id);
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextPlace {
    /// Index of the file, in the order added.
    pub file: usize,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatFault {
    pub place: TextPlace,
    pub message: String,
}

impl fmt::Display for FormatFault {
    /// Line, column and message; only the caller knows the file's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.message)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadowed {
    pub what: String,
    pub place: TextPlace,
    pub by: TextPlace,
}

#[derive(Debug, Default)]
pub struct Loaded {
    pub table: FormatTable,
    /// Invalid lines, by file and line.
    pub faults: Vec<FormatFault>,
    /// Number of invalid lines beyond [`Loaded::faults`].
    pub more_faults: usize,
    pub shadowed: Vec<Shadowed>,
    pub files: Vec<LoadedFile>,
    /// Application records with definitions: protocol, id, place.
    pub records: Vec<(String, String, TextPlace)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedFile {
    /// Number of valid lines.
    pub lines: usize,
    /// How many of these define codes of QNX traces.
    pub qnx_lines: usize,
    /// The valid lines, as text: loading the texts of all files gives the same table.
    pub text: String,
}
