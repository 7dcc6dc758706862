//! Reported drop totals extend the gap with the drops; a total is neither a note nor a loss.

use crate::common::{FULL, Stream, decode, tcfg};
use proptest::prelude::*;
use spytui_decoder_harness::{lines, lost};
use spytui_plugin_api::{batch::lost::BY_TARGET, row::RowKind};

const EN: u8 = 160;
/// User event 30, and the event that names it.
const DROPS: u8 = 222;
const TUSR: u8 = 171;

fn named() -> Stream {
    let mut stream = Stream::start();
    name(&mut stream);
    stream
}

fn name(stream: &mut Stream) {
    stream.add(TUSR, b"\x1ESTY_DROPS\0");
}

fn total(stream: &mut Stream, total: u32) {
    let [a, b, c, d] = total.to_le_bytes();
    stream.add(DROPS, &[5, a, b, c, d]);
}

/// Skips records that the target drops.
fn dropped(stream: &mut Stream, records: u32) {
    stream.lose(records as u8);
}

fn lost_in(stream: &Stream) -> u64 {
    decode(&stream.bytes, &vec![], 4096).run.counters().lost
}

#[test]
fn a_total_makes_the_gap_greater_and_stays_a_record() {
    let mut stream = named();
    stream.add(EN, &[]);
    dropped(&mut stream, 4_000);
    stream.add(EN, &[]);
    total(&mut stream, 4_000);
    let host = decode(&stream.bytes, &vec![], 4096);
    let kinds: Vec<u16> = host.run.rows.iter().map(|row| row.kind.0).collect();
    assert_eq!(kinds[2..], [u16::from(EN), RowKind::GAP.0, u16::from(EN), u16::from(DROPS)]);
    assert_eq!(lost(&host, 3), Some((4_000, BY_TARGET)));
    let texts = lines(&host, &stream.bytes);
    assert_eq!(texts[3], "4 000 records lost, nseq 2-161, by the target's own count · 10 ticks · ring");
    assert_eq!((host.run.counters().gaps, host.run.counters().lost), (1, 4_000));
}

#[test]
fn a_total_settles_size_and_cause_of_gaps_that_show_all_of_it() {
    let mut stream = named();
    for records in [3, 5] {
        dropped(&mut stream, records);
        stream.add(EN, &[]);
    }
    total(&mut stream, 8);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!([lost(&host, 2), lost(&host, 4)], [Some((3, BY_TARGET)), Some((5, BY_TARGET))]);
    let text = &lines(&host, &stream.bytes)[4];
    assert!(text.starts_with("5 records lost, nseq 5-9, by the target's own count · ") && text.ends_with(" · ring"));
    let counters = host.run.counters();
    assert_eq!((counters.lost, counters.dropped, counters.dropped_gaps), (8, 8, 2));
}

#[test]
fn a_reset_counts_anew() {
    let mut stream = named();
    dropped(&mut stream, 300);
    stream.add(EN, &[]);
    total(&mut stream, 300);
    stream.tcfg(&tcfg(0xAC, 0x3400, FULL, [4, 4, 1]));
    (stream.seq, stream.time) = (0, 1);
    stream.add(EN, &[]);
    dropped(&mut stream, 270);
    stream.add(EN, &[]);
    total(&mut stream, 270);
    assert_eq!(lost_in(&stream), 570);
}

#[test]
fn a_stream_without_its_start_does_not_take_what_was_before_it() {
    let mut stream = Stream::of(FULL, 4);
    stream.lose(104).add(EN, &[]);
    name(&mut stream);
    dropped(&mut stream, 3);
    total(&mut stream, 5_000);
    dropped(&mut stream, 260);
    stream.add(EN, &[]);
    total(&mut stream, 5_260);
    let host = decode(&stream.bytes, &vec![("version", b"3.4.00"), ("checksum", b"1")], 4096);
    assert_eq!(host.run.counters().lost, 263);
}

#[test]
fn a_name_may_come_after_the_total() {
    let mut stream = Stream::start();
    dropped(&mut stream, 4_000);
    total(&mut stream, 4_000);
    assert_eq!(lost_in(&stream), 160, "the application's own event may have a number");
    name(&mut stream);
    assert_eq!(lost_in(&stream), 4_000);
}

