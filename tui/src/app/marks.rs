//! Marks: set, taken away, gone to.

use super::state::{App, Mark};

impl App {
    pub(super) fn toggle_mark(&mut self) {
        let Some(row) = self.decoded.read().rows.row(self.list.cursor) else { return };
        if let Some(name) = self.marks.iter().find(|(_, m)| m.pos == row.pos).map(|(name, _)| name.clone()) {
            self.marks.remove(&name);
            return self.say(format!("mark {name} taken away"));
        }
        self.add_mark(None, String::new());
    }

    /// Marks the row under the cursor.
    pub fn add_mark(&mut self, name: Option<String>, note: String) {
        let Some(row) = self.decoded.read().rows.row(self.list.cursor) else { return };
        let free = || (1..).map(|n: u32| n.to_string()).find(|n| !self.marks.contains_key(n)).unwrap_or_default();
        let name = name.unwrap_or_else(free);
        self.say(format!("mark {name}; '{name} in :goto, u U next and previous"));
        self.marks.insert(name, Mark { pos: row.pos, note });
    }

    pub(super) fn next_mark(&mut self, forward: bool) {
        let Some(here) = self.decoded.read().rows.row(self.list.cursor).map(|r| r.pos) else { return };
        let mut all: Vec<u64> = self.marks.values().map(|m| m.pos).collect();
        all.sort_unstable();
        let next = if forward { all.iter().find(|&&p| p > here) } else { all.iter().rev().find(|&&p| p < here) };
        match next.copied().and_then(|pos| self.row_at(pos)) {
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
