//! Puts lines into a table, one after the other.

use std::collections::HashMap;

use crate::{
    loaded::{Loaded, Place, Shadowed},
    statement::Statement,
    table::DropTotal,
};

/// A line that was read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) place: Place,
    pub(crate) statement: Statement,
    pub(crate) text: String,
    /// It is one of earlier lines of its file.
    pub(crate) is_earlier: bool,
}

/// What a line defines. A later line with the same key replaces an earlier one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Date,
    Milli,
    Header,
    Severity(u8),
    Enum(String),
    Texts(String),
    Major(u32),
    Minor(u32, Option<u16>),
    Opcode(u8),
    User(u16),
    Record(String, String),
}

/// The table so far.
pub(crate) struct Building {
    loaded: Loaded,
    /// The major code that is open.
    major: u32,
    defined: HashMap<Key, Defined>,
}

/// A definition in force.
struct Defined {
    what: String,
    place: Place,
    /// Whether it is listed as shadowed if another one replaces it.
    is_reported: bool,
}

impl Building {
    pub(crate) fn new(files: usize) -> Building {
        let loaded = Loaded {
            lines: vec![0; files],
            qnx_lines: vec![0; files],
            texts: vec![String::new(); files],
            ..Loaded::default()
        };
        Building { loaded, major: 0, defined: HashMap::new() }
    }

    pub(crate) fn add(&mut self, read: Read) {
        let Read { place, statement, text, is_earlier } = read;
        let is_about_codes = statement.is_about_codes();
        if let Some(lines) = self.loaded.lines.get_mut(place.file).filter(|_| !is_earlier) {
            *lines += 1;
        }
        if let Some(lines) = self.loaded.qnx_lines.get_mut(place.file).filter(|_| is_about_codes && !is_earlier) {
            *lines += 1;
        }
        let key = self.define(statement);
        // A major code may be opened again.
        let is_major = matches!(key, Key::Major(_));
        let defined = Defined { what: beginning(&text), place, is_reported: !is_major && !is_earlier };
        if let Some(before) = self.defined.insert(key, defined).filter(|before| before.is_reported) {
            self.loaded.shadowed.push(Shadowed { what: before.what, place: before.place, by: place });
        }
        if let Some(all) = self.loaded.texts.get_mut(place.file) {
            all.push_str(&text);
            all.push('\n');
        }
    }

    pub(crate) fn finish(self) -> Loaded {
        let record = |(key, defined): (Key, Defined)| match key {
            Key::Record(protocol, id) => Some((protocol, id, defined.place)),
            _ => None,
        };
        let mut records: Vec<_> = self.defined.into_iter().filter_map(record).collect();
        records.sort_by_key(|(_, _, place)| (place.file, place.line));
        Loaded { records, ..self.loaded }
    }

    fn define(&mut self, statement: Statement) -> Key {
        let table = &mut self.loaded.table;
        match statement {
            Statement::Date(date) => {
                table.date = Some(date);
                Key::Date
            }
            Statement::Milli(milli) => {
                table.milli = Some(milli);
                Key::Milli
            }
            Statement::Header(header) => {
                table.header = Some(header);
                Key::Header
            }
            Statement::Severity(number, name) => {
                table.severities.insert(number, name);
                Key::Severity(number)
            }
            Statement::Enum(name, _) => Key::Enum(name),
            Statement::Texts(name, _) => Key::Texts(name),
            Statement::Major(number, name) => {
                self.major = number;
                table.majors.entry(number).or_default().name = name;
                Key::Major(number)
            }
            Statement::Minor(number, entry) => {
                let major = table.majors.entry(self.major).or_default();
                match number {
                    Some(number) => _ = major.minors.insert(number, entry),
                    None => major.other = Some(entry),
                }
                Key::Minor(self.major, number)
            }
            Statement::Opcode(number, entry) => {
                table.opcodes.insert(number, entry);
                Key::Opcode(number)
            }
            Statement::User(number, entry) => {
                table.users.insert(number, entry);
                Key::User(number)
            }
            Statement::Record { protocol, id, template, layout, drops } => {
                match drops {
                    Some(drops) => {
                        let total = DropTotal { record: id.clone(), element: drops.element };
                        table.drops.insert(protocol.clone(), total);
                    }
                    None if table.drops.get(&protocol).is_some_and(|total| total.record == id) => {
                        table.drops.remove(&protocol);
                    }
                    None => {}
                }
                table.records.entry(protocol.clone()).or_default().insert(id.clone(), (template, layout));
                Key::Record(protocol, id)
            }
        }
    }
}

/// The words of a line before its template.
fn beginning(text: &str) -> String {
    let before = text.split_once('"').map_or(text, |(before, _)| before);
    before.split_ascii_whitespace().take(3).collect::<Vec<_>>().join(" ")
}
