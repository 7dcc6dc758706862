//! Conclusions from damaged streams: nothing that the undamaged stream contradicts, unless marked as uncertain.
//! `SPYTUI_DAMAGED=10000,77` tries 10 000 streams from seed 77 on, not only the few of each run of the tests.
//!
//! | module | what is in it |
//! |---|---|
//! | `captures` | the streams |
//! | `damage` | damage in transit |
//! | `conclude` | conclusions from a stream |
//! | `truth` | conclusions that are untrue |

mod captures;
mod conclude;
mod damage;
mod truth;

use std::collections::BTreeMap;

use spytui_decoder_harness::encode::tband::Stream;
use spytui_engine::{
    analysis::{objects::ObjectState, statistics::measure},
    open::Options,
};
use spytui_plugin_api::row::{RowFlags, RowKind};
use spytui_plugin_host::kit::Random;

use self::{
    captures::Capture,
    conclude::{Concluded, slices},
    truth::Truth,
};
use crate::objects::PROTOCOLS;

/// Seeds of streams in which something was untrue.
const ONCE_UNTRUE: [u64; 4] = [60, 11_261, 1_795_871_760, 1_795_880_060];

/// Number of streams, and the first seed.
fn cases() -> (u64, u64) {
    let wanted = std::env::var("SPYTUI_DAMAGED").unwrap_or_default();
    let (cases, seed) = wanted.split_once(',').unwrap_or((&wanted, "0"));
    (cases.parse().unwrap_or(60), seed.parse().unwrap_or_default())
}

fn claims_nothing_untrue(capture: &Capture) {
    let truth = Truth::of(capture);
    let parts = truth.parts();
    let (cases, first) = cases();
    let mut judged = 0;
    for seed in ONCE_UNTRUE.into_iter().chain(first..first + cases) {
        let damaged = parts.damage(capture, &mut Random::new(seed));
        let found = Concluded::of(&capture.decoder, &capture.options, &damaged.bytes);
        let Some(places) = truth.places(&found, &damaged) else { continue };
        judged += 1;
        // A track without a name is a different one.
        let names = |of: &Concluded| of.records.iter().filter(|come| come.row.has(RowFlags::NAMING)).count();
        let is_named = names(&found) == names(&truth.concluded);
        let traced = (seed % 4 == 0 && is_named).then(|| slices(&capture.decoder, &capture.options, &damaged.bytes));
        let untrue = truth.contradiction(&places, &found, traced.as_deref());
        assert_eq!(untrue, None, "{}, damage {seed}", capture.name);
    }
    let cases = cases + ONCE_UNTRUE.len() as u64;
    eprintln!("{}: {judged} of {cases} streams judged, from seed {first} on", capture.name);
    assert!(judged * 3 > cases, "{}: damage was noticed in {judged} of {cases} streams", capture.name);
}

#[test]
fn damage_makes_nothing_untrue_in_tband() {
    claims_nothing_untrue(&captures::tband());
}

#[test]
fn damage_makes_nothing_untrue_in_qs() {
    claims_nothing_untrue(&captures::qs());
}

#[test]
fn damage_makes_nothing_untrue_in_qs_with_formats() {
    claims_nothing_untrue(&captures::qs_with_formats());
}

#[test]
fn damage_makes_nothing_untrue_in_rkh() {
    claims_nothing_untrue(&captures::rkh());
}

#[test]
fn damage_makes_nothing_untrue_in_rkh_without_numbers() {
    claims_nothing_untrue(&captures::rkh_without_numbers());
}

#[test]
fn damage_makes_nothing_untrue_in_qnx_big_endian() {
    claims_nothing_untrue(&captures::qnx("wide-be.kev"));
}

#[test]
fn damage_makes_nothing_untrue_in_qnx_ring() {
    claims_nothing_untrue(&captures::qnx("ring-4cpu.kev"));
}

#[test]
fn damage_makes_nothing_untrue_in_qnx_of_two_cpus() {
    claims_nothing_untrue(&captures::qnx("fast-2cpu.kev"));
}

/// A thread runs on two CPUs at once, as the capture is artificial.
#[test]
fn damage_makes_nothing_untrue_in_qnx_of_64_bits() {
    claims_nothing_untrue(&captures::qnx("qnx71-wide64.kev"));
}

#[test]
fn damage_makes_nothing_untrue_in_qnx_8() {
    claims_nothing_untrue(&captures::qnx_8());
}

#[test]
fn damage_makes_nothing_untrue_in_itm() {
    claims_nothing_untrue(&captures::itm());
}

#[test]
fn damage_makes_nothing_untrue_in_a5() {
    claims_nothing_untrue(&captures::a5());
}

#[test]
fn damage_makes_nothing_untrue_in_a_page_with_numbers() {
    claims_nothing_untrue(&captures::page_with_numbers());
}

#[test]
fn damage_makes_nothing_untrue_in_a_page_without_numbers() {
    claims_nothing_untrue(&captures::page_without_numbers());
}

