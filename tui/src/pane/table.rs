//! Scrolling, and lines with a cursor.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    input::{Action, PaneId},
    model::{Model, line_search, screen::Piece},
    widget::{Look, Paint},
};

/// Lines that an action scrolls by; `None` if it does not scroll by lines.
pub(super) fn lines_moved(action: Action, height: usize) -> Option<i64> {
    let page = height as i64;
    Some(match action {
        Action::Up => -1,
        Action::Down => 1,
        Action::HalfUp => -(page / 2).max(1),
        Action::HalfDown => (page / 2).max(1),
        Action::PageUp => -(page - 1).max(1),
        Action::PageDown => (page - 1).max(1),
        _ => return None,
    })
}

/// Marks what a search in a pane found in its lines.
pub(super) fn highlight(model: &Model, pane: PaneId, lines: Rect, paint: &mut Paint<'_>) {
    if let Some(search) = line_search::of_pane(model, pane) {
        paint.highlight(lines, &[&search.pattern]);
    }
}

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
    /// Moves the cursor; `height` = lines of a page. `false` = the action does not move.
    pub(super) fn handle(&mut self, action: Action, height: usize) -> bool {
        match action {
            Action::Top => self.at = 0,
            Action::Follow => self.go_to_end(),
            // The end may have moved since the last frame: the next one sees to it.
            _ => match lines_moved(action, height) {
                Some(by) => self.at = (self.at as i64).saturating_add(by).max(0) as usize,
                None => return false,
            },
        }
        true
    }

    /// A click into the lines of the table, which begin below `above` lines of the pane in front.
    pub(super) fn click(&mut self, at: Position, above: u16, model: &Model) {
        let first = model.screen.layout.pane.map(|(_, area)| area.y + above);
        let line = first.and_then(|first| at.y.checked_sub(first)).map(|line| self.top + usize::from(line));
        self.at = line.filter(|line| *line < self.len).unwrap_or(self.at);
    }

    /// To the last line there is with the next frame.
    pub(super) fn go_to_end(&mut self) {
        self.at = usize::MAX / 2;
    }

    /// Keeps the cursor visible on `height` lines.
    pub(super) fn fit(&mut self, len: usize, height: usize) {
        self.len = len;
        self.at = self.at.min(len.saturating_sub(1));
        self.top = self.top.min(self.at).max((self.at + 1).saturating_sub(height.max(1)));
        self.top = self.top.min(len.saturating_sub(height.min(len)));
    }

    /// Draws the cursor over the lines of a table.
    pub(super) fn draw(&self, lines: Rect, paint: &mut Paint<'_>) {
        let line = self.at.saturating_sub(self.top);
        if self.at < self.len && line < usize::from(lines.height) {
            paint.cursor_line(lines.x, lines.y + line as u16, lines.width);
        }
    }

    /// Draws lines of text from the scroll position on, and the cursor.
    pub(super) fn draw_lines<T>(
        &self,
        lines: &[T],
        line: impl Fn(&T) -> Vec<Piece>,
        look: &Look,
        area: Rect,
        buffer: &mut Buffer,
    ) {
        let mut paint = Paint::new(buffer, look);
        for (item, y) in lines.iter().skip(self.top).zip(area.y..area.bottom()) {
            let pieces = line(item);
            paint.spans(area.x, y, area.width, pieces.iter().map(|(text, role)| (text.as_str(), *role)));
        }
        self.draw(area, &mut paint);
    }
}
