//! Rows as lines, each in a form of its own.

use std::io::{self, Write};

use spytui_plugin_api::Want;

use crate::{
    row::RowView,
    store::View,
    trace::stream::{LinePart, RowLines, Sink, most_parts},
};

/// The form of the lines.
pub trait LineForm: RowLines + Clone + 'static {
    /// What lines need of a row.
    const WANT: Want;
    /// Which names are used, and whether in short form.
    const NAMES: (View, bool);
    /// Lines take much longer than passing rows to other threads, and are made by several.
    const IS_DIVIDED: bool;

    /// What precedes the first line.
    fn header(&self) -> String;
}

/// Writes rows as lines.
#[derive(Debug)]
pub struct Lines<W, F> {
    out: W,
    pub(super) form: F,
    begun: bool,
    parts: Vec<LinePart>,
}

impl<W: Write, F: LineForm> Lines<W, F> {
    pub(super) fn of(out: W, form: F) -> Lines<W, F> {
        Lines { out, form, begun: false, parts: Vec::new() }
    }
}

impl<W: Write, F: LineForm> Sink for Lines<W, F> {
    fn want(&self) -> Want {
        F::WANT
    }

    fn names(&self) -> (View, bool) {
        F::NAMES
    }

    fn header(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            self.out.write_all(self.form.header().as_bytes())?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn single(&self) -> bool {
        true
    }

    fn row(&mut self, item: &RowView<'_>) -> io::Result<()> {
        let mut line = Vec::new();
        self.form.push(item, &mut line);
        self.header()?;
        self.out.write_all(&line)
    }

    fn lines(&mut self) -> &mut [LinePart] {
        if self.parts.is_empty() {
            let count = if F::IS_DIVIDED { most_parts() } else { 1 };
            self.parts.extend((0..count).map(|_| LinePart::new(self.form.clone())));
        }
        &mut self.parts
    }

    fn write_lines(&mut self) -> io::Result<()> {
        self.header()?;
        for part in &mut self.parts {
            self.out.write_all(&part.out)?;
            part.out.clear();
        }
        Ok(())
    }
}
