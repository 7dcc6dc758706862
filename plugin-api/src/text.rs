//! Where rendering puts text, kind words, fields and bytes, row by row.
//!
//! ```
//! use spytui_plugin_api::{Rendered, TextWriter};
//!
//! let mut rendered = Rendered::default();
//! let mut out = TextWriter::new(&mut rendered);
//! // The row's own kind word, replacing that of its kind.
//! out.put(b"Ack");
//! out.end_kind_word();
//! out.put(b"reset");
//! out.unsigned("status", 2, 0, 1);
//! out.end_row();
//! out.finish();
//!
//! let row = rendered.row(0);
//! assert_eq!((row.kind_word, row.text), (Some(&b"Ack"[..]), &b"reset"[..]));
//! assert_eq!(row.fields[0].name.of(row.blob), b"status");
//! ```

use std::io;

use abi_stable::std_types::RVec;

use crate::{
    ByteRange, Field, NONE, Rendered, Request, Want,
    render::{RowEnd, Tag},
};

/// Size of the text buffer in bytes: a few lines.
const ROOM: usize = 1024;

/// Maximum number of bytes per call, to stop a runaway decoder before memory runs out.
const MOST: usize = 64 << 20;
/// Maximum number of rows and fields per call.
const ENTRIES: usize = 1 << 22;

/// Panics above the limit; the guard around the entry turns this into a fault.
#[inline]
fn has_room(len: usize, most: usize) {
    if len > most {
        too_much();
    }
}

#[cold]
#[inline(never)]
fn too_much() -> ! {
    panic!("it wrote far more than fits in a row")
}

/// Collects rendered output. Text is buffered without allocation and passed to the host in large pieces.
#[derive(Debug)]
pub struct TextWriter<'a> {
    out: &'a mut Rendered,
    held: [u8; ROOM],
    len: usize,
    /// Start of the current line in `held`.
    start: usize,
    /// Limit of the current line in `held`.
    most: usize,
    /// Characters of this line already passed to the host.
    gone: usize,
    /// Maximum length of a line, in characters.
    limit: usize,
    /// End of the current row's kind word.
    kind_word: u32,
    request: Request<'a>,
    /// Offset in the blob of the requested names, which the host gets with their fields.
    names: u32,
}

impl<'a> TextWriter<'a> {
    /// Creates a writer that appends to a result, which is complete after [`TextWriter::finish`].
    #[inline]
    pub fn new(out: &'a mut Rendered) -> TextWriter<'a> {
        TextWriter {
            out,
            held: [0; ROOM],
            len: 0,
            start: 0,
            most: usize::MAX,
            gone: 0,
            limit: usize::MAX,
            kind_word: RowEnd::NO_WORD,
            request: Want::all().into(),
            names: 0,
        }
    }

    /// Creates a writer that leaves out fields that are not requested.
    pub fn for_request(out: &'a mut Rendered, request: &Request<'a>) -> TextWriter<'a> {
        let names = out.blob.len() as u32;
        for name in request.names.as_slice() {
            out.blob.extend_from_copy_slice(name.as_bytes());
        }
        TextWriter { request: *request, names, ..TextWriter::new(out) }
    }

    /// The parts that are wanted.
    pub fn want(&self) -> Want {
        self.request.want
    }

    /// Whether a field with this name and space is requested.
    #[inline]
    #[allow(clippy::manual_contains)] // `contains` would be a call for each field
    fn wants_field(&self, name: &str, space: u16) -> bool {
        let Request { all_fields, names, spaces, .. } = &self.request;
        *all_fields || spaces.iter().any(|own| *own == space) || names.iter().any(|own| own.as_str() == name)
    }

