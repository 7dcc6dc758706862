//! Positions to go back and forward to.

use super::LogPosition;

/// Positions kept.
const KEPT: usize = 200;

/// Start positions of jumps, oldest first, and the user's place among them.
#[derive(Debug, Default)]
pub struct JumpList {
    positions: Vec<LogPosition>,
    at: usize,
}

impl JumpList {
    /// Remembers a position before a jump; those to go forward to are forgotten.
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

    /// One step forward.
    pub fn forward(&mut self) -> Option<LogPosition> {
        self.go_to(self.at + 1)
    }

    fn go_to(&mut self, at: usize) -> Option<LogPosition> {
        let position = self.positions.get(at).copied()?;
        self.at = at;
        Some(position)
    }
}
