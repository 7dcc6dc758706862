//! Double-buffered screen: what the terminal shows, what it should show, and the fewest bytes in between; scrolled
//! lines are scrolled by the terminal. Colours are SGR sequences that old terminals understand, too. [`ScreenOutput`] writes them,
//! one write per frame, within the line's budget.

use std::{
    io::{self, Write as _},
    ops::Range,
    time::{Duration, Instant},
};

use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
    style::{Color, Modifier},
};
use unicode_width::UnicodeWidthStr;

use super::{
    terminal_guard::Terminal,
    theme::{Depth, FrameBudget},
};

pub struct Screen {
    shown: Buffer,
    next: Buffer,
    pub scrolls: Option<Range<u16>>,
    /// Column and line of the cursor, which is hidden without one.
    pub cursor: Option<(u16, u16)>,
    cursor_shown: Option<(u16, u16)>,
    depth: Depth,
    ascii: bool,
    pub synchronised: bool,
    pub scroll_regions: bool,
    stale: bool,
    out: Vec<u8>,
}

impl Screen {
    /// The terminal's content is unknown. `ascii` guarantees that no byte above 0x7E is sent.
    pub fn new(width: u16, height: u16, depth: Depth, ascii: bool) -> Screen {
        let area = Rect::new(0, 0, width, height);
        Screen {
            shown: Buffer::empty(area),
            next: Buffer::empty(area),
            scrolls: None,
            cursor: None,
            cursor_shown: None,
            depth,
            ascii,
            synchronised: false,
            scroll_regions: true,
            stale: true,
            out: Vec::new(),
        }
    }

    pub fn area(&self) -> Rect {
        self.next.area
    }

    /// Adopts a new size; everything is redrawn.
    pub fn resize(&mut self, width: u16, height: u16) {
        let area = Rect::new(0, 0, width, height);
        self.shown = Buffer::empty(area);
        self.next = Buffer::empty(area);
        self.stale = true;
    }

    pub fn frame(&mut self) -> &mut Buffer {
        self.next.reset();
        self.scrolls = None;
        self.cursor = None;
        &mut self.next
    }

    /// The bytes that update the terminal; empty if nothing changed. They must all be written.
    pub fn compose(&mut self) -> &[u8] {
        self.out.clear();
        self.hide_cursor();
        if self.stale {
            self.out.extend_from_slice(b"\x1b[m\x1b[2J");
            self.shown.reset();
            self.stale = false;
        } else {
            self.scroll();
        }
        TerminalPainter::new(&mut self.out, self.depth, self.ascii).difference(&self.shown, &self.next);
        self.show_cursor();
        if self.synchronised && !self.out.is_empty() {
            self.out.splice(0..0, *b"\x1b[?2026h");
            self.out.extend_from_slice(b"\x1b[?2026l");
        }
        std::mem::swap(&mut self.shown, &mut self.next);
        &self.out
    }

    /// Hides the cursor while the frame is drawn, if there is anything to draw.
    fn hide_cursor(&mut self) {
        let changes = self.stale || self.cursor != self.cursor_shown || self.shown != self.next;
        if self.cursor_shown.is_some() && changes {
            self.out.extend_from_slice(b"\x1b[?25l");
            self.cursor_shown = None;
        }
    }

    fn show_cursor(&mut self) {
        if let Some((x, y)) = self.cursor.filter(|_| self.cursor_shown.is_none()) {
            // Writing into a vector can't fail.
            let _ = write!(self.out, "\x1b[{};{}H\x1b[?25h", y + 1, x + 1);
            self.cursor_shown = self.cursor;
        }
    }

    fn scroll(&mut self) {
        let Some(rows) = self.scrolls.clone().filter(|_| self.scroll_regions) else { return };
        let rows = rows.start..rows.end.min(self.next.area.height);
        let shift = shift(&self.shown, &self.next, &rows);
        if shift == 0 {
            return;
        }
        // Deletes and inserts lines within margins, the only way that the Linux console knows.
        let (count, what) = (shift.unsigned_abs(), if shift > 0 { 'M' } else { 'L' });
        let (top, bottom) = (rows.start + 1, rows.end);
        let _ = write!(self.out, "\x1b[{top};{bottom}r\x1b[{top}H\x1b[{count}{what}\x1b[r");
        rotate(&mut self.shown, &rows, shift);
    }
}

