//! Several runs in one stream: headers, restarts, and releases.

use crate::common::{decode, notes, place};
use spytui_decoder_harness::encode::qnx::{Trace, class};
use spytui_plugin_api::row::{RowFlags, RowKind};
use spytui_plugin_host::kit::Host;

const RELEASE_8: [(&str, &str); 2] = [("SYS_RELEASE", "8.0.0"), ("CPU_NUM", "2")];
const COOKIE: [u32; 2] = [0xE6E6_E6E6; 2];

/// A trace of release 6 with some events.
fn begun() -> Trace {
    let mut trace = Trace::default();
    trace.header(&[("SYS_RELEASE", "6.5.0"), ("CPU_NUM", "2")], 0).at(1, 90).buffer(7, 0).time(5);
    trace.at(0, 100).time(5);
    some(&mut trace, 3);
    trace
}

fn some(trace: &mut Trace, count: u32) {
    for _ in 0..count {
        trace.low += 10;
        trace.event(class::COMM, 0, &[7, 1]);
    }
}

fn epochs(host: &Host) -> Vec<u64> {
    host.run.rows.iter().filter(|row| row.has(RowFlags::EPOCH)).map(|row| row.pos).collect()
}

/// The upper half of the time of each record with a time.
fn highs(host: &Host) -> Vec<u64> {
    let timed = host.run.rows.iter().filter(|row| row.is_record() && row.has(RowFlags::TIME_OWN));
    timed.map(|row| row.time >> 32).collect()
}

#[test]
fn a_time_that_goes_back_alone_is_no_restart() {
    let mut trace = begun();
    // The upper half of the first one is damaged.
    trace.time(5 + 64).time(5);
    some(&mut trace, 1);
    trace.at(1, 150).event(class::COMM, 0, &[7, 1]);
    let host = decode(&trace.bytes, &vec![], 4096);
    assert!(epochs(&host).is_empty());
    assert_eq!(highs(&host), [5, 5, 5, 5, 5, 69, 5, 5, 5]);
}

#[test]
fn a_restart_of_release_8_is_seen_by_the_time_before_the_buffer() {
    let mut trace = Trace::default();
    trace.header(&RELEASE_8, 0);
    for cpu in [0, 1] {
        trace.at(cpu, 1000).time(9).buffer(40, 0);
        some(&mut trace, 2);
    }
    let second = trace.bytes.len() as u64 + 16;
    for cpu in [0, 1] {
        trace.at(cpu, 2000).time(2).buffer(0, 0);
        some(&mut trace, 2);
    }
    let host = decode(&trace.bytes, &vec![], 4096);
    assert_eq!(epochs(&host), [second]);
    assert_eq!(highs(&host), [vec![9; 8], vec![2; 8]].concat());
    assert_eq!(host.run.counters().gaps, 0);
}

#[test]
fn a_header_ends_the_event_that_it_cuts_off() {
    for cut in [1, 9, 15] {
        let mut trace = begun();
        trace.bytes.truncate(trace.bytes.len() - cut);
        let second = trace.bytes.len() as u64;
        trace.header(&[("SYS_RELEASE", "7.1.0")], 3).at(0, 100).buffer(1, 0).time(6);
        for size in [1, 7, 4096] {
            let host = decode(&trace.bytes, &vec![], size);
            let counters = host.run.counters();
            assert_eq!(epochs(&host), [second]);
            assert_eq!((counters.records, counters.resyncs, counters.skipped_bytes), (7, 1, 16 - cut as u64));
        }
    }
}

#[test]
fn of_a_header_that_was_cut_off_nothing_holds() {
    let mut trace = Trace::default();
    trace.header(&[("CPU_NUM", "1"), ("CYCLES_PER_SEC", "3")], 0);
    trace.bytes.truncate(trace.bytes.len() - 30);
    let cut = trace.bytes.len() as u64;
    trace.bytes.extend(begun().bytes);
    for size in [1, 4096] {
        let host = decode(&trace.bytes, &vec![], size);
        let counters = host.run.counters();
        assert_eq!((counters.records, counters.resyncs, counters.skipped_bytes), (6, 1, cut));
    }
    assert!(notes(&trace.bytes, &vec![]).iter().any(|(_, text)| text.starts_with("trace of QNX 6.5.0, 2 CPU")));
}

#[test]
fn the_end_of_a_buffer_shows_release_8() {
    let mut trace = Trace::default();
    // Nothing in the first bytes is specific to it.
    some(&mut trace, 300);
    trace.event(class::CONTROL, 4, &COOKIE).time(1).buffer(1, 0).event(class::INT, 7, &[3, 0]);
    some(&mut trace, 4);
    for (release, resyncs) in [(None, 0), (Some(&b"7"[..]), 1)] {
        let opts = release.map(|release| ("release", release)).into_iter().collect();
        let host = decode(&trace.bytes, &opts, 4096);
        let hints = host.run.rows.iter().filter(|row| row.kind == RowKind::HINT).count();
        assert_eq!((host.run.counters().resyncs, hints), (resyncs, usize::from(release.is_none())));
    }
}

#[test]
fn an_event_of_release_8_ends_in_the_next_buffer_of_its_cpu() {
    let mut trace = Trace::default();
    trace.header(&RELEASE_8, 0).at(1, 5).time(1).buffer(1, 0).part(1, class::USER, 3, [1, 2]);
    trace.at(0, 10);
    // Meanwhile, a busy CPU fills many buffers.
    for number in 0..60 {
        trace.time(1).buffer(number, 0);
        some(&mut trace, 1000);
    }
    trace.at(1, 5).time(1).buffer(2, 0).part(3, class::USER, 3, [3, 4]);
    let host = decode(&trace.bytes, &vec![], 1 << 16);
    assert_eq!(host.run.rows.iter().filter(|row| row.kind == RowKind::ORPHANS).count(), 0);
    let last = host.run.rows.len() - 1;
    assert_eq!(place(&host, last).1, 32);
}

#[test]
fn a_state_without_a_name_is_an_event() {
    for (release, state) in [("6.5.0", 21), ("7.1.0", 23), ("8.0.0", 23), ("8.0.0", 62)] {
        let mut trace = Trace::default();
        trace.header(&[("SYS_RELEASE", release)], 0).at(0, 5).event(class::THREAD, state, &[7, 2]);
        let host = decode(&trace.bytes, &vec![], 4096);
        let row = host.run.rows.iter().find(|row| row.is_record()).unwrap();
        assert_eq!(host.info.kind(row.kind).unwrap().name, format!("?{state}"));
    }
}
