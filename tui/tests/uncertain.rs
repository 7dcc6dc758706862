//! What is concluded from damaged streams: nothing that the undamaged stream contradicts, unless it is said to be uncertain.
//! `SPYTUI_DAMAGED=10000` tries more damage than the few that each run of the tests does.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs, io,
    sync::{Arc, atomic::AtomicBool},
};

use spytui_decoder_tband::encode::Stream;
use spytui_engine::{
    analysis::{
        Key,
        objects::{FedRow, Moment, Object, ObjectTable, State},
        statistics::{Statistics, measure, tally::Extreme},
    },
    export::{
        capture::Inputs,
        perfetto::{export, proto::EventType},
    },
    io::log::{LogOptions, RawLog},
    open::{Decoder, Options},
    row::RowView,
    trace::stream::{Pipeline, Sink},
};
use spytui_plugin_api::{AttachmentId, Row, RowKind, Source, kit::Random, row::RowFlags};

use crate::{
    objects::{PROTOCOLS, Protocol},
    perfetto::summary,
};

/// An object behind a record, and whether its state and level are certain.
type Known = Vec<(Key, Object, bool, bool)>;

/// What is concluded from a stream.
struct Concluded {
    table: ObjectTable,
    statistics: Statistics,
    rows: u64,
    records: Vec<(Row, Known)>,
    keeps: bool,
    lost: u64,
    /// Rows at which records may be missing.
    hiding: Vec<(u64, RowKind)>,
}

impl Sink for Concluded {
    fn activities(&self) -> bool {
        true
    }

    fn row(&mut self, view: &RowView<'_>) -> io::Result<()> {
        let time = view.row.has_time().then_some(view.row.time);
        let at = Moment { row: self.rows, n: self.records.len() as u64, source: 0, time };
        let fed = FedRow::new(view.row, at, view.epoch);
        self.table.row(&fed, view.activities);
        self.statistics.row(&fed, view.activities);
        self.rows += 1;
        if view.row.may_hide_records() {
            self.hiding.push((view.row.pos, view.row.kind));
        }
        if view.row.kind == RowKind::GAP {
            let lost = view.attachments.iter().filter(|attachment| attachment.id == AttachmentId::LOST);
            self.lost += lost.map(|attachment| attachment.a).sum::<u64>();
        }
        if view.row.is_record() {
            let is_sure = |level| !self.table.is_level_unsure(&level);
            let all = self.table.objects().filter(|_| self.keeps);
            let known = all.map(|(key, object)| {
                (key, object.clone(), !self.table.is_unsure(object), object.level.is_some_and(is_sure))
            });
            let known = known.collect();
            self.records.push((*view.row, known));
        }
        Ok(())
    }
}

fn conclude(decoder: &Arc<Decoder>, options: &Options, bytes: &[u8]) -> Concluded {
    let mut sink = Concluded {
        table: ObjectTable::new(&decoder.info),
        statistics: Statistics::new(&decoder.info),
        rows: 0,
        records: Vec::new(),
        keeps: true,
        lost: 0,
        hiding: Vec::new(),
    };
    let mut pipeline = Pipeline::single(decoder, options).unwrap();
    pipeline.feed_all(bytes, 1 << 16, &mut sink).unwrap();
    sink
}

/// Slices of a trace: track, name, begin, end.
type Slices = Vec<(String, String, u64, u64)>;

fn slices(decoder: &Arc<Decoder>, options: &Options, bytes: &[u8]) -> Slices {
    let log = RawLog::new(&LogOptions::default());
    log.append(bytes, 1);
    log.end(1);
    let inputs = Inputs { decoder, options, sources: &[Source { index: 0, core: 0 }], logs: &[log] };
    let mut out = Vec::new();
    export(&inputs, &mut out, &AtomicBool::new(false)).unwrap();
    let mut slices = Vec::new();
    for track in summary::tracks(&out) {
        let mut open = Vec::new();
        for (ns, event) in &track.events {
            match event.r#type() {
                EventType::SliceBegin => open.push((event.name().to_owned(), *ns)),
                EventType::SliceEnd => {
                    slices.extend(open.pop().map(|(name, begin)| (track.path.clone(), name, begin, *ns)));
                }
                _ => {}
            }
        }
        slices.extend(open.into_iter().map(|(name, begin)| (track.path.clone(), name, begin, u64::MAX)));
    }
    slices
}

