//! Guesses whether a sample is RKH, and its sizes.

use crate::common::{Stream, decode, decoder, file, items, options_of, opts};
use spytui_decoder_harness::Options;
use spytui_plugin_api::info::{Guess, OptVal};
use spytui_plugin_host::kit::{Random, opt_vals};

fn guesses(sample: &[u8], opts: &[OptVal<'_>]) -> Vec<Guess> {
    decoder().probe(sample, opts).unwrap().to_vec()
}

/// The capture without its configuration record.
fn cut(bytes: &[u8]) -> Vec<u8> {
    let end = bytes[1..].iter().position(|&b| b == 0x7E).unwrap();
    bytes[1 + end..].to_vec()
}

/// The second half, starting in the middle of a frame.
fn middle(bytes: &[u8]) -> Vec<u8> {
    bytes[bytes.len() / 2..].to_vec()
}

/// More text than frames, as from a shell or a crashing target.
#[test]
fn text_between_frames_is_no_doubt() {
    let start = Stream::start();
    for text in [&b"uart:~$ "[..], b"\xA0\x02\x81\r\nMPU FAULT at 0x08001234\r\n"] {
        let mut stream = Stream::start();
        stream.post(67, 1, 5, 1).get(1, 5, 0).raw(text).raw(&start.bytes[1..]);
        stream.seq = 0;
        stream.post(67, 1, 5, 1).raw(b"ls ~/a\r\n").get(1, 5, 0);
        let guess = guesses(&stream.bytes, &[]).remove(0);
        assert!(guess.explained >= 900, "{text:?}: {guess:?}");
    }
}

/// The part of a capture to use.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Whole,
    /// Without its configuration record.
    ByteRange,
    /// From the middle of a frame.
    Middle,
}

use Part::{ByteRange, Middle, Whole};

impl Part {
    fn of(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Whole => bytes.to_vec(),
            ByteRange => cut(bytes),
            Middle => middle(bytes),
        }
    }
}

const ALL: &str = "sender=1 queue-lwm=1 pool-lwm=1";
const SIG2: &str = "signal=2 timestamp=2 ntimer=4 sender=1 queue-lwm=1 pool-lwm=1";
const TS1: &str = "timestamp=1 ntimer=1 esize=1 sender=1 queue-lwm=1 pool-lwm=1";
const WIDE: &str = "nblock=2 nelem=2 esize=4 bsize=4 sender=1 queue-lwm=1 pool-lwm=1";
const WIDE_LATER: &str = "nblock=2 nelem=2 esize=4 sender=1 queue-lwm=1 pool-lwm=1";
const BARE: &str = "sender=1 queue-lwm=1 pool-lwm=1 nseq=0 checksum=0 tstamp=0";
const R246: &str = "version=2.4.06 sender=1 queue-lwm=1 pool-lwm=1";
const REPORTED: &str = "reported by the target";

/// Capture, part, guessed options besides the usual values, confidence, per mille of the bytes explained, settings that
/// no frame shows.
#[rustfmt::skip]
const TABLE: [(&str, Part, &str, &str, u16, &str); 32] = [
    ("gh340-default", Whole, "", REPORTED, 1000, ""),
    ("gh340-default", ByteRange, ALL, "sure", 1000, ""),
    ("gh340-default", Middle, ALL, "sure", 1000, "bsize"),
    ("gh340-default-flip", Whole, "", REPORTED, 991, ""),
    ("gh340-default-flip", ByteRange, ALL, "sure", 991, ""),
    ("gh340-default-flip", Middle, ALL, "sure", 987, "bsize"),
    ("el323-sig2", Whole, "", REPORTED, 1000, ""),
    ("el323-sig2", ByteRange, SIG2, "sure", 1000, ""),
    ("el323-sig2", Middle, SIG2, "sure", 1000, "bsize"),
    ("el323-sig2-drop", Whole, "", REPORTED, 996, ""),
    ("el323-sig2-drop", ByteRange, SIG2, "sure", 996, ""),
    ("el323-sig2-drop", Middle, SIG2, "sure", 998, "bsize"),
    ("gh300-sig1ts1", Whole, "", REPORTED, 1000, ""),
    ("gh300-sig1ts1", ByteRange, TS1, "sure", 1000, ""),
    ("gh300-sig1ts1", Middle, TS1, "sure", 1000, "bsize"),
    ("el340-filtered", Whole, "", REPORTED, 1000, ""),
    ("el340-filtered", ByteRange, ALL, "sure", 1000, ""),
    ("el340-filtered", Middle, ALL, "sure", 1000, "bsize"),
    ("el340-filtered-mix", Whole, ALL, "sure", 993, "bsize"),
    ("el340-filtered-mix", Middle, ALL, "sure", 988, "bsize"),
    ("el340-wide", Whole, "", REPORTED, 1000, ""),
    ("el340-wide", ByteRange, WIDE, "sure", 1000, ""),
    ("el340-wide", Middle, WIDE_LATER, "sure", 1000, "bsize"),
    ("gh340-bare", Whole, "", REPORTED, 1000, ""),
    ("gh340-bare", ByteRange, BARE, "sure", 1000, ""),
    ("gh340-bare", Middle, BARE, "sure", 1000, "bsize"),
    // The stream does not report its sizes, but its frames show them.
    ("gh340-notcfg-nosnr", Whole, "pool-lwm=1", "sure", 1000, ""),
    ("gh340-notcfg-nosnr", ByteRange, "pool-lwm=1", "sure", 1000, ""),
    ("gh340-notcfg-nosnr", Middle, "pool-lwm=1", "sure", 1000, "bsize"),
    ("gh246-default", Whole, "", REPORTED, 1000, ""),
    ("gh246-default", ByteRange, R246, "sure", 1000, ""),
    ("gh246-default", Middle, R246, "sure", 1000, "bsize"),
];

