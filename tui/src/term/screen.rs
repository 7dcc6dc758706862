//! Double-buffered screen: what the terminal shows, what it is to show, and the bytes in between.
//!
//! Makes the bytes of a frame but writes nothing itself.

use std::{io::Write as _, ops::Range};

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    capability::Depth,
    paint::{self, Painter},
};

pub struct Screen {
    shown: Buffer,
    next: Buffer,
    pub scrolls: Option<Range<u16>>,
    cursor: Option<(u16, u16)>,
    cursor_shown: Option<(u16, u16)>,
    depth: Depth,
    ascii: bool,
    pub synchronised: bool,
    pub scroll_regions: bool,
    stale: bool,
    out: Vec<u8>,
}

impl Screen {
    /// A screen of this size; what the terminal shows is unknown. `ascii` guarantees that no byte above 0x7E is sent.
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

    /// The area views draw on.
    pub fn area(&self) -> Rect {
        self.next.area
    }

    /// Takes a new size; everything is drawn again.
    pub fn resize(&mut self, width: u16, height: u16) {
        let area = Rect::new(0, 0, width, height);
        self.shown = Buffer::empty(area);
        self.next = Buffer::empty(area);
        self.stale = true;
    }

    /// Draws everything again with the next frame.
    pub fn redraw(&mut self) {
        self.stale = true;
    }

    /// A blank buffer for the next frame.
    pub fn frame(&mut self) -> &mut Buffer {
        self.next.reset();
        self.scrolls = None;
        self.cursor = None;
        &mut self.next
    }

    /// Shows the cursor there; without a call it is hidden in this frame.
    pub fn set_cursor(&mut self, x: u16, y: u16) {
        self.cursor = Some((x, y));
    }

    /// The bytes that bring the terminal up to date; none when nothing changed. They must all be written.
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
        Painter::new(&mut self.out, self.depth, self.ascii).difference(&self.shown, &self.next);
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
            // Writing into a vector cannot fail.
            let _ = write!(self.out, "\x1b[{};{}H\x1b[?25h", y + 1, x + 1);
            self.cursor_shown = self.cursor;
        }
    }

    fn scroll(&mut self) {
        let Some(rows) = self.scrolls.clone().filter(|_| self.scroll_regions) else { return };
        let rows = rows.start..rows.end.min(self.next.area.height);
        let shift = paint::shift(&self.shown, &self.next, &rows);
        if shift == 0 {
            return;
        }
        // Deleting and inserting lines inside margins: the Linux console knows no other way.
        let (count, what) = (shift.unsigned_abs(), if shift > 0 { 'M' } else { 'L' });
        let (top, bottom) = (rows.start + 1, rows.end);
        let _ = write!(self.out, "\x1b[{top};{bottom}r\x1b[{top}H\x1b[{count}{what}\x1b[r");
        paint::rotate(&mut self.shown, &rows, shift);
    }
}