/// A damaged copy, and where each of its bytes was before.
struct Damaged {
    bytes: Vec<u8>,
    was: Vec<u64>,
}

/// Turns bits, cuts bytes out of frames, and where numbers show that, leaves out, repeats and swaps whole frames.
fn damage(bytes: &[u8], frames: &[Row], has_numbers: bool, random: &mut Random) -> Damaged {
    let mut bytes: Vec<(u64, u8)> = (0..).zip(bytes.iter().copied()).collect();
    for _ in 0..=random.below(3) {
        let frame = frames[random.below(frames.len())];
        let (first, len) = (frame.pos, u64::from(frame.len));
        let at = first + random.below(frame.len as usize) as u64;
        match random.below(if has_numbers { 5 } else { 3 }) {
            0 if has_numbers => bytes.retain(|(was, _)| !(first..first + len).contains(was)),
            kind @ (3 | 4) if has_numbers => {
                let (group, at) = (1 + random.below(4), random.below(frames.len() - 8));
                let place = |frame: Row| bytes.iter().position(|(was, _)| *was == frame.pos);
                let places = [frames[at], frames[at + group], frames[at + 2 * group]].map(place);
                let [Some(first), Some(next), Some(end)] = places else { continue };
                if first < next && next < end && kind == 3 {
                    bytes[first..end].rotate_left(next - first);
                } else if first < next {
                    bytes.splice(next..next, bytes[first..next].to_vec());
                }
            }
            1 => {
                let end = (at + 1 + random.below(4) as u64).min(first + len - 1);
                bytes.retain(|(was, _)| !(at..end).contains(was));
            }
            _ => bytes.iter_mut().filter(|(was, _)| *was == at).for_each(|byte| byte.1 ^= 1 << random.below(8)),
        }
    }
    let (was, bytes) = bytes.into_iter().unzip();
    Damaged { bytes, was }
}

/// The undamaged stream, and what is concluded from it.
struct Clean {
    bytes: Vec<u8>,
    concluded: Concluded,
    /// Its records by their last byte.
    by_end: HashMap<u64, usize>,
    slices: Slices,
}

impl Clean {
    fn new(decoder: &Arc<Decoder>, options: &Options, bytes: Vec<u8>) -> Clean {
        let concluded = conclude(decoder, options, &bytes);
        let ends = concluded.records.iter().enumerate().map(|(i, (row, _))| (row.pos + u64::from(row.len) - 1, i));
        let (by_end, slices) = (ends.collect(), slices(decoder, options, &bytes));
        Clean { bytes, concluded, by_end, slices }
    }

    /// The record that a record of the damaged stream is, if it says the same.
    fn same(&self, row: &Row, damaged: &Damaged) -> Option<usize> {
        let end = *damaged.was.get((row.pos + u64::from(row.len) - 1) as usize)?;
        let at = *self.by_end.get(&end)?;
        let said = |row: &Row| (row.kind, row.time, row.item, row.core);
        let was = &self.concluded.records[at].0;
        let raw = |bytes: &[u8], row: &Row| bytes[row.pos as usize..row.pos as usize + row.len as usize].to_vec();
        let is_same = said(was) == said(row) && raw(&self.bytes, was) == raw(&damaged.bytes, row);
        is_same.then_some(at)
    }
}

/// What the damaged stream claims and the clean one contradicts; `None` = the damage can't be noticed.
fn contradiction(clean: &Clean, damaged: &Damaged, found: &Concluded, traced: Option<&Slices>) -> Option<String> {
    let came: Option<HashSet<usize>> = found.records.iter().map(|(row, _)| clean.same(row, damaged)).collect();
    let came = came?;
    let missing = (clean.concluded.records.len() - came.len()) as u64;
    let in_order = || found.records.iter().filter(|(row, _)| !row.has(RowFlags::OUT_OF_ORDER));
    let places: Vec<usize> = in_order().filter_map(|(row, _)| clean.same(row, damaged)).collect();
    if !places.is_sorted() {
        return None;
    }
    if found.lost > missing {
        return Some(format!("{} lost, {missing} are", found.lost));
    }
    let seen = places.last().map_or(0, |last| last + 1);
    if seen > came.len() && found.hiding.is_empty() {
        return Some(format!("{missing} are missing, and nothing says so"));
    }
    for (at, (row, known)) in places.iter().zip(in_order()) {
        let true_ones: HashMap<Key, &Object> =
            clean.concluded.records[*at].1.iter().map(|(key, object, ..)| (*key, object)).collect();
        for (key, object, is_sure, is_level_sure) in known {
            let truth = true_ones.get(key);
            if *is_sure && object.state != State::Unknown && truth.is_none_or(|truth| !agree(truth, object)) {
                let truth = truth.map(|truth| truth.state);
                return Some(format!("at {}: {key:?} is {:?}, not {truth:?}", row.pos, object.state));
            }
            let level = |object: &Object| object.level.map(|level| level.fill);
            if *is_level_sure && truth.is_some_and(|truth| level(truth) != level(object)) {
                return Some(format!("at {}: the level of {key:?} is {:?}", row.pos, level(object)));
            }
        }
    }
    figures(clean, found).or_else(|| untrue_slice(clean, traced?))
}

