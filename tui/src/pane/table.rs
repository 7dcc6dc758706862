//! Scrolling of a pane that is a table.

use ratatui::layout::Rect;

use crate::{action::Action, widget::Paint};

/// Cursor and scroll position of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TableCursor {
    /// Line under the cursor.
    pub(super) at: usize,
    /// First line shown.
    pub(super) top: usize,
    /// Number of lines as of the last frame.
    pub(super) len: usize,
}

impl TableCursor {
    /// Moves as an action says; `height` = lines of a page. `false` = the action does not move.
    pub(super) fn handle(&mut self, action: Action, height: usize) -> bool {
        let page = height as i64;
        match action {
            Action::Up => self.step(-1),
            Action::Down => self.step(1),
            Action::HalfUp => self.step(-(page / 2).max(1)),
            Action::HalfDown => self.step((page / 2).max(1)),
            Action::PageUp => self.step(-(page - 1).max(1)),
            Action::PageDown => self.step((page - 1).max(1)),
            Action::Top => self.at = 0,
            Action::Follow => self.go_to_end(),
            _ => return false,
        }
        true
    }

    fn step(&mut self, by: i64) {
        // The end may have moved since the last frame: the next one sees to it.
        self.at = (self.at as i64 + by).max(0) as usize;
    }

    /// To the last line there is with the next frame.
    pub(super) fn go_to_end(&mut self) {
        self.at = usize::MAX / 2;
    }

    /// Keeps the cursor on the screen of `height` lines.
    pub(super) fn fit(&mut self, len: usize, height: usize) {
        self.len = len;
        self.at = self.at.min(len.saturating_sub(1));
        self.top = self.top.min(self.at).max((self.at + 1).saturating_sub(height.max(1)));
        self.top = self.top.min(len.saturating_sub(height.min(len)));
    }
}

impl TableCursor {
    /// Draws the cursor over the lines of a table.
    pub(super) fn draw(&self, lines: Rect, paint: &mut Paint<'_>) {
        let line = self.at.saturating_sub(self.top);
        if self.at < self.len && line < usize::from(lines.height) {
            paint.cursor_line(lines.x, lines.y + line as u16, lines.width);
        }
    }
}
