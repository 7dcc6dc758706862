//! `reference`: verbatim output bytes of the reference tool. `native`: the columns of the list, one line a row.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use spytui_plugin_api::{render::want, row::note};

use crate::{
    present::{Cells, Role, Widths},
    query::Expr,
    store::{RowNames, Span, View},
    stream::{Block, Item, Sink},
};

/// The reference tool's lines and nothing else.
#[derive(Debug)]
pub struct Reference<W> {
    out: W,
    filter: Expr,
}

impl<W: Write> Reference<W> {
    /// Writes to `out`.
    pub fn new(out: W, filter: Expr) -> Reference<W> {
        Reference { out, filter }
    }
}

impl<W: Write> Sink for Reference<W> {
    fn want(&self) -> u32 {
        if self.single() { want::TEXT | want::FIELDS } else { want::TEXT }
    }

    fn names(&self) -> (View, bool) {
        (View::AsOf, false)
    }

    fn single(&self) -> bool {
        !self.filter.is_everything()
    }

    fn block(&mut self, block: &Block<'_>) -> io::Result<()> {
        // Rows of this host are no lines of the reference tool; they stand alone in their block.
        if block.rows.first().is_some_and(|row| row.kind >= note::LINK) {
            return Ok(());
        }
        self.out.write_all(&block.rendered.text)
    }

    fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        if item.row.kind < note::LINK && super::subject::passes(&self.filter, item) {
            self.out.write_all(item.text)?;
        }
        Ok(())
    }
}

/// The columns of the list.
#[derive(Debug)]
pub struct Native<W> {
    out: W,
    line: NativeLine,
    filter: Expr,
}

/// Columns of the widest list: names are shown in full.
const COLUMNS: usize = 120;

impl<W: Write> Native<W> {
    /// Writes to `out`.
    pub fn new(out: W, filter: Expr) -> Native<W> {
        Native { out, line: NativeLine::default(), filter }
    }
}

impl<W: Write> Sink for Native<W> {
    fn want(&self) -> u32 {
        // Fields are only for a filter to ask.
        if self.filter.is_everything() { want::TEXT } else { want::TEXT | want::FIELDS }
    }

    fn names(&self) -> (View, bool) {
        (View::AsOf, true)
    }

    fn single(&self) -> bool {
        true
    }

    fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        if !super::subject::passes(&self.filter, item) {
            return Ok(());
        }
        self.out.write_all(self.line.of(item).as_bytes())
    }
}

/// A line with its columns, keeping its buffers.
#[derive(Debug, Default)]
struct NativeLine {
    out: String,
    cell: String,
}

impl NativeLine {
    /// The line of a row, with its end; nothing is cut.
    fn of(&mut self, item: &Item<'_>) -> &str {
        self.out.clear();
        let cells = item.cells();
        match cells.role() {
            Role::Record => self.record(item, &cells),
            Role::Loss => self.told("░░ ", item, &cells),
            Role::Event | Role::Console | Role::Note => {
                self.told("══ ", item, &cells);
                if self.out == "══ " {
                    cells.push_kind(&mut self.out);
                }
            }
        }
        let end = self.out.trim_end().len();
        self.out.truncate(end);
        self.out.push('\n');
        &self.out
    }

    fn told(&mut self, sign: &str, item: &Item<'_>, cells: &Cells<'_, dyn RowNames + '_>) {
        self.out.push_str(sign);
        if let Some(source) = item.source.filter(|_| item.apart) {
            let _ = write!(self.out, "source {source}: ");
        }
        cells.push_what(&mut self.out);
    }

    fn record(&mut self, item: &Item<'_>, cells: &Cells<'_, dyn RowNames + '_>) {
        let w = Widths::new(item.legend, item.clock, COLUMNS, item.lanes());
        self.out.push(if cells.warns() { '!' } else { ' ' });
        self.right(w.time, |out| cells.push_time(out));
        self.right(w.delta, |out| cells.push_delta(out));
        if w.lane > 0 {
            self.left(w.lane + if item.lanes_apart() { 2 } else { 0 }, |out| cells.push_lane(out));
        }
        self.left(w.group, |out| out.push_str(cells.group()));
        let (span, unsure) = cells.span();
        self.out.push(gutter(span, unsure));
        self.left(w.kind, |out| cells.push_kind(out));
        self.left(w.object, |out| cells.push_object(out));
        cells.push_what(&mut self.out);
    }

    /// Adds a column and a blank.
    fn left(&mut self, width: usize, push: impl FnOnce(&mut String)) {
        let start = self.out.len();
        push(&mut self.out);
        let blanks = missing(&self.out[start..], width) + 1;
        pad(blanks, &mut self.out);
    }

    /// The same for what stands at the right of its column.
    fn right(&mut self, width: usize, push: impl FnOnce(&mut String)) {
        self.cell.clear();
        push(&mut self.cell);
        pad(missing(&self.cell, width), &mut self.out);
        self.out.push_str(&self.cell);
        self.out.push(' ');
    }
}

/// Characters that a text lacks to be `width` wide.
fn missing(text: &str, width: usize) -> usize {
    width.saturating_sub(if text.is_ascii() { text.len() } else { text.chars().count() })
}

fn pad(blanks: usize, out: &mut String) {
    const BLANKS: &str = "                                ";
    match BLANKS.get(..blanks) {
        Some(blanks) => out.push_str(blanks),
        None => out.extend(std::iter::repeat_n(' ', blanks)),
    }
}

/// The sign of a place in a span.
#[must_use]
pub fn gutter(span: Span, unsure: bool) -> char {
    match (span, unsure) {
        (Span::None, _) => ' ',
        (_, true) => '~',
        (Span::Open, _) => '┌',
        (Span::Inside, _) => '│',
        (Span::Close, _) => '└',
    }
}
