use spytui_plugin_api::{
    Activity, ActivityFlags as F, Class, Info, KeyFormat, Row, RowFlags, RowKind, Verb as V, info::SpaceInfo,
};
use spytui_plugin_host::kit::Random;

use super::{
    LaneValue, TimeWindow,
    recorder::{Limits, TimelineRecorder},
};
use crate::replay::{FedRow, Moment, Reader};

const ISR: u16 = 20;
const VALUES: u16 = 21;

struct Feed {
    recorder: TimelineRecorder,
    epoch: u32,
}

impl Feed {
    fn new(limits: Limits) -> Feed {
        let mut info = Info::default();
        let space = |id, class| SpaceInfo::new(id, "", "", class, KeyFormat::DECIMAL);
        info.spaces = vec![space(ISR, Class::ISR), space(VALUES, Class::OTHER)].into();
        let mut recorder = TimelineRecorder::new(&info);
        recorder.limits = limits;
        Feed { recorder, epoch: 0 }
    }

    fn row(&mut self, time: Option<u64>, loses: bool, activities: &[Activity]) {
        let row = self.recorder.rows();
        let at = Moment { row, n: row, source: 0, time };
        let flags = if time.is_some() { RowFlags::TIME_OWN } else { RowFlags::empty() };
        let row = Row { kind: RowKind(1), flags, ..Row::default() };
        self.recorder.row(&FedRow { loses, ..FedRow::new(&row, at, self.epoch) }, activities);
    }

    fn isr(&mut self, time: u64, verb: V) {
        self.row(Some(time), false, &[Activity::new(verb).sub(ISR, 1)]);
    }

    fn value(&mut self, time: u64, value: u64) {
        self.row(Some(time), false, &[Activity::new(V::VALUE).sub(VALUES, 1).val(value)]);
    }

    fn lane(&self, is: u16) -> u32 {
        self.recorder.lanes().position(|lane| lane.object.space == is).unwrap() as u32
    }
}

fn window(begin: u64, ticks: u64, columns: usize) -> TimeWindow {
    TimeWindow { begin, ticks, columns }
}

#[test]
fn the_time_in_a_state_is_divided_among_columns() {
    let mut feed = Feed::new(Limits::default());
    feed.isr(100, V::ISR_IN);
    feed.isr(125, V::ISR_OUT);
    feed.isr(140, V::ISR_IN);
    feed.isr(140, V::ISR_OUT);
    feed.row(Some(160), false, &[]);
    let painted = feed.recorder.paint(window(100, 10, 7), &[feed.lane(ISR)]);
    let cells = &painted.lanes[0];
    let ticks: Vec<_> = cells.iter().map(|cell| cell.states.to_vec()).collect();
    let (inside, outside) = (0, 1);
    assert_eq!(
        ticks[..4],
        [vec![(inside, 10)], vec![(inside, 10)], vec![(inside, 5), (outside, 5)], vec![(outside, 10)]]
    );
    // A state that ended at once is included, and nothing follows the newest row.
    assert_eq!((ticks[4].as_slice(), ticks[6].as_slice()), (&[(inside, 0), (outside, 10)][..], &[][..]));
    assert_eq!(cells.iter().map(|cell| cell.changes).collect::<Vec<_>>(), [1, 0, 1, 0, 2, 0, 0]);
    let recorder = &feed.recorder;
    let at = |at| recorder.at(&[0], at)[0].0;
    assert_eq!(
        [at(99), at(100), at(125), at(160)],
        [LaneValue::Unknown, LaneValue::State(0), LaneValue::State(1), LaneValue::State(1)]
    );
    assert_eq!((recorder.change_after(0, 100), recorder.change_before(0, 140)), (Some(125), Some(125)));
    assert_eq!((recorder.change_after(0, 140), recorder.change_before(0, 100)), (None, None));
}

#[test]
fn a_loss_reaches_to_the_next_time_and_leaves_states_unsure() {
    let mut feed = Feed::new(Limits::default());
    feed.isr(10, V::ISR_IN);
    feed.value(20, 7);
    feed.row(None, true, &[]);
    feed.row(None, false, &[]);
    feed.value(40, 8);
    feed.isr(60, V::ISR_IN);
    feed.row(Some(80), false, &[]);
    let painted = feed.recorder.paint(window(0, 10, 9), &[feed.lane(ISR), feed.lane(VALUES)]);
    let lost: Vec<_> = painted.lost.iter().map(|lost| lost.unwrap_or(0)).collect();
    assert_eq!(lost, [0, 0, 10, 10, 0, 0, 0, 0, 0]);
    let unsure = |lane: usize| painted.lanes[lane].iter().map(|cell| u8::from(cell.unsure)).collect::<Vec<_>>();
    assert_eq!(unsure(0), [0, 0, 1, 1, 1, 1, 0, 0, 0]);
    assert_eq!(unsure(1), [0, 0, 1, 1, 0, 0, 0, 0, 0]);
}

#[test]
fn after_a_reset_nothing_is_known_and_time_goes_on() {
    let mut feed = Feed::new(Limits::default());
    feed.value(1000, 7);
    feed.row(Some(1050), false, &[]);
    feed.epoch = 1;
    feed.row(Some(0), false, &[]);
    feed.value(30, 9);
    assert_eq!(feed.recorder.span(), (1000, 1080));
    let painted = feed.recorder.paint(window(1000, 10, 9), &[0]);
    let range: Vec<_> = painted.lanes[0].iter().map(|cell| cell.range.map(|range| range.1)).collect();
    let seven = Some(7.0);
    assert_eq!(range, [seven, seven, seven, seven, seven, None, None, None, Some(9.0)]);
    assert_eq!((feed.recorder.place(1, Some(1050)), feed.recorder.place(3, Some(30))), (Some(1050), Some(1080)));
}

