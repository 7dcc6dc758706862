//! Turns rows into text and fields, using only the row's bytes.

use std::io::Write as _;

use spytui_plugin_api::{
    Dict, Field, RowIn, RowKind, TextWriter, Want,
    render::{FieldFlags, Tag},
};

use crate::{
    describe::{self, kind},
    packet::{Packet, Parsed, characters, parse},
};

/// Names of the counters in an event packet, by bit.
const COUNTERS: [&str; 6] = ["CPI", "exception", "sleep", "LSU", "fold", "cycle"];

/// Writes a row.
pub fn row(row: &RowIn<'_>, _: &Dict<'_>, want: Want, out: &mut TextWriter<'_>) {
    let raw = row.raw.as_slice();
    object(row, want, out);
    match row.row.kind {
        RowKind::HINT => out.put(b"no synchronisation at the start: the first records may be wrong"),
        kind::TEXT => text(raw, want, out),
        _ if row.row.is_record() => {
            if let Parsed::Packet(packet, _) = parse(raw) {
                Writer { want, out, wrote: false }.packet(packet);
            }
            delayed(raw, want, out);
        }
        _ => {}
    }
}

/// Adds the object's key as a field; lists show it in its own column.
fn object(row: &RowIn<'_>, want: Want, out: &mut TextWriter<'_>) {
    let space = describe::object_space(row.row.kind);
    if let Some(name) = describe::key_name(space).filter(|_| want.contains(Want::FIELDS)) {
        out.field(name, Field { num: row.row.obj, tag: Tag::KEY, space, ..Field::default() });
    }
}

/// The packets of a row.
fn packets(raw: &[u8]) -> impl Iterator<Item = Packet> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let Parsed::Packet(packet, len) = parse(rest) else { return None };
        rest = rest.get(len..)?;
        Some(packet)
    })
}

/// Writes the characters of a line.
fn text(raw: &[u8], want: Want, out: &mut TextWriter<'_>) {
    let mut line = Vec::new();
    for packet in packets(raw) {
        match packet {
            Packet::Software { size: 1, value, .. } => line.push(value as u8),
            Packet::Software { value, .. } => {
                line.extend_from_slice(characters(&value.to_le_bytes()).unwrap_or_default())
            }
            _ => {}
        }
    }
    while matches!(line.last(), Some(b'\n' | b'\r')) {
        line.pop();
    }
    if want.contains(Want::TEXT) {
        line.iter().for_each(|byte| escaped(*byte, out));
    }
    if want.contains(Want::FIELDS) {
        out.field_text("text", Field { tag: Tag::TEXT, ..Field::default() }, &line);
    }
}

fn escaped(byte: u8, out: &mut TextWriter<'_>) {
    match byte {
        0..0x20 | 0x7F => out.put(format!("\\x{byte:02x}").as_bytes()),
        _ => out.put(&[byte]),
    }
}

/// Adds a mark if the time of a record is not exact.
fn delayed(raw: &[u8], want: Want, out: &mut TextWriter<'_>) {
    let delayed = packets(raw).find_map(|packet| match packet {
        Packet::Local { delayed, .. } => Some(delayed),
        _ => None,
    });
    if want.contains(Want::TEXT) {
        match delayed {
            Some(1) => out.put(" · time late".as_bytes()),
            Some(2) => out.put(" · record late".as_bytes()),
            Some(3) => out.put(" · record and time late".as_bytes()),
            _ => {}
        }
    }
}

struct Writer<'w, 'o> {
    want: Want,
    out: &'w mut TextWriter<'o>,
    wrote: bool,
}

impl Writer<'_, '_> {
    fn packet(&mut self, packet: Packet) {
        match packet {
            Packet::Software { size, value, .. } | Packet::Data { size, value, .. } => {
                self.number("value", value.into());
                self.hidden("size", size.into());
            }
            Packet::PcSample(Some(pc)) | Packet::DataPc { pc, .. } => self.hex("pc", pc, 8),
            Packet::DataAddress { address, .. } => self.hex("address", address.into(), 4),
            Packet::Events(bits) => self.events(bits),
            Packet::Local { delta, .. } => self.number("delta", delta.into()),
            Packet::GlobalLow { ticks, wrapped, clock_changed } => {
                self.number("low", ticks.into());
                self.flag("wrapped", wrapped);
                self.flag("clock_changed", clock_changed);
            }
            Packet::GlobalHigh(bits) => self.number("high", bits),
            Packet::Page(page) => self.number("page", page.into()),
            Packet::Extension(bits) => self.number("bits", bits.into()),
            Packet::Exception { .. } | Packet::PcSample(None) | Packet::Sync | Packet::Overflow => {}
        }
    }

    fn word(&mut self, word: &str) {
        if self.want.contains(Want::TEXT) {
            if std::mem::replace(&mut self.wrote, true) {
                self.out.put(b"  ");
            }
            self.out.put(word.as_bytes());
        }
    }

    fn number(&mut self, name: &str, number: u64) {
        self.word(&format!("{name} {number}"));
        self.hidden(name, number);
    }

    /// Adds a field that does not appear in the line.
    fn hidden(&mut self, name: &str, num: u64) {
        self.field(name, Field { num, ..Field::default() });
    }

    fn hex(&mut self, name: &str, number: u32, digits: usize) {
        self.word(&format!("{name} 0x{number:0digits$x}"));
        self.field(name, Field { num: number.into(), flags: FieldFlags::HEX, ..Field::default() });
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.word(&name.replace('_', " "));
        }
        self.field(name, Field { num: is_set.into(), tag: Tag::BOOL, ..Field::default() });
    }

    fn events(&mut self, bits: u8) {
        let mut line = Vec::new();
        for (_, name) in (0..).zip(COUNTERS).filter(|(bit, _)| bits >> bit & 1 != 0) {
            let _ = write!(line, "{}{name}", if line.is_empty() { "" } else { " " });
        }
        self.word(&format!("{} wrapped", String::from_utf8_lossy(&line)));
        self.field("counters", Field { num: bits.into(), flags: FieldFlags::HEX, ..Field::default() });
    }

    fn field(&mut self, name: &str, field: Field) {
        if self.want.contains(Want::FIELDS) {
            self.out.field(name, field);
        }
    }
}
