//! Timelines: the cells of any window equal those of a stream read from its first byte and sampled after each row, on
//! clean and damaged captures of all protocols.

use std::{collections::BTreeMap, fs, io, sync::Arc};

use spytui_engine::{
    analysis::{
        Reader,
        objects::{FedRow, Moment, ObjectState, ObjectTable},
        time_axis::{TimeAxis, begins_epoch},
        timeline::{Cell, LaneKey, TimeWindow, TimelineRecorder, recorder::Limits},
    },
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options},
    row::RowView,
    store::rows::BUDGET,
    trace::list::{RowList, TimelineHistory, Walking},
    trace::session::{Decoding, thread::DecodeLoop},
    trace::stream::Sink,
};
use spytui_plugin_host::kit::Random;

use crate::objects::{PROTOCOLS, Protocol, list};
use crate::pipeline::decode;

/// Windows compared, per capture.
const WINDOWS: usize = 8;
/// Small blocks: windows are painted from changes and from sums.
const SMALL: Limits = Limits { rows: 64, memory: 64 << 20, blocks: 1 << 15 };

/// What a lane shows, as words, because numbers of states depend on their order of appearance.
#[derive(Debug, Clone, PartialEq)]
enum Word {
    Nothing,
    State(String),
    Number(f64),
}

/// All lanes as of a row.
struct Sample {
    at: u64,
    loses: bool,
    has_time: bool,
    lanes: BTreeMap<LaneKey, (Word, bool)>,
}

/// Samples all objects after each row.
struct Sampler {
    table: ObjectTable,
    axis: TimeAxis,
    records: u64,
    samples: Vec<Sample>,
    has_time: bool,
}

impl Sink for Sampler {
    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        self.records += u64::from(view.row.is_record());
        let time = view.row.has_time().then_some(view.row.time);
        let at = Moment { row: self.samples.len() as u64, n: self.records, source: 0, time };
        let fed = FedRow::new(view.row, at, view.epoch);
        self.table.row(&fed, view.activities);
        self.axis.at(view.epoch, time.map(Some), begins_epoch(view.row));
        if !self.has_time && begins_epoch(view.row) {
            self.has_time = true;
            let first = self.axis.last;
            self.samples.iter_mut().for_each(|sample| sample.at = first);
        }
        let mut lanes = BTreeMap::new();
        for (key, object) in self.table.objects() {
            let lane = |is_level| LaneKey { object: key, is_level };
            lanes.insert(lane(false), (word(&object.state), self.table.is_unsure(object)));
            if let Some(level) = object.level {
                let number = match (level.used(), level.free()) {
                    (Some(used), _) if !level.counts_free => used as f64,
                    (_, Some(free)) if level.counts_free => free as f64,
                    _ => f64::INFINITY,
                };
                lanes.insert(lane(true), (Word::Number(number), self.table.is_level_unsure(&level)));
            }
        }
        self.samples.push(Sample { at: self.axis.last, loses: fed.loses, has_time: time.is_some(), lanes });
        Ok(())
    }
}

fn word(state: &ObjectState) -> Word {
    match *state {
        ObjectState::Unknown | ObjectState::Level(_) => Word::Nothing,
        ObjectState::Value { bits, flags } if flags.is_empty() => Word::Number(bits as f64),
        ObjectState::Value { bits, .. } => Word::Number(bits as i64 as f64),
        ObjectState::Task(task) => Word::State(format!("{:?}", task.doing)),
        ObjectState::Armed { .. } => Word::State("armed".to_owned()),
        ObjectState::Inside(_) => Word::State("inside".to_owned()),
        other => Word::State(format!("{other:?}")),
    }
}

/// What a lane did in a column, from the samples.
#[derive(Debug, Default, PartialEq)]
struct Expected {
    ticks: BTreeMap<String, u64>,
    changes: u32,
    range: Option<(f64, f64)>,
    unsure: bool,
}

