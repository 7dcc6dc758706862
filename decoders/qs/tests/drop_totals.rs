//! Reported drop totals extend the gap with the drops; a total is neither a note nor a loss.

use crate::common::{Stream, decode, frame, info};
use proptest::prelude::*;
use spytui_decoder_harness::{lines, lost};
use spytui_plugin_api::{
    batch::lost::{BY_TARGET, IN_SUM, PART_OF_SUM},
    row::RowKind,
};
use spytui_plugin_host::kit::Host;

const DROPS: u8 = 110;

/// A stream that names the record.
fn named() -> Stream {
    let mut stream = Stream::start();
    name(&mut stream);
    stream
}

fn name(stream: &mut Stream) {
    stream.add(63, b"\x6ESTY_DROPS\0");
}

fn total(stream: &mut Stream, total: u32) {
    total_at(stream, 100, total);
}

fn total_at(stream: &mut Stream, time: u32, total: u32) {
    let mut payload = time.to_le_bytes().to_vec();
    payload.push(5);
    payload.extend(total.to_le_bytes());
    stream.add(DROPS, &payload);
}

/// Skips records that the target drops.
fn dropped(stream: &mut Stream, records: u32) {
    stream.seq = stream.seq.wrapping_add(records as u8);
}

fn kinds(host: &Host) -> Vec<u16> {
    host.run.rows.iter().map(|row| row.kind.0).collect()
}

fn lost_in(stream: &Stream) -> u64 {
    let host = decode(&stream.bytes, &vec![], 4096);
    host.run.counters().lost
}

#[test]
fn a_total_makes_the_gap_greater_and_stays_a_record() {
    let mut stream = named();
    stream.stamp(10);
    dropped(&mut stream, 4_000);
    stream.stamp(30);
    total(&mut stream, 4_000);
    total(&mut stream, 4_000);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(kinds(&host)[2..], [63, 39, RowKind::GAP.0, 39, u16::from(DROPS), u16::from(DROPS)]);
    assert_eq!(lost(&host, 4), Some((4_000, BY_TARGET)));
    let texts = lines(&host, &stream.bytes);
    assert_eq!(texts[4], "4 000 records lost, seq 5-164, by the target's own count · 20 ticks · ring");
    assert_eq!(texts[6..], ["STY_DROPS\t4000"; 2]);
    assert_eq!((host.run.counters().gaps, host.run.counters().lost), (1, 4_000));
}

#[test]
fn the_last_of_several_gaps_grows() {
    let mut stream = named();
    for records in [3, 261] {
        dropped(&mut stream, records);
        stream.stamp(10);
    }
    total(&mut stream, 264);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!([lost(&host, 3), lost(&host, 5)], [Some((3, PART_OF_SUM)), Some((261, IN_SUM))]);
    let texts = lines(&host, &stream.bytes);
    assert!(texts[3].starts_with("≥3 records lost, seq 4-6 · ") && texts[3].ends_with(" · ring"), "{}", texts[3]);
    let words = "261 records lost, seq 8-12, by the target's own count, perhaps not all of them here · ";
    assert!(texts[5].starts_with(words) && texts[5].ends_with(" · ring"), "{}", texts[5]);
}

#[test]
fn a_total_settles_size_and_cause_of_gaps_that_show_all_of_it() {
    let mut stream = named();
    for records in [3, 5] {
        dropped(&mut stream, records);
        stream.stamp(10);
    }
    let before = decode(&stream.bytes, &vec![], 4096);
    assert_eq!([lost(&before, 3), lost(&before, 5)], [Some((3, 0)), Some((5, 0))]);
    total(&mut stream, 8);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!([lost(&host, 3), lost(&host, 5)], [Some((3, BY_TARGET)), Some((5, BY_TARGET))]);
    assert_eq!(lines(&host, &stream.bytes)[3], "3 records lost, seq 4-6, by the target's own count · ring");
    let counters = host.run.counters();
    assert_eq!((counters.lost, counters.dropped, counters.dropped_gaps, counters.drop_reports), (8, 8, 2, 1));
    // The host also learns of it in a later batch.
    assert!(decode(&stream.bytes, &vec![], 1).run == host.run);
}

