//! Reads a payload that is too short or too long like the reference host: the error lines of its getters, and the
//! values they return.

use spytui_plugin_api::TextWriter;

use crate::text::number;

/// Start of every error line.
pub(crate) const ERROR: &[u8] = b"   <COMMS> ERROR    ";

/// A position in a frame. `left` counts payload bytes and may become negative.
pub(crate) struct Cursor<'f> {
    /// The frame with its checksum, and the stale bytes after it in the host's buffer.
    frame: &'f [u8],
    stale: &'f [u8],
    pos: usize,
    left: i64,
    /// Text of the last error, which stays in the host's line buffer.
    complaint: Option<Vec<u8>>,
}

impl<'f> Cursor<'f> {
    /// At the first byte of the payload of `frame`.
    pub(crate) fn new(frame: &'f [u8], stale: &'f [u8]) -> Cursor<'f> {
        Cursor { frame, stale, pos: 2, left: frame.len() as i64 - 3, complaint: None }
    }

    pub(crate) fn left(&self) -> i64 {
        self.left
    }

    /// Takes the last error.
    pub(crate) fn complaint(&mut self) -> Option<Vec<u8>> {
        self.complaint.take()
    }

    /// An unsigned number.
    pub(crate) fn unsigned(&mut self, line: &mut TextWriter<'_>, size: u8) -> u64 {
        self.number(line, size, b"uint")
    }

    /// A signed number, sign-extended.
    pub(crate) fn signed(&mut self, line: &mut TextWriter<'_>, size: u8) -> i64 {
        let number = self.number(line, size, b"int");
        let unused = 64 - 8 * u32::from(size.clamp(1, 8));
        (number << unused) as i64 >> unused
    }

    fn number(&mut self, line: &mut TextWriter<'_>, size: u8, kind: &[u8]) -> u64 {
        let size = usize::from(size);
        if self.left < size as i64 {
            self.complain(line, size as i64 - self.left, |text| {
                text.put(kind);
                number::decimal(text, 8 * size as u64);
                text.put(b"_t ");
            });
            return 0;
        }
        let number = (0..size).rev().fold(0, |n, i| n << 8 | u64::from(self.at(self.pos + i)));
        self.advance(size);
        number
    }

    /// A zero-terminated text.
    pub(crate) fn text(&mut self, line: &mut TextWriter<'_>) -> &'f [u8] {
        if self.at(self.pos) == 0 {
            self.advance(1);
            return b"''";
        }
        let room = self.frame.get(self.pos..).unwrap_or(&[]);
        let room = room.get(..usize::try_from(self.left).unwrap_or(0)).unwrap_or(room);
        match room.iter().position(|&b| b == 0) {
            Some(end) => {
                self.advance(end + 1);
                room.get(..end).unwrap_or(&[])
            }
            None => {
                self.complain(line, self.left, |text| text.put(b"string"));
                b""
            }
        }
    }

    /// A count and as many items; returns the bytes of the items. The host ignores the size when it checks the length.
    pub(crate) fn memory(&mut self, line: &mut TextWriter<'_>, size: u8) -> Option<Memory> {
        let count = self.at(self.pos);
        if self.left < 1 || i64::from(count) > self.left {
            self.complain(line, self.left, |text| text.put(b"memory-dump"));
            return None;
        }
        let memory = Memory { start: self.pos + 1, count };
        self.advance(1 + usize::from(count) * usize::from(size));
        Some(memory)
    }

    /// A byte of the host's buffer.
    pub(crate) fn at(&self, pos: usize) -> u8 {
        let behind = || self.stale.get(pos.wrapping_sub(self.frame.len()));
        self.frame.get(pos).or_else(behind).copied().unwrap_or(0)
    }

    fn advance(&mut self, bytes: usize) {
        self.pos += bytes;
        self.left -= bytes as i64;
    }

    fn complain(&mut self, line: &mut TextWriter<'_>, missing: i64, what: impl Fn(&mut TextWriter<'_>)) {
        let complaint = TextWriter::text_of(|text| {
            text.put(ERROR);
            number::signed(text, missing, 0);
            text.put(b" more bytes needed for ");
            what(text);
        });
        line.put(&complaint);
        line.end_line();
        self.complaint = Some(complaint);
        self.left = -1;
    }
}

/// A memory block in the host's buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) start: usize,
    pub(crate) count: u8,
}
