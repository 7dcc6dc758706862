//! Assignment of time stamps to packets.

#![allow(clippy::expect_used)]

mod encoder;

use encoder::*;
use itm::{Itm, describe::kind};
use spytui_plugin_api::{RowFlags, decoder};
use spytui_plugin_host::kit::Host;

/// Kind, length, and own time of each row.
fn rows(packets: &[Vec<u8>]) -> Vec<(u16, u32, Option<u64>)> {
    let bytes = packets.concat();
    let host = Host::open(decoder::<Itm>(), &[]).and_then(|host| host.stream(&bytes, usize::MAX)).expect("it decodes");
    let row = |row: &spytui_plugin_api::Row| (row.kind.0, row.len, row.has(RowFlags::TIME_OWN).then_some(row.time));
    host.run.rows.iter().map(row).collect()
}

#[test]
fn a_time_stamp_is_that_of_all_packets_since_the_one_before() {
    let packets = [
        SYNC.to_vec(),
        local(5, 0),
        software(1, &[1]),
        exception(15, ENTERED),
        local(200, 0),
        software(1, &[2]),
        local(3, 0),
        local(1_000_000, 0),
        software(1, &[4]),
    ];
    let expected = [
        (kind::SYNC, 6, None),
        (kind::TIME, 1, Some(5)),
        (kind::VALUE, 2, Some(205)),
        (kind::ENTER, 6, Some(205)),
        (kind::VALUE, 3, Some(208)),
        (kind::TIME, 4, Some(1_000_208)),
        (kind::VALUE, 2, None),
    ];
    assert_eq!(rows(&packets), expected.map(|(kind, len, time)| (kind.0, len, time)));
}

#[test]
fn a_line_has_the_time_of_its_first_character() {
    let characters = "hi\n".chars().flat_map(|c| [text(0, &c.to_string()), local(10, 0)]);
    let packets: Vec<_> = [SYNC.to_vec(), local(100, 0)].into_iter().chain(characters).collect();
    assert_eq!(rows(&packets)[2..], [(kind::TEXT.0, 12, Some(110))]);
}

#[test]
fn rows_do_not_wait_for_a_time_stamp_for_ever() {
    let mut packets = vec![SYNC.to_vec(), local(1, 0)];
    packets.extend(std::iter::repeat_n(software(1, &[1]), 1_000));
    let bytes = packets.concat();
    let mut host = Host::open(decoder::<Itm>(), &[]).expect("it opens");
    host.feed(&bytes, &[]).expect("it decodes");
    assert_eq!(host.run.rows.len(), 2 + 1_000 - 64);
}