/// Whether states are the same, whatever record said so.
fn agree(one: &Object, other: &Object) -> bool {
    match (one.state, other.state) {
        (State::Task(one), State::Task(other)) => one.doing == other.doing,
        // Levels are compared as such: what an empty queue is as a state depends on what it counts.
        (State::Level(_), State::Level(_)) => true,
        (one, other) => one == other,
    }
}

/// A figure that says more than is true.
fn figures(clean: &Clean, found: &Concluded) -> Option<String> {
    for of in measure::ALL.into_iter().filter(|of| *of != measure::Measure::Rate) {
        let sums = |statistics: &Statistics| {
            let mut sums: BTreeMap<(Option<Key>, u16), (u64, u64, u64)> = BTreeMap::new();
            for (subject, sum) in statistics.sums(of) {
                let extreme = |extreme: Option<_>, none| extreme.map_or(none, |extreme: Extreme| extreme.value);
                let all = sums.entry((subject.object, subject.core)).or_insert((0, u64::MAX, 0));
                *all = (
                    all.0 + sum.values.count(),
                    all.1.min(extreme(sum.least, u64::MAX)),
                    all.2.max(extreme(sum.greatest, 0)),
                );
            }
            sums
        };
        let truth = sums(&clean.concluded.statistics);
        for (subject, claimed) in sums(&found.statistics) {
            let is_true =
                |truth: &(u64, u64, u64)| claimed.0 <= truth.0 && claimed.1 >= truth.1 && claimed.2 <= truth.2;
            if !truth.get(&subject).is_some_and(is_true) {
                return Some(format!("{of:?} of {subject:?} is {claimed:?}, not {:?}", truth.get(&subject)));
            }
        }
    }
    None
}

/// A slice that no slice of the clean trace holds. Who holds a lock may not be known.
fn untrue_slice(clean: &Clean, traced: &Slices) -> Option<String> {
    let holds = |slice: &&(String, String, u64, u64)| {
        let (track, name, begin, end) = slice;
        let is_in = |(of, called, from, to): &(String, String, u64, u64)| {
            of == track && called.starts_with(name.as_str()) && from <= begin && to >= end
        };
        clean.slices.iter().any(is_in)
    };
    let certain = traced.iter().filter(|(_, name, ..)| !name.starts_with('~'));
    certain.filter(|slice| !holds(slice)).map(|slice| format!("no slice {slice:?}")).next()
}

fn cases() -> usize {
    std::env::var("SPYTUI_DAMAGED").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60)
}

fn claims_nothing_untrue(protocol: &Protocol, capture: &str, (most, has_numbers): (usize, bool)) {
    let decoder = protocol.decoder();
    let options = protocol.options(&decoder, capture);
    let mut bytes = fs::read(protocol.path(capture)).unwrap();
    bytes.truncate(most);
    let clean = Clean::new(&decoder, &options, bytes);
    let records = &clean.concluded.records;
    // What is missing before a frame is known when it comes: the last one stays.
    let frames: Vec<Row> = records[records.len() / 3..records.len() - 1].iter().map(|(row, _)| *row).collect();
    let mut judged = 0;
    for seed in 0..cases() {
        let damaged = damage(&clean.bytes, &frames, has_numbers, &mut Random::new(seed as u64));
        let found = conclude(&decoder, &options, &damaged.bytes);
        let is_noticed = found.records.iter().all(|(row, _)| clean.same(row, &damaged).is_some());
        if !is_noticed {
            continue;
        }
        judged += 1;
        // Without a name, a track is another one.
        let names = |of: &Concluded| of.records.iter().filter(|(row, _)| row.has(RowFlags::NAMING)).count();
        let is_named = names(&found) == names(&clean.concluded);
        let traced = (seed % 4 == 0 && is_named).then(|| slices(&decoder, &options, &damaged.bytes));
        let untrue = contradiction(&clean, &damaged, &found, traced.as_ref());
        assert_eq!(untrue, None, "{capture}, damage {seed}");
    }
    assert!(judged * 3 > cases(), "{capture}: damage was noticed in {judged} of {} streams", cases());
}

