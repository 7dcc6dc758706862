//! Frames that come late or again: nothing is called lost that is not.

use crate::common::{decode, file};
use spytui_decoder_harness::order;

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
    // The configuration has no number.
    order::datagrams_lose_nothing(&frames[..600], 1, |bytes| decode(bytes, &vec![], 4096));
}
