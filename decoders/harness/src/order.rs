//! Reordered, repeated, lost or damaged frames: the reported loss never exceeds the real one.

use spytui_plugin_api::RowKind;
use spytui_plugin_host::kit::{Host, Random};

/// Number of cases in the gate; set `SPYTUI_ORDER_CASES=10000` for more.
const CASES: u64 = 200;

/// Reorders, repeats, drops and damages frames at random; returns the number of lost or damaged ones.
fn shuffle(frames: &mut Vec<Vec<u8>>, random: &mut Random) -> u64 {
    let mut lost = 0;
    for _ in 0..1 + random.below(4) {
        let len = 1 + random.below(12);
        let at = random.below(frames.len() - 2 * len);
        match random.below(4) {
            0 => frames[at..at + 2 * len].rotate_left(len),
            1 => {
                let again = frames[at..at + len].to_vec();
                drop(frames.splice(at + len..at + len, again));
            }
            2 => lost += frames.drain(at..at + len).filter(|frame| frame.len() > 1).count() as u64,
            _ => {
                let end = frames[at].len() - 1;
                if end > 0 {
                    frames[at][random.below(end)] ^= 1 << random.below(8);
                    lost += 1;
                }
            }
        }
    }
    lost
}

/// Checks that no more `frames` are reported lost than really are, whatever happens in transit.
pub fn never_more_than_lost(frames: &[&[u8]], decode: impl Fn(&[u8]) -> Host) {
    let cases = std::env::var("SPYTUI_ORDER_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    for seed in 0..cases {
        let mut changed: Vec<Vec<u8>> = frames.iter().map(|frame| frame.to_vec()).collect();
        let missing = shuffle(&mut changed, &mut Random::new(seed));
        let host = decode(&changed.concat());
        let lost = host.run.counters().lost;
        assert!(lost <= missing, "seed {seed}: {lost} called lost, and {missing} are");
    }
}

/// Checks that none of `frames` are reported lost if two neighbouring groups are swapped, also at the start.
pub fn swapped_groups_lose_nothing(frames: &[&[u8]], decode: impl Fn(&[u8]) -> Host) {
    for len in 1..=12 {
        for at in (0..24).chain((24..frames.len() - 2 * len).step_by(29)) {
            let mut changed = frames.to_vec();
            changed[at..at + 2 * len].rotate_left(len);
            let lost = decode(&changed.concat()).run.counters().lost;
            assert_eq!(lost, 0, "{len} frames from {at} on after the {len} that follow them");
        }
    }
}

/// Arrival orders of two neighbouring datagrams: swapped, repeated, and both.
const ARRIVALS: [&[usize]; 7] =
    [&[0, 1], &[1, 0], &[0, 0, 1, 1], &[1, 1, 0, 0], &[1, 0, 1, 0], &[0, 1, 0, 1], &[1, 0, 0, 1]];

/// Checks that `frames`, grouped into datagrams that are reordered or repeated, give one record each, and that no loss
/// or restart is reported.
pub fn datagrams_lose_nothing(frames: &[&[u8]], decode: impl Fn(&[u8]) -> Host) {
    let clean = decode(&frames.concat()).run.counters();
    let check = |len: usize, arrivals: &[&[usize]]| {
        let pairs: Vec<&[&[u8]]> = frames.chunks(2 * len).collect();
        let arrival =
            |at: usize| if arrivals.len() == 1 { arrivals[0] } else { arrivals.get(at).unwrap_or(&ARRIVALS[0]) };
        let arrived =
            pairs.iter().enumerate().flat_map(|(at, pair)| arrival(at).iter().map(move |half| (*pair, *half)));
        let arrived = arrived.filter_map(|(pair, half)| pair.chunks(len).nth(half)).flatten().copied();
        let arrived: Vec<&[u8]> = arrived.collect();
        let host = decode(&arrived.concat());
        let counters = host.run.counters();
        let counted = (counters.records, counters.duplicates, counters.lost);
        let again = (arrived.len() - frames.len()) as u64;
        assert_eq!(counted, (clean.records, again, 0), "groups of {len} arrive as {arrivals:?}");
        let restarts = host.run.rows.iter().filter(|row| row.kind == RowKind::RESTART).count();
        assert!(counters.epochs <= clean.epochs && restarts == 0, "groups of {len} arrive as {arrivals:?}");
    };
    for len in 1..=12 {
        ARRIVALS.iter().for_each(|arrival| check(len, &[arrival]));
        let mut random = Random::new(len as u64);
        for _ in 0..12 {
            let arrivals: Vec<&[usize]> = (0..4).map(|_| ARRIVALS[random.below(ARRIVALS.len())]).collect();
            check(len, &arrivals);
        }
    }
}