#[test]
fn what_a_later_total_shows_of_a_settled_gap_is_added() {
    let mut stream = named();
    dropped(&mut stream, 1);
    stream.stamp(10);
    total(&mut stream, 1);
    dropped(&mut stream, 3_840);
    total(&mut stream, 3_841);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(lost(&host, 3), Some((3_841, IN_SUM)));
    let counters = host.run.counters();
    assert_eq!((counters.lost, counters.dropped, counters.dropped_gaps), (3_841, 3_841, 1));
    assert!(decode(&stream.bytes, &vec![], 1).run == host.run);
}

#[test]
fn damage_and_drops_are_distinguished() {
    let mut stream = named();
    let damaged = |stream: &mut Stream| {
        stream.stamp(10);
        let last = stream.bytes.len() - 3;
        stream.bytes[last] ^= 1;
    };
    damaged(&mut stream);
    stream.stamp(11);
    dropped(&mut stream, 7);
    stream.stamp(12);
    total(&mut stream, 7);
    let host = decode(&stream.bytes, &vec![], 4096);
    let texts = lines(&host, &stream.bytes);
    let gaps: Vec<&String> = texts.iter().filter(|text| text.contains(" lost")).collect();
    assert_eq!(gaps[0], "≥1 record lost, seq 4: frame damaged");
    assert!(gaps[1].starts_with("7 records lost, seq 6-12, by the target's own count · ") && gaps[1].ends_with("ring"));
    let counters = host.run.counters();
    assert_eq!((counters.lost, counters.dropped, counters.dropped_gaps), (8, 7, 1));
}

#[test]
fn what_the_gaps_show_is_not_counted_twice() {
    let mut stream = named();
    dropped(&mut stream, 44);
    stream.stamp(10);
    total(&mut stream, 44);
    stream.stamp(20);
    total(&mut stream, 49);
    assert_eq!(lost_in(&stream), 44, "without a gap, a total is no loss");
}

#[test]
fn damage_beside_the_drops_is_counted_beside_them() {
    let mut stream = named();
    let damaged = |stream: &mut Stream| {
        stream.stamp(10);
        let last = stream.bytes.len() - 3;
        stream.bytes[last] ^= 1;
    };
    damaged(&mut stream);
    stream.stamp(11);
    dropped(&mut stream, 4_000);
    damaged(&mut stream);
    stream.stamp(12);
    total(&mut stream, 4_000);
    assert_eq!(lost_in(&stream), 4_002);
}

#[test]
fn a_reset_counts_anew() {
    let mut stream = named();
    dropped(&mut stream, 300);
    stream.stamp(10);
    total(&mut stream, 300);
    stream.seq = 1;
    stream.add(0, &[]).add(64, &info(0xFF, 734, 4)).stamp(1);
    dropped(&mut stream, 270);
    stream.stamp(20);
    total(&mut stream, 270);
    assert_eq!(lost_in(&stream), 570);
}

#[test]
fn a_stream_without_its_start_does_not_take_what_was_before_it() {
    let mut stream = Stream::empty();
    stream.seq = 77;
    stream.stamp(1);
    name(&mut stream);
    dropped(&mut stream, 3);
    stream.stamp(10);
    total(&mut stream, 5_000);
    dropped(&mut stream, 260);
    stream.stamp(20);
    total(&mut stream, 5_260);
    let host = decode(&stream.bytes, &vec![], 4096);
    assert_eq!(host.run.counters().lost, 263);
}

#[test]
fn a_name_may_come_after_the_total() {
    let mut stream = Stream::start();
    dropped(&mut stream, 4_000);
    stream.stamp(30);
    total(&mut stream, 4_000);
    assert_eq!(lost_in(&stream), 160, "any user record may have a number");
    name(&mut stream);
    assert_eq!(lost_in(&stream), 4_000);
}

