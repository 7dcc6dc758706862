//! Detects whether a sample is RKH, and its sizes. The target's configuration record decides if there is one, otherwise
//! the sizes that explain most frame lengths. Version, time stamp, pointer and signal are tried in all combinations,
//! the rest group by group: each event depends on a single group, so this finds the optimum.

use std::collections::BTreeMap;

use spytui_decoder_kit::Elements;
use spytui_hdlc::{FLAG, NumberedFrame, sum, unstuff, without_text};
use spytui_plugin_api::info::Guess;
use spytui_plugin_api::text::grouped;

use crate::{
    config::{Config, Key, SPECS, Settings, Spec, Tcfg, TextStyle, bit},
    layout::{self, Role, UNIT_TEST, USER},
    record::{self, Record, RecordFrame},
};

/// Minimum number of frames for a guess.
const FEWEST: u32 = 3;
/// Minimum number of different ids for a guess without checksums.
const FEWEST_IDS: u32 = 5;
/// Per mille of matching frames from which a guess is called sure.
const SURE: u32 = 950;

/// Adds a guess if the sample looks like RKH. `given` = settings to keep.
pub(crate) fn guess(sample: &[u8], start: Settings, given: u16, out: &mut Vec<Guess>) {
    let mut builds = Frames::of(sample, start, given);
    if builds.iter().any(|frames| frames.right < frames.count) {
        let without_text = without_text(sample, 0, numbered);
        if without_text.len() < sample.len() {
            builds = Frames::of(&without_text, start, given);
        }
    }
    if builds.iter().map(|frames| frames.count).sum::<u32>() < FEWEST {
        return;
    }
    let sizes = |frames: &Frames| match frames.tcfg {
        Some(tcfg) => reported(frames, tcfg),
        None => best(frames, start, given),
    };
    let founds: Vec<Found> = builds.iter().map(sizes).collect();
    let (Some(frames), Some(found)) = (builds.first(), founds.first()) else { return };
    // A few ids have a matching length in any stream, but many ids hardly by chance.
    if found.score.ids < FEWEST_IDS && !frames.checksum {
        return;
    }
    let all = Evidence::of(&builds, &founds);
    let options = match frames.tcfg {
        // The stream begins with its configuration.
        Some(_) if frames.tcfg_first => String::new(),
        _ => options(&found.settings, &start),
    };
    out.push(Guess {
        evidence_bits: 8 * all.right_sums + 8 * all.in_order + 4 * all.fits,
        explained: (all.explained * 1000 / all.bytes.max(1)).min(1000) as u16,
        options: options.into(),
        why: why(frames, found, &all).into(),
    });
}

/// A frame with a valid sum that is the next one, or a target's first.
fn numbered(frame: &[u8]) -> Option<NumberedFrame> {
    // Numbers start at 0 after the configuration record.
    if Tcfg::find(frame, None).is_some() {
        return Some(NumberedFrame { number: u8::MAX, starts: true });
    }
    frame.get(1).map(|&number| NumberedFrame { number, starts: false }).filter(|_| frame.len() > 2)
}

/// Evidence for the sizes of all builds in a sample.
#[derive(Default)]
struct Evidence {
    /// Frames to explain, which are those with a valid checksum if there are checksums; and how many have the right
    /// length, sum and number.
    frames: u32,
    fits: u32,
    right_sums: u32,
    in_order: u32,
    /// Bytes in all frames, and in those with the right length.
    bytes: usize,
    explained: usize,
}

impl Evidence {
    fn of(builds: &[Frames], founds: &[Found]) -> Evidence {
        builds.iter().zip(founds).fold(Evidence::default(), |all, (frames, found)| {
            let checked = found.settings.on(Key::Checksum);
            let order = if checked { frames.order_right } else { frames.order };
            Evidence {
                frames: all.frames + if checked { frames.right } else { frames.count },
                fits: all.fits + found.score.fits,
                right_sums: all.right_sums + if checked { frames.right } else { 0 },
                in_order: all.in_order + if found.settings.on(Key::Nseq) { order } else { 0 },
                bytes: all.bytes + frames.bytes,
                explained: all.explained + found.score.bytes,
            }
        })
    }
}

