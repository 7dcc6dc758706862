//! Turns rows into text and fields, from the row, its bytes and its attachments.

use spytui_plugin_api::{
    Activity, Dict, Field, RowIn, TextWriter, Verb,
    render::{FieldFlags, Tag, Want},
    row::{NONE, RowFlags, RowKind},
};

use crate::{
    frame::{Frame, unhex},
    info::{OBJECTS, SINCE, TRACKS, kind},
};

/// Renders a row.
pub fn row(cfg: &[u8], row: &RowIn<'_>, dict: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
    let raw = row.raw.as_slice();
    let what = match Frame::parse(raw.split_inclusive(|&b| b == b'\n').next_back().unwrap_or_default()) {
        Ok(frame) if !row.row.kind.is_note() => record(cfg, row, &frame, dict),
        _ => note_detail(row),
    };
    if want.contains(Want::TEXT) {
        out.put(&what);
        if cfg.get(1) == Some(&1) {
            out.put(b"\n");
        }
    }
    if want.contains(Want::FIELDS) {
        fields(row, dict, out);
    }
    if want.contains(Want::PAYLOAD) {
        out.payload(&data(raw));
    }
}

/// Hexadecimal data of an application record, or of all pieces of a record.
fn data(raw: &[u8]) -> Vec<u8> {
    let lines = raw.split_inclusive(|&b| b == b'\n').filter_map(|l| Frame::parse(l).ok());
    let skip = |f: &Frame<'_>| usize::from(matches!(f.letter, b'B' | b'L'));
    let words = lines.filter_map(|f| f.words().nth(skip(&f)));
    words.flat_map(unhex).collect()
}

/// The name of an object, or its key with the configured number of digits.
fn object(cfg: &[u8], key: u64, dict: &Dict<'_>) -> Vec<u8> {
    let width = usize::from(cfg.first().copied().unwrap_or(4));
    dict.name(OBJECTS, key, 0).map_or_else(|| format!("{key:0width$x}").into_bytes(), <[u8]>::to_vec)
}

fn record(cfg: &[u8], row: &RowIn<'_>, frame: &Frame<'_>, dict: &Dict<'_>) -> Vec<u8> {
    if row.row.has(RowFlags::MALFORMED) {
        return [b"malformed: ", frame.args].concat();
    }
    let object = object(cfg, row.row.obj, dict);
    let number = |n| frame.number(n).unwrap_or(0);
    match row.row.kind {
        kind::STATE => [&object[..], format!(" = {}", number(2)).as_bytes()].concat(),
        kind::SEVERAL | kind::NAME => object,
        kind::BLOB => {
            format!("{} bytes {:02x?}", data(row.raw.as_slice()).len(), data(row.raw.as_slice())).into_bytes()
        }
        kind::ANSWER => format!("stage {} status {}", number(0), number(2)).into_bytes(),
        kind::LOG => format!("log {} {:02x?}", row.row.item, data(row.raw.as_slice())).into_bytes(),
        kind::SPAN => {
            let name = dict.name(TRACKS, row.row.item, 0).unwrap_or(b"?");
            [if frame.letter == b'<' { &b"begin "[..] } else { b"end " }, name].concat()
        }
        _ => [&[frame.letter], frame.args].concat(),
    }
}

/// Details of a note that only the decoder knows.
fn note_detail(row: &RowIn<'_>) -> Vec<u8> {
    match row.row.kind {
        RowKind::CONFLICT => b"its keys have another width".to_vec(),
        RowKind::CONSOLE => row.raw.as_slice().trim_ascii().to_vec(),
        _ => Vec::new(),
    }
}

fn fields(row: &RowIn<'_>, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
    if row.row.has(RowFlags::HAS_OBJECT) {
        let name = dict.name(OBJECTS, row.row.obj, 0).unwrap_or_default();
        let field = Field { num: row.row.obj, tag: Tag::KEY, space: OBJECTS, ..Field::default() };
        out.field_text("object", field, name);
    }
    let raw = row.raw.as_slice();
    if row.row.kind == kind::STATE
        && let Ok(frame) = Frame::parse(raw)
    {
        out.unsigned("level", frame.number(2).unwrap_or(0), 3, frame.args.len() as u32);
    }
    if matches!(row.row.kind, kind::BLOB | kind::LOG) {
        out.field_text("data", Field { tag: Tag::BYTES, space: NONE, ..Field::default() }, &data(raw));
    }
    if row.row.kind == kind::BLOB {
        for part in raw.split_inclusive(|&b| b == b'\n') {
            out.field("parts", Field { num: part.len() as u64, flags: FieldFlags::LIST, ..Field::default() });
        }
    }
    if let Some(since) = row.attachment(SINCE) {
        out.unsigned("since", since.a, 0, 0);
    }
}

/// A span is named after its track.
pub fn label(activity: &Activity, dict: &Dict<'_>, out: &mut TextWriter<'_>) {
    if activity.verb == Verb::BEGIN
        && let Some(name) = dict.name(TRACKS, activity.sub, 0)
    {
        out.put(name);
    }
}