#[test]
fn the_names_of_another_stream_will_do() {
    let mut names = Stream::start();
    name(&mut names);
    let mut stream = Stream::start();
    dropped(&mut stream, 4_000);
    total(&mut stream, 4_000);
    let host = decode(&stream.bytes, &vec![("symbols", &names.bytes)], 4096);
    assert_eq!(host.run.counters().lost, 4_000);
}

#[test]
fn other_events_are_no_totals() {
    let mut stream = named();
    dropped(&mut stream, 4_000);
    stream.add(DROPS - 1, &[5, 0xA0, 15, 0, 0]).add(DROPS, &[4, 0xA0, 15, 0, 0]).add(DROPS, &[5, 0xA0, 15, 0, 0, 1, 1]);
    assert_eq!(lost_in(&stream), 160);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]
    #[test]
    fn the_host_counts_what_was_lost_however_the_stream_is_cut(
        steps in prop::collection::vec((0..900_u32, 0..3_usize, any::<bool>()), 1..25),
        behind in 1..6_usize,
        is_doubtful in any::<bool>(),
        size in 1..200_usize,
    ) {
        let (mut stream, mut drops, mut damaged) = (named(), 0, 0);
        for (records, frames, reports) in steps {
            // A number that seems old may really be old.
            let records = if is_doubtful { records } else { records / 256 * 256 + records % 90 };
            // If no gap remains, nothing shows that a frame was damaged.
            let records = records + u32::from(frames > 0 && (records as usize + frames).is_multiple_of(256));
            drops += records;
            dropped(&mut stream, records);
            for _ in 0..frames {
                let begin = stream.bytes.len();
                stream.add(EN, &[]);
                stream.bytes[begin] ^= 1;
            }
            damaged += frames as u64;
            for _ in 0..behind {
                stream.add(EN, &[]);
            }
            if reports {
                total(&mut stream, drops);
            }
        }
        dropped(&mut stream, 1);
        // As many as needed to decide about an unexpected number.
        for _ in 0..4 {
            stream.add(EN, &[]);
        }
        total(&mut stream, drops + 1);
        let (whole, parts) = (decode(&stream.bytes, &vec![], 1 << 16), decode(&stream.bytes, &vec![], size));
        let (lost, all) = (whole.run.counters().lost, u64::from(drops) + 1 + damaged);
        prop_assert!(lost <= all && lost > u64::from(drops), "{lost} of {all}");
        prop_assert!(lost == all || is_doubtful, "{lost} of {all}");
        prop_assert!(whole.run == parts.run);
    }
}

#[test]
fn an_option_declares_another_event() {
    let mut stream = Stream::start();
    stream.add(TUSR, b"\x05MY_LOST\0");
    stream.add(EN, &[]);
    dropped(&mut stream, 4_000);
    stream.add(EN, &[]);
    stream.add(197, b"\x07ring\0\x05\xA0\x0F\0\0\x01\x07");
    let lost = |drops: &str| decode(&stream.bytes, &vec![("drops", drops.as_bytes())], 4096).run.counters().lost;
    for own in ["MY_LOST(1)", "5(1)", "USR+5(1)", "USR.5(1)"] {
        assert_eq!(lost(own), 4_000, "{own}");
    }
    for other in ["MY_LOST(0)", "MY_LOST(2)", "MY_LOST(3)", "YOUR_LOST(1)", "6(1)"] {
        assert_eq!(lost(other), 160, "{other}");
    }
}

#[test]
fn any_event_may_have_the_name() {
    let mut stream = Stream::start();
    stream.add(EN, &[]);
    dropped(&mut stream, 4_000);
    stream.add(EN, &[]);
    stream.add(197, &[5, 0xA0, 0x0F, 0, 0]);
    assert_eq!(lost_in(&stream), 160);
    stream.add(TUSR, b"\x05STY_DROPS\0");
    assert_eq!(lost_in(&stream), 4_000);
}
