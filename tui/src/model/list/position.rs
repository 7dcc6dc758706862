//! Positions in the raw log, which stay valid when a switch of the decoder, or a new order of several sources,
//! renumbers rows.

use std::collections::BTreeMap;

use spytui_engine::trace::session::Decoding;

use super::List;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogPosition {
    /// Index of the source in the list.
    pub(in crate::model) source: usize,
    pub(in crate::model) pos: u64,
    /// Index among the rows there: a loss and the record that revealed it share a position.
    pub(in crate::model) nth: u64,
}

impl LogPosition {
    pub fn last_at(source: usize, pos: u64) -> LogPosition {
        LogPosition { source, pos, nth: u64::MAX }
    }
}

impl List {
    /// Position of a row in the log of its source.
    pub fn position_of(&self, row: u64) -> Option<LogPosition> {
        let (source, row) = self.rows.locate(row)?;
        let decoding = self.rows.source(source);
        decoding.ensure_loaded(row);
        let pos = decoding.read().rows.row(row)?.pos;
        Some(LogPosition { source, pos, nth: row - rows_before(decoding, |p| p < pos) })
    }

    /// The row at a log position, or the last one before it, once it is in the list.
    pub fn row_at(&self, position: LogPosition) -> Option<u64> {
        let decoding = self.rows.parts().get(position.source)?;
        let last = rows_before(decoding, |pos| pos <= position.pos).checked_sub(1)?;
        let first = rows_before(decoding, |pos| pos < position.pos);
        self.rows.place(position.source, first.saturating_add(position.nth).min(last))
    }
}

/// Number of rows before the first one whose position does not fit.
fn rows_before(decoding: &Decoding, fits: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (decoding.first_kept(), decoding.len());
    while low < high {
        let middle = low + (high - low) / 2;
        // Dropped rows are decoded again; each step of the search then needs one segment.
        decoding.ensure_loaded(middle);
        match decoding.read().rows.row(middle) {
            Some(row) if fits(row.pos) => low = middle + 1,
            _ => high = middle,
        }
    }
    low
}

/// Number of positions kept.
const KEPT: usize = 200;

/// Start positions of jumps, oldest first, and the user's place among them.
#[derive(Debug, Default)]
pub struct JumpList {
    positions: Vec<LogPosition>,
    at: usize,
}

impl JumpList {
    /// Remembers a position before a jump; forward positions are forgotten.
    pub fn push(&mut self, position: LogPosition) {
        self.positions.truncate(self.at);
        if self.positions.last() != Some(&position) {
            self.positions.push(position);
        }
        if self.positions.len() > KEPT {
            self.positions.remove(0);
        }
        self.at = self.positions.len();
    }

    /// One step back; the first step remembers `here`.
    pub fn back(&mut self, here: Option<LogPosition>) -> Option<LogPosition> {
        if self.at == self.positions.len()
            && let Some(here) = here
        {
            self.push(here);
            self.at = self.positions.len() - 1;
        }
        self.go_to(self.at.checked_sub(1)?)
    }

    pub fn forward(&mut self) -> Option<LogPosition> {
        self.go_to(self.at + 1)
    }

    fn go_to(&mut self, at: usize) -> Option<LogPosition> {
        let position = self.positions.get(at).copied()?;
        self.at = at;
        Some(position)
    }
}

/// A row marked by the user, by its log position, because a switch of the decoder renumbers rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub(in crate::model) position: LogPosition,
    pub note: String,
}

#[derive(Debug, Default)]
pub struct Marks(BTreeMap<String, Mark>);

impl Marks {
    pub fn get(&self, name: &str) -> Option<&Mark> {
        self.0.get(name)
    }

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

    /// Marks a position, by default with the next free number. Returns the name.
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
