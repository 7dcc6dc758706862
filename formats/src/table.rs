//! What the lines of format files define, and what came of loading them.

use std::{collections::HashMap, fmt};

use crate::{layout::Layout, template::Template};

/// Everything that format files define.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The form of dates, if a line gives one. [`crate`] lists what it may have behind `%`, as of [`Table::header`].
    pub date: Option<String>,
    /// The template of milliseconds, if a line gives one.
    pub milli: Option<Template>,
    /// What stands before each text, if a line says so.
    pub header: Option<String>,
    /// Names of severities.
    pub severities: HashMap<u8, String>,
    /// Major codes.
    pub majors: HashMap<u32, Major>,
    /// Events of the kernel profile.
    pub opcodes: HashMap<u8, Entry>,
    /// User events.
    pub users: HashMap<u16, Entry>,
    /// Which record of a protocol has the total of records that the target dropped.
    pub drops: HashMap<String, DropTotal>,
    pub(crate) records: HashMap<String, HashMap<String, (Template, Option<Layout>)>>,
}

/// Which application record of a protocol has the total of records that the target dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropTotal {
    /// Id or name of the record.
    pub record: String,
    /// Which of its elements, from 0.
    pub element: usize,
}

/// A name and a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// Template of the data.
    pub template: Template,
}

/// A major code with its minor codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Major {
    pub name: String,
    /// The lines of minor codes.
    pub minors: HashMap<u16, Entry>,
    /// The line of all other minor codes.
    pub other: Option<Entry>,
}

impl Table {
    /// The template of an application record, by its id or name in this protocol. It is empty where a layout gives the
    /// text.
    pub fn record(&self, protocol: &str, id: &str) -> Option<&Template> {
        self.records.get(protocol)?.get(id).map(|(template, _)| template)
    }

    /// The layout of an application record, if its line has fields.
    pub fn layout(&self, protocol: &str, id: &str) -> Option<&Layout> {
        self.records.get(protocol)?.get(id)?.1.as_ref()
    }

    /// The templates and layouts of application records of this protocol, each with its id or name.
    pub fn records(&self, protocol: &str) -> impl Iterator<Item = (&str, &Template, Option<&Layout>)> {
        let records = self.records.get(protocol).into_iter().flatten();
        records.map(|(id, (template, layout))| (id.as_str(), template, layout.as_ref()))
    }

    /// Takes out the line of an application record.
    pub fn remove_record(&mut self, protocol: &str, id: &str) {
        if let Some(records) = self.records.get_mut(protocol) {
            records.remove(id);
        }
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index of the file, in the order added.
    pub file: usize,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
}

/// A wrong line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Fault {
    /// Line, column and message; only the caller knows the name of the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.message)
    }
}

/// A line that a later one replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadowed {
    /// What it defines: the beginning of the line.
    pub what: String,
    /// Where it is.
    pub place: Place,
    /// The line that replaces it.
    pub by: Place,
}

/// The result of loading.
#[derive(Debug, Default)]
pub struct Loaded {
    /// What all right lines define.
    pub table: Table,
    /// The wrong lines, by file and line.
    pub faults: Vec<Fault>,
    /// Number of wrong lines that [`Loaded::faults`] leaves out.
    pub more_faults: usize,
    /// Lines that later ones replace.
    pub shadowed: Vec<Shadowed>,
    /// Number of right lines of each file.
    pub lines: Vec<usize>,
    /// How many of them are about codes of QNX traces.
    pub qnx_lines: Vec<usize>,
    /// Application records that lines define: protocol, id, and where.
    pub records: Vec<(String, String, Place)>,
    /// The right lines of each file, as text: together they mean the same as all files.
    pub texts: Vec<String>,
}
