//! Options: what each changes if the stream does not report it.

use crate::common::{decode, file};
use spytui_decoder_harness::Options;
use spytui_decoder_harness::encode::qnx::{Trace, class};
use spytui_plugin_api::Severity;
use spytui_plugin_host::kit::Host;

/// The events of a capture, without its header.
fn events(name: &str) -> Vec<u8> {
    let bytes = file(&format!("{name}.kev"));
    let at = crate::common::expected(name)["events_offset"].as_u64().unwrap() as usize;
    bytes[at..].to_vec()
}

fn rate(host: &Host) -> (u64, u64) {
    host.run.clocks.last().map(|clock| (clock.num, clock.den)).unwrap()
}

#[test]
fn without_a_header_options_say_what_the_target_is_like() {
    let with =
        |name, opts: &Options<'_>| decode(&events(name), &[&[("profile", &b"kev"[..])], &opts[..]].concat(), 4096);
    let plain = with("fast-2cpu", &vec![]);
    assert_eq!(rate(&plain).0, 0, "no rate, no nanoseconds");
    let reported = with("fast-2cpu", &vec![("cycles-per-sec", b"736629000")]);
    assert_eq!(rate(&reported), (1_000_000_000, 736_629_000));
    let records = |host: &Host| host.run.counters().records;
    assert_eq!((records(&plain), records(&reported)), (981, 981));
    // With one CPU, events of a second CPU are invalid.
    assert!(records(&with("fast-2cpu", &vec![("cpus", b"1")])) < 981);
    assert_eq!(records(&with("wide-be", &vec![("endian", b"big")])), 475);
    assert!(records(&with("wide-be", &vec![("endian", b"little")])) < 475);
    // The same number is a different call in each release.
    let mut trace = Trace::default();
    for low in 0..20 {
        trace.at(0, 100 + 10 * low).event(class::KER_CALL, 61, &[1, 2]);
    }
    let names = ["6", "7", "8"].map(|release| {
        let host = decode(&trace.bytes, &vec![("profile", b"kev"), ("release", release.as_bytes())], 4096);
        host.info.kind(host.run.rows[0].kind).unwrap().name.to_string()
    });
    assert_eq!(names, ["INTERRUPT_SPARE1", "INTERRUPT_CHARACTERISTIC", "INTERRUPT_UNBLOCK"]);
}

#[test]
fn the_opcode_of_exceptions_decides_what_is_one() {
    let bytes = file("classic-nto1.bin");
    let exceptions = |opts: &Options<'_>| {
        let host = decode(&bytes, opts, 4096);
        host.run.rows.iter().filter(|row| row.is_record() && row.severity != Severity::NORMAL).count()
    };
    assert!(exceptions(&vec![]) > 0);
    assert_eq!(exceptions(&vec![("profile", b"nto1"), ("exc-opcode", b"1")]), 0);
}
