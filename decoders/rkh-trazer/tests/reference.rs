//! The reference host's text of every capture, byte for byte where it is right.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Opts, file, same, text};

const STYLE: (&str, &[u8]) = ("reference", b"trazer-3.2");

/// The host's text from the first event on.
fn events(name: &str) -> Vec<u8> {
    let text = file(&format!("{name}.txt"));
    let banner = b"-------- Parsing trace stream from file ";
    let start = text.windows(banner.len()).position(|w| w == banner).unwrap();
    let line = text[start..].iter().position(|&b| b == b'\n').unwrap();
    text[start + line + 2..].to_vec()
}

fn golden(name: &str, opts: &Opts<'_>) {
    let bytes = file(&format!("{name}.bin"));
    for size in [65_536, 1, 7, 1000] {
        same(&format!("{name} in chunks of {size}"), &text(&bytes, opts, size), &events(name));
    }
}

#[test]
fn captures_whose_text_is_right() {
    for name in ["gh340-default", "gh300-sig1ts1", "el340-filtered", "gh340-default-flip"] {
        golden(name, &vec![STYLE]);
    }
}
