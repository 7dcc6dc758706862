//! The rules of the plugin contract, on the captures, damaged copies and noise.

mod common;

use common::{decoder, file};
use spytui_plugin_api::kit::{Sample, conform};

/// Bytes of each capture that are used: each is decoded some dozen times.
const MOST: usize = 8_000;

fn prove(names: &[&str], opts: &[(&str, &[u8])]) {
    let files: Vec<_> = names.iter().map(|name| (*name, file(&format!("{name}.bin")))).collect();
    let samples: Vec<_> = files
        .iter()
        .map(|(name, bytes)| Sample { name, opts: opts.to_vec(), bytes: &bytes[..bytes.len().min(MOST)] })
        .collect();
    conform(decoder(), &samples);
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
