//! Bookmarks.

use std::collections::BTreeMap;

use super::LogPosition;

/// A row that the user marked, by its position in the log: a switch of the decoder renumbers rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Position of the row.
    pub(in crate::model) position: LogPosition,
    /// Note of the user.
    pub note: String,
}

/// Marks by name.
#[derive(Debug, Default)]
pub struct Marks(BTreeMap<String, Mark>);

impl Marks {
    pub fn get(&self, name: &str) -> Option<&Mark> {
        self.0.get(name)
    }

    /// All marks, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Mark)> {
        self.0.iter().map(|(name, mark)| (name.as_str(), mark))
    }

    /// Marks of rows that begin at a position.
    pub fn at(&self, source: usize, pos: u64) -> impl Iterator<Item = &Mark> {
        self.0.values().filter(move |mark| mark.position.source == source && mark.position.pos == pos)
    }

    pub fn name_at(&self, position: LogPosition) -> Option<&str> {
        self.0.iter().find(|(_, mark)| mark.position == position).map(|(name, _)| name.as_str())
    }

    /// Marks a position, by default under the next free number. Returns the name.
    pub fn add(&mut self, name: Option<String>, position: LogPosition, note: String) -> String {
        let free = || (1..).map(|n: u32| n.to_string()).find(|n| !self.0.contains_key(n)).unwrap_or_default();
        let name = name.unwrap_or_else(free);
        self.0.insert(name.clone(), Mark { position, note });
        name
    }

    /// Removes the mark of a position; returns its name.
    pub fn remove_at(&mut self, position: LogPosition) -> Option<String> {
        let name = self.name_at(position)?.to_owned();
        self.0.remove(&name);
        Some(name)
    }
}
