//! Text formats. `reference`: the verbatim output of the reference tool. `native`: the columns of the list, one line
//! per row.

use std::io::{self, Write};

use spytui_plugin_api::{Rendered, Row, Want};

use crate::{
    present::{RowRole, Widths},
    row::RowView,
    store::{Span, View},
    trace::stream::Sink,
};

/// Appends a text with its control bytes made visible.
pub type Escape = fn(&[u8], &mut Vec<u8>);

/// Writes exactly the reference tool's output.
#[derive(Debug)]
pub struct ReferenceRows<W> {
    out: W,
    /// Escapes control bytes in the target's texts.
    escape: Option<Escape>,
    /// Buffer for lines with escaped control bytes.
    visible: Vec<u8>,
}

impl<W: Write> ReferenceRows<W> {
    /// For a terminal, control bytes in the target's texts are escaped.
    pub fn new(out: W, escape: Option<Escape>) -> ReferenceRows<W> {
        ReferenceRows { out, escape, visible: Vec::new() }
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        let Some(escape) = self.escape else { return self.out.write_all(text) };
        self.visible.clear();
        escape(text, &mut self.visible);
        self.out.write_all(&self.visible)
    }
}

impl<W: Write> Sink for ReferenceRows<W> {
    fn want(&self) -> Want {
        Want::TEXT
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn block(&mut self, rows: &[Row], rendered: &Rendered) -> io::Result<()> {
        // The reference tool has no lines for rows of this host, which form blocks of their own.
        if rows.first().is_some_and(|row| row.kind.is_of_host()) {
            return Ok(());
        }
        self.write(&rendered.text)
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        if !item.row.kind.is_of_host() {
            self.write(item.rendered.text)?;
        }
        Ok(())
    }
}

#[derive(Debug)]
pub struct NativeRows<W> {
    out: W,
    line: NativeLine,
}

/// Width of the widest list, so that names are never shortened.
const COLUMNS: usize = 120;

impl<W: Write> NativeRows<W> {
    pub fn new(out: W) -> NativeRows<W> {
        NativeRows { out, line: NativeLine::default() }
    }
}

impl<W: Write> Sink for NativeRows<W> {
    fn want(&self) -> Want {
        Want::TEXT
    }

    fn names(&self) -> (View, bool) {
        (View::AsOf, true)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn single(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        self.out.write_all(self.line.of(item))
    }
}

/// Builds a line from columns; reuses its buffers. Not generic, so that it is compiled with the functions that it calls.
#[derive(Debug, Default)]
struct NativeLine {
    out: Vec<u8>,
    /// A cell to be aligned to the right.
    cell: Vec<u8>,
}

impl NativeLine {
    /// The unabridged line of a row, ended by a newline.
    fn of(&mut self, item: &RowView<'_>) -> &[u8] {
        self.out.clear();
        match item.role() {
            RowRole::Record => self.record(item),
            RowRole::Loss => self.apart("░░ ", item),
            RowRole::Event | RowRole::Console | RowRole::Note => {
                self.apart("══ ", item);
                if self.out == "══ ".as_bytes() {
                    item.push_kind(&mut self.out);
                }
            }
        }
        trim_end(&mut self.out);
        self.out.push(b'\n');
        &self.out
    }

    fn apart(&mut self, sign: &str, item: &RowView<'_>) {
        self.out.extend_from_slice(sign.as_bytes());
        if let Some(source) = item.source.filter(|_| item.apart) {
            let _ = write!(self.out, "source {source}: ");
        }
        item.push_what(&mut self.out);
    }

    fn record(&mut self, item: &RowView<'_>) {
        let w = Widths::new(item.labels, item.clock, COLUMNS, item.cores());
        self.out.push(if item.warns() { b'!' } else { b' ' });
        self.right(w.time, |out| item.push_time(out));
        self.right(w.delta, |out| item.push_delta(out));
        if w.core > 0 {
            self.left(w.core + if item.cores_apart() { 2 } else { 0 }, |out| item.push_core(out));
        }
        self.left(w.group, |out| out.extend_from_slice(item.group().as_bytes()));
        let (span, unsure) = item.span;
        self.out.extend_from_slice(gutter(span, unsure).encode_utf8(&mut [0; 4]).as_bytes());
        self.left(w.kind, |out| item.push_kind(out));
        self.left(w.object, |out| item.push_object(out));
        item.push_what(&mut self.out);
    }

    /// Adds a left-aligned column and a space.
    fn left(&mut self, width: usize, push: impl FnOnce(&mut Vec<u8>)) {
        let start = self.out.len();
        push(&mut self.out);
        let blanks = missing(&self.out[start..], width) + 1;
        pad(blanks, &mut self.out);
    }

    /// Adds a right-aligned column and a space.
    fn right(&mut self, width: usize, push: impl FnOnce(&mut Vec<u8>)) {
        self.cell.clear();
        push(&mut self.cell);
        pad(missing(&self.cell, width), &mut self.out);
        self.out.extend_from_slice(&self.cell);
        self.out.push(b' ');
    }
}

/// Padding needed to make a text `width` characters wide.
fn missing(text: &[u8], width: usize) -> usize {
    // UTF-8 continuation bytes are not characters.
    let going_on = if text.is_ascii() { 0 } else { text.iter().filter(|&&b| b & 0xC0 == 0x80).count() };
    (width + going_on).saturating_sub(text.len())
}

fn pad(blanks: usize, out: &mut Vec<u8>) {
    const BLANKS: [u8; 32] = [b' '; 32];
    let end = out.len() + blanks;
    if blanks > BLANKS.len() {
        return out.resize(end, b' ');
    }
    out.extend_from_slice(&BLANKS);
    out.truncate(end);
}

fn trim_end(line: &mut Vec<u8>) {
    while line.pop_if(|&mut b| b == b' ').is_some() {}
    if !line.last().is_some_and(u8::is_ascii_graphic)
        && let Ok(text) = std::str::from_utf8(line)
    {
        line.truncate(text.trim_end().len());
    }
}

/// The gutter symbol for a row's place in a span.
pub fn gutter(span: Span, unsure: bool) -> char {
    match (span, unsure) {
        (Span::None | Span::End, _) => ' ',
        (_, true) => '~',
        (Span::Open | Span::Begin | Span::ApartBegin, _) => '┌',
        (Span::Inside, _) => '│',
        (Span::Close | Span::ApartEnd, _) => '└',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_padded_by_characters_and_ends_trimmed() {
        let line = |kind: &str, width: usize| {
            let mut line = NativeLine::default();
            line.right(width, |out| out.extend_from_slice(kind.as_bytes()));
            line.left(width, |out| out.extend_from_slice(kind.as_bytes()));
            trim_end(&mut line.out);
            String::from_utf8(line.out).unwrap()
        };
        for kind in ["", "Tür", "→", "longer than that", "ends in nbsp\u{a0}", "ends in tab \t "] {
            for width in [0, 4, 50] {
                assert_eq!(line(kind, width), format!("{kind:>width$} {kind:<width$} ").trim_end());
            }
        }
    }
}