#[test]
fn damage_makes_nothing_untrue_in_a_page_with_senders() {
    claims_nothing_untrue(&captures::page_with_senders());
}

/// A stream of two tasks and an interrupt, with the last event of the first half damaged or not.
fn two_tasks(last: (u8, u64, u64), is_damaged: bool) -> Vec<u8> {
    let mut stream = Stream::default();
    stream.resolution(1000).run(100, 1).event(0x04, 200, &[9], b"");
    let at = stream.bytes.len();
    stream.event(last.0, last.1, &[last.2], b"");
    if is_damaged {
        // A code byte that points beyond the end of its frame.
        stream.bytes[at] = 0x40;
    }
    stream.run(300, 2).run(5_000, 1).run(10_000, 2);
    stream.bytes
}

/// The CPU time of each object.
fn cpu(found: &Concluded) -> Vec<(u64, u128)> {
    let values = found.statistics.tally.sums(measure::Measure::Cpu);
    let mut totals = BTreeMap::new();
    values.for_each(|(subject, sum)| *totals.entry(subject.object.unwrap().key).or_insert(0) += sum.total);
    totals.into_iter().collect()
}

#[test]
fn an_interrupt_whose_exit_is_damaged_is_not_active_for_good() {
    let decoder = PROTOCOLS[2].decoder();
    let options = Options::default();
    let bytes = two_tasks((0x05, 202, 9), true);
    let found = Concluded::of(&decoder, &options, &bytes);
    let clean = Concluded::of(&decoder, &options, &two_tasks((0x05, 202, 9), false));
    assert_eq!(cpu(&clean), [(1, 5_198), (2, 4_700), (9, 2)]);
    assert_eq!(cpu(&found), [(1, 5_100), (2, 4_700)]);
    let last = &found.records.last().unwrap().known;
    let unsure: Vec<u64> = last.iter().filter(|known| !known.2).map(|known| known.0.key).collect();
    assert_eq!(unsure, [9]);
    let slices = slices(&decoder, &options, &bytes);
    let of_interrupt = slices.iter().filter(|slice| slice.track.contains("ISR"));
    let found: Vec<_> = of_interrupt.map(|slice| (slice.name.as_str(), slice.begin, slice.end)).collect();
    assert_eq!(found, [("ISR #9", 200_000, Some(200_000)), ("~ISR #9", 200_000, None)]);
}

#[test]
fn what_runs_across_damage_is_not_measured() {
    let bytes = two_tasks((0x55, 250, 2), true);
    let found = Concluded::of(&PROTOCOLS[2].decoder(), &Options::default(), &bytes);
    assert_eq!(found.doubts, 1);
    let run = found.statistics.tally.sums(measure::Measure::Run).map(|(_, sum)| sum.total).sum::<u128>();
    assert_eq!((run, found.statistics.tally.counts(measure::Measure::Run).cut), (9_700, 1));
}

#[test]
fn what_is_known_before_a_damaged_end_is_uncertain() {
    for mut capture in [captures::qs(), captures::rkh()] {
        let end = capture.bytes.iter().rposition(|&byte| byte == 0x7E).unwrap();
        capture.bytes.truncate(end + 1);
        let certain = |found: &Concluded| {
            found.known().iter().filter(|known| known.1.state != ObjectState::Unknown && known.2).count()
        };
        let whole = Concluded::of(&capture.decoder, &capture.options, &capture.bytes);
        assert!(certain(&whole) > 0 && whole.last_notes.is_empty(), "{}", capture.name);
        capture.bytes[end - 1] ^= 1;
        let found = Concluded::of(&capture.decoder, &capture.options, &capture.bytes);
        assert_eq!(found.last_notes, [RowKind::BAD_CHECK, RowKind::HINT], "{}", capture.name);
        assert_eq!((certain(&found), found.doubts), (0, 1), "{}", capture.name);
    }
}

/// The CPU time of two alternating tasks, with time stamps of a counter that software extends, or not.
fn turns(stamp: impl Fn(u64) -> u64) -> Vec<(u64, u128)> {
    let mut stream = Stream::default();
    stream.resolution(10);
    for n in 0..40 {
        stream.run(stamp(n), 1 + n % 2);
    }
    cpu(&Concluded::of(&PROTOCOLS[2].decoder(), &Options::default(), &stream.bytes))
}

#[test]
fn a_counter_that_wraps_costs_no_time() {
    for bits in [16, 24, 32] {
        let range = 1_u64 << bits;
        let time = |n: u64| range - 4_000 + n * 400 + 100;
        let half = [(1, 8_000), (2, 7_600)];
        assert_eq!(turns(|n| time(n) % range), half, "{bits}");
        assert_eq!(turns(|n| range + time(n) - if n == 11 { range } else { 0 }), half, "{bits}");
        let not_used = turns(|n| range + time(n) + if n == 9 { range } else { 0 });
        assert_eq!(not_used, [(1, 7_600), (2, 7_200)], "{bits}");
    }
}