/// The settings that differ from `start` as options, or else the version, so that the guess is shown.
fn options(settings: &Settings, start: &Settings) -> String {
    let line = |spec: &Spec| format!("{}={}\n", spec.option.key, spec.show(settings.get(spec.key)));
    // The reported version may be newer than any that can be set.
    let can_be_set = |spec: &&Spec| spec.option.parse(&spec.show(settings.get(spec.key))).is_ok();
    let differing: String = settings.differing(start).filter(can_be_set).map(line).collect();
    match SPECS.iter().find(|spec| spec.key == Key::Version) {
        Some(version) if differing.is_empty() => line(version),
        _ => differing,
    }
}

/// The evidence for a guess, and the settings left open.
fn why(frames: &Frames, found: &Found, all: &Evidence) -> String {
    let (fits, count) = (all.fits, all.frames);
    let share = u64::from(fits) * 1000 / u64::from(count.max(1));
    let sure = match share {
        _ if frames.tcfg.is_some() => "reported by the target",
        s if s >= SURE.into() && fits >= 100 => "sure",
        s if s >= SURE.into() => "likely, but few frames",
        s if s >= 700 => "likely",
        _ => "not sure",
    };
    let mut text =
        format!("{sure}: {} of {} frames have the right length", grouped(fits.into()), grouped(count.into()));
    if found.settings.on(Key::Checksum) {
        text += &format!(", {} the right checksum", grouped(all.right_sums.into()));
    }
    if found.settings.on(Key::Nseq) {
        // The first frame has no predecessor, so it counts as in order.
        text += &format!(", {} numbers in order", grouped(u64::from(all.in_order) + 1));
    }
    if !found.open.is_empty() {
        let list: Vec<&str> = found.open.iter().map(|spec| spec.option.key).collect();
        text += &format!("; no frame shows {}", list.join(" "));
    }
    text
}

const VERSIONS: [u16; 5] = [0x3400, 0x2406, 0x2404, 0x2403, 0x2300];
/// Number of combinations to refine.
const STARTS: usize = 4;
/// Settings that affect most events.
const COMMON: [Key; 5] = [Key::Version, Key::Tstamp, Key::Timestamp, Key::Pointer, Key::Signal];
/// Other settings; those of a group occur in the same events.
const GROUPS: [&[Key]; 4] = [
    &[Key::Nelem, Key::QueueLwm, Key::Sender],
    &[Key::Nblock, Key::PoolLwm, Key::Esize, Key::Bsize],
    &[Key::Ntimer],
    &[Key::Function],
];

struct Found {
    settings: Settings,
    score: Score,
    open: Vec<&'static Spec>,
}

fn reported(frames: &Frames, settings: Settings) -> Found {
    let settings = frames.improved(settings, settings, !bit(Key::Function));
    Found { settings, score: frames.score(&settings), open: Vec::new() }
}

fn best(frames: &Frames, start: Settings, given: u16) -> Found {
    let start = start.with(Key::Checksum, frames.checksum.into()).with(Key::Nseq, frames.nseq.into());
    let mut starts: Vec<(i64, Settings)> = combinations(start, &COMMON, &start, given)
        .into_iter()
        .map(|settings| (frames.score(&settings).points, settings))
        .collect();
    // Stable sort: of equals, the more common one stays first.
    starts.sort_by_key(|(points, _)| std::cmp::Reverse(*points));
    let improved = starts.into_iter().take(STARTS).map(|(_, settings)| {
        let best = frames.improved(settings, start, given);
        (frames.score(&best), best)
    });
    let (score, settings) =
        improved.reduce(|a, b| if b.0.points > a.0.points { b } else { a }).unwrap_or((Score::default(), start));
    let open = open(frames, settings, given | bit(Key::Checksum) | bit(Key::Nseq) | bit(Key::Function), score.points);
    Found { settings, score, open }
}

/// Values to try for a setting, most common first; a given setting only has its value.
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

/// All combinations of values of these settings, the others as in `settings`; `usual` = values to try first.
fn combinations(settings: Settings, keys: &[Key], usual: &Settings, given: u16) -> Vec<Settings> {
    keys.iter().fold(vec![settings], |all, &key| {
        let with = |settings: Settings| {
            let mut values = values(key, usual, given);
            match key {
                Key::Tstamp => values.reverse(),
                // Without time stamps, their size has no effect.
                Key::Timestamp if !settings.on(Key::Tstamp) => values = vec![usual.get(key)],
                _ => {}
            }
            values.into_iter().map(move |value| settings.with(key, value))
        };
        all.into_iter().flat_map(with).collect()
    })
}

