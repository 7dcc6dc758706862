//! Draws the difference of two buffers in as few bytes as possible.

use std::io::Write as _;

use ratatui::buffer::{Buffer, Cell};
use unicode_width::UnicodeWidthStr;

use super::capability::Depth;
use super::sgr::Pen;

/// Blank cells from which on erasing the rest of a line is shorter.
const WORTH_ERASING: usize = 4;
/// Unchanged cells that are shorter to rewrite than to skip.
const WORTH_REWRITING: u16 = 3;

/// Writes changed cells; knows cursor position and pen of the terminal.
pub(super) struct Painter<'a> {
    out: &'a mut Vec<u8>,
    pen: Pen,
    at: Option<(u16, u16)>,
    depth: Depth,
    ascii: bool,
}

impl<'a> Painter<'a> {
    /// Begins with a plain pen and the cursor anywhere.
    pub(super) fn new(out: &'a mut Vec<u8>, depth: Depth, ascii: bool) -> Painter<'a> {
        Painter { out, pen: Pen::PLAIN, at: None, depth, ascii }
    }

    /// Draws what differs and leaves a plain pen.
    pub(super) fn difference(&mut self, old: &Buffer, new: &Buffer) {
        let changes = old.diff(new);
        for row in changes.chunk_by(|a, b| a.1 == b.1) {
            self.row(row, new);
        }
        self.pen(Pen::PLAIN);
    }

    fn row(&mut self, changes: &[(u16, u16, &Cell)], new: &Buffer) {
        let Some(y) = changes.first().map(|(_, y, _)| *y) else { return };
        let blank_from = self.blank_tail(new, y);
        let tail = changes.partition_point(|(x, ..)| *x < blank_from);
        for &(x, y, cell) in &changes[..tail] {
            self.approach(x, y, new);
            self.put(x, y, cell);
        }
        match &changes[tail..] {
            [(x, ..), rest @ ..] if rest.len() + 1 >= WORTH_ERASING => {
                self.pen(Pen::PLAIN);
                self.move_to(*x, y);
                self.out.extend_from_slice(b"\x1b[K");
            }
            few => few.iter().for_each(|&(x, y, cell)| {
                self.approach(x, y, new);
                self.put(x, y, cell);
            }),
        }
    }

    /// The column from which the row is blank to its end.
    fn blank_tail(&self, buffer: &Buffer, y: u16) -> u16 {
        let blank = |x: &u16| {
            let cell = buffer.cell((*x, y));
            cell.is_some_and(|cell| cell.symbol() == " " && Pen::of(cell, self.depth).erases())
        };
        let width = buffer.area.width;
        let blanks = (0..width).rev().take_while(blank).count() as u16;
        width - blanks
    }

    /// Moves to a cell, over cells in between that are cheaper written again.
    fn approach(&mut self, x: u16, y: u16, new: &Buffer) {
        if let Some((from, row)) = self.at
            && row == y
            && from < x
            && x - from <= WORTH_REWRITING
        {
            let between: Vec<&Cell> = (from..x).filter_map(|x| new.cell((x, y))).collect();
            let plain = |cell: &&Cell| self.is_in_pen(cell) && printable(cell.symbol());
            if between.iter().all(plain) {
                between.iter().for_each(|cell| self.out.extend_from_slice(cell.symbol().as_bytes()));
                self.at = Some((x, y));
            }
        }
        self.move_to(x, y);
    }

    fn put(&mut self, x: u16, y: u16, cell: &Cell) {
        if !self.is_in_pen(cell) {
            self.pen(Pen::of(cell, self.depth));
        }
        let symbol = cell.symbol();
        let width = symbol.width().max(1) as u16;
        if symbol.chars().any(char::is_control) || (self.ascii && !symbol.is_ascii()) {
            // The views take care of both; this is the last net.
            self.out.extend(std::iter::repeat_n(b'?', usize::from(width)));
        } else {
            self.out.extend_from_slice(symbol.as_bytes());
        }
        // Terminals disagree about wide characters, and about what follows the last column.
        self.at = (printable(symbol) || width == 1).then_some((x + width, y));
    }

    /// `true` if the present pen draws the cell; the ink of a blank is not seen.
    fn is_in_pen(&self, cell: &Cell) -> bool {
        let pen = Pen::of(cell, self.depth);
        pen == self.pen || (cell.symbol() == " " && pen.erases() && self.pen.erases())
    }

    fn pen(&mut self, next: Pen) {
        self.pen.change(next, self.out);
        self.pen = next;
    }

    /// Moves the cursor by the shortest sequence.
    pub(super) fn move_to(&mut self, x: u16, y: u16) {
        // Writing into a vector cannot fail.
        let _ = match self.at {
            Some(at) if at == (x, y) => Ok(()),
            Some((from, row)) if row == y && from < x && x - from == 1 => write!(self.out, "\x1b[C"),
            Some((from, row)) if row == y && from < x => write!(self.out, "\x1b[{}C", x - from),
            _ if x == 0 && y == 0 => write!(self.out, "\x1b[H"),
            _ if x == 0 => write!(self.out, "\x1b[{}H", y + 1),
            _ => write!(self.out, "\x1b[{};{}H", y + 1, x + 1),
        };
        self.at = Some((x, y));
    }
}

fn printable(symbol: &str) -> bool {
    symbol.len() == 1 && symbol.bytes().all(|b| (0x20..0x7f).contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_never_pass() {
        let mut out = Vec::new();
        let mut painter = Painter::new(&mut out, Depth::Sixteen, false);
        let mut cell = Cell::default();
        for symbol in ["\x1b", "\u{9b}", "a\n"] {
            cell.set_symbol(symbol);
            painter.put(0, 0, &cell);
        }
        assert!(out.iter().all(|b| *b == b'?'));
    }
}
