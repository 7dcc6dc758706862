//! A header and one line a row, for spreadsheets. Fields are quoted where they must be.

use std::io::{self, Write};

use spytui_plugin_api::{render::want, row::flag};

use crate::{
    present::word::{group_name, kind_name, wire_id},
    query::Expr,
    store::View,
    stream::{Item, Sink},
};

const HEADER: [&str; 14] =
    ["type", "n", "pos", "len", "seq", "time", "ns", "host", "lane", "id", "kind", "group", "object", "text"];

/// Writes each row that passes a filter.
#[derive(Debug)]
pub struct Csv<W> {
    out: W,
    line: Vec<u8>,
    filter: Expr,
    begun: bool,
    several: bool,
}

impl<W: Write> Csv<W> {
    /// Writes to `out`; rows of `several` sources have a column that tells which.
    pub fn new(out: W, filter: Expr, several: bool) -> Csv<W> {
        Csv { out, line: Vec::new(), filter, begun: false, several }
    }

    /// Writes the header, also when no row came.
    ///
    /// # Errors
    /// What the output said.
    pub fn header(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            let mut columns = HEADER.to_vec();
            if self.several {
                columns.insert(1, "source");
            }
            writeln!(self.out, "{}", columns.join(","))?;
        }
        Ok(())
    }
}

impl<W: Write> Sink for Csv<W> {
    fn want(&self) -> u32 {
        want::TEXT | want::FIELDS
    }

    fn names(&self) -> (View, bool) {
        (View::AsOf, false)
    }

    fn item(&mut self, item: &Item<'_>) -> io::Result<()> {
        self.header()?;
        if !super::subject::passes(&self.filter, item) {
            return Ok(());
        }
        self.line.clear();
        line(&mut self.line, item, self.several);
        self.out.write_all(&self.line)
    }
}

fn line(out: &mut Vec<u8>, item: &Item<'_>, several: bool) {
    let stamped = item.row.has(flag::TIME_OWN | flag::TIME_KNOWN);
    let columns = item.line();
    let number = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
    let parts = [
        if item.row.is_record() { "record" } else { "note" }.to_owned(),
        number(item.n),
        item.pos().to_string(),
        item.len().to_string(),
        number(item.seq()),
        number(stamped.then_some(item.row.time)),
        number(item.ns().filter(|_| stamped)),
        number(item.host_ns),
        number(item.lane().map(u64::from)),
        wire_id(item.info, item.row.kind).to_string(),
        kind_name(item.info, item.row.kind),
        group_name(item.info, item.row.group).to_owned(),
        columns.object,
        columns.what,
    ];
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        if i == 1 && several {
            out.extend_from_slice(item.source.unwrap_or(0).to_string().as_bytes());
            out.push(b',');
        }
        quoted(out, part);
    }
    out.push(b'\n');
}

fn quoted(out: &mut Vec<u8>, text: &str) {
    if !text.contains(['"', ',', '\n', '\r']) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_quotes_are_quoted() {
        let mut out = Vec::new();
        quoted(&mut out, "a,\"b\"");
        quoted(&mut out, "c");
        assert_eq!(out, b"\"a,\"\"b\"\"\"c");
    }
}
