//! The rules of the plugin API, on generated streams, intact and damaged.

#![allow(clippy::expect_used)]

mod encoder;

use encoder::*;
use itm::Itm;
use spytui_plugin_api::decoder;
use spytui_plugin_host::kit::{Sample, conform};

#[test]
fn the_rules_of_the_plugin_api_hold() {
    let bytes = session(60);
    let untimed = text(0, "no time stamps at all\n").repeat(40);
    let zeros = [&[0; 300][..], &SYNC, &[0; 3], &software(1, &[7])].concat();
    let cut = &bytes[9..];
    let samples = [
        ("whole", &bytes[..]),
        ("from the middle", cut),
        ("without time stamps", &untimed),
        ("zeros", &zeros),
        ("empty", b""),
    ];
    conform(decoder::<Itm>(), &samples.map(|(name, bytes)| Sample { name, opts: Vec::new(), bytes }));
    let opts: Vec<(&str, &[u8])> =
        vec![("clock", b"168000000"), ("prescaler", b"4"), ("ports", b"1=adc"), ("text", b"0,1")];
    conform(decoder::<Itm>(), &[Sample { name: "options", opts, bytes: &bytes }]);
}
