//! The captures, frames made by hand, and a short way to decode both.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_plugin_api::{DecoderRef, Row, batch::extra, kit::Host, render::want, row::flag};

/// The decoder through its tables.
pub(crate) fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_qs::Qs>()
}

/// Options as pairs.
pub(crate) type Opts<'a> = Vec<(&'a str, &'a [u8])>;

/// A file among the captures.
pub(crate) fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
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

/// A frame on the wire.
pub(crate) fn frame(seq: u8, id: u8, payload: &[u8]) -> Vec<u8> {
    let mut plain = vec![seq, id];
    plain.extend_from_slice(payload);
    plain.push(!plain.iter().fold(0u8, |sum, &b| sum.wrapping_add(b)));
    let mut wire = Vec::new();
    for byte in plain {
        if matches!(byte, 0x7D | 0x7E) {
            wire.extend([0x7D, byte ^ 0x20]);
        } else {
            wire.push(byte);
        }
    }
    wire.push(0x7E);
    wire
}

/// A stream of frames with running numbers.
pub(crate) struct Stream {
    pub(crate) bytes: Vec<u8>,
    pub(crate) seq: u8,
}

impl Stream {
    /// Begins as a target does: QS_EMPTY, then info with reset, with default sizes.
    pub(crate) fn start() -> Stream {
        Stream::of_version(734)
    }

    /// The same for a target of some version.
    pub(crate) fn of_version(version: u16) -> Stream {
        let mut stream = Stream { bytes: Vec::new(), seq: 1 };
        stream.add(0, &[]);
        stream.add(64, &info(0xFF, version, 4));
        stream
    }

    /// Nothing yet.
    pub(crate) fn empty() -> Stream {
        Stream { bytes: Vec::new(), seq: 1 }
    }

    /// Adds a record.
    pub(crate) fn add(&mut self, id: u8, payload: &[u8]) -> &mut Stream {
        self.bytes.extend(frame(self.seq, id, payload));
        self.seq = self.seq.wrapping_add(1);
        self
    }

    /// Adds QF_TICK or another record without keys: `id` 39, stamp and nesting.
    pub(crate) fn stamp(&mut self, time: u32) -> &mut Stream {
        let [a, b, c, d] = time.to_le_bytes();
        self.add(39, &[a, b, c, d, 1])
    }

    /// Adds bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Stream {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Leaves out records.
    pub(crate) fn lose(&mut self, records: u8) -> &mut Stream {
        self.seq = self.seq.wrapping_add(records);
        self
    }
}

/// Target info in the layout before 8: sig 2, evt 2, que 1, tev 4, blk 2, ctr 2, stamp 4.
pub(crate) fn info(reset: u8, version: u16, pointer: u8) -> Vec<u8> {
    let [low, high] = version.to_le_bytes();
    let pointers = pointer << 4 | pointer;
    vec![reset, low, high, 0x22, 0x41, 0x22, pointers, 0x04, 32, 0x23, 9, 30, 14, 20, 11, 26]
}
