//! The captures, and a short way to decode them.

#![allow(dead_code, clippy::unwrap_used)]

use spytui_plugin_api::{DecoderRef, Row, batch::extra, kit::Host, render::want, row::flag};

/// Captures of one core, and one of the two files of the capture of two.
pub(crate) const CAPTURES: [(&str, &str); 13] = [
    ("boiler_basic", "bare-metal"),
    ("boiler_drops", "bare-metal"),
    ("boiler_long_text", "bare-metal"),
    ("boiler_two_core.c0", "bare-metal"),
    ("boiler_two_core.c1", "bare-metal"),
    ("brew_late", "free-rtos"),
    ("brew_snapshot", "free-rtos"),
    ("brew_stream", "free-rtos"),
    ("damaged_boiler_flips", "bare-metal"),
    ("damaged_boiler_noise", "bare-metal"),
    ("damaged_brew_gaps", "free-rtos"),
    ("edge_frames_baremetal", "bare-metal"),
    ("edge_frames_freertos", "free-rtos"),
];

/// The decoder through its tables.
pub(crate) fn decoder() -> DecoderRef {
    spytui_plugin_api::decoder::<spytui_decoder_tband::Tband>()
}

/// Options as pairs.
pub(crate) type Opts<'a> = Vec<(&'a str, &'a [u8])>;

/// Options of the reference style.
pub(crate) fn reference(mode: &str) -> Opts<'_> {
    let mut opts: Opts<'_> = vec![("reference", b"tband-0.1.0")];
    if !mode.is_empty() {
        opts.push(("mode", mode.as_bytes()));
    }
    opts
}

/// A file among the captures.
pub(crate) fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/captures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Decodes a stream in chunks of `size`.
pub(crate) fn decode(bytes: &[u8], opts: &Opts<'_>, size: usize) -> Host {
    Host::open(decoder(), opts).unwrap().stream(bytes, size).unwrap()
}

/// Text of a stream as the reference tool writes it.
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
pub(crate) fn rows(bytes: &[u8]) -> Vec<(Row, String)> {
    let host = decode(bytes, &vec![], 4096);
    let lines = lines(&host, bytes);
    host.run.rows.iter().copied().zip(lines).collect()
}

/// The rows that are no records: kind and text.
pub(crate) fn notes(bytes: &[u8]) -> Vec<(u16, String)> {
    let noted = |(row, text): (Row, String)| (row.flags & flag::NOTE != 0).then_some((row.kind, text));
    rows(bytes).into_iter().filter_map(noted).collect()
}

/// An extra of a row.
pub(crate) fn extra_of(host: &Host, row: usize, id: u16) -> Option<(u64, u64)> {
    host.run.extras_of(row).iter().find(|e| e.id == id).map(|e| (e.a, e.b))
}

/// Number lost of a row.
pub(crate) fn lost(host: &Host, row: usize) -> Option<u64> {
    extra_of(host, row, extra::LOST).map(|e| e.0)
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