#[test]
fn what_is_guessed_of_each_capture() {
    for (name, part, options, sure, explained, open) in TABLE {
        let sample = part.of(&file(&format!("{name}.bin")));
        let guess = guesses(&sample, &[]).remove(0);
        let got = guess.options.trim_end().replace('\n', " ");
        assert_eq!(got, options, "{name} {part:?}");
        assert_eq!(guess.explained, explained, "{name} {part:?}");
        assert_eq!(guess.why.split(':').next(), Some(sure), "{name} {part:?}");
        let shown = guess.why.split("; no frame shows ").nth(1).unwrap_or("");
        assert_eq!(shown, open, "{name} {part:?}");
    }
}

/// Decoding with the guess equals decoding with the known configuration.
#[test]
fn a_guess_decodes() {
    for (name, part, ..) in TABLE.iter().filter(|(_, part, ..)| *part != Whole) {
        let sample = part.of(&file(&format!("{name}.bin")));
        let guess = guesses(&sample, &[]).remove(0);
        let guessed: Options<'_> =
            guess.options.lines().filter_map(|l| l.split_once('=')).map(|(k, v)| (k, v.as_bytes())).collect();
        let known = options_of(name);
        let got = items(&decode(&sample, &guessed, 4096), &sample);
        assert!(got == items(&decode(&sample, &opts(&known), 4096), &sample), "{name} {part:?}");
    }
}

#[test]
fn the_first_frames_are_enough() {
    let sample = cut(&file("el323-sig2.bin"));
    let end = sample.iter().enumerate().filter(|(_, b)| **b == 0x7E).nth(200).unwrap().0;
    let guess = guesses(&sample[..=end], &[]).remove(0);
    assert_eq!(guess.options.trim_end().replace('\n', " "), SIG2, "{guess:?}");
}

#[test]
fn what_was_given_is_not_doubted() {
    let sample = cut(&file("gh340-default.bin"));
    let given = opt_vals(&[("cfg", b"TRAZER_EN_SENDER=0\nTRAZER_SIZEOF_SIG=1\n"), ("pool-lwm", b"1")]);
    let guess = guesses(&sample, &given).remove(0);
    let keys: Vec<&str> = guess.options.lines().filter_map(|l| l.split('=').next()).collect();
    assert!(keys.iter().all(|k| !["sender", "signal", "pool-lwm"].contains(k)), "{guess:?}");
    assert!(keys.contains(&"queue-lwm") && guess.explained < 1000, "{guess:?}");
}

#[test]
fn a_configuration_that_comes_late_is_guessed_too() {
    let bytes = file("el340-wide.bin");
    let late = [cut(&bytes), bytes].concat();
    let guess = guesses(&late, &[]).remove(0);
    assert_eq!(guess.options.trim_end().replace('\n', " "), WIDE, "{guess:?}");
}

#[test]
fn two_builds_in_one_recording_have_sizes_of_their_own() {
    for names in [["gh340-default", "el340-wide"], ["el323-sig2", "gh340-default"], ["gh300-sig1ts1", "el323-sig2"]] {
        let sample = names.map(|name| file(&format!("{name}.bin"))).concat();
        let guess = guesses(&sample, &[]).remove(0);
        assert!(guess.explained >= 990 && guess.why.starts_with(REPORTED), "{names:?}: {guess:?}");
    }
}

#[test]
fn noise_text_and_other_protocols_are_not_rkh() {
    let mut random = Random::new(3);
    let explained = |sample: &[u8]| guesses(sample, &[]).first().map_or(0, |g| g.explained);
    let guess = guesses(&random.bytes(100_000), &[]).remove(0);
    assert!(guess.explained < 100 && guess.why.starts_with("not sure"), "{guess:?}");
    assert_eq!(explained(b"hello ~ world\n".repeat(1000).as_slice()), 0);
    assert_eq!(explained(b""), 0);
    let qs = std::fs::read(format!("{}/../qs/tests/captures/oven-734.bin", env!("CARGO_MANIFEST_DIR"))).unwrap();
    assert!(explained(&qs) < 500);
}
