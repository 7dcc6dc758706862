//! Drawing tools for views and panes: styles, glyphs, rules and text in the cells of a ratatui buffer.

use std::borrow::Cow;

use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
    style::{Color, Modifier, Style},
    widgets::{Clear, Widget},
};
use spytui_engine::query::TextPattern;

use crate::term::{Glyphs, Role, Theme, cut_end, end_marked, width, wrap};

#[derive(Debug, Clone, Default)]
pub struct Look {
    pub theme: Theme,
    pub glyphs: Glyphs,
}

impl Look {
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }
}

/// A buffer to draw on, with styles and glyphs.
pub struct Paint<'a> {
    buffer: &'a mut Buffer,
    look: &'a Look,
}

impl<'a> Paint<'a> {
    pub fn new(buffer: &'a mut Buffer, look: &'a Look) -> Paint<'a> {
        Paint { buffer, look }
    }

    pub fn glyphs(&self) -> Glyphs {
        self.look.glyphs
    }

    /// Draws text of a role in at most `room` cells; returns the next column. Cut text ends with a mark.
    pub fn text(&mut self, x: u16, y: u16, room: u16, text: &str, role: Role) -> u16 {
        self.spans(x, y, room, [(text, role)])
    }

    /// Draws one-cell characters; returns the next column.
    pub fn cells(&mut self, x: u16, y: u16, chars: impl Iterator<Item = char>, role: Role) -> u16 {
        let text: String = chars.collect();
        self.text(x, y, text.chars().count() as u16, &text, role)
    }

    /// Draws the name of an object, perhaps shortened to `shown`; returns the next column.
    pub fn object(&mut self, x: u16, y: u16, room: u16, name: &str, shown: &str) -> u16 {
        let end = self.text(x, y, room, shown, Role::Plain);
        let area = Rect::new(x, y, end.saturating_sub(x), 1).intersection(self.buffer.area);
        self.buffer.set_style(area, self.look.theme.object(name));
        end
    }

    /// Draws text with parts of different roles.
    pub fn spans<'t>(&mut self, x: u16, y: u16, room: u16, parts: impl IntoIterator<Item = (&'t str, Role)>) -> u16 {
        let area = self.buffer.area;
        if y >= area.bottom() || x >= area.right() {
            return x;
        }
        let room = usize::from(room.min(area.right() - x));
        let glyphs = self.look.glyphs;
        let parts: Vec<(Cow<'t, str>, Role)> =
            parts.into_iter().map(|(text, role)| (glyphs.spell(text), role)).collect();
        let goes_on = room > 1 && parts.iter().map(|(text, _)| width(text)).sum::<usize>() > room;
        let end = room - if goes_on { width(glyphs.ellipsis()) } else { 0 };
        let mut used = 0;
        for (text, role) in &parts {
            let style = if *role == Role::Object { self.look.theme.object(text) } else { self.look.style(*role) };
            let shown = cut_end(text, end - used);
            self.buffer.set_stringn(x + used as u16, y, shown, end - used, style);
            used += width(shown);
            if shown.len() < text.len() {
                if goes_on {
                    self.buffer.set_stringn(x + used as u16, y, glyphs.ellipsis(), room - used, style);
                    used += width(glyphs.ellipsis());
                }
                break;
            }
        }
        x + used as u16
    }

    /// Clears a part of a line, with its styles.
    pub fn clear(&mut self, x: u16, y: u16, room: u16) {
        Clear.render(Rect::new(x, y, room, 1).intersection(self.buffer.area), self.buffer);
    }

    /// Sets the style of a part of a line, keeping its text.
    pub fn tint(&mut self, x: u16, y: u16, room: u16, role: Role) {
        let area = Rect::new(x, y, room, 1).intersection(self.buffer.area);
        self.buffer.set_style(area, self.look.style(role));
    }

    /// The line under the cursor: reversed, with a sign if the glyphs have one, or if the line was already reversed.
    pub fn cursor_line(&mut self, x: u16, y: u16, room: u16) {
        let turned_back = self.reverse(x, y, room);
        let sign = self.glyphs().cursor(turned_back);
        if !sign.is_empty() {
            self.set_symbol(x, y, sign);
        }
    }

    pub fn symbol(&self, x: u16, y: u16) -> String {
        self.buffer.cell((x, y)).map_or_else(String::new, |cell| cell.symbol().to_owned())
    }

    /// Replaces the text of a cell, keeping its style.
    pub fn set_symbol(&mut self, x: u16, y: u16, symbol: &str) {
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_symbol(symbol);
        }
    }

    /// Reverses a part of a line. If it is already reversed, like losses without colours, turns it back and returns
    /// `true`.
    pub fn reverse(&mut self, x: u16, y: u16, room: u16) -> bool {
        let is_reversed = |cell: &Cell| cell.modifier.contains(Modifier::REVERSED);
        let turn_back = self.buffer.cell((x, y)).is_some_and(is_reversed);
        let line = Rect::new(x, y, room, 1).intersection(self.buffer.area);
        // A uniform bar, not a patchwork of word colours; also, a coloured loss would look like plain text when
        // reversed.
        self.buffer.set_style(line, Style::new().fg(Color::Reset).bg(Color::Reset).not_dim());
        self.tint(x, y, room, Role::Cursor);
        if turn_back {
            self.buffer.set_style(line, Style::new().not_reversed());
        }
        turn_back
    }

    /// Highlights matches of patterns in the lines of an area; names only match whole words.
    pub fn highlight(&mut self, area: Rect, patterns: &[&TextPattern]) {
        let area = area.intersection(self.buffer.area);
        for y in area.top()..area.bottom() {
            let (mut text, mut columns) = (String::new(), Vec::new());
            for x in area.left()..area.right() {
                let symbol = self.buffer[(x, y)].symbol();
                columns.extend(std::iter::repeat_n(x, symbol.len()));
                text.push_str(symbol);
            }
            for pattern in patterns {
                for (from, to) in pattern.find_all(&text) {
                    if let (Some(&from), Some(&to)) = (columns.get(from), columns.get(to.saturating_sub(1))) {
                        self.tint(from, y, to + 1 - from, Role::Match);
                    }
                }
            }
        }
    }

    pub fn blank(&mut self, y: u16, room: u16) {
        self.text(0, y, room, &" ".repeat(usize::from(room)), Role::Plain);
    }

    /// Text in at most `most` lines over the whole width, the last one at `y`.
    pub fn lines_up_to(&mut self, y: u16, room: u16, text: &str, most: usize, role: Role) {
        let inner = room.saturating_sub(2);
        let lines = wrap(text, usize::from(inner));
        let shown = lines.len().min(most);
        for (line, i) in lines.iter().take(shown).zip(1..) {
            let y = (y + i).saturating_sub(shown as u16);
            self.blank(y, room);
            let goes_on = usize::from(i) == shown && shown < lines.len();
            let mark = if goes_on { self.glyphs().ellipsis() } else { "" };
            self.text(1, y, inner, &format!("{line}{mark}"), role);
        }
    }
}

/// A rule with a title at the left and words at the right.
#[derive(Debug, Clone, Copy)]
pub struct TitleRule<'a> {
    pub title: &'a str,
    /// May be empty.
    pub right: &'a str,
    pub look: &'a Look,
}

/// Cells of the line and blanks around title and words.
const BETWEEN: usize = 5;

impl TitleRule<'_> {
    /// Cells for the words at the right of a title, in a rule of this width.
    pub fn room(cells: usize, title: &str) -> usize {
        cells.saturating_sub(2 + width(title) + BETWEEN)
    }
}

impl Widget for TitleRule<'_> {
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
