//! The reference tool's text, byte for byte.

mod common;

use common::{file, reference, text};
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