    /// Returns the text that `write` appends, for example of a field.
    pub fn text_of(write: impl FnOnce(&mut TextWriter<'_>)) -> Vec<u8> {
        let mut out = Rendered::default();
        let mut text = TextWriter::new(&mut out);
        write(&mut text);
        text.finish();
        out.text.into_vec()
    }

    /// Limits the length of lines from here on.
    pub fn limit_lines(&mut self, limit: usize) {
        self.limit = limit;
        self.begin();
    }

    /// Appends text.
    #[inline]
    pub fn put(&mut self, text: &[u8]) {
        match self.held.get_mut(self.len..self.len + text.len()) {
            Some(place) => {
                copy_short(place, text);
                self.len += text.len();
            }
            None => self.put_long(text),
        }
    }

    /// Appends the first `len` bytes of a block. Later text overwrites the rest.
    #[inline(always)]
    pub fn put_block<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        match self.held.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut::<N>) {
            Some(place) => {
                *place = *block;
                self.len += len;
            }
            None => self.put(block.get(..len).unwrap_or(block)),
        }
    }

    #[cold]
    fn put_long(&mut self, text: &[u8]) {
        self.flush();
        match self.held.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text);
                self.len = text.len();
            }
            None => {
                let text = text.get(..self.most).unwrap_or(text);
                self.out.text.extend_from_copy_slice(text);
                self.leave(text.len());
            }
        }
    }

    /// Appends a byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        match self.held.get_mut(self.len) {
            Some(place) => {
                *place = byte;
                self.len += 1;
            }
            None => self.put_long(&[byte]),
        }
    }

    /// Ends the line. Only for reference text; the native text of a row is one line without line end.
    #[inline]
    pub fn end_line(&mut self) {
        self.cut();
        self.byte(b'\n');
        self.begin();
    }

    /// Makes the text so far the row's kind word, replacing that of its kind; the text begins here.
    #[inline]
    pub fn end_kind_word(&mut self) {
        self.kind_word = self.end();
    }

    /// Ends a row of a block.
    #[inline]
    pub fn end_row(&mut self) {
        if (self.start, self.gone) != (self.len, 0) {
            self.cut();
            self.begin();
        }
        has_room(self.out.rows.len(), ENTRIES);
        self.out.rows.push(RowEnd {
            kind_word: std::mem::replace(&mut self.kind_word, RowEnd::NO_WORD),
            text: self.end(),
            fields: self.out.fields.len() as u32,
            payload: self.out.payload.len() as u32,
        });
    }

    /// Passes on the remaining text, without adding a line end.
    pub fn finish(mut self) {
        self.flush();
    }

    /// End of the text so far.
    #[inline]
    fn end(&self) -> u32 {
        (self.out.text.len() + self.len) as u32
    }

    #[inline]
    fn begin(&mut self) {
        (self.start, self.gone) = (self.len, 0);
        self.most = self.len.saturating_add(self.limit);
    }

    /// Cuts the current line at its limit.
    #[inline]
    fn cut(&mut self) {
        self.len = self.len.min(self.most);
    }

    /// Passes on the text so far.
    fn flush(&mut self) {
        has_room(self.out.text.len(), MOST);
        self.cut();
        self.out.text.extend_from_copy_slice(self.held.get(..self.len).unwrap_or(&[]));
        self.leave(self.len - self.start);
    }

    /// Empties the buffer after passing on `more` characters of the current line.
    fn leave(&mut self, more: usize) {
        self.gone += more;
        (self.len, self.start, self.most) = (0, 0, self.limit.saturating_sub(self.gone));
    }

    /// Appends to the application bytes.
    pub fn payload(&mut self, bytes: &[u8]) {
        has_room(self.out.payload.len(), MOST);
        self.out.payload.extend_from_copy_slice(bytes);
    }

    /// Adds a field without text.
    #[inline]
    pub fn field(&mut self, name: &str, field: Field) {
        self.field_text(name, field, b"");
    }

    /// Adds a field with text or bytes.
    #[inline]
    pub fn field_text(&mut self, name: &str, field: Field, text: &[u8]) {
        self.field_with(name, field, |out| {
            if !text.is_empty() {
                out.extend_from_copy_slice(text);
            }
        });
    }

    /// Adds a field with the text that `write` appends.
    #[inline]
    pub fn field_with(&mut self, name: &str, field: Field, write: impl FnOnce(&mut RVec<u8>)) {
        if self.wants_field(name, field.space) {
            self.put_field(name, field, write);
        }
    }

    fn put_field(&mut self, name: &str, field: Field, write: impl FnOnce(&mut RVec<u8>)) {
        let (name, text) = if self.request.all_fields {
            (self.blob(|out| out.extend_from_copy_slice(name.as_bytes())), self.blob(write))
        } else if let Some(name) = self.requested(name) {
            (name, self.blob(write))
        } else {
            // Its space is requested, not its name.
            Default::default()
        };
        has_room(self.out.fields.len(), ENTRIES);
        self.out.fields.push(Field { name, text, ..field });
    }

    /// The requested name, in the arena.
    #[inline]
    fn requested(&self, name: &str) -> Option<ByteRange> {
        let mut off = self.names;
        for own in self.request.names.as_slice() {
            let len = own.len() as u32;
            if own.as_str() == name {
                return Some(ByteRange { off, len });
            }
            off += len;
        }
        None
    }

    /// Adds an unsigned field with its offset in the frame.
    pub fn unsigned(&mut self, name: &str, num: u64, byte_off: u32, byte_len: u32) {
        self.field(name, Field { num, byte_off, byte_len, tag: Tag::UNSIGNED, space: NONE, ..Field::default() });
    }

    fn blob(&mut self, write: impl FnOnce(&mut RVec<u8>)) -> ByteRange {
        has_room(self.out.blob.len(), MOST);
        let off = self.out.blob.len() as u32;
        write(&mut self.out.blob);
        ByteRange { off, len: self.out.blob.len() as u32 - off }
    }
}

