//! The captures, frames made by hand, and a short way to decode both.

#![allow(dead_code, clippy::unwrap_used)]

use serde_json::{Map, Value, json};
use spytui_plugin_api::{
    DecoderRef, Field, Row,
    batch::extra,
    kit::Host,
    render::{field_flag, tag, want},
    row::{flag, note},
};

/// The decoder through its tables.
pub(crate) fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_rkh::Rkh>()
}

/// Options as pairs.
pub(crate) type Opts<'a> = Vec<(&'a str, &'a [u8])>;

/// A file among the captures.
pub(crate) fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A JSON file among the captures.
pub(crate) fn json_file(name: &str) -> Value {
    serde_json::from_slice(&file(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The options that stand for what is known of a capture beside its stream.
pub(crate) fn options_of(name: &str) -> Vec<(String, String)> {
    let facts = json_file(&format!("{name}.json"));
    let (sizes, on) = (&facts["sizes"], &facts["enabled"]);
    let mut options: Vec<(String, String)> =
        sizes.as_object().unwrap().iter().map(|(key, value)| (key.clone(), value.to_string())).collect();
    for (option, fact) in [
        ("sender", "sender"),
        ("queue-lwm", "queue_low_watermark"),
        ("pool-lwm", "pool_low_watermark"),
        ("nseq", "nseq"),
        ("checksum", "checksum"),
        ("tstamp", "timestamp"),
    ] {
        options.push((option.into(), u8::from(on[fact].as_bool().unwrap()).to_string()));
    }
    options.push(("version".into(), facts["rkh_version"].as_str().unwrap().into()));
    options
}

/// Options as the decoder gets them.
pub(crate) fn opts(list: &[(String, String)]) -> Opts<'_> {
    list.iter().map(|(key, value)| (key.as_str(), value.as_bytes())).collect()
}

/// Decodes a stream in chunks of `size`.
pub(crate) fn decode(bytes: &[u8], opts: &Opts<'_>, size: usize) -> Host {
    Host::open(decoder(), opts).unwrap().stream(bytes, size).unwrap()
}

/// Text of a stream as the reference host writes it.
pub(crate) fn text(bytes: &[u8], opts: &Opts<'_>, size: usize) -> Vec<u8> {
    decode(bytes, opts, size).text(bytes).unwrap()
}

/// Our text of each row.
pub(crate) fn lines(host: &Host, bytes: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    host.render(bytes, want::TEXT, |_, out| lines.push(String::from_utf8_lossy(&out.text).into_owned())).unwrap();
    lines
}

/// Decodes in our own way; rows with their texts.
pub(crate) fn rows(bytes: &[u8], opts: &Opts<'_>) -> Vec<(Row, String)> {
    let host = decode(bytes, opts, 4096);
    let lines = lines(&host, bytes);
    host.run.rows.iter().copied().zip(lines).collect()
}

/// The rows that are no records: kind and text.
pub(crate) fn notes(bytes: &[u8], opts: &Opts<'_>) -> Vec<(u16, String)> {
    let noted = |(row, text): (Row, String)| (row.flags & flag::NOTE != 0).then_some((row.kind, text));
    rows(bytes, opts).into_iter().filter_map(noted).collect()
}

/// An extra of a row.
pub(crate) fn extra_of(host: &Host, row: usize, id: u16) -> Option<(u64, u64)> {
    host.run.extras_of(row).iter().find(|e| e.id == id).map(|e| (e.a, e.b))
}

/// Numbers of a gap: lost, exact.
pub(crate) fn lost(host: &Host, row: usize) -> Option<(u64, u64)> {
    extra_of(host, row, extra::LOST)
}

/// Compares texts and shows the first lines that differ.
pub(crate) fn same(name: &str, got: &[u8], expected: &[u8]) {
    if got == expected {
        return;
    }
    let lines =
        |t: &[u8]| t.split(|&b| b == b'\n').map(|l| String::from_utf8_lossy(l).into_owned()).collect::<Vec<_>>();
    let (got, expected) = (lines(got), lines(expected));
    let at = got.iter().zip(&expected).position(|(g, e)| g != e).unwrap_or(got.len().min(expected.len()));
    panic!("{name}: line {} is\n{:?}\nnot\n{:?}", at + 1, got.get(at), expected.get(at));
}

/// The rows of a stream in the shape of `.expected.json`: records, and what is wrong with the stream between them.
pub(crate) fn items(host: &Host, bytes: &[u8]) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    let mut gap = false;
    host.render(bytes, want::FIELDS, |i, out| {
        let row = host.run.rows[i];
        match row.kind {
            note::GAP => gap = true,
            note::BAD_CHECK => items.push(json!({"error": "checksum"})),
            _ if row.flags & flag::NOTE != 0 => {}
            _ => items.push(item(host, &row, &out.fields, &out.blob, std::mem::take(&mut gap))),
        }
    })
    .unwrap();
    items
}

fn item(host: &Host, row: &Row, fields: &[Field], blob: &[u8], gap: bool) -> Value {
    let mut item = Map::new();
    item.insert("id".into(), (row.kind & 0xFF).into());
    let name = host.info.kind(row.kind).map_or_else(String::new, |k| k.name.to_string());
    item.insert("ev".into(), name.into());
    if row.flags & flag::TIME_OWN != 0 {
        item.insert("ts".into(), row.time.into());
    }
    if gap {
        item.insert("gap".into(), true.into());
    }
    let mut args = Map::new();
    let mut elements = Vec::new();
    for field in fields {
        let name = String::from_utf8_lossy(field.name.of(blob)).into_owned();
        let value = match field.tag {
            tag::SIGNED => (field.num as i64).into(),
            tag::BYTES => field.text.of(blob).iter().map(|b| format!("{b:02x}")).collect::<String>().into(),
            tag::TEXT => String::from_utf8_lossy(field.text.of(blob)).into_owned().into(),
            _ => field.num.into(),
        };
        if field.flags & field_flag::ITEM != 0 {
            elements.push(element(field.unit, value));
        } else if name == "seq" {
            item.insert("nseq".into(), value);
        } else {
            args.insert(name, value);
        }
    }
    let user = row.flags & flag::APP != 0;
    item.insert("args".into(), if user { elements.into() } else { args.into() });
    item.into()
}

fn element(unit: u16, value: Value) -> Value {
    const NAMES: [&str; 12] = ["I8", "UI8", "I16", "UI16", "I32", "UI32", "X32", "STR", "MEM", "OBJ", "FUN", "ESIG"];
    let (ty, width) = (usize::from(unit >> 8), unit & 0xFF);
    let mut element = json!({"t": NAMES[ty], "v": value});
    if ty <= 6 {
        element["w"] = width.into();
    }
    element
}