/// Number of blank cells from which on erasing the rest of a line is shorter.
const WORTH_ERASING: usize = 4;
/// Maximum number of unchanged cells that are shorter to rewrite than to skip.
const WORTH_REWRITING: u16 = 3;

/// Writes changed cells; tracks cursor position and pen of the terminal.
pub(super) struct TerminalPainter<'a> {
    out: &'a mut Vec<u8>,
    pen: Pen,
    at: Option<(u16, u16)>,
    depth: Depth,
    ascii: bool,
}

impl<'a> TerminalPainter<'a> {
    /// Starts with a plain pen and an unknown cursor position.
    pub(super) fn new(out: &'a mut Vec<u8>, depth: Depth, ascii: bool) -> TerminalPainter<'a> {
        TerminalPainter { out, pen: Pen::PLAIN, at: None, depth, ascii }
    }

    /// Draws the differences and leaves a plain pen.
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

    /// The column from which on the row is blank.
    fn blank_tail(&self, buffer: &Buffer, y: u16) -> u16 {
        let blank = |x: &u16| {
            let cell = buffer.cell((*x, y));
            cell.is_some_and(|cell| cell.symbol() == " " && Pen::of(cell, self.depth).erases())
        };
        let width = buffer.area.width;
        let blanks = (0..width).rev().take_while(blank).count() as u16;
        width - blanks
    }

    /// Moves to a cell, rewriting cells in between if that is cheaper.
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
            // The views handle both; this is the last resort.
            self.out.extend(std::iter::repeat_n(b'?', usize::from(width)));
        } else {
            self.out.extend_from_slice(symbol.as_bytes());
        }
        // Terminals disagree about wide characters, and about what follows the last column.
        self.at = (printable(symbol) || width == 1).then_some((x + width, y));
    }

    /// `true` if the present pen draws the cell; the ink of a blank is invisible.
    fn is_in_pen(&self, cell: &Cell) -> bool {
        let pen = Pen::of(cell, self.depth);
        pen == self.pen || (cell.symbol() == " " && pen.erases() && self.pen.erases())
    }

    fn pen(&mut self, next: Pen) {
        self.pen.change(next, self.out);
        self.pen = next;
    }

    /// Moves the cursor with the shortest sequence.
    fn move_to(&mut self, x: u16, y: u16) {
        // Writing into a vector can't fail.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pen {
    fg: Color,
    bg: Color,
    attributes: Modifier,
}

const ATTRIBUTES: [(Modifier, u8); 6] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::REVERSED, 7),
    (Modifier::CROSSED_OUT, 9),
];

impl Pen {
    const PLAIN: Pen = Pen { fg: Color::Reset, bg: Color::Reset, attributes: Modifier::empty() };

    /// The pen for a cell on a terminal of this depth.
    pub(super) fn of(cell: &ratatui::buffer::Cell, depth: Depth) -> Pen {
        let known = ATTRIBUTES.iter().fold(Modifier::empty(), |all, (attribute, _)| all | *attribute);
        let pen = Pen { fg: cell.fg, bg: cell.bg, attributes: cell.modifier & known };
        match depth {
            Depth::Sixteen => pen,
            Depth::Mono => Pen { fg: Color::Reset, bg: Color::Reset, ..pen },
            Depth::Eight => pen.with_bold_for_bright(),
        }
    }

    fn with_bold_for_bright(mut self) -> Pen {
        self.attributes.remove(Modifier::DIM);
        if let Some(number @ 8..) = number(self.fg) {
            self.fg = NAMED[usize::from(number - 8)];
            self.attributes.insert(Modifier::BOLD);
        }
        if let Some(number @ 8..) = number(self.bg) {
            self.bg = NAMED[usize::from(number - 8)];
        }
        self
    }

