//! The rules of the plugin API, on every capture, damaged copies and noise.

use crate::common::decoder;
use spytui_decoder_harness::conform_captures;

/// Bytes used of each capture, which is decoded dozens of times.
const MOST: usize = 24_000;
const NATIVE: &[(&str, &[u8])] = &[];
const V7: &[(&str, &[u8])] = &[("reference", b"qspy-7.3.4")];
const V8: &[(&str, &[u8])] = &[("reference", b"qspy-8.1.3")];

fn prove(names: &[&str], opts: &[(&str, &[u8])]) {
    conform_captures(decoder(), env!("CARGO_MANIFEST_DIR"), names, MOST, opts);
}

#[test]
fn native() {
    prove(&["oven-734-flips", "every-record-812", "oven-734-small-assert"], NATIVE);
}

#[test]
fn native_of_damaged_streams() {
    prove(&["oven-815-garbage", "oven-734-drops", "formats-734"], NATIVE);
}

#[test]
fn reference_7() {
    prove(&["every-record-734", "oven-734-flips", "formats-734"], V7);
}

#[test]
fn reference_8() {
    prove(&["oven-815-garbage"], V8);
}
