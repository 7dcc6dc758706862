//! Text formats. `reference`: the verbatim output of the reference tool. `native`: the columns of the list, one line
//! per row.

use std::io::{self, Write};

use spytui_plugin_api::{Rendered, Row, Want};

use super::lines::{LineForm, Lines};
use crate::{
    present::{RowRole, Widths},
    row::RowView,
    store::{Span, View},
    trace::stream::{RowLines, Sink},
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

/// Writes the columns of the list.
pub type NativeRows<W> = Lines<W, NativeLine>;

/// Width of the widest list, so that names are never shortened.
const COLUMNS: usize = 120;

impl<W: Write> NativeRows<W> {
    pub fn new(out: W) -> NativeRows<W> {
        Lines::of(out, NativeLine::default())
    }
}

/// The unabridged line of a row, in columns.
#[derive(Debug, Default, Clone)]
pub struct NativeLine {
    /// A cell to be aligned to the right.
    cell: Vec<u8>,
}

impl LineForm for NativeLine {
    const WANT: Want = Want::TEXT;
    const NAMES: (View, bool) = (View::AsOf, true);
    const IS_DIVIDED: bool = false;

    fn header(&self) -> String {
        String::new()
    }
}

impl RowLines for NativeLine {
    fn push(&mut self, item: &RowView<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        match item.role() {
            RowRole::Record => self.record(item, out),
            RowRole::Loss => apart("░░ ", item, out),
            RowRole::Event | RowRole::Console | RowRole::Note => {
                apart("══ ", item, out);
                if out[start..] == *"══ ".as_bytes() {
                    item.push_kind(out);
                }
            }
        }
        trim_end(out, start);
        out.push(b'\n');
    }
}

impl NativeLine {
    fn record(&mut self, item: &RowView<'_>, out: &mut Vec<u8>) {
        let w = Widths::new(item.labels, item.clock, COLUMNS, item.cores());
        out.push(if item.warns() { b'!' } else { b' ' });
        self.right(out, w.time, |out| item.push_time(out));
        self.right(out, w.delta, |out| item.push_delta(out));
        if w.core > 0 {
            left(out, w.core + if item.cores_apart() { 2 } else { 0 }, |out| item.push_core(out));
        }
        left(out, w.group, |out| out.extend_from_slice(item.group().as_bytes()));
        let (span, unsure) = item.span;
        out.extend_from_slice(gutter(span, unsure).encode_utf8(&mut [0; 4]).as_bytes());
        left(out, w.kind, |out| item.push_kind(out));
        left(out, w.object, |out| item.push_object(out));
        item.push_what(out);
    }

    /// Adds a right-aligned column and a space.
    fn right(&mut self, out: &mut Vec<u8>, width: usize, push: impl FnOnce(&mut Vec<u8>)) {
        self.cell.clear();
        push(&mut self.cell);
        pad(missing(&self.cell, width), out);
        out.extend_from_slice(&self.cell);
        out.push(b' ');
    }
}

fn apart(sign: &str, item: &RowView<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(sign.as_bytes());
    if let Some(source) = item.source.filter(|_| item.apart) {
        let _ = write!(out, "source {source}: ");
    }
    item.push_what(out);
}

/// Adds a left-aligned column and a space.
fn left(out: &mut Vec<u8>, width: usize, push: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    push(out);
    let blanks = missing(&out[start..], width) + 1;
    pad(blanks, out);
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

/// Removes white space at the end of the line that begins at `start`.
fn trim_end(out: &mut Vec<u8>, start: usize) {
    while out.len() > start && out.pop_if(|&mut b| b == b' ').is_some() {}
    if !out.last().is_some_and(u8::is_ascii_graphic)
        && let Ok(text) = std::str::from_utf8(&out[start..])
    {
        out.truncate(start + text.trim_end().len());
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
            let mut out = b"  ".to_vec();
            NativeLine::default().right(&mut out, width, |out| out.extend_from_slice(kind.as_bytes()));
            left(&mut out, width, |out| out.extend_from_slice(kind.as_bytes()));
            trim_end(&mut out, 2);
            String::from_utf8(out.split_off(2)).unwrap()
        };
        for kind in ["", "Tür", "→", "longer than that", "ends in nbsp\u{a0}", "ends in tab \t "] {
            for width in [0, 4, 50] {
                assert_eq!(line(kind, width), format!("{kind:>width$} {kind:<width$} ").trim_end());
            }
        }
    }
}
