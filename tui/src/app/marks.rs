//! Marks: set, taken away, gone to.

use super::{
    list::Entry,
    state::{App, Mark},
};

impl App {
    pub(super) fn toggle_mark(&mut self) {
        let Some(spot) = self.spot_of(self.list.cursor) else { return };
        if let Some(name) = self.marks.iter().find(|(_, m)| m.spot == spot).map(|(name, _)| name.clone()) {
            self.marks.remove(&name);
            return self.say(format!("mark {name} taken away"));
        }
        self.add_mark(None, String::new());
    }

    /// Marks the row under the cursor.
    pub fn add_mark(&mut self, name: Option<String>, note: String) {
        let Some(spot) = self.spot_of(self.list.cursor) else { return };
        let free = || (1..).map(|n: u32| n.to_string()).find(|n| !self.marks.contains_key(n)).unwrap_or_default();
        let name = name.unwrap_or_else(free);
        self.say(format!("mark {name}; '{name} in :goto, u U next and previous"));
        self.marks.insert(name, Mark { spot, note });
    }

    /// Whether a line of the list is marked.
    #[must_use]
    pub fn is_marked(&self, entry: &Entry) -> bool {
        let here = |m: &&Mark| m.spot.source == entry.source && m.spot.pos == entry.pos;
        self.marks
            .values()
            .filter(here)
            .any(|m| self.row_at(m.spot).is_none_or(|row| entry.first <= row && row <= entry.last))
    }

    pub(super) fn next_mark(&mut self, forward: bool) {
        let here = self.list.cursor;
        let mut all: Vec<u64> = self.marks.values().filter_map(|m| self.row_at(m.spot)).collect();
        all.sort_unstable();
        let next = if forward { all.iter().find(|&&r| r > here) } else { all.iter().rev().find(|&&r| r < here) };
        match next.copied() {
            Some(row) => self.go_to_row(row),
            None => self.say(if all.is_empty() { "no marks; m sets one" } else { "no mark further" }),
        }
    }

    pub(super) fn list_marks(&mut self) {
        let list: Vec<String> = self
            .marks
            .iter()
            .map(|(name, m)| if m.note.is_empty() { format!("'{name}") } else { format!("'{name} {}", m.note) })
            .collect();
        self.say(if list.is_empty() { "no marks; m sets one".to_owned() } else { list.join("   ") });
    }
}
