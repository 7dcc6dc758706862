//! CSV: a header and one line per row. Fields are quoted only where necessary.

use std::{borrow::Cow, io::Write};

use spytui_plugin_api::{
    Field,
    render::{FieldFlags, Tag, Want},
    row::RowFlags,
};

use super::{
    json::{self, KindNames},
    lines::{LineForm, Lines},
};
use crate::{
    present::{clock::push_number, sanitise, sanitise::is_plain, words::group_name},
    query::field_name,
    row::{PlannedRow, RowView},
    store::View,
    trace::stream::RowLines,
};

const HEADER: [&str; 14] =
    ["type", "n", "pos", "len", "seq", "time", "ns", "host", "lane", "id", "kind", "group", "object", "text"];

/// Writes the rows that pass a filter.
pub type CsvRows<W> = Lines<W, CsvLine>;

/// A row as cells.
#[derive(Debug, Clone)]
pub struct CsvLine {
    text: Vec<u8>,
    several: bool,
    safe: bool,
    /// Fields with their own columns.
    fields: Vec<String>,
}

impl<W: Write> CsvRows<W> {
    /// With `several` sources there is a source column.
    pub fn new(out: W, several: bool) -> CsvRows<W> {
        Lines::of(out, CsvLine { text: Vec::new(), several, safe: false, fields: Vec::new() })
    }

    /// Appends a column per field. Fields are named as in filters: `field.n` if another column is called `n`.
    pub fn with_fields(mut self, fields: Vec<String>) -> CsvRows<W> {
        self.form.fields = fields;
        self
    }

    /// Keeps spreadsheets from running text as a formula: text that begins with `=`, `+`, `-` or `@` and is not a
    /// number gets a leading `'`.
    pub fn safe(mut self, safe: bool) -> CsvRows<W> {
        self.form.safe = safe;
        self
    }
}

impl LineForm for CsvLine {
    const WANT: Want = Want::TEXT.union(Want::FIELDS);
    const NAMES: (View, bool) = (View::AsOf, false);
    const IS_DIVIDED: bool = false;

    fn header(&self) -> String {
        let mut columns: Vec<Cow<'_, str>> = HEADER.iter().map(|name| Cow::from(*name)).collect();
        if self.several {
            columns.insert(1, "source".into());
        }
        let is_taken = |field: &str| HEADER.contains(&field) || field == "source";
        let name = |field: &'_ String| match is_taken(field) {
            true => Cow::from(format!("field.{field}")),
            false => Cow::from(field_name(field).into_owned()),
        };
        columns.extend(self.fields.iter().map(name));
        columns.join(",") + "\n"
    }
}

impl RowLines for CsvLine {
    fn push(&mut self, item: &RowView<'_>, out: &mut Vec<u8>) {
        let cell = if self.safe { safe } else { quoted };
        line(out, &mut self.text, item, self.several, cell);
        for field in &self.fields {
            out.push(b',');
            value(out, item, field, cell);
        }
        out.push(b'\n');
    }
}

/// Appends a line; `text` is a scratch buffer, `cell` appends escaped text.
fn line(out: &mut Vec<u8>, text: &mut Vec<u8>, item: &RowView<'_>, several: bool, cell: fn(&mut Vec<u8>, &[u8])) {
    let stamped = item.row.has(RowFlags::TIME_OWN);
    let kind = KindNames::of(item);
    out.extend_from_slice(if item.row.is_record() { b"record" } else { b"note" });
    if several {
        number(out, item.source.or(Some(0)));
    }
    number(out, item.n);
    number(out, Some(item.pos()));
    number(out, Some(item.wire_len()));
    number(out, item.seq());
    number(out, stamped.then_some(item.row.time));
    number(out, item.ns().filter(|_| stamped));
    number(out, item.host_ns);
    number(out, item.core());
    number(out, Some(kind.id).filter(|_| item.row.is_record()));
    for part in [&*kind.name, group_name(item.info, item.row.group).as_bytes()] {
        out.push(b',');
        cell(out, part);
    }
    for push in [RowView::push_object, RowView::push_what] {
        out.push(b',');
        let start = out.len();
        push(item, out);
        let written = &out[start..];
        if !is_plain(written, *b"\",") || written.first().is_some_and(|first| !first.is_ascii_alphanumeric()) {
            text.clear();
            text.extend(out.drain(start..));
            cell(out, text);
        }
    }
}