    /// `true` if blank cells written with it look like erased ones.
    fn erases(self) -> bool {
        self.bg == Color::Reset
            && !self.attributes.intersects(Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT)
    }

    /// Appends the shortest sequence that turns this pen into `next`.
    pub(super) fn change(self, next: Pen, out: &mut Vec<u8>) {
        if self == next {
            return;
        }
        let mut codes = Vec::new();
        let from = if (self.attributes - next.attributes).is_empty() {
            self
        } else {
            codes.push(0);
            Pen::PLAIN
        };
        for (attribute, code) in ATTRIBUTES {
            if (next.attributes - from.attributes).contains(attribute) {
                codes.push(code);
            }
        }
        if next.fg != from.fg {
            codes.extend(colour_codes(next.fg, 30));
        }
        if next.bg != from.bg {
            codes.extend(colour_codes(next.bg, 40));
        }
        let codes: Vec<String> = codes.iter().filter(|_| next != Pen::PLAIN).map(u8::to_string).collect();
        out.extend_from_slice(format!("\x1b[{}m", codes.join(";")).as_bytes());
    }
}

const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

pub(super) fn number(colour: Color) -> Option<u8> {
    NAMED.iter().position(|named| *named == colour).map(|at| at as u8)
}

/// The codes of a colour as ink (`base` 30) or paper (40).
fn colour_codes(colour: Color, base: u8) -> Vec<u8> {
    match colour {
        Color::Reset => vec![base + 9],
        Color::Indexed(n) => vec![base + 8, 5, n],
        Color::Rgb(r, g, b) => vec![base + 8, 2, r, g, b],
        named => number(named).map(|n| if n < 8 { base + n } else { base + 60 + n - 8 }).into_iter().collect(),
    }
}

/// Rows whose new place is searched first, in quarters of the region.
const ANCHORS: [usize; 3] = [1, 2, 3];

/// By how many rows the content of `region` moved from `old` to `new`; positive is up. 0 if scrolling saves nothing.
pub(super) fn shift(old: &Buffer, new: &Buffer, region: &Range<u16>) -> i32 {
    let rows = usize::from(region.end.saturating_sub(region.start));
    let moved = Moved { old, new, top: usize::from(region.start), rows };
    let still = moved.matches(0);
    if rows < 3 || still + 2 > rows {
        return 0;
    }
    let mut best = (still + 1, 0);
    for candidate in moved.candidates() {
        let saved = moved.matches(candidate);
        if saved > best.0 {
            best = (saved, candidate);
        }
    }
    best.1
}

struct Moved<'a> {
    old: &'a Buffer,
    new: &'a Buffer,
    top: usize,
    rows: usize,
}

impl Moved<'_> {
    fn candidates(&self) -> Vec<i32> {
        let anchors = ANCHORS.map(|quarter| self.rows * quarter / 4);
        let places = anchors.iter().flat_map(|at| {
            let wanted = row(self.new, self.top + at);
            let found = (0..self.rows).filter(move |from| row(self.old, self.top + from) == wanted);
            found.map(move |from| from as i32 - *at as i32)
        });
        let mut shifts: Vec<i32> = places.filter(|shift| *shift != 0).collect();
        shifts.sort_unstable_by_key(|shift| (shift.abs(), *shift));
        shifts.dedup();
        shifts
    }

    /// Number of rows that need no drawing after scrolling by `shift`.
    fn matches(&self, shift: i32) -> usize {
        let same = |at: &usize| {
            let from = *at as i32 + shift;
            let inside = (0..self.rows as i32).contains(&from);
            inside && row(self.old, self.top + from as usize) == row(self.new, self.top + at)
        };
        (0..self.rows).filter(same).count()
    }
}

fn row(buffer: &Buffer, y: usize) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    buffer.content.get(y * width..(y + 1) * width).unwrap_or_default()
}

