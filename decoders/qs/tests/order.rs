//! Frames that are late, repeated, or from another target: nothing is reported lost that is not.

use crate::common::{Stream, decode, file};
use spytui_decoder_harness::{lines, order};
use spytui_plugin_api::RowKind;

/// Records, repeats, lost records, gaps and target starts of a capture, for any chunking.
fn counted(name: &str) -> [u64; 5] {
    let bytes = file(&format!("order/{name}.bin"));
    let all = [1, 7, 4096].map(|size| {
        let counters = decode(&bytes, &vec![], size).run.counters();
        [counters.records, counters.duplicates, counters.lost, counters.gaps, counters.epochs]
    });
    assert!(all.iter().all(|counted| *counted == all[0]), "{name}: {all:?}");
    all[0]
}

#[test]
fn what_comes_again_is_no_record() {
    assert_eq!(counted("01-dup-min"), [9, 2, 0, 0, 1]);
    assert_eq!(counted("01-dup-datagram"), [190, 5, 0, 0, 1]);
    assert_eq!(counted("03-dup-every-datagram"), [190, 190, 0, 0, 1]);
    assert_eq!(counted("qs-group-of-8-repeated"), [400, 8, 0, 0, 1]);
}

#[test]
fn what_comes_late_is_not_lost() {
    assert_eq!(counted("02-reorder-min"), [9, 0, 0, 0, 1]);
    assert_eq!(counted("02-reorder-datagram"), [190, 0, 0, 0, 1]);
    assert_eq!(counted("qs-two-frames-swapped"), [260, 0, 0, 0, 1]);
    assert_eq!(counted("qs-groups-of-2-swapped"), [400, 0, 0, 0, 1]);
    assert_eq!(counted("qs-groups-of-8-swapped"), [400, 0, 0, 0, 1]);
    let bytes = file("order/02-reorder-min.bin");
    let lines = lines(&decode(&bytes, &vec![], 4096), &bytes);
    assert_eq!(lines[4], "0 records lost, of seq 5-6, all arrived late");
    let late = "seq 5 arrived late, not lost; the gap at byte 46 counted it";
    assert_eq!(lines[7], late);
}

#[test]
fn numbers_that_were_never_sent_did_not_come_later() {
    // An extra frame, or one with a wrong number, before frames that may or may not be later.
    for (skipped, times) in [(0, [4, 5]), (1, [4, 5]), (1, [3, 4])] {
        let mut stream = Stream::start();
        stream.stamp(1).stamp(2);
        let next = stream.seq + skipped;
        stream.seq = 200;
        stream.stamp(3);
        stream.seq = next;
        stream.stamp(times[0]).stamp(times[1]).stamp(6);
        let host = decode(&stream.bytes, &vec![], 4096);
        let lines = lines(&host, &stream.bytes);
        let gaps: Vec<&String> = lines.iter().filter(|line| line.contains(" lost") && !line.contains("came")).collect();
        assert_eq!(gaps, ["0 records lost: seq 200 was wrong, from another sender, or early"], "{skipped} {times:?}");
        assert_eq!((host.run.counters().lost, host.run.counters().gaps), (0, 0), "{skipped} {times:?}");
    }
}

#[test]
fn two_targets_on_one_line_are_said_once() {
    assert_eq!(counted("19-two-targets"), [360, 0, 0, 0, 2]);
    let bytes = file("order/19-two-targets.bin");
    let host = decode(&bytes, &vec![], 4096);
    let said = lines(&host, &bytes).iter().filter(|line| line.contains("two numberings alternate")).count();
    assert_eq!(said, 1);
    assert!(host.run.rows.iter().all(|row| row.kind != RowKind::TIME_BACK));
}

#[test]
fn no_more_is_called_lost_than_is() {
    let clean = file("oven-734.bin");
    let frames: Vec<&[u8]> = clean.split_inclusive(|&byte| byte == 0x7E).collect();
    order::never_more_than_lost(&frames[..1200], |bytes| decode(bytes, &vec![], 4096));
}

#[test]
fn groups_that_are_swapped_are_not_lost() {
    let clean = file("oven-734.bin");
    let frames: Vec<&[u8]> = clean.split_inclusive(|&byte| byte == 0x7E).collect();
    order::swapped_groups_lose_nothing(&frames[..600], |bytes| decode(bytes, &vec![], 4096));
}

#[test]
fn a_loss_behind_a_wrong_number_has_its_own_numbers() {
    let mut stream = Stream::start();
    stream.stamp(1).stamp(2);
    let next = stream.seq;
    stream.seq = 200;
    stream.stamp(3);
    stream.seq = next + 2;
    stream.stamp(4).stamp(5);
    let host = decode(&stream.bytes, &vec![], 4096);
    let lines = lines(&host, &stream.bytes);
    let gaps: Vec<&String> = lines.iter().filter(|line| line.contains("≥")).collect();
    assert_eq!(gaps, ["≥1 record lost, of seq 5-6 · 1 tick · ring or line"]);
    assert_eq!((host.run.counters().lost, host.run.counters().gaps), (1, 1));
}

#[test]
fn datagrams_that_are_swapped_or_come_twice_lose_nothing() {
    let clean = file("oven-734.bin");
    let frames: Vec<&[u8]> = clean.split_inclusive(|&byte| byte == 0x7E).filter(|frame| frame.len() > 1).collect();
    order::datagrams_lose_nothing(&frames[..160], |bytes| decode(bytes, &vec![], 4096));
}

/// Kinds of the rows of a stream that begins with number 5, and in which the target restarts after three records;
/// `records` = number of records after the restart.
fn started_again(records: u8) -> Vec<RowKind> {
    let mut stream = Stream::empty();
    stream.lose(4).stamp(1000).stamp(1001).stamp(1002);
    let mut start = Stream::start();
    for time in 2..records {
        start.stamp(time.into());
    }
    let host = decode(&[stream.bytes, start.bytes].concat(), &vec![], 4096);
    assert_eq!(host.run.counters().records, 3 + u64::from(records));
    host.run.rows.iter().map(|row| row.kind).collect()
}

#[test]
fn a_start_is_late_until_a_number_comes_with_another_record() {
    let (tick, info) = (RowKind(39), RowKind(64));
    let again = [tick, tick, tick, RowKind::RESTART, RowKind(0), info, tick, tick, tick];
    assert_eq!(started_again(5), again);
    assert_eq!(started_again(3), again[..7], "at the end of the stream, as number 4 did not come");
    assert_eq!(started_again(4)[..6], [tick, tick, tick, RowKind::LATE, RowKind(0), RowKind::LATE]);
}