/// Appends a field's value as in jsonl, text unquoted; nothing if the row lacks the field.
fn value(out: &mut Vec<u8>, item: &RowView<'_>, wanted: &str, cell: fn(&mut Vec<u8>, &[u8])) {
    let mut planned = item.planned.iter().flat_map(PlannedRow::fields);
    if let Some((_, number)) = planned.find(|(own, _)| own.field.name == wanted) {
        return push_number(number, out);
    }
    let mut own = item.fields().filter(|(_, field)| !field.flags.contains(FieldFlags::ELEMENT));
    let Some((_, field)) = own.find(|(name, _)| *name == wanted.as_bytes()) else { return };
    match field.tag {
        Tag::TEXT => cell(out, sanitise(field.text.of(item.rendered.blob)).as_bytes()),
        _ => plain(out, field, item.rendered.blob),
    }
}

/// Appends a value that is no text: a number, or bytes in hexadecimal.
pub(super) fn plain(out: &mut Vec<u8>, field: &Field, blob: &[u8]) {
    match field.tag {
        Tag::BYTES => field.text.of(blob).iter().for_each(|byte| json::hex_byte(out, *byte)),
        Tag::SIGNED => json::number(out, field.num as i64),
        Tag::F64 => match field.digits(blob) {
            Some(digits) => out.extend_from_slice(digits.as_bytes()),
            None => out.extend_from_slice(json::float(f64::from_bits(field.num)).as_bytes()),
        },
        _ => json::number(out, field.num),
    }
}

/// Appends a number, or an empty field.
fn number(out: &mut Vec<u8>, n: Option<impl Into<u64>>) {
    out.push(b',');
    if let Some(n) = n {
        push_number(n.into(), out);
    }
}

/// Appends text that no spreadsheet takes for a formula.
fn safe(out: &mut Vec<u8>, text: &[u8]) {
    let is_number = || str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok_and(f64::is_finite));
    if matches!(text, [b'=' | b'+' | b'-' | b'@', ..]) && !is_number() {
        return quoted(out, &[b"'", text].concat());
    }
    quoted(out, text);
}

/// A cell of a table, quoted if necessary.
pub(super) fn cell(text: &str) -> String {
    let mut out = Vec::new();
    quoted(&mut out, text.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

fn quoted(out: &mut Vec<u8>, text: &[u8]) {
    let odd = |b: &u8| matches!(b, b'"' | b',' | b'\n' | b'\r');
    if is_plain(text, *b"\",") || !text.iter().any(odd) {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    for (i, part) in text.split(|&b| b == b'"').enumerate() {
        out.extend_from_slice(if i > 0 { b"\"\"" } else { b"" });
        out.extend_from_slice(part);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_quotes_are_quoted() {
        let mut out = Vec::new();
        quoted(&mut out, b"a,\"b\"");
        quoted(&mut out, b"c");
        assert_eq!(out, b"\"a,\"\"b\"\"\"c");
    }

    #[test]
    fn no_text_is_a_formula() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3,4", "\"'-2+3,4\""),
            ("@SUM(1)", "'@SUM(1)"),
            ("-inf", "'-inf"),
            ("-32768", "-32768"),
            ("+1.5e-3", "+1.5e-3"),
            ("door", "door"),
            ("", ""),
        ] {
            let mut out = Vec::new();
            safe(&mut out, text.as_bytes());
            assert_eq!(out, written.as_bytes(), "{text}");
        }
    }
}
