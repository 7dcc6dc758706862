//! The reference hosts' text of every capture, byte for byte.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Opts, file, same, text};

const V7: (&str, &[u8]) = ("reference", b"qspy-7.3.4");
const V8: (&str, &[u8]) = ("reference", b"qspy-8.1.3");

fn golden(name: &str, opts: &Opts<'_>) {
    let (bytes, expected) = (file(&format!("{name}.bin")), file(&format!("{name}.txt")));
    for size in [65_536, 1, 7, 1000] {
        same(&format!("{name} in chunks of {size}"), &text(&bytes, opts, size), &expected);
    }
}

#[test]
fn clean_streams_of_7() {
    for name in ["oven-734", "oven-734-rx", "oven-693-32bit", "oven-734-small-assert", "oven-734-nodict"] {
        golden(name, &vec![V7]);
    }
}

#[test]
fn every_record_and_every_element() {
    golden("every-record-734", &vec![V7]);
    golden("formats-734", &vec![V7]);
    golden("every-record-812", &vec![V8]);
}

#[test]
fn clean_streams_of_8() {
    golden("oven-815", &vec![V8]);
}

#[test]
fn flipped_bits() {
    golden("oven-734-flips", &vec![V7]);
}

#[test]
fn missing_pieces_with_sizes_from_options() {
    golden("oven-734-drops", &vec![V7, ("obj-ptr", b"8"), ("fun-ptr", b"8")]);
}

#[test]
fn noise_repeats_and_extra_flags() {
    golden("oven-815-garbage", &vec![V8]);
}

#[test]
fn names_from_a_dictionary_file() {
    let dic = file("oven-734-small-assert.dic");
    golden("oven-734-small-assert-nodic", &vec![V7, ("dic", &dic)]);
}

#[test]
fn a_dictionary_file_that_is_not_there() {
    let (bytes, expected) = (file("oven-734-small-assert.bin"), file("oven-734-small-assert.dic-run.txt"));
    let text = text(&bytes, &vec![V7, ("dic", b"")], 65_536);
    same("head of the run with -d", &text[..expected.len()], &expected);
}
