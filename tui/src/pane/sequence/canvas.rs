//! One line of the diagram as cells, which later parts cover.

use crate::{
    term::{Glyphs, Role, cut_end, width},
    widget::Paint,
};

/// The cells of a line.
#[derive(Debug)]
pub(super) struct Canvas {
    /// What stands in each, and in which role. Of a wide character the second cell is empty.
    cells: Vec<(Option<char>, Role)>,
    glyphs: Glyphs,
}

impl Canvas {
    /// So many blank cells.
    pub(super) fn new(cells: u16, glyphs: Glyphs) -> Canvas {
        Canvas { cells: vec![(Some(' '), Role::Plain); usize::from(cells)], glyphs }
    }

    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Puts a mark into a cell.
    pub(super) fn put(&mut self, x: usize, mark: &str, role: Role) {
        self.set(x, self.glyphs.spell(mark).chars().next(), role);
    }

    fn set(&mut self, x: usize, mark: Option<char>, role: Role) {
        if let Some(cell) = self.cells.get_mut(x) {
            *cell = (mark, role);
        }
    }

    /// Puts the same mark into cells from `from` up to before `to`.
    pub(super) fn fill(&mut self, from: usize, to: usize, mark: &str, role: Role) {
        let mark = self.glyphs.spell(mark).chars().next();
        (from..to.min(self.len())).for_each(|x| self.set(x, mark, role));
    }

    /// Puts text into at most `room` cells from `x` on; text that goes on ends with a mark. Returns the cell behind it.
    pub(super) fn text(&mut self, x: usize, room: usize, text: &str, role: Role) -> usize {
        let room = room.min(self.len().saturating_sub(x));
        let text = self.glyphs.spell(text);
        let ellipsis = self.glyphs.ellipsis();
        let (shown, end) = match width(&text) > room {
            true => (cut_end(&text, room.saturating_sub(width(ellipsis))), ellipsis),
            false => (&*text, ""),
        };
        let mut at = x;
        for c in shown.chars().chain(end.chars()).filter(|_| room > 0) {
            let cells = width(c.encode_utf8(&mut [0; 4]));
            self.set(at, Some(c), role);
            (1..cells).for_each(|more| self.set(at + more, None, role));
            at += cells;
        }
        at
    }

    /// Draws the line.
    pub(super) fn draw(&self, x: u16, y: u16, paint: &mut Paint<'_>) {
        let runs = self.cells.chunk_by(|(_, role), (_, next)| role == next);
        let runs: Vec<(String, Role)> =
            runs.map(|run| (text_of(run), run.first().map_or(Role::Plain, |c| c.1))).collect();
        paint.spans(x, y, self.cells.len() as u16, runs.iter().map(|(text, role)| (text.as_str(), *role)));
    }
}

fn text_of(cells: &[(Option<char>, Role)]) -> String {
    cells.iter().filter_map(|(mark, _)| *mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(canvas: &Canvas) -> String {
        text_of(&canvas.cells)
    }

    #[test]
    fn text_covers_what_was_there_and_ends_in_its_room() {
        let mut canvas = Canvas::new(10, Glyphs::Unicode);
        canvas.fill(0, 10, "─", Role::Rule);
        assert_eq!(canvas.text(2, 4, "SIGNAL", Role::Signal), 6);
        assert_eq!(line(&canvas), "──SIG…────");
        assert_eq!(canvas.text(7, 9, "日本語", Role::Signal), 10);
        assert_eq!((line(&canvas), canvas.text(3, 0, "x", Role::Plain)), ("──SIG…─日…".to_owned(), 3));
    }
}