#[test]
fn other_records_are_no_totals() {
    let mut stream = named();
    dropped(&mut stream, 4_000);
    stream.stamp(30);
    // Another record, another type, another element after it.
    stream.add(DROPS + 1, &[1, 0, 0, 0, 5, 0xA0, 15, 0, 0]);
    stream.add(DROPS, &[1, 0, 0, 0, 4, 0xA0, 15, 0, 0]);
    stream.add(DROPS, &[1, 0, 0, 0, 5, 0xA0, 15, 0, 0, 1, 1]);
    assert_eq!(lost_in(&stream), 160);
}

#[test]
fn a_total_that_came_late_or_twice_is_none() {
    let mut stream = named();
    dropped(&mut stream, 300);
    stream.stamp(30);
    total(&mut stream, 300);
    let again = stream.bytes.len() - frame(0, DROPS, &[100, 0, 0, 0, 5, 44, 1, 0, 0]).len();
    let bytes = stream.bytes[again..].to_vec();
    stream.raw(&bytes).stamp(40);
    assert_eq!(lost_in(&stream), 300);
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
        let (mut stream, mut drops, mut damaged, mut time) = (named(), 0, 0, 10);
        for (records, frames, reports) in steps {
            // A number that seems old may really be old.
            let records = if is_doubtful { records } else { records / 256 * 256 + records % 90 };
            // If no gap remains, nothing shows that a frame was damaged.
            let records = records + u32::from(frames > 0 && (records as usize + frames).is_multiple_of(256));
            drops += records;
            dropped(&mut stream, records);
            for _ in 0..frames {
                stream.stamp(time);
                let at = stream.bytes.len() - 3;
                stream.bytes[at] = if stream.bytes[at] == 2 { 1 } else { 2 };
            }
            damaged += frames as u64;
            for _ in 0..behind {
                time += 1;
                stream.stamp(time);
            }
            if reports {
                total_at(&mut stream, time, drops);
            }
        }
        dropped(&mut stream, 1);
        // As many as needed to decide about an unexpected number.
        for _ in 0..4 {
            time += 1;
            stream.stamp(time);
        }
        total_at(&mut stream, time, drops + 1);
        let (whole, parts) = (decode(&stream.bytes, &vec![], 1 << 16), decode(&stream.bytes, &vec![], size));
        let (lost, all) = (whole.run.counters().lost, u64::from(drops) + 1 + damaged);
        prop_assert!(lost <= all && lost > u64::from(drops), "{lost} of {all}");
        prop_assert!(lost == all || is_doubtful, "{lost} of {all}");
        prop_assert!(whole.run == parts.run);
    }
}

#[test]
fn an_option_declares_another_record() {
    let mut stream = Stream::start();
    stream.add(63, b"\x6FMY_LOST\0");
    stream.add(63, b"\x6ESTY_DROPS\0");
    let report = |stream: &mut Stream, elements: &[u8]| {
        let payload = [&100_u32.to_le_bytes(), elements].concat();
        stream.add(111, &payload);
    };
    dropped(&mut stream, 4_000);
    stream.stamp(30);
    // A text, a 16-bit integer, the total, and something after it.
    report(&mut stream, b"\x08ring\0\x03\x09\x00\x05\xA0\x0F\0\0\x01\x07");
    total(&mut stream, 1);
    let lost = |drops: &str| decode(&stream.bytes, &vec![("drops", drops.as_bytes())], 4096).run.counters().lost;
    assert_eq!(lost("MY_LOST(2)"), 4_000);
    assert_eq!(lost("USER+11(2)"), 4_000);
    for other in ["MY_LOST(0)", "MY_LOST(1)", "MY_LOST(3)", "MY_LOST(4)", "YOUR_LOST(2)", "USER+12(2)"] {
        assert_eq!(lost(other), 160, "{other}");
    }
    let host = decode(&stream.bytes, &vec![("drops", b"MY_LOST(2)")], 1);
    assert_eq!(host.run.counters().lost, 4_000);
}
