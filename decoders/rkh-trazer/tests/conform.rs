//! The rules of the plugin API, on the captures, damaged copies and noise.

use crate::common::decoder;
use spytui_decoder_harness::conform_captures;

/// Bytes used of each capture, which is decoded dozens of times.
const MOST: usize = 8_000;

fn prove(names: &[&str], opts: &[(&str, &[u8])]) {
    conform_captures(decoder(), env!("CARGO_MANIFEST_DIR"), names, MOST, opts);
}

#[test]
fn native() {
    prove(&["gh340-default", "gh246-default"], &[]);
}

#[test]
fn native_of_damaged_and_bare_streams() {
    prove(&["el323-sig2-drop", "gh340-bare"], &[]);
}

#[test]
fn native_with_options() {
    prove(&["el340-filtered-mix"], &[("sender", b"1"), ("queue-lwm", b"1"), ("pool-lwm", b"1")]);
    prove(&["gh340-notcfg-nosnr"], &[("pool-lwm", b"1")]);
}

#[test]
fn reference() {
    prove(&["gh340-default-flip", "el340-wide"], &[("reference", b"trazer-3.2")]);
}
