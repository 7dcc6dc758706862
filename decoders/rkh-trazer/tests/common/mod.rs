//! Captures, handmade frames, and shortcuts for decoding both.

#![allow(dead_code, clippy::unwrap_used)]

use serde_json::{Map, Value, json};
use spytui_decoder_harness::{Options, stuffed};
use spytui_plugin_api::{
    Field, Row,
    render::{FieldFlags, Tag, Want},
    row::{RowFlags, RowKind},
};
use spytui_plugin_host::kit::Host;

spytui_decoder_harness::shortcuts!(spytui_decoder_rkh::Rkh, spytui_decoder_rkh::RkhEncoder);

/// A JSON file next to the captures.
pub(crate) fn json_file(name: &str) -> Value {
    serde_json::from_slice(&file(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Options for what is known about a capture apart from its stream.
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

/// Options as passed to the decoder.
pub(crate) fn opts(list: &[(String, String)]) -> Options<'_> {
    list.iter().map(|(key, value)| (key.as_str(), value.as_bytes())).collect()
}

/// The rows of a stream in the form of `.expected.json`: records, and faults of the stream between them. In that file,
/// the first record of a stream without its start also has a gap.
pub(crate) fn items(host: &Host, bytes: &[u8]) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    let mut gap = false;
    host.render(bytes, Want::FIELDS, |i, out| {
        let row = host.run.rows[i];
        match row.kind {
            RowKind::GAP => gap = true,
            kind if host.info.kind(kind).is_some_and(|kind| kind.name == "attached late") => gap = true,
            RowKind::BAD_CHECK => items.push(json!({"error": "checksum"})),
            _ if !row.is_record() => {}
            _ => items.push(item(host, &row, &out.fields, &out.blob, std::mem::take(&mut gap))),
        }
    })
    .unwrap();
    items
}

fn item(host: &Host, row: &Row, fields: &[Field], blob: &[u8], gap: bool) -> Value {
    let mut item = Map::new();
    item.insert("id".into(), (row.kind.0 & 0xFF).into());
    let name = host.info.kind(row.kind).map_or_else(String::new, |k| k.name.to_string());
    item.insert("ev".into(), name.into());
    if row.flags.intersects(RowFlags::TIME_OWN) {
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
            Tag::SIGNED => (field.num as i64).into(),
            Tag::BYTES => field.text.of(blob).iter().map(|b| format!("{b:02x}")).collect::<String>().into(),
            Tag::TEXT => String::from_utf8_lossy(field.text.of(blob)).into_owned().into(),
            _ => field.num.into(),
        };
        if field.flags.contains(FieldFlags::ELEMENT) {
            elements.push(element(field, value));
        } else if name == "seq" {
            item.insert("nseq".into(), value);
        } else {
            args.insert(name, value);
        }
    }
    let user = row.flags.intersects(RowFlags::APPLICATION);
    item.insert("args".into(), if user { elements.into() } else { args.into() });
    item.into()
}

fn element(of: &Field, value: Value) -> Value {
    const NAMES: [&str; 12] = ["I8", "UI8", "I16", "UI16", "I32", "UI32", "X32", "STR", "MEM", "OBJ", "FUN", "ESIG"];
    let mut element = json!({"t": NAMES[usize::from(of.element)], "v": value});
    if of.element <= 6 {
        element["w"] = of.width.into();
    }
    element
}

/// A frame on the wire, with checksum and flag.
pub(crate) fn sealed(plain: &[u8], checksum: bool) -> Vec<u8> {
    let mut plain = plain.to_vec();
    if checksum {
        plain.push(plain.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)).wrapping_neg());
    }
    stuffed(&plain)
}

/// A configuration record of 2.4.4 and later, unstuffed and without checksum: sizes of stamp, pointer and signal.
pub(crate) fn tcfg(id: u8, version: u16, flags: u32, [stamp, pointer, signal]: [u8; 3]) -> Vec<u8> {
    let ([v0, v1], [f0, f1, f2, f3]) = (version.to_le_bytes(), flags.to_le_bytes());
    vec![id, v0, v1, f0, f1, f2, f3, signal << 4 | stamp, pointer << 4 | 2, 0x11, 0x02, 0x14, 0xE8, 0x03]
}

/// Everything on: sender, watermarks, number, stamp, checksum.
pub(crate) const FULL: u32 = 0x3_FE0F;

/// A stream of frames with consecutive sequence numbers.
#[derive(Clone)]
pub(crate) struct Stream {
    pub(crate) bytes: Vec<u8>,
    pub(crate) seq: u8,
    pub(crate) time: u32,
    stamp: usize,
    nseq: bool,
    checksum: bool,
}

impl Stream {
    /// Starts like a 3.4 target, with everything on and the usual sizes.
    pub(crate) fn start() -> Stream {
        Stream::reported(&tcfg(0xAC, 0x3400, FULL, [4, 4, 1]))
    }

    /// Starts with this configuration record.
    pub(crate) fn reported(tcfg: &[u8]) -> Stream {
        let flags = u32::from_le_bytes([tcfg[3], tcfg[4], tcfg[5], tcfg[6]]);
        let mut stream = Stream::of(flags, usize::from(tcfg[7] & 15));
        stream.tcfg(tcfg);
        stream
    }

    /// Starts with only the first flag: sequence number, stamp and checksum as in `flags`.
    pub(crate) fn of(flags: u32, stamp: usize) -> Stream {
        let stamp = if flags >> 16 & 1 == 1 { stamp } else { 0 };
        let (nseq, checksum) = (flags >> 15 & 1 == 1, flags >> 17 & 1 == 1);
        Stream { bytes: vec![0x7E], seq: 0, time: 100, stamp, nseq, checksum }
    }

    /// Adds a configuration record.
    pub(crate) fn tcfg(&mut self, tcfg: &[u8]) -> &mut Stream {
        self.bytes.extend(sealed(tcfg, self.checksum));
        self
    }

    /// The next frame, without stuffing and checksum.
    pub(crate) fn plain(&self, id: u8, args: &[u8]) -> Vec<u8> {
        let mut plain = vec![id];
        if self.nseq {
            plain.push(self.seq);
        }
        plain.extend(&self.time.to_le_bytes()[..self.stamp]);
        plain.extend(args);
        plain
    }

    /// Adds an event.
    pub(crate) fn add(&mut self, id: u8, args: &[u8]) -> &mut Stream {
        self.bytes.extend(sealed(&self.plain(id, args), self.checksum));
        self.seq = self.seq.wrapping_add(1);
        self.time += 10;
        self
    }

    /// Adds a post: object, signal, elements in the queue.
    pub(crate) fn post(&mut self, id: u8, object: u8, signal: u8, elements: u8) -> &mut Stream {
        self.add(id, &[object, 0, 0, 0, signal, 9, 0, 0, 0, 0, 0, elements, 0])
    }

    /// Adds a get: object, signal, elements left.
    pub(crate) fn get(&mut self, object: u8, signal: u8, left: u8) -> &mut Stream {
        self.add(66, &[object, 0, 0, 0, signal, 0, 0, left, 0])
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Stream {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Skips records.
    pub(crate) fn lose(&mut self, records: u8) -> &mut Stream {
        self.seq = self.seq.wrapping_add(records);
        self
    }
}
