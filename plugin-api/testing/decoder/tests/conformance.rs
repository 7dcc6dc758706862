//! The conformance kit on the test protocol.
#![allow(clippy::unwrap_used)]

use spytui_plugin_host::kit::{Sample, conform};
use spytui_testing_decoder::{plugin, stream::mixed};

fn sample<'a>(name: &'a str, opts: &[(&'a str, &'a [u8])], bytes: &'a [u8]) -> Sample<'a> {
    Sample { name, opts: opts.to_vec(), bytes }
}

#[test]
fn the_test_protocol_follows_the_contract() {
    let decoder = plugin().decoders().as_slice()[0];
    let (short, long) = (mixed(1, 200), mixed(2, 1500));
    conform(
        decoder,
        &[
            sample("empty", &[], b""),
            sample("short", &[("width", b"2"), ("names", b"1 one\n2 two\n")], &short),
            sample("long", &[], &long),
            sample("reference", &[("reference", b"toy-1")], &long),
        ],
    );
}
