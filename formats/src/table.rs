//! What the lines of format files define.

use std::collections::HashMap;

use crate::template::Template;

/// Everything that format files define.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub(crate) date: Option<String>,
    pub(crate) milli: Option<Template>,
    pub(crate) header: Option<String>,
    pub(crate) severities: [Option<String>; 8],
    pub(crate) majors: HashMap<u32, Major>,
    pub(crate) opcodes: HashMap<u8, Entry>,
    pub(crate) users: HashMap<u16, Entry>,
    pub(crate) records: HashMap<String, HashMap<String, Template>>,
    pub(crate) drops: HashMap<String, DropTotal>,
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
    /// Name.
    pub name: String,
    /// Template of the data.
    pub template: Template,
}

/// A major code with its minor codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Major {
    /// Name.
    pub name: String,
    pub(crate) minors: HashMap<u16, Entry>,
    /// `minor *`.
    pub(crate) other: Option<Entry>,
}

impl Major {
    /// The line of a minor code.
    #[must_use]
    pub fn minor(&self, minor: u16) -> Option<&Entry> {
        self.minors.get(&minor)
    }

    /// The line of all other minor codes.
    #[must_use]
    pub fn other(&self) -> Option<&Entry> {
        self.other.as_ref()
    }
}

impl Table {
    /// The form of dates, if a line gives one. [`crate`] lists what it may have behind `%`, as of [`Table::header`].
    #[must_use]
    pub fn date(&self) -> Option<&str> {
        self.date.as_deref()
    }

    /// The template of milliseconds, if a line gives one.
    #[must_use]
    pub fn milli(&self) -> Option<&Template> {
        self.milli.as_ref()
    }

    /// What stands before each text, if a line says so.
    #[must_use]
    pub fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    /// The name of a severity, if a line gives one.
    #[must_use]
    pub fn severity(&self, number: u8) -> Option<&str> {
        self.severities.get(usize::from(number)).and_then(Option::as_deref)
    }

    /// A major code.
    #[must_use]
    pub fn major(&self, major: u32) -> Option<&Major> {
        self.majors.get(&major)
    }

    /// An event of the kernel profile.
    #[must_use]
    pub fn opcode(&self, opcode: u8) -> Option<&Entry> {
        self.opcodes.get(&opcode)
    }

    /// A user event.
    #[must_use]
    pub fn user(&self, event: u16) -> Option<&Entry> {
        self.users.get(&event)
    }

    /// The template of an application record, by its id or name in this protocol.
    #[must_use]
    pub fn record(&self, protocol: &str, id: &str) -> Option<&Template> {
        self.records.get(protocol)?.get(id)
    }

    /// The record of this protocol with the total of records that the target dropped, if a line says so.
    #[must_use]
    pub fn drops(&self, protocol: &str) -> Option<&DropTotal> {
        self.drops.get(protocol)
    }

    /// The templates of application records of this protocol, each with its id or name.
    pub fn records(&self, protocol: &str) -> impl Iterator<Item = (&str, &Template)> {
        self.records.get(protocol).into_iter().flatten().map(|(id, template)| (id.as_str(), template))
    }
}
