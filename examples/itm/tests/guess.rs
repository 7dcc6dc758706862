//! What is guessed, and what isn't.

#![allow(clippy::expect_used)]

mod encoder;

use itm::guess::guess;
use spytui_plugin_api::kit::Random;

#[test]
fn streams_are_recognised_from_anywhere() {
    let bytes = encoder::session(30);
    for start in [0, 1, 2, 3, 100] {
        let guess = guess(&bytes[start..]).expect("a guess");
        assert!(guess.evidence_bits > 1_000 && guess.explained > 990, "{guess:?}");
    }
}

#[test]
fn noise_and_other_data_are_not() {
    for seed in 0..50 {
        assert!(guess(&Random::new(seed).bytes(4_000)).is_none());
    }
    assert!(guess(b"").is_none());
    assert!(guess(&[0; 4_000]).is_none());
    assert!(guess(&b"just some text, as a console shows it\r\n".repeat(50)).is_none());
}