/// Scrolls the rows of `region` in `buffer` like the terminal does; freed rows become blank.
pub(super) fn rotate(buffer: &mut Buffer, region: &Range<u16>, shift: i32) {
    let width = usize::from(buffer.area.width);
    let span = usize::from(region.start) * width..usize::from(region.end) * width;
    let Some(cells) = buffer.content.get_mut(span) else { return };
    let moved = (shift.unsigned_abs() as usize * width).min(cells.len());
    let freed = if shift > 0 {
        cells.rotate_left(moved);
        let kept = cells.len() - moved;
        &mut cells[kept..]
    } else {
        cells.rotate_right(moved);
        &mut cells[..moved]
    };
    freed.iter_mut().for_each(Cell::reset);
}

/// Minimum time between two frames of figures.
const FIGURES: Duration = Duration::from_millis(200);
/// Retry interval for a terminal that accepts no bytes.
const HELD_UP: Duration = Duration::from_millis(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// The answer to a key: draw immediately.
    Key,
    /// Other changes: draw when the budget allows.
    Data,
    /// Figures and pictures changed: less often, as nobody reads them so fast.
    Figures,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    /// Written, with its number of bytes; 0 if nothing had changed.
    Now(usize),
    /// Nothing was drawn; try again after this time.
    Later(Duration),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    pub bytes: u64,
    pub frames: u64,
    /// Frames skipped because the line was busy.
    pub skipped: u64,
}

pub struct ScreenOutput {
    pub terminal: Terminal,
    pub screen: Screen,
    pace: FrameBudget,
    fps: u32,
    waiting: Option<Instant>,
    pub figures: Figures,
}

impl ScreenOutput {
    /// Draws on `terminal` within a budget.
    pub fn new(terminal: Terminal, screen: Screen, budget: u32, fps: u32) -> ScreenOutput {
        ScreenOutput {
            terminal,
            screen,
            pace: FrameBudget::new(budget, fps),
            fps: fps.max(1),
            waiting: None,
            figures: Figures::default(),
        }
    }

    /// From now on, frames are synchronised updates.
    pub fn synchronise(&mut self) {
        self.screen.synchronised = true;
        self.terminal.set_synchronised(true);
    }

    /// Adopts the terminal's present size; true if it changed.
    pub fn resize(&mut self) -> bool {
        let (width, height) = self.terminal.size();
        let changed = (self.screen.area().width, self.screen.area().height) != (width, height);
        if changed {
            self.screen.resize(width, height);
        }
        changed
    }

    pub fn redraw(&mut self) {
        self.resize();
        self.screen.stale = true;
    }

    /// Restores the terminal, stops the process, and starts over when it is continued.
    pub fn suspend(&mut self) -> io::Result<()> {
        self.terminal.suspend()?;
        self.restart();
        Ok(())
    }

    /// Restores the terminal state after the process was continued.
    pub fn resume(&mut self) -> io::Result<()> {
        self.terminal.claim_again()?;
        self.restart();
        Ok(())
    }

    fn restart(&mut self) {
        self.redraw();
        self.terminal.set_synchronised(self.screen.synchronised);
    }