impl Expected {
    fn add(&mut self, word: &Word, ticks: u64, unsure: bool) {
        match word {
            Word::Nothing => return,
            Word::State(state) => *self.ticks.entry(state.clone()).or_default() += ticks,
            Word::Number(number) => {
                let (low, high) = self.range.unwrap_or((*number, *number));
                self.range = Some((low.min(*number), high.max(*number)));
            }
        }
        self.unsure |= unsure;
    }
}

/// The cells of a lane, from the samples.
fn expected(samples: &[Sample], lane: LaneKey, window: TimeWindow) -> Vec<Expected> {
    let mut cells: Vec<Expected> = (0..window.columns).map(|_| Expected::default()).collect();
    let nothing = (Word::Nothing, false);
    let mut before = &nothing;
    for (number, sample) in samples.iter().enumerate() {
        let now = sample.lanes.get(&lane).unwrap_or(&nothing);
        let in_window = sample.at >= window.begin && sample.at < window.end();
        if before != now && in_window {
            let cell = &mut cells[window.column(sample.at)];
            cell.changes += u32::from(before.0 != now.0);
            cell.add(&now.0, 0, now.1);
        }
        let end = samples.get(number + 1).map_or(sample.at, |next| next.at);
        let (from, to) = (sample.at.max(window.begin), end.min(window.end()));
        let columns = if from < to { window.column(from)..window.column(to - 1) + 1 } else { 0..0 };
        for column in columns {
            let (begin, end) = (from.max(window.start(column)), to.min(window.start(column + 1)));
            cells[column].add(&now.0, end - begin, now.1);
        }
        before = now;
    }
    cells
}

/// Columns in which records are missing: from a loss to the next record with a time.
fn expected_loss(samples: &[Sample], window: TimeWindow) -> Vec<bool> {
    let mut lost = vec![false; window.columns];
    let mut open: Option<u64> = None;
    let mut mark = |from: u64, to: u64| {
        let (first, last) = (window.column(from.max(window.begin)), window.column(to.max(from + 1) - 1));
        if to.max(from + 1) > window.begin {
            (first..=last).filter(|column| *column < window.columns).for_each(|column| lost[column] = true);
        }
    };
    for (number, sample) in samples.iter().enumerate() {
        if sample.loses {
            open = open.or(Some(if number == 0 { sample.at } else { samples[number - 1].at }));
        } else if sample.has_time {
            open.take().into_iter().for_each(|from| mark(from, sample.at));
        }
    }
    open.into_iter().for_each(|from| mark(from, samples[samples.len() - 1].at));
    lost
}

fn sampled(decoder: &Arc<Decoder>, options: &Options, bytes: &[u8]) -> Vec<Sample> {
    let table = ObjectTable::new(&decoder.info);
    let mut sampler = Sampler { table, axis: TimeAxis::default(), records: 0, samples: Vec::new(), has_time: false };
    decode(decoder, options, bytes, 1 << 16, &mut sampler);
    sampler.samples
}

fn worded(history: &TimelineHistory, cell: &Cell) -> Expected {
    let word = |state: u32| match word(history.recorder().state(state).unwrap()) {
        Word::State(state) => state,
        other => panic!("{other:?} is no state"),
    };
    assert_eq!(cell.beyond, 0);
    let mut ticks = BTreeMap::new();
    for (state, in_it) in &cell.states {
        *ticks.entry(word(*state)).or_default() += in_it;
    }
    Expected { ticks, changes: cell.changes, range: cell.range, unsure: cell.unsure }
}

fn within(list: &RowList, limits: Limits) -> TimelineHistory {
    let mut recorder = TimelineRecorder::new(&list.source(0).decoder.info);
    recorder.limits = limits;
    TimelineHistory::with(list, recorder)
}

fn walked(list: &RowList, limits: Limits) -> TimelineHistory {
    let mut history = within(list, limits);
    while history.work(list) {}
    assert_eq!((history.failure(), history.recorder().rows()), (None, list.len()));
    history
}