/// Never fails.
impl io::Write for TextWriter<'_> {
    #[inline]
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.put(text);
        Ok(text.len())
    }

    #[inline]
    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        self.put(text);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Copies a literal, number or name between slices of equal length. Common lengths are copied as two overlapping words,
/// without a call.
#[inline(always)]
pub fn copy_short(to: &mut [u8], from: &[u8]) {
    match from.len() {
        0..4 => to.iter_mut().zip(from).for_each(|(to, from)| *to = *from),
        4..8 => copy_ends::<4>(to, from),
        8..=16 => copy_ends::<8>(to, from),
        17..=32 => copy_ends::<16>(to, from),
        _ => to.copy_from_slice(from),
    }
}

/// Copies the first and the last `N` bytes.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk::<N>()) {
        *to = *from;
    }
    if let (Some(to), Some(from)) = (to.last_chunk_mut::<N>(), from.last_chunk::<N>()) {
        *to = *from;
    }
}

/// `12 345 678`.
pub fn grouped(number: u64) -> String {
    let mut out = Vec::new();
    push_grouped(number, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends the same to `out`.
pub fn push_grouped(number: u64, out: &mut Vec<u8>) {
    let mut buffer = itoa::Buffer::new();
    let mut rest = buffer.format(number).as_bytes();
    while let Some((group, behind)) = rest.split_at_checked((rest.len() + 2) % 3 + 1) {
        out.extend_from_slice(group);
        if behind.is_empty() {
            break;
        }
        out.push(b' ');
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_copied() {
        let text: Vec<u8> = (0..=255).collect();
        let lines = TextWriter::text_of(|out| {
            for len in 0..=255 {
                out.put(&text[..len]);
                out.end_line();
            }
        });
        let expected: Vec<u8> = (0..=255).flat_map(|len| [&text[..len], b"\n"].concat()).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_line_is_cut_at_its_limit_and_the_next_begins_anew() {
        for limit in [0, 1, 5, 991, ROOM - 1, ROOM, ROOM + 1, 3 * ROOM] {
            for long in [1, 60, ROOM + 5] {
                let lines = TextWriter::text_of(|out| {
                    out.limit_lines(limit);
                    for _ in 0..3 {
                        (0..100).for_each(|_| out.put(&vec![b'x'; long]));
                        out.end_line();
                    }
                });
                let one = [&vec![b'x'; limit.min(100 * long)][..], b"\n"].concat();
                assert_eq!(lines, one.repeat(3), "{limit} {long}");
            }
        }
    }

    #[test]
    fn a_row_ends_where_its_text_does() {
        let mut rendered = Rendered { text: b"before".to_vec().into(), ..Rendered::default() };
        let mut out = TextWriter::new(&mut rendered);
        out.limit_lines(991);
        for len in 0..1200 {
            out.put(&vec![b'x'; len]);
            out.end_row();
        }
        out.finish();
        let ends = (0..1200).scan(6, |end, len: usize| {
            *end += len.min(991);
            Some(*end as u32)
        });
        assert!(rendered.rows.iter().map(|row| row.text).eq(ends));
        assert_eq!(rendered.text.len(), rendered.rows[1199].text as usize);
    }

    #[test]
    fn each_row_has_its_own_word_text_and_fields() {
        let mut rendered = Rendered::default();
        let mut out = TextWriter::new(&mut rendered);
        out.put(b"Ack");
        out.end_kind_word();
        out.put(b"a\tb");
        out.unsigned("n", 7, 0, 1);
        out.end_row();
        out.put(b"c\td");
        out.payload(b"bytes");
        out.end_row();
        out.end_kind_word();
        out.unsigned("m", 8, 0, 1);
        out.end_row();
        out.finish();
        let row = |i| {
            let row = rendered.row(i);
            (row.kind_word, row.text, row.payload, row.fields.iter().map(|f| f.num).collect::<Vec<_>>())
        };
        assert_eq!(row(0), (Some(&b"Ack"[..]), &b"a\tb"[..], &b""[..], vec![7]));
        assert_eq!(row(1), (None, &b"c\td"[..], &b"bytes"[..], vec![]));
        assert_eq!(row(2), (Some(&b""[..]), &b""[..], &b""[..], vec![8]));
        assert_eq!(row(3), (None, &b""[..], &b""[..], vec![]));
    }
}
