//! Every packet becomes a record, whatever the target sends.

#![allow(clippy::expect_used)]

mod encoder;

use std::collections::BTreeMap;

use encoder::*;
use itm::{Itm, describe::kind};
use spytui_plugin_api::{RowKind, decoder};
use spytui_plugin_host::{kit::Host, kit::Random};

/// A random packet that becomes a separate record, and its kind.
fn any(random: &mut Random) -> (RowKind, Vec<u8>) {
    let number = random.below(1 << 24) as u32;
    let bytes = number.to_le_bytes();
    let port = 1 + random.below(31) as u8;
    match random.below(13) {
        0 => (kind::VALUE, software(port, &bytes[..1])),
        1 => (kind::VALUE, software(port, &bytes[..2])),
        2 => (kind::VALUE, software(port, &bytes)),
        3 => (kind::ENTER, exception(number as u16 & 0x1FF, ENTERED)),
        4 => (kind::EXIT, exception(number as u16 & 0x1FF, EXITED)),
        5 => (kind::RETURN, exception(number as u16 & 0x1FF, RETURNED)),
        6 => (kind::PC, pc(number)),
        7 => (kind::EVENTS, hardware(0, &bytes[..1])),
        8 => (kind::WRITE, hardware(17 + 2 * (port & 3), &bytes[..2])),
        9 => (kind::GLOBAL, global_low(number, port)),
        10 => (kind::GLOBAL, global_high(number.into())),
        11 => (RowKind::GAP, OVERFLOW.to_vec()),
        _ => (kind::TEXT, text(0, &"line\n"[random.below(5)..])),
    }
}

#[test]
fn each_packet_is_a_record_and_time_is_the_sum_of_all_stamps() {
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let (mut bytes, mut expected, mut time) = (SYNC.to_vec(), BTreeMap::from([(kind::SYNC.0, 1)]), 0);
        let mut begins = true;
        for _ in 0..300 {
            let (kind, packet) = any(&mut random);
            bytes.extend(packet);
            *expected.entry(kind.0).or_insert(0) += 1;
            if seed % 2 == 0 && random.below(3) == 0 || begins {
                let bits = random.below(21);
                let delta = 1 + random.below(1 << bits) as u32;
                bytes.extend(local(delta, random.below(4) as u8));
                time += u64::from(delta);
                // Before the first time stamp, nothing waits.
                if std::mem::take(&mut begins) {
                    expected.insert(kind::TIME.0, 1);
                }
            }
        }
        let host = Host::open(decoder::<Itm>(), &[]).and_then(|host| host.stream(&bytes, 61)).expect("it decodes");
        let mut got = BTreeMap::new();
        host.run.rows.iter().for_each(|row| *got.entry(row.kind.0).or_insert(0) += 1);
        assert_eq!(got, expected, "seed {seed}");
        assert_eq!(host.run.rows.iter().map(|row| row.time).max(), Some(time), "seed {seed}");
        assert!(host.run.rows.iter().map(|row| row.time).filter(|time| *time > 0).is_sorted(), "seed {seed}");
    }
}
