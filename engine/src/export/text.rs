//! `reference`: verbatim output bytes of the reference tool. `native`: the columns of the list, one line a row.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use spytui_plugin_api::{render::want, row::note};

use crate::{
    present::{Line, Role, Widths},
    query::Expr,
    store::{Span, View},
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
    line: String,
    filter: Expr,
}

/// Columns of the widest list: names are shown in full.
const COLUMNS: usize = 120;

impl<W: Write> Native<W> {
    /// Writes to `out`.
    pub fn new(out: W, filter: Expr) -> Native<W> {
        Native { out, line: String::new(), filter }
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
        self.line.clear();
        let mut widths = Widths::new(item.info, item.clock, COLUMNS, item.lanes());
        widths.lane += if item.lanes_apart() { 2 } else { 0 };
        let mut line = item.line();
        if let (true, Some(source)) = (item.apart && line.role != Role::Record, item.source) {
            line.what.insert_str(0, &format!("source {source}: "));
        }
        native_line(&mut self.line, &line, &widths);
        self.out.write_all(self.line.as_bytes())
    }
}

/// Adds a line with its columns and line end; nothing is cut.
pub fn native_line(out: &mut String, line: &Line, w: &Widths) {
    let start = out.len();
    match line.role {
        Role::Record => {
            let mark = if line.warns() { '!' } else { ' ' };
            let _ = write!(out, "{mark}{:>1$} {2:>3$} ", line.time, w.time, line.delta, w.delta);
            if w.lane > 0 {
                let _ = write!(out, "{:<1$} ", line.lane, w.lane);
            }
            let gutter = gutter(line.span, line.unsure);
            let _ = write!(out, "{:<1$} {gutter}{2:<3$} ", line.group, w.group, line.kind, w.kind);
            let _ = write!(out, "{:<1$} {2}", line.object, w.object, line.what);
        }
        Role::Loss => {
            let _ = write!(out, "░░ {}", line.what);
        }
        Role::Event | Role::Console | Role::Note => {
            let _ = write!(out, "══ {}", if line.what.is_empty() { &line.kind } else { &line.what });
        }
    }
    let end = start + out[start..].trim_end().len();
    out.truncate(end);
    out.push('\n');
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