/// Settings that affect no frame: other values fit equally well.
fn open(frames: &Frames, best: Settings, given: u16, points: i64) -> Vec<&'static Spec> {
    let unknown = |spec: &&Spec| {
        let mut others = values(spec.key, &best, given).into_iter().filter(|v| *v != best.get(spec.key));
        given & bit(spec.key) == 0 && others.any(|v| frames.score(&best.with(spec.key, v)).points >= points)
    };
    // Without time stamps, their size is unknown.
    let shown = |spec: &&Spec| spec.key != Key::Timestamp || best.on(Key::Tstamp);
    SPECS.iter().filter(shown).filter(unknown).collect()
}

#[derive(Clone, Copy, Debug, Default)]
struct Score {
    points: i64,
    /// Number of frames with matching length, and their bytes in the sample.
    fits: u32,
    bytes: usize,
    ids: u32,
    last_id: Option<u8>,
}

impl Frames {
    /// Tries all combinations within each group of settings, group by group.
    fn improved(&self, settings: Settings, usual: Settings, given: u16) -> Settings {
        GROUPS.iter().fold(settings, |settings, keys| {
            let mut best = (self.score(&settings).points, settings);
            for settings in combinations(settings, keys, &usual, given) {
                let points = self.score(&settings).points;
                best = if points > best.0 { (points, settings) } else { best };
            }
            best.1
        })
    }

    fn score(&self, settings: &Settings) -> Score {
        let config = settings.config(TextStyle::Native);
        let mut score = Score::default();
        for ((id, len, right), Bin { count, bytes }) in &self.bins {
            match layout::layout(*id, config.era) {
                _ if config.checksum && !right => {}
                Some(layout) if layout.role == Role::Tcfg || record::length(layout, &config) == Some(*len) => {
                    score.add(*id, *count, *bytes);
                }
                None if !(USER..UNIT_TEST).contains(id) => score.points -= i64::from(*count),
                _ => {}
            }
        }
        self.add_variable(&config, &mut score);
        score
    }

    /// Adds frames of variable length; the kept ones represent all frames with their id.
    fn add_variable(&self, config: &Config, score: &mut Score) {
        for ((id, right), kept) in &self.kept {
            let layout = layout::layout(*id, config.era);
            let variable = layout.map_or((USER..UNIT_TEST).contains(id), |l| !l.fixed && l.role != Role::Tcfg);
            if !variable || (config.checksum && !right) {
                continue;
            }
            let (fits, of) = (kept.frames.iter().filter(|f| fits(f, config)).count(), kept.frames.len().max(1));
            score.add(*id, (kept.total as usize * fits / of) as u32, kept.bytes * fits / of);
        }
    }

    /// Splits a sample; ignores bytes before the first and after the last flag. A configuration record that differs
    /// from the previous one starts another build, with separate sizes.
    fn of(sample: &[u8], start: Settings, given: u16) -> Vec<Frames> {
        let mut found = Frames::default();
        let mut builds = Vec::new();
        let (Some(first), Some(last)) =
            (sample.iter().position(|&b| b == FLAG), sample.iter().rposition(|&b| b == FLAG))
        else {
            return builds;
        };
        // A stream may begin with a complete frame.
        let whole = unstuffed(sample.get(..first).unwrap_or(&[])).is_some_and(|f| f.len() > 1 && sum(&f) == 0);
        let from = if whole { 0 } else { first + 1 };
        let mut numbers = Numbers::default();
        for body in sample.get(from..last).unwrap_or(&[]).split(|&b| b == FLAG) {
            let frame = unstuffed(body).filter(|f| !f.is_empty());
            if frame.as_ref().is_some_and(|frame| found.is_of_another_build(frame)) {
                builds.push(std::mem::take(&mut found).completed(start, given));
            }
            found.bytes += body.len() + 1;
            if let Some(frame) = frame {
                found.take(frame, body.len() + 1, &mut numbers);
            }
        }
        builds.push(found.completed(start, given));
        builds
    }

    /// Whether a frame is a configuration record with other sizes than the last one.
    fn is_of_another_build(&self, frame: &[u8]) -> bool {
        let tcfg = self.tcfg.is_some().then(|| Tcfg::find(frame, None)).flatten().filter(|t| t.header == 1);
        tcfg.is_some_and(|tcfg| self.tcfg != Some(tcfg.settings))
    }

    /// Decides whether there are checksums and sequence numbers, from the majority of frames.
    fn completed(self, start: Settings, given: u16) -> Frames {
        let mut found = self;
        let is_given = |key| given & bit(key) != 0;
        found.checksum = if is_given(Key::Checksum) { start.on(Key::Checksum) } else { found.right * 2 > found.count };
        let (ups, frames) = if found.checksum { (found.order_right, found.right) } else { (found.order, found.count) };
        found.nseq = if is_given(Key::Nseq) { start.on(Key::Nseq) } else { ups * 2 > frames };
        found
    }

