//! The reference tool's text, byte for byte.

use crate::common::{file, reference, text};
use spytui_decoder_harness::same;

fn same_text(name: &str) {
    let (bytes, expected) = (file(&format!("{name}.kev")), file(&format!("{name}.traceprinter.txt")));
    for size in [usize::MAX, 7] {
        same(name, &text(&bytes, &reference(), size), &expected);
    }
}

#[test]
fn a_fast_trace_prints_alike() {
    same_text("fast-2cpu");
}

#[test]
fn a_wide_big_endian_trace_prints_alike() {
    same_text("wide-be");
}

#[test]
fn every_event_of_the_table_prints_alike() {
    same_text("ring-4cpu");
}

#[test]
fn a_number_has_two_digits_and_a_line_feed_prints() {
    let events = |text: &[u8]| {
        let text = String::from_utf8(text.to_vec()).unwrap();
        // The tool writes an extra byte after one attribute of this header.
        text.split_once(" -- KERNEL EVENTS -- ").unwrap().1.to_owned()
    };
    let expected = events(&file("call-number.traceprinter.txt"));
    assert!(expected.contains("TRACE_EVENT/01 ") && expected.contains("\"cba\nfed\""));
    assert_eq!(events(&text(&file("call-number.kev"), &reference(), 7)), expected);
}
