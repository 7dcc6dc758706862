//! Search for the sizes that explain most frame lengths. Version, time stamp, pointer and signal are tried in all
//! combinations. The others are tried group by group: each event depends on one group only, so this finds the optimum.

use super::frames::Frames;
use crate::{
    config::{Config, Key, SPECS, Settings, Spec, Style, bit},
    layout::{self, Layout, Role, UNIT_TEST, USER},
    record::{self, Frame, Items, Record},
};

/// Versions with different ids, newest first.
const VERSIONS: [u16; 5] = [0x3400, 0x2406, 0x2404, 0x2403, 0x2300];
/// Number of combinations that are improved.
const STARTS: usize = 4;
/// Settings that occur in the same events.
const GROUPS: [&[Key]; 4] = [
    &[Key::Nelem, Key::QueueLwm, Key::Sender],
    &[Key::Nblock, Key::PoolLwm, Key::Esize, Key::Bsize],
    &[Key::Ntimer],
    &[Key::Function],
];

/// The best settings of a sample.
pub(super) struct Found {
    pub(super) settings: Settings,
    /// Number of frames with matching length, and their bytes in the sample.
    pub(super) fits: u32,
    pub(super) bytes: usize,
    /// Number of different ids among them.
    pub(super) ids: u32,
    /// Settings that no frame depends on.
    pub(super) open: Vec<&'static Spec>,
}

/// The settings reported by the target.
pub(super) fn reported(frames: &Frames, settings: Settings) -> Found {
    let trial = Trial::new(frames);
    let best = trial.improved(settings, settings, !bit(Key::Function));
    let score = trial.score(&best);
    Found { settings: best, fits: score.fits, bytes: score.bytes, ids: score.ids.count_ones(), open: Vec::new() }
}

/// The settings that match most frames.
pub(super) fn best(frames: &Frames, start: Settings, given: u16) -> Found {
    let trial = Trial::new(frames);
    let start = start.with(Key::Checksum, frames.checksum.into()).with(Key::Nseq, frames.nseq.into());
    let mut starts: Vec<(i64, Settings)> =
        combinations(start, given).map(|settings| (trial.score(&settings).points, settings)).collect();
    // A stable sort: among equals, the more common one stays in front.
    starts.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
    let improved = starts.into_iter().take(STARTS).map(|(_, settings)| {
        let best = trial.improved(settings, start, given);
        (trial.score(&best), best)
    });
    let (score, settings) =
        improved.reduce(|a, b| if b.0.points > a.0.points { b } else { a }).unwrap_or((Score::default(), start));
    let open = open(&trial, settings, given | bit(Key::Checksum) | bit(Key::Nseq) | bit(Key::Function), score.points);
    Found { settings, fits: score.fits, bytes: score.bytes, ids: score.ids.count_ones(), open }
}

/// Values of a setting, the most common first; only the given one if it was given.
fn values(key: Key, start: &Settings, given: u16) -> Vec<u16> {
    if given & bit(key) != 0 {
        return vec![start.get(key)];
    }
    let all: &[u16] = match key {
        Key::Version => &VERSIONS,
        Key::Pointer => &[4, 2, 8],
        Key::Function => &[0, 4, 2, 8],
        Key::Sender | Key::QueueLwm | Key::PoolLwm | Key::Nseq | Key::Checksum | Key::Tstamp => &[0, 1],
        _ => &[1, 2, 4],
    };
    let usual = start.get(key);
    let mut list: Vec<u16> = all.iter().copied().filter(|v| *v == usual).collect();
    list.extend(all.iter().copied().filter(|v| *v != usual));
    list
}

/// All combinations of version, time stamp, pointer and signal.
fn combinations(start: Settings, given: u16) -> impl Iterator<Item = Settings> {
    let of = move |key| values(key, &start, given);
    let stamps = of(Key::Tstamp).into_iter().rev().flat_map(move |on| match on {
        0 => vec![(0, start.get(Key::Timestamp))],
        _ => of(Key::Timestamp).into_iter().map(|bytes| (1, bytes)).collect(),
    });
    let stamps: Vec<(u16, u16)> = stamps.collect();
    let versions = of(Key::Version);
    versions.into_iter().flat_map(move |version| {
        let stamps = stamps.clone();
        stamps.into_iter().flat_map(move |(on, bytes)| {
            of(Key::Pointer).into_iter().flat_map(move |pointer| {
                of(Key::Signal).into_iter().map(move |signal| {
                    start
                        .with(Key::Version, version)
                        .with(Key::Tstamp, on)
                        .with(Key::Timestamp, bytes)
                        .with(Key::Pointer, pointer)
                        .with(Key::Signal, signal)
                })
            })
        })
    })
}