/// Windows of all widths, from all rows to some ticks.
fn windows(samples: &[Sample]) -> Vec<TimeWindow> {
    let (begin, end) = (samples[0].at, samples[samples.len() - 1].at);
    let mut random = Random::new(9);
    let mut windows = vec![TimeWindow { begin, ticks: ((end - begin) / 20).max(1) + 1, columns: 20 }];
    for _ in 0..WINDOWS {
        let columns = 1 + random.below(30);
        let ticks = 1 + ((end - begin) >> random.below(24)) / columns as u64;
        windows.push(TimeWindow { begin: samples[random.below(samples.len())].at, ticks, columns });
    }
    windows
}

fn compare(protocol: &Protocol, capture: &str, times: usize) {
    let (decoder, bytes) = (protocol.decoder(), fs::read(protocol.path(capture)).unwrap().repeat(times));
    let options = protocol.options(&decoder, capture);
    let list = list(&decoder, &options, &bytes);
    let samples = sampled(&decoder, &options, &bytes);
    assert_eq!(samples.len() as u64, list.len(), "{capture}: the list has other rows");
    let history = walked(&list, SMALL);
    let keys: Vec<LaneKey> = history.recorder().lanes().collect();
    assert!(keys.len() > 4, "{capture}: only {} lanes", keys.len());
    let lanes: Vec<u32> = (0..keys.len() as u32).collect();
    for window in windows(&samples) {
        let painted = history.recorder().paint(window, &lanes);
        let losses = expected_loss(&samples, window);
        for (lane, cells) in keys.iter().zip(&painted.lanes) {
            for (column, (cell, expected)) in cells.iter().zip(expected(&samples, *lane, window)).enumerate() {
                let mut found = worded(&history, cell);
                // A sum does not contain when its state became uncertain.
                found.unsure &= expected.unsure || !losses[column];
                assert_eq!(found, expected, "{capture}, {lane:?}, column {column} of {window:?}");
            }
        }
        let found: Vec<bool> = painted.lost.iter().map(Option::is_some).collect();
        assert_eq!(found, losses, "{capture}: losses in {window:?}");
    }
}

#[test]
fn windows_show_what_a_replay_from_the_first_record_finds() {
    for protocol in &PROTOCOLS {
        for capture in protocol.captures {
            compare(protocol, capture, 1);
        }
    }
}

#[test]
fn also_over_resets_of_the_target() {
    for protocol in &PROTOCOLS {
        compare(protocol, protocol.captures[1], 3);
    }
}

/// Followed live in pieces of any size, lanes equal those of reading all rows at once.
#[test]
fn who_follows_live_finds_the_same() {
    for protocol in &PROTOCOLS {
        let (capture, mut random) = (protocol.captures[1], Random::new(11));
        let (decoder, bytes) = (protocol.decoder(), fs::read(protocol.path(capture)).unwrap().repeat(2));
        let options = protocol.options(&decoder, capture);
        let log = RawLog::new(&LogOptions::default());
        let decoding = Arc::new(Decoding::new(decoder.clone(), options.clone(), log.clone(), 0, 0, BUDGET));
        let mut decode = DecodeLoop::open(decoding.clone()).unwrap();
        let followed = RowList::new(vec![decoding]);
        let mut history = within(&followed, SMALL);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, others) = rest.split_at((1 + random.below(bytes.len() / 20)).min(rest.len()));
            rest = others;
            log.append(piece, 1);
            while decode.step().unwrap() {}
            if random.below(3) > 0 {
                while history.work(&followed) {}
            }
        }
        while history.work(&followed) {}
        // At its end, a stream may report leftovers.
        let at_once = walked(&list(&decoder, &options, &bytes), SMALL);
        let (found, expected) = (history.recorder(), at_once.recorder());
        assert_eq!(found.lanes().collect::<Vec<_>>(), expected.lanes().collect::<Vec<_>>(), "{capture}");
        let lanes: Vec<u32> = (0..found.lanes().count() as u32).collect();
        let (begin, end) = found.span();
        let window = TimeWindow { begin, ticks: (end - begin) / 100 + 1, columns: 99 };
        assert_eq!(found.paint(window, &lanes), expected.paint(window, &lanes), "{capture}");
    }
}
