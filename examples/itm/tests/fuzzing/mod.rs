//! The fuzz targets' code, which tests also run on the committed corpus.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use itm::Itm;
use spytui_decoder_harness::fuzzing::{self, ALL};
use spytui_plugin_api::{DecoderRef, decoder};

/// Options selected by a byte.
fn options(byte: u8) -> Vec<(&'static str, &'static [u8])> {
    let all: [(&str, &[u8]); 5] = [
        ("text", b"0,1,31"),
        ("text-words", b"yes"),
        ("clock", b"168000000"),
        ("prescaler", b"64"),
        ("ports", b"1=adc,2=state"),
    ];
    (0..).zip(all).filter(|(bit, _)| byte >> bit & 1 == 1).map(|(_, option)| option).collect()
}

fn itm() -> DecoderRef {
    decoder::<Itm>()
}

/// Any bytes give the same rows in two chunkings, all bytes are accounted for, and rows render.
pub fn stream(data: &[u8]) {
    let Some((whole, bytes)) = fuzzing::two_chunkings(itm(), options, data) else { return };
    whole.render(bytes, ALL, |_, _| {}).unwrap();
    let guesses = itm().probe(bytes, &[]).unwrap();
    assert!(guesses.iter().all(|guess| guess.explained <= 1000));
}

/// Any row with any raw bytes renders without a fault, twice the same.
pub fn render(data: &[u8]) {
    let [kind, high, flags, number, raw @ ..] = data else { return };
    let row = fuzzing::any_row([*kind, *high], *flags, 1, raw);
    let attachments = fuzzing::any_attachments(*number, |_| false);
    fuzzing::rendered_twice(itm(), &[], &row, &attachments, raw);
    fuzzing::rendered_truncated(itm(), &[], &row, &[], raw);
}
