//! What is guessed, and what is not.

#![allow(clippy::expect_used)]

mod encoder;

use itm::guess::guess;
use spytui_plugin_host::kit::Random;

#[test]
fn streams_are_recognised_from_anywhere() {
    let bytes = encoder::session(30);
    for start in [0, 1, 2, 3, 100] {
        let guess = guess(&bytes[start..], 1).expect("a guess");
        assert!(guess.evidence_bits > 1_000 && guess.explained > 990, "{guess:?}");
    }
}

#[test]
fn noise_and_other_data_are_not() {
    for seed in 0..50 {
        assert!(guess(&Random::new(seed).bytes(4_000), 1).is_none());
    }
    assert!(guess(b"", 1).is_none());
    assert!(guess(&[0; 4_000], 1).is_none());
    assert!(guess(&b"just some text, as a console shows it\r\n".repeat(50), 1).is_none());
}

/// Text as written by firmware that packs up to four characters into a packet.
fn words(line: &str, size: usize) -> Vec<u8> {
    line.as_bytes().chunks(size).flat_map(|chunk| encoder::software(0, chunk)).collect()
}

#[test]
fn text_in_words_is_guessed_by_what_it_says() {
    let options = |bytes: &[u8]| guess(bytes, 1).map(|guess| guess.options.to_string());
    for size in [2, 4] {
        let bytes = [&encoder::SYNC[..], &words("Hello, world! temperature 23.5\r\n\0\0", size)].concat();
        assert_eq!(options(&bytes).as_deref(), Some("text-words=yes\n"), "{size}");
        assert_eq!(guess(&bytes, 2).map(|guess| guess.options.to_string()).as_deref(), Some(""), "another port");
    }
    let numbers: Vec<u8> = (0..100_u32).flat_map(|n| encoder::software(0, &(n * 77_777).to_le_bytes())).collect();
    assert_eq!(options(&[&encoder::SYNC[..], &numbers].concat()).as_deref(), Some(""));
}
