//! Text onto the buffer: spelt in the terminal's glyphs, cut to its room, in a role's style.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use crate::{
    app::Look,
    term::{Glyphs, Role, cut_end, width},
};

/// A buffer to draw on, with what everything looks like.
pub(super) struct Paint<'a> {
    buffer: &'a mut Buffer,
    look: &'a Look,
}

impl<'a> Paint<'a> {
    pub(super) fn new(buffer: &'a mut Buffer, look: &'a Look) -> Paint<'a> {
        Paint { buffer, look }
    }

    pub(super) fn glyphs(&self) -> Glyphs {
        self.look.glyphs
    }

    pub(super) fn style(&self, role: Role) -> Style {
        self.look.theme.style(role)
    }

    /// Draws text of a role, at most `room` cells; the column behind it.
    pub(super) fn text(&mut self, x: u16, y: u16, room: u16, text: &str, role: Role) -> u16 {
        let style = self.style(role);
        self.styled(x, y, room, text, style)
    }

    /// Draws text in a style.
    pub(super) fn styled(&mut self, x: u16, y: u16, room: u16, text: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        if y >= area.bottom() || x >= area.right() {
            return x;
        }
        let room = room.min(area.right() - x);
        let text = self.look.glyphs.spell(text);
        let text = cut_end(&text, usize::from(room));
        self.buffer.set_stringn(x, y, text, usize::from(room), style);
        x + width(text) as u16
    }

    /// A style over a stretch of a line, kept as it is otherwise.
    pub(super) fn tint(&mut self, x: u16, y: u16, room: u16, role: Role) {
        let style = self.style(role);
        let area = Rect::new(x, y, room, 1).intersection(self.buffer.area);
        self.buffer.set_style(area, style);
    }

    /// The line under the cursor: in reverse, with a sign of its own where the glyphs have one.
    pub(super) fn cursor_line(&mut self, x: u16, y: u16, room: u16) {
        let sign = self.glyphs().cursor();
        if !sign.is_empty() {
            self.text(x, y, 1, sign, Role::Cursor);
        }
        self.tint(x, y, room, Role::Cursor);
    }

    /// A line of blanks.
    pub(super) fn blank(&mut self, y: u16, room: u16) {
        self.text(0, y, room, &" ".repeat(usize::from(room)), Role::Plain);
    }

    /// A rule with a title at the left and words at the right: `─ Records ───── follow ─`.
    pub(super) fn rule(&mut self, x: u16, y: u16, room: u16, title: &str, right: &str) {
        let rule = self.look.glyphs.rule().repeat(usize::from(room));
        self.text(x, y, room, &rule, Role::Rule);
        let inner = room.saturating_sub(4);
        let at = self.text(x + 2, y, inner, title, Role::Title);
        let blank = Role::Rule;
        self.text(x + 1, y, 1, " ", blank);
        self.text(at, y, 1, " ", blank);
        if right.is_empty() {
            return;
        }
        let spelt = self.look.glyphs.spell(right).into_owned();
        let left_room = usize::from(room.saturating_sub(at - x + 5));
        let spelt = cut_end(&spelt, left_room).to_owned();
        if spelt.is_empty() {
            return;
        }
        let start = x + room - 3 - width(&spelt) as u16;
        self.text(start, y, room, &format!(" {spelt} "), Role::Rule);
    }
}
