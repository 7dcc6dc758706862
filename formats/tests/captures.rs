//! Whole lines of two captures, from their data.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use spytui_formats::{Data, Dialect, Event, IntWidth, Loader, Table, What};

fn table(text: &str) -> Table {
    let mut loader = Loader::new();
    loader.add_text(text.as_bytes());
    let loaded = loader.finish();
    assert_eq!(loaded.faults, []);
    loaded.table
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn number(record: &Value, name: &str) -> Option<u64> {
    record.get(name).and_then(Value::as_u64)
}

fn line(table: &Table, dialect: Dialect, record: &Value) -> String {
    let opcode = number(record, "opcode").map(|opcode| opcode as u8);
    let what = match number(record, "code") {
        Some(code) => What::Code { code: code as u32, severity: number(record, "sev").unwrap() as u8 },
        None => What::Profile(opcode.unwrap()),
    };
    let seconds = number(record, "sec").unwrap() as i64;
    let nanos = number(record, "ns").unwrap() as u32;
    let dat20 = number(record, "dat20").map(|bits| bits as u32);
    let is_small = record.get("small").and_then(Value::as_bool).unwrap_or_default();
    let int_width = if is_small { IntWidth::Two } else { IntWidth::Four };
    let bytes = bytes(record["data"].as_str().unwrap());
    let mut out = Vec::new();
    let event = Event { seconds, nanos, what, opcode, dat20 };
    table.put_line(dialect, &event, &Data { int_width, ..Data::new(&bytes) }, &mut out);
    String::from_utf8(out).unwrap()
}

fn check(dialect: Dialect, format: &str, expected: &str, text: &str) {
    let table = table(format);
    let expected: Value = serde_json::from_str(expected).unwrap();
    let records = expected["records"].as_array().unwrap();
    assert_eq!(records.len(), text.lines().count());
    for (record, text) in records.iter().zip(text.lines()) {
        assert_eq!(line(&table, dialect, record), text, "record {}", record["i"]);
    }
}

#[test]
fn qnx4_lines_are_those_of_the_capture() {
    check(
        Dialect::Qnx4,
        include_str!("captures/classic-qnx4.fmt"),
        include_str!("captures/classic-qnx4.expected.json"),
        include_str!("captures/classic-qnx4.txt"),
    );
}

#[test]
fn nto1_lines_are_those_of_the_capture() {
    check(
        Dialect::Nto1,
        include_str!("captures/classic-nto1.fmt"),
        include_str!("captures/classic-nto1.expected.json"),
        include_str!("captures/classic-nto1.txt"),
    );
}
