//! The titled line above a pane: `─ Records ───── follow ─`.

use ratatui::{buffer::Buffer, layout::Rect, widgets::Widget};

use super::Look;
use crate::term::{Role, end_marked, width};

/// A rule with a title at the left and words at the right.
#[derive(Debug, Clone, Copy)]
pub struct Rule<'a> {
    pub title: &'a str,
    /// Words at the right; may be empty.
    pub right: &'a str,
    /// Styles and glyphs.
    pub look: &'a Look,
}

/// Cells of the line and its blanks around title and words.
const BETWEEN: usize = 5;

impl Rule<'_> {
    /// Cells for the words at the right of a title, in a rule of so many cells.
    pub fn room(cells: usize, title: &str) -> usize {
        cells.saturating_sub(2 + width(title) + BETWEEN)
    }
}

impl Widget for Rule<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let room = usize::from(area.width);
        let (line, style) = (self.look.glyphs.spell("─").repeat(room), self.look.style(Role::Rule));
        buffer.set_stringn(area.x, area.y, line, room, style);
        let title = self.look.glyphs.spell(self.title);
        let title = end_marked(&title, room.saturating_sub(4), self.look.glyphs.ellipsis());
        let end = 2 + width(&title);
        buffer.set_stringn(area.x + 1, area.y, " ", room.saturating_sub(1), style);
        buffer.set_stringn(area.x + 2, area.y, &title, room.saturating_sub(2), self.look.style(Role::Title));
        buffer.set_stringn(area.x + end as u16, area.y, " ", room.saturating_sub(end), style);
        let right = self.look.glyphs.spell(self.right);
        let right = end_marked(&right, room.saturating_sub(end + BETWEEN), self.look.glyphs.ellipsis());
        if !right.is_empty() {
            let text = format!(" {right} ");
            let start = room - 3 - width(&right);
            buffer.set_stringn(area.x + start as u16, area.y, &text, room - start, style);
        }
    }
}