    fn take(&mut self, frame: Vec<u8>, bytes: usize, numbers: &mut Numbers) {
        let right = sum(&frame) == 0;
        let Some(&id) = frame.first() else { return };
        // Old layouts are weak evidence, so they are only accepted where a target sends them.
        if let Some(tcfg) = Tcfg::find(&frame, None).filter(|t| t.header == 1 || self.count == 0) {
            self.tcfg_first |= self.tcfg.is_none() && self.count == 0;
            self.tcfg = Some(tcfg.settings);
        }
        self.count += 1;
        self.right += u32::from(right);
        if let Some(&number) = frame.get(1) {
            self.order += u32::from(numbers.all.replace(number).is_some_and(|l| l.wrapping_add(1) == number));
            let before = if right { numbers.right.replace(number) } else { None };
            self.order_right += u32::from(before.is_some_and(|l| l.wrapping_add(1) == number));
        }
        let bin = self.bins.entry((id, frame.len(), right)).or_default();
        bin.count += 1;
        bin.bytes += bytes;
        let kept = self.kept.entry((id, right)).or_default();
        kept.total += 1;
        kept.bytes += bytes;
        if kept.frames.len() < KEPT {
            kept.frames.push(frame);
        }
    }
}

fn fits(frame: &[u8], config: &Config) -> bool {
    let Some(frame) = RecordFrame::read(config, None, frame) else { return false };
    match frame.record {
        Record::Event(_, values) => printable(values.bytes),
        Record::User => Elements::new(frame.args(config), config).are_whole(),
        _ => false,
    }
}

impl Score {
    fn add(&mut self, id: u8, count: u32, bytes: usize) {
        // The frames with an id follow each other.
        if count > 0 && self.last_id.replace(id) != Some(id) {
            self.ids += 1;
        }
        self.points += i64::from(count);
        self.fits += count;
        self.bytes += bytes;
    }
}

fn printable(text: &[u8]) -> bool {
    text.iter().all(|b| (b' '..0x7F).contains(b) || *b >= 0x80)
}

/// Maximum number of frames kept per id.
const KEPT: usize = 12;

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    count: u32,
    bytes: usize,
}

/// Frames with the same id, some of them with content.
#[derive(Clone, Debug, Default)]
struct Kept {
    frames: Vec<Vec<u8>>,
    total: u32,
    bytes: usize,
}

#[derive(Clone, Debug, Default)]
struct Frames {
    /// By id, length, and validity of the checksum.
    bins: BTreeMap<(u8, usize, bool), Bin>,
    /// Some frames of each id, for variable-length records; by id and validity of the checksum.
    kept: BTreeMap<(u8, bool), Kept>,
    /// Number of all frames, and bytes between the first and the last flag.
    count: u32,
    bytes: usize,
    right: u32,
    order: u32,
    order_right: u32,
    tcfg: Option<Settings>,
    tcfg_first: bool,
    /// Most frames have a valid checksum; most sequence numbers are consecutive.
    checksum: bool,
    nseq: bool,
}

/// Sequence numbers of the last frame and of the last valid one.
#[derive(Default)]
struct Numbers {
    all: Option<u8>,
    right: Option<u8>,
}

fn unstuffed(body: &[u8]) -> Option<Vec<u8>> {
    let mut frame = Vec::with_capacity(body.len());
    unstuff(body, &mut frame).then_some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_configuration_in_front_has_the_sizes() {
        let mut record = vec![0xAD, 0, 1, 0, 0x03, 0x24, 0, 0x18, 0x12, 0x42, 0x11, 0x21, 0x11, 0x14];
        record.push(sum(&record).wrapping_neg());
        let of = |stream: &[&[u8]]| Frames::of(&stream.concat(), Settings::default(), 0).remove(0);
        let first = of(&[&[FLAG], &record, &[FLAG], &[160, 1, 2, 0, 93], &[FLAG]]);
        assert!(first.tcfg_first && first.tcfg.is_some_and(|t| t.get(Key::Timestamp) == 2));
        let later = of(&[&[FLAG], &[160, 1, 2, 0, 93], &[FLAG], &record, &[FLAG]]);
        assert!(!later.tcfg_first && later.tcfg.is_none());
    }
}
