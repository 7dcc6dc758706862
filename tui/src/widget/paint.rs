//! Writes text to the buffer: in the terminal's glyphs, cut to its room, in the style of a role.

use ratatui::{buffer::Buffer, layout::Rect};

use super::Look;
use crate::term::{Glyphs, Role, cut_end, width, wrap};

/// A buffer to draw on, with styles and glyphs.
pub struct Paint<'a> {
    buffer: &'a mut Buffer,
    look: &'a Look,
}

impl<'a> Paint<'a> {
    /// Draws on a buffer.
    pub fn new(buffer: &'a mut Buffer, look: &'a Look) -> Paint<'a> {
        Paint { buffer, look }
    }

    /// The glyphs of the terminal.
    pub fn glyphs(&self) -> Glyphs {
        self.look.glyphs
    }

    /// Draws text of a role, at most `room` cells; returns the column behind it.
    pub fn text(&mut self, x: u16, y: u16, room: u16, text: &str, role: Role) -> u16 {
        let area = self.buffer.area;
        if y >= area.bottom() || x >= area.right() {
            return x;
        }
        let room = room.min(area.right() - x);
        let text = self.look.glyphs.spell(text);
        let text = cut_end(&text, usize::from(room));
        self.buffer.set_stringn(x, y, text, usize::from(room), self.look.style(role));
        x + width(text) as u16
    }

    /// Sets the style of a part of a line, keeping its text.
    pub fn tint(&mut self, x: u16, y: u16, room: u16, role: Role) {
        let area = Rect::new(x, y, room, 1).intersection(self.buffer.area);
        self.buffer.set_style(area, self.look.style(role));
    }

    /// The line under the cursor: in reverse, with a sign of its own where the glyphs have one.
    pub fn cursor_line(&mut self, x: u16, y: u16, room: u16) {
        let sign = self.glyphs().cursor();
        if !sign.is_empty() {
            self.text(x, y, 1, sign, Role::Cursor);
        }
        self.tint(x, y, room, Role::Cursor);
    }

    /// A line of blanks.
    pub fn blank(&mut self, y: u16, room: u16) {
        self.text(0, y, room, &" ".repeat(usize::from(room)), Role::Plain);
    }

    /// Text in at most `most` lines over the whole width, the last of them at `y`.
    pub fn lines_up_to(&mut self, y: u16, room: u16, text: &str, most: usize, role: Role) {
        let inner = room.saturating_sub(2);
        let lines = wrap(text, usize::from(inner));
        let shown = lines.len().min(most);
        for (line, i) in lines.into_iter().take(shown).zip(1..) {
            let y = (y + i).saturating_sub(shown as u16);
            self.blank(y, room);
            self.text(1, y, inner, line, role);
        }
    }
}