#[test]
fn damage_makes_nothing_untrue_in_tband() {
    claims_nothing_untrue(&PROTOCOLS[2], "brew_stream.bin", (8 << 10, false));
}

#[test]
fn damage_makes_nothing_untrue_in_qs() {
    claims_nothing_untrue(&PROTOCOLS[0], "oven-734.bin", (12 << 10, true));
}

#[test]
fn damage_makes_nothing_untrue_in_rkh() {
    claims_nothing_untrue(&PROTOCOLS[1], "gh340-default.bin", (12 << 10, true));
}

/// A stream of two tasks and an interrupt, with the last event of the first half damaged or not.
fn two_tasks(last: (u8, u64, u64), is_damaged: bool) -> Vec<u8> {
    let mut stream = Stream::default();
    stream.resolution(1000).run(100, 1).event(0x04, 200, &[9], b"");
    let at = stream.bytes.len();
    stream.event(last.0, last.1, &[last.2], b"");
    if is_damaged {
        // A code byte that points past the end of its frame.
        stream.bytes[at] = 0x40;
    }
    stream.run(300, 2).run(5_000, 1).run(10_000, 2);
    stream.bytes
}

/// The processor time of each object.
fn cpu(found: &Concluded) -> Vec<(u64, u128)> {
    let values = found.statistics.sums(measure::Measure::Cpu);
    let mut totals = BTreeMap::new();
    values.for_each(|(subject, sum)| *totals.entry(subject.object.unwrap().key).or_insert(0) += sum.total);
    totals.into_iter().collect()
}

#[test]
fn an_interrupt_whose_exit_is_damaged_is_not_active_for_good() {
    let decoder = PROTOCOLS[2].decoder();
    let options = Options::default();
    let bytes = two_tasks((0x05, 202, 9), true);
    let found = conclude(&decoder, &options, &bytes);
    let clean = conclude(&decoder, &options, &two_tasks((0x05, 202, 9), false));
    assert_eq!(cpu(&clean), [(1, 5_198), (2, 4_700), (9, 2)]);
    assert_eq!(cpu(&found), [(1, 5_100), (2, 4_700)]);
    let last = &found.records.last().unwrap().1;
    let unsure: Vec<u64> = last.iter().filter(|known| !known.2).map(|known| known.0.key).collect();
    assert_eq!(unsure, [9]);
    let of_interrupt = |slice: &&(String, String, u64, u64)| slice.0.contains("ISR");
    let slices = slices(&decoder, &options, &bytes);
    let found: Vec<_> = slices.iter().filter(of_interrupt).map(|slice| (slice.1.as_str(), slice.2, slice.3)).collect();
    assert_eq!(found, [("ISR #9", 200_000, 200_000), ("~ISR #9", 200_000, u64::MAX)]);
}

#[test]
fn what_runs_across_damage_is_not_measured() {
    let bytes = two_tasks((0x55, 250, 2), true);
    let found = conclude(&PROTOCOLS[2].decoder(), &Options::default(), &bytes);
    assert_eq!(found.hiding.len(), 1);
    let run = found.statistics.sums(measure::Measure::Run).map(|(_, sum)| sum.total).sum::<u128>();
    assert_eq!((run, found.statistics.counts(measure::Measure::Run).cut), (9_700, 1));
}

/// The processor time of two tasks that take turns, with time stamps of a counter that software extends, or not.
fn turns(stamp: impl Fn(u64) -> u64) -> Vec<(u64, u128)> {
    let mut stream = Stream::default();
    stream.resolution(10);
    for n in 0..40 {
        stream.run(stamp(n), 1 + n % 2);
    }
    cpu(&conclude(&PROTOCOLS[2].decoder(), &Options::default(), &stream.bytes))
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
