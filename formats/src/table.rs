//! What the lines of format files define.

use std::collections::HashMap;

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