    /// Draws a frame with `paint`, if it is due.
    pub fn draw(&mut self, urgency: Urgency, paint: impl FnOnce(&mut Screen)) -> io::Result<Drawn> {
        let now = Instant::now();
        let wait = match urgency {
            Urgency::Key => Duration::ZERO,
            Urgency::Data => self.pace.wait(now, Duration::ZERO),
            Urgency::Figures => self.pace.wait(now, FIGURES),
        };
        let wait = if wait.is_zero() && !self.terminal.writable() { HELD_UP } else { wait };
        if !wait.is_zero() {
            self.waiting.get_or_insert(now);
            return Ok(Drawn::Later(wait));
        }
        paint(&mut self.screen);
        let bytes = self.screen.compose();
        let count = bytes.len();
        if count > 0 {
            self.terminal.write(bytes)?;
            self.pace.spent(now, count, self.screen.area().area());
            self.figures.bytes += count as u64;
            self.figures.frames += 1;
        }
        if let Some(since) = self.waiting.take() {
            self.figures.skipped += (now.duration_since(since).as_secs_f64() * f64::from(self.fps)) as u64;
        }
        Ok(Drawn::Now(count))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::{buffer::Cell, style::Style};

    use super::*;

    #[test]
    fn control_characters_never_pass() {
        let mut out = Vec::new();
        let mut painter = TerminalPainter::new(&mut out, Depth::Sixteen, false);
        let mut cell = Cell::default();
        for symbol in ["\x1b", "\u{9b}", "a\n"] {
            cell.set_symbol(symbol);
            painter.put(0, 0, &cell);
        }
        assert!(out.iter().all(|b| *b == b'?'));
    }

    fn sequence(from: Style, to: Style, depth: Depth) -> String {
        let pen = |style: Style| {
            let mut cell = Cell::default();
            cell.set_style(style);
            Pen::of(&cell, depth)
        };
        let mut out = Vec::new();
        pen(from).change(pen(to), &mut out);
        String::from_utf8(out).unwrap().replace('\x1b', "^")
    }

    #[test]
    fn named_colours_are_the_old_codes() {
        let plain = Style::new();
        assert_eq!(sequence(plain, plain.fg(Color::Blue), Depth::Sixteen), "^[34m");
        assert_eq!(sequence(plain, plain.fg(Color::White).bg(Color::Red), Depth::Sixteen), "^[97;41m");
        assert_eq!(sequence(plain, plain.fg(Color::Gray).bold(), Depth::Sixteen), "^[1;37m");
        assert_eq!(sequence(plain.fg(Color::Blue), plain, Depth::Sixteen), "^[m");
        assert_eq!(sequence(plain.fg(Color::Blue).bold(), plain.fg(Color::Blue), Depth::Sixteen), "^[0;34m");
        assert_eq!(sequence(plain.fg(Color::Blue).bold(), plain.bold(), Depth::Sixteen), "^[39m");
        assert_eq!(sequence(plain, plain.fg(Color::Indexed(208)), Depth::Sixteen), "^[38;5;208m");
        assert_eq!(sequence(plain, plain.bg(Color::Rgb(1, 2, 3)), Depth::Sixteen), "^[48;2;1;2;3m");
    }

    #[test]
    fn poorer_terminals_get_less() {
        let plain = Style::new();
        assert_eq!(sequence(plain, plain.fg(Color::LightRed), Depth::Eight), "^[1;31m");
        assert_eq!(sequence(plain, plain.dim(), Depth::Eight), "");
        assert_eq!(sequence(plain, plain.fg(Color::Red).bold().reversed(), Depth::Mono), "^[1;7m");
        assert_eq!(sequence(plain, plain.fg(Color::Red), Depth::Mono), "");
    }

    fn rows(lines: [&str; 6]) -> Buffer {
        Buffer::with_lines(lines)
    }

    #[test]
    fn a_scrolled_list_is_recognised() {
        let old = rows(["head", "a", "b", "c", "d", "tail"]);
        assert_eq!(shift(&old, &rows(["HEAD", "b", "c", "d", "e", "tail"]), &(1..5)), 1);
        assert_eq!(shift(&old, &rows(["HEAD", "x", "y", "a", "b", "tail"]), &(1..5)), -2);
        assert_eq!(shift(&old, &old, &(1..5)), 0);
        assert_eq!(shift(&old, &rows(["head", "x", "y", "z", "d", "tail"]), &(1..5)), 0);
        assert_eq!(shift(&old, &rows(["head", "a", "b", "c", "x", "tail"]), &(1..5)), 0);
    }

    #[test]
    fn rotation_frees_rows() {
        let mut buffer = rows(["h", "a", "b", "c", "d", "t"]);
        rotate(&mut buffer, &(1..5), 1);
        assert_eq!(buffer, rows(["h", "b", "c", "d", " ", "t"]));
        rotate(&mut buffer, &(1..5), -2);
        assert_eq!(buffer, rows(["h", " ", " ", "b", "c", "t"]));
        rotate(&mut buffer, &(1..5), 9);
        assert_eq!(buffer, rows(["h", " ", " ", " ", " ", "t"]));
        rotate(&mut buffer, &(4..60), 1);
    }
}