/// Feeds the same rows with the given limits.
fn many(limits: Limits) -> Feed {
    let mut feed = Feed::new(limits);
    for at in 0..20_000 {
        match at % 5 {
            0 => feed.isr(at * 3, V::ISR_IN),
            1 => feed.isr(at * 3, V::ISR_OUT),
            2 if at % 1000 == 2 => feed.row(None, true, &[]),
            _ => feed.value(at * 3, at / 7),
        }
    }
    feed
}

#[test]
fn memory_is_bounded_and_sums_stay_right() {
    let exact = many(Limits { rows: 400, memory: 1 << 30, blocks: 1 << 20 });
    let few_bytes = many(Limits { rows: 400, memory: 40_000, blocks: 1 << 20 });
    let few_blocks = many(Limits { rows: 100, memory: 10_000, blocks: 40 });
    assert!(few_bytes.recorder.memory() < exact.recorder.memory());
    // An open block is added on top.
    assert!(few_bytes.recorder.memory() < 42_000);
    for limits in
        [Limits { rows: 100, memory: 10_000, blocks: 1 << 20 }, Limits { rows: 100, memory: 10_000, blocks: 40 }]
    {
        let memory = many(limits).recorder.memory();
        // Sums are about half of it.
        assert!((8_000..12_000).contains(&memory), "{memory} bytes within {limits:?}");
    }
    // As wide as several blocks, so that blocks lie within columns or across their edges.
    let (begin, end) = exact.recorder.span();
    let lanes = [exact.lane(ISR), exact.lane(VALUES)];
    let whole = window(begin, end - begin + 1, 1);
    let expected = exact.recorder.paint(whole, &lanes);
    assert_eq!(few_bytes.recorder.paint(whole, &lanes), expected);
    // Blocks within a column cost their lanes, not their rows.
    assert!(expected.looked_at < 1000, "{}", expected.looked_at);
    let cell = |feed: &Feed| feed.recorder.paint(whole, &lanes).lanes;
    for (found, expected) in cell(&few_blocks).iter().flatten().zip(cell(&exact).iter().flatten()) {
        assert_eq!((&found.states, found.changes, found.range), (&expected.states, expected.changes, expected.range));
    }
    let columns = window(begin, (end - begin) / 50, 51);
    let (found, expected) = (few_bytes.recorder.paint(columns, &lanes), exact.recorder.paint(columns, &lanes));
    assert!(found.coarse && !expected.coarse);
    let sum = |cells: &[super::Cell]| cells.iter().flat_map(|cell| &cell.states).map(|state| state.1).sum::<u64>();
    let (found, expected) = (sum(&found.lanes[0]), sum(&expected.lanes[0]));
    assert!(expected.abs_diff(found) < 1000, "{found} ticks instead of {expected}");
}

#[test]
fn sums_of_blocks_are_what_their_changes_say() {
    let random_rows = |rows| {
        let mut feed = Feed::new(Limits { rows, memory: 1 << 30, blocks: 1 << 20 });
        let (mut random, mut time) = (Random::new(3), 0);
        for _ in 0..20_000 {
            // Several rows often share a time.
            time += random.below(3) as u64 * random.below(5) as u64;
            match random.below(200) {
                0 => feed.row(None, true, &[]),
                1 => feed.row(Some(time), true, &[]),
                2 if random.below(4) == 0 => (feed.epoch, time) = (feed.epoch + 1, 0),
                3..100 => feed.isr(time, [V::ISR_IN, V::ISR_OUT][random.below(2)]),
                _ => feed.value(time, random.below(5) as u64),
            }
        }
        feed
    };
    let (one_by_one, in_blocks) = (random_rows(u64::MAX), random_rows(50));
    let (begin, end) = one_by_one.recorder.span();
    assert_eq!(in_blocks.recorder.span(), (begin, end));
    for columns in [1, 7, 150] {
        let window = window(begin, (end - begin) / columns + 1, columns as usize);
        let paint = |feed: &Feed| feed.recorder.paint(window, &[0, 1]);
        let (expected, found) = (paint(&one_by_one), paint(&in_blocks));
        assert!(found.looked_at * 2 < expected.looked_at);
        assert_eq!((found.lanes, found.lost), (expected.lanes, expected.lost), "{columns} columns");
    }
}

#[test]
fn the_newest_rows_keep_their_changes_when_old_blocks_become_one() {
    let mut feed = Feed::new(Limits { rows: 100, memory: 5_000, blocks: 100 });
    for at in 0..20_000 {
        feed.value(at * 3, at);
        let newest = window((at * 3).saturating_sub(60), 1, 61);
        let painted = feed.recorder.paint(newest, &[0]);
        assert!(!painted.coarse, "at {at}");
        assert_eq!(painted.lanes[0][60.min(at as usize * 3)].range, Some((at as f64, at as f64)));
    }
}

#[test]
fn a_number_that_is_none_is_not_shown() {
    let mut feed = Feed::new(Limits::default());
    feed.value(1, 5);
    let nan = Activity::new(V::VALUE).sub(VALUES, 1).val(f64::NAN.to_bits());
    feed.row(Some(2), false, &[nan.with(F::FLOAT)]);
    assert_eq!(feed.recorder.paint(window(2, 1, 1), &[0]).lanes[0][0].last, LaneValue::Unknown);
}
