//! Frames that are late or repeated: nothing is reported lost that is not.

use crate::common::{FULL, Stream, decode, file, sealed, tcfg};
use spytui_decoder_harness::order;
use spytui_plugin_api::RowKind;

/// An event without arguments.
const EN: u8 = 160;

#[test]
fn what_comes_late_is_not_lost() {
    for name in ["rkh-two-frames-swapped", "rkh-groups-of-2-swapped"] {
        let bytes = file(&format!("order/{name}.bin"));
        for size in [1, 4096] {
            let counters = decode(&bytes, &vec![], size).run.counters();
            assert_eq!((counters.lost, counters.gaps, counters.duplicates), (0, 0, 0), "{name}");
        }
    }
}

#[test]
fn no_more_is_called_lost_than_is() {
    let clean = file("order/rkh-two-frames-swapped.bin");
    let frames: Vec<&[u8]> = clean.split_inclusive(|&byte| byte == 0x7E).collect();
    order::never_more_than_lost(&frames[..190], |bytes| decode(bytes, &vec![], 4096));
}

#[test]
fn groups_that_are_swapped_are_not_lost() {
    let clean = file("order/rkh-two-frames-swapped.bin");
    let frames: Vec<&[u8]> = clean.split_inclusive(|&byte| byte == 0x7E).collect();
    order::swapped_groups_lose_nothing(&frames[..190], |bytes| decode(bytes, &vec![], 4096));
}

#[test]
fn datagrams_that_are_swapped_or_come_twice_lose_nothing() {
    let clean = file("gh340-default.bin");
    let frames: Vec<&[u8]> = clean.split_inclusive(|&byte| byte == 0x7E).filter(|frame| frame.len() > 1).collect();
    order::datagrams_lose_nothing(&frames[..160], |bytes| decode(bytes, &vec![], 4096));
}

/// Kinds of the rows of a stream that begins with number 5, and in which the target restarts after three records;
/// `records` = number of records after the restart, besides its configuration.
fn started_again(records: usize) -> Vec<u16> {
    let mut stream = Stream::of(FULL, 4);
    stream.lose(5).add(EN, &[]).add(EN, &[]).add(EN, &[]);
    (stream.seq, stream.time) = (0, 3);
    stream.tcfg(&tcfg(0xAC, 0x3400, FULL, [4, 4, 1]));
    for _ in 0..records {
        stream.add(EN, &[]);
    }
    let kinds = decode(&stream.bytes, &vec![], 4096).run.rows.iter().map(|row| row.kind.0).collect::<Vec<u16>>();
    kinds.into_iter().skip(1).filter(|kind| *kind != RowKind::CONFIG.0).collect()
}

#[test]
fn a_start_is_late_until_a_number_comes_with_another_record() {
    let (restart, late) = (RowKind::RESTART.0, RowKind::LATE.0);
    assert_eq!(started_again(6), [160, 160, 160, 172, restart, 160, 160, 160, 160, 160, 160]);
    assert_eq!(started_again(2), [160, 160, 160, 172, restart, 160, 160], "number 2 did not come");
    assert_eq!(started_again(5)[..7], [160, 160, 160, 172, late, 160, late]);
}

#[test]
fn a_configuration_that_comes_twice_is_one_record() {
    let tcfg = tcfg(0xAC, 0x3400, FULL, [4, 4, 1]);
    let kinds = |stream: &Stream| -> Vec<u16> {
        decode(&stream.bytes, &vec![], 4096).run.rows.iter().map(|row| row.kind.0).collect()
    };
    let mut stream = Stream::start();
    stream.tcfg(&tcfg).add(EN, &[]).add(EN, &[]);
    assert_eq!(kinds(&stream), [172, RowKind::DUPLICATE.0, 160, 160]);
    // The target reports it again, after other records.
    stream.tcfg(&tcfg).add(EN, &[]);
    assert_eq!(kinds(&stream)[4..], [172, 160]);
}

#[test]
fn an_old_configuration_that_comes_late_or_twice_is_one_record() {
    // 2.4.3 with number, 2-byte stamp and checksum.
    let record = sealed(&[0xAD, 0, 200, 0, 0x03, 0x24, 0, 0x18, 0x12, 0x42, 0x11, 0x21, 0x11, 0x14], true);
    let mut stream = Stream::of(FULL, 2);
    stream.time = 205;
    let mut frames = vec![record];
    for _ in 0..40 {
        stream.bytes.clear();
        stream.lose(u8::from(frames.len() == 1)).add(106, &[1, 0, 0, 0]);
        frames.push(stream.bytes.clone());
    }
    let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    order::datagrams_lose_nothing(&frames, |bytes| {
        decode(bytes, &vec![("version", b"2.4.03"), ("timestamp", b"2")], 4096)
    });
}
