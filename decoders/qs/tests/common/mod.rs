//! The captures, and a short way to decode them.

use spytui_plugin_api::{DecoderRef, kit::Host};

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
