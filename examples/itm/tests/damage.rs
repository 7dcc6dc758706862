//! Damaged streams: every byte is in a row, and intact packets are found again.

#![allow(clippy::expect_used)]

mod encoder;

use encoder::*;
use itm::Itm;
use spytui_plugin_api::{RowKind, Verb, decoder};
use spytui_plugin_host::kit::{Host, Random, lines};

#[test]
fn a_reserved_header_is_reported_and_the_next_packet_is_found() {
    let bytes = [&SYNC[..], &software(1, &[7]), &[0x80, 0xA0, 0x04], &software(1, &[8]), &OVERFLOW].concat();
    let got = lines(decoder::<Itm>(), &[], &bytes).expect("it decodes");
    let expected = ["SYNC", "VALUE  value 7", "damaged frame · 3 B", "VALUE  value 8", "≥1 record lost · ring"];
    assert_eq!(got, expected);
}

#[test]
fn damage_costs_no_more_than_what_is_damaged() {
    let whole = session(200);
    let mut random = Random::new(5);
    for edits in [1, 10, 100] {
        let bytes = random.damage(&whole, edits);
        let host = Host::open(decoder::<Itm>(), &[]).and_then(|host| host.stream(&bytes, 333)).expect("it decodes");
        let sum: u64 = host.run.rows.iter().map(|row| u64::from(row.len)).sum();
        assert_eq!(sum, bytes.len() as u64, "{edits} edits");
        let records = |host: &Host| host.run.rows.iter().filter(|row| row.is_record()).count();
        let undamaged =
            Host::open(decoder::<Itm>(), &[]).and_then(|host| host.stream(&whole, 333)).expect("it decodes");
        let (left, all) = (records(&host), records(&undamaged));
        assert!(left + 12 * edits > all, "{edits} edits: {left} of {all}");
    }
}

#[test]
fn an_overflow_is_a_loss_by_the_target() {
    let bytes = [&SYNC[..], &OVERFLOW].concat();
    let host = Host::open(decoder::<Itm>(), &[]).and_then(|host| host.stream(&bytes, 1)).expect("it decodes");
    let row = host.run.rows.last().expect("a row");
    assert_eq!((row.kind, row.len), (RowKind::GAP, 1));
    assert!(row.may_hide_records());
}

#[test]
fn a_return_to_thread_mode_ends_interrupts_whose_exit_is_missing() {
    let entered = [exception(15, ENTERED), exception(16, ENTERED)].concat();
    let ended = |end: &[u8]| {
        let bytes = [&SYNC[..], &entered, &OVERFLOW, end].concat();
        let host = Host::open(decoder::<Itm>(), &[]).and_then(|host| host.stream(&bytes, 1)).expect("it decodes");
        let ends = host.run.activities.iter().filter(|activity| activity.verb == Verb::ISR_OUT);
        ends.map(|activity| activity.sub).collect::<Vec<_>>()
    };
    assert_eq!(ended(&exception(0, RETURNED)), [16, 15]);
    assert_eq!(ended(&exception(15, RETURNED)), [16]);
    assert_eq!(ended(&exception(15, EXITED)), [16, 15]);
    // Exceptions entered before the stream began are unknown.
    assert_eq!(ended(&exception(17, RETURNED)), []);
}

#[test]
fn damage_that_seems_a_page_ends_with_a_synchronisation() {
    let bytes = [&SYNC[..], &page(2), &text(0, "a"), &SYNC, &text(0, "b\n")].concat();
    let got = lines(decoder::<Itm>(), &[], &bytes).expect("it decodes");
    assert_eq!(got, ["SYNC", "EXTENSION  page 2", "VALUE  value 97", "SYNC", "TEXT  b"]);
}