/// Settings that no frame depends on: other values match as well.
fn open(trial: &Trial<'_>, best: Settings, given: u16, points: i64) -> Vec<&'static Spec> {
    let unknown = |spec: &&Spec| {
        let mut others = values(spec.key, &best, given).into_iter().filter(|v| *v != best.get(spec.key));
        given & bit(spec.key) == 0 && others.any(|v| trial.score(&best.with(spec.key, v)).points >= points)
    };
    // Without time stamps their size is unknown.
    let shown = |spec: &&Spec| spec.key != Key::Timestamp || best.on(Key::Tstamp);
    SPECS.iter().filter(shown).filter(unknown).collect()
}

/// How well settings explain a sample.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    points: i64,
    fits: u32,
    bytes: usize,
    ids: Ids,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ids([u128; 2]);

impl Ids {
    fn insert(&mut self, id: u8) {
        self.0[usize::from(id >> 7)] |= 1 << (id & 127);
    }

    fn count_ones(self) -> u32 {
        self.0.iter().map(|half| half.count_ones()).sum()
    }
}

/// A sample that settings are tried on.
struct Trial<'f> {
    frames: &'f Frames,
}

impl<'f> Trial<'f> {
    fn new(frames: &'f Frames) -> Trial<'f> {
        Trial { frames }
    }

    /// Tries all combinations within each group of settings, one group after the other.
    fn improved(&self, settings: Settings, usual: Settings, given: u16) -> Settings {
        GROUPS.iter().fold(settings, |settings, keys| {
            let mut best = (self.score(&settings).points, settings);
            self.vary(settings, keys, &usual, given, &mut best);
            best.1
        })
    }

    fn vary(&self, settings: Settings, keys: &[Key], usual: &Settings, given: u16, best: &mut (i64, Settings)) {
        let Some((key, rest)) = keys.split_first() else {
            let points = self.score(&settings).points;
            if points > best.0 {
                *best = (points, settings);
            }
            return;
        };
        for value in values(*key, usual, given) {
            self.vary(settings.with(*key, value), rest, usual, given, best);
        }
    }

    fn score(&self, settings: &Settings) -> Score {
        let config = settings.config(Style::Native);
        let mut score = Score::default();
        for ((id, len), bin) in &self.frames.bins {
            let layout = layout::layout(*id, config.era);
            let (count, bytes) = if config.checksum { (bin.right, bin.bytes_right) } else { (bin.all, bin.bytes_all) };
            match layout {
                Some(layout) if record::length(layout, &config) == Some(*len) => {
                    score.add(*id, count, bytes);
                }
                Some(Layout { role: Role::Tcfg, .. }) => score.add(*id, count, bytes),
                None if !(USER..UNIT_TEST).contains(id) => score.points -= i64::from(count),
                _ => {}
            }
        }
        self.add_variable(&config, &mut score);
        score
    }

    /// Adds frames of variable length; the kept ones represent all frames of their id.
    fn add_variable(&self, config: &Config, score: &mut Score) {
        for ((id, right), kept) in &self.frames.kept {
            let layout = layout::layout(*id, config.era);
            let variable = layout.map_or((USER..UNIT_TEST).contains(id), |l| !l.fixed() && l.role != Role::Tcfg);
            if !variable || (config.checksum && !right) {
                continue;
            }
            let (fits, of) = (kept.frames.iter().filter(|f| fits(f, config)).count(), kept.frames.len().max(1));
            score.add(*id, (kept.total as usize * fits / of) as u32, (kept.bytes * fits / of) as u32);
        }
    }
}

fn fits(frame: &[u8], config: &Config) -> bool {
    let Some(frame) = Frame::read(config, None, frame) else { return false };
    match frame.record {
        Record::Event(_, values) => printable(values.bytes),
        Record::User => items(frame.args(config), config),
        _ => false,
    }
}

impl Score {
    fn add(&mut self, id: u8, count: u32, bytes: u32) {
        if count > 0 {
            self.ids.insert(id);
        }
        self.points += i64::from(count);
        self.fits += count;
        self.bytes += bytes as usize;
    }
}

fn printable(text: &[u8]) -> bool {
    text.iter().all(|b| (b' '..0x7F).contains(b) || *b >= 0x80)
}

fn items(args: &[u8], config: &Config) -> bool {
    let mut items = Items::new(args, config);
    items.by_ref().for_each(drop);
    items.rest.is_empty()
}
