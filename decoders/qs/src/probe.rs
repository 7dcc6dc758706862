//! Detects whether a sample is QS, its sizes, and whether its version is one with other application records. Counts
//! valid checksums, consecutive sequence numbers and payloads that fit.

use std::{collections::HashSet, ops::RangeInclusive};

use spytui_hdlc::{FLAG, NumberedFrame, unstuff, without_text};
use spytui_plugin_api::info::Guess;
use spytui_plugin_api::text::grouped;
use spytui_plugin_layer::Clock;

use crate::{
    config::{Config, NEWEST_VERSION, SIZES, SizeSpec, Sizes, Style},
    frame::{GOOD_SUM, SHORTEST},
    layout::{self, Layout, RecordSubject, Ty, USER_BASE, id},
    receive::Base,
    record::{self, TargetInfo},
};

const MOST_FRAMES: usize = 500;
/// Minimum number of frames for a guess.
const FEWEST: u32 = 3;

#[derive(Default)]
struct Framing {
    frames: Vec<Vec<u8>>,
    /// Frames whose id may or may not be an application record, depending on the version.
    disputed: Vec<Vec<u8>>,
    good: u32,
    in_order: u32,
    good_bytes: usize,
    bytes: usize,
    info: Option<TargetInfo>,
    /// The first info starts a later epoch, so it does not apply to the records before it.
    info_is_later: bool,
    restarted: bool,
}

impl Framing {
    fn take_info(&mut self, payload: &[u8]) {
        let Some(info) = TargetInfo::parse(payload, Style::Native).filter(TargetInfo::plausible) else { return };
        if self.info.is_none() {
            self.info_is_later = self.restarted || (info.reset && self.has_records());
        }
        self.info = Some(info);
    }

    fn has_records(&self) -> bool {
        self.frames.iter().any(|frame| frame.get(1) != Some(&id::EMPTY))
    }
}

/// Adds a guess if the sample looks like QS. `given` = sizes to keep, as indices into [`SIZES`].
pub(crate) fn guess(sample: &[u8], config: Config, given: &[usize], out: &mut Vec<Guess>) {
    let mut framing = framing(sample);
    if framing.good_bytes < framing.bytes {
        framing = self::framing(&without_text(sample, GOOD_SUM, numbered));
    }
    if framing.good < FEWEST || framing.bytes == 0 {
        return;
    }
    let mut best = match framing.info {
        Some(info) => Best::known(Config { version: info.version, sizes: info.sizes, ..config }),
        None => best_sizes(&framing.frames, config, given),
    };
    let is_open = framing.info.is_none() && !config.is_version_known;
    let old = old_users(&framing.frames, &framing.disputed, &best.config).filter(|_| is_open);
    if old.is_some() {
        best = best_sizes(&framing.frames, Config { version: OLD_VERSION, ..config }, given);
    }
    let found = best.config;
    let good = framing.good_bytes * 1000 / framing.bytes;
    // A frame explains nothing if its payload does not fit or is ambiguous.
    let explained = match framing.info {
        Some(_) => good,
        None => good * best.certain as usize / (best.all as usize).max(1),
    };
    let mut options = String::new();
    if framing.info.is_none() || framing.info_is_later {
        if found.version != config.version {
            options += &format!("version={}\n", found.version);
        }
        for (place, spec) in SIZES.iter().enumerate() {
            if spec.get(found.sizes) == spec.get(config.sizes) && !best.doubtful.contains(&place) {
                continue;
            }
            options += &format!("{}={}\n", spec.option.key, spec.get(found.sizes));
        }
    }
    let sizes = if framing.info.is_some() { "sizes from the target".to_owned() } else { why(&best) };
    let good_frames = grouped(framing.good.into());
    // The first frame has no predecessor, so it counts as in order.
    let in_order = grouped(u64::from(framing.in_order) + 1);
    let old = old.map_or(String::new(), |count| {
        let count = grouped(count.into());
        format!("{count} ids from 70 on are application records, as before QP 6.6, -o version= sets the target's; ")
    });
    let why = format!("{old}{good_frames} frames with the right checksum, {in_order} numbers in order, {sizes}");
    out.push(Guess {
        evidence_bits: 8 * framing.good + 8 * framing.in_order + 4 * best.fits,
        explained: explained.min(1000) as u16,
        options: options.into(),
        why: why.into(),
    });
}

/// How many payloads fit, and which sizes remain ambiguous.
fn why(best: &Best) -> String {
    let count = |number: u32| grouped(number.into());
    let mut why = format!("{} of {} payloads fit", count(best.fits), count(best.all));
    if !best.doubtful.is_empty() {
        let keys: Vec<&str> =
            best.doubtful.iter().filter_map(|place| SIZES.get(*place)).map(|spec| spec.option.key).collect();
        why += &format!(", as many with other values of {}", keys.join(", "));
    }
    why
}

/// A valid frame that is the next one, or a target's first.
fn numbered(frame: &[u8]) -> Option<NumberedFrame> {
    let &[number, id, ref payload @ .., _] = frame else { return None };
    Some(NumberedFrame { number, starts: id == id::EMPTY && number == 1 && payload.is_empty() })
}

/// Splits the sample at its flags; ignores bytes before the first and after the last.
fn framing(sample: &[u8]) -> Framing {
    let mut found = Framing::default();
    let mut last = None;
    let ends = sample.iter().rposition(|&b| b == FLAG).unwrap_or(0);
    for (i, body) in sample.get(..ends).unwrap_or(&[]).split(|&b| b == FLAG).enumerate() {
        let mut frame = Vec::with_capacity(body.len());
        unstuff(body, &mut frame);
        let good = frame.len() >= SHORTEST && frame.iter().fold(0u8, |s, &b| s.wrapping_add(b)) == GOOD_SUM;
        if i > 0 || good {
            found.bytes += body.len() + 1;
        }
        let [seq, id, payload @ .., _] = &*frame else { continue };
        if !good {
            continue;
        }
        found.good += 1;
        found.good_bytes += body.len() + 1;
        found.in_order += u32::from(last.is_some_and(|l: u8| l.wrapping_add(1) == *seq));
        last = Some(*seq);
        match *id {
            id::INFO => found.take_info(payload),
            id::EMPTY if payload.is_empty() => found.restarted |= found.has_records(),
            _ => {}
        }
        if DISPUTED.contains(id) && found.disputed.len() < MOST_FRAMES {
            found.disputed.push(frame.clone());
        }
        if found.frames.len() < MOST_FRAMES {
            found.frames.push(frame);
        }
    }
    found
}

/// Number of sizes that affect most records; they come first in [`SIZES`].
const COMMON: usize = 4;

struct Best {
    config: Config,
    fits: u32,
    /// Payloads among them that all equally good sizes read the same way.
    certain: u32,
    all: u32,
    /// Indices into [`SIZES`] for which other values fit equally well.
    doubtful: Vec<usize>,
}

impl Best {
    /// Sizes reported by the target.
    fn known(config: Config) -> Best {
        Best { config, fits: 0, certain: 0, all: 0, doubtful: Vec::new() }
    }
}

/// The sizes that fit most payloads, preferring those of `start`. Sizes at `given` stay.
fn best_sizes(frames: &[Vec<u8>], start: Config, given: &[usize]) -> Best {
    let search = Search { samples: samples(frames, start), start, given };
    let mut combined: Vec<(u32, Sizes)> = search.combinations().map(|sizes| (search.most(sizes), sizes)).collect();
    combined.sort_by_key(|(most, _)| std::cmp::Reverse(*most));
    let mut found: Vec<(u32, Sizes)> = Vec::new();
    for (most, sizes) in combined {
        let best = found.first().map_or(0, |(fits, _)| *fits);
        if most < best {
            break;
        }
        let improved = search.improve(sizes);
        if improved.0 > best {
            found.clear();
        }
        if improved.0 >= best {
            found.push(improved);
        }
    }
    // Of equally good sizes, prefer those that leave unused sizes unchanged.
    found.sort_by_key(|(_, sizes)| SIZES.iter().filter(|spec| spec.get(*sizes) != spec.get(start.sizes)).count());
    search.judge(&found)
}

struct Search<'a> {
    samples: Vec<Sample<'a>>,
    start: Config,
    given: &'a [usize],
}

/// Payloads that fit with the same sizes.
struct Sample<'a> {
    id: u8,
    payload: &'a [u8],
    count: u32,
    types: Vec<Ty>,
}

/// Payloads with a fixed layout fit by length, so one per length suffices.
fn samples(frames: &[Vec<u8>], start: Config) -> Vec<Sample<'_>> {
    let base = Base::new(start, 0, Clock::new(0));
    let mut samples: Vec<Sample<'_>> = Vec::new();
    for frame in frames {
        let [_, id, payload @ .., _] = frame.as_slice() else { continue };
        let plan = base.plans.of(*id);
        let is_fixed = plan.fits_payload(payload).is_some();
        let same = |of: &&mut Sample<'_>| is_fixed && of.id == *id && of.payload.len() == payload.len();
        if let Some(known) = samples.iter_mut().find(same) {
            known.count += 1;
            continue;
        }
        // Application records have no types here, so they never count as ambiguous: the zeros at the end of a time
        // stamp also parse as an element.
        let types = plan.layout.map_or(&[][..], |layout| layout.fields).iter().map(|field| field.ty).collect();
        samples.push(Sample { id: *id, payload, count: 1, types });
    }
    samples
}

impl Search<'_> {
    fn values(&self, place: usize, spec: &SizeSpec) -> impl Iterator<Item = u8> + use<> {
        let own = spec.get(self.start.sizes);
        let is_open = !self.given.contains(&place);
        let others = [1, 2, 4, 8].map(|bytes| (is_open && bytes != own && spec.legal(bytes)).then_some(bytes));
        std::iter::once(own).chain(others.into_iter().flatten())
    }

    fn combinations(&self) -> impl Iterator<Item = Sizes> + use<'_> {
        let mut all = vec![self.start.sizes];
        for (place, spec) in SIZES.iter().enumerate().take(COMMON) {
            let with = |sizes: Sizes| self.values(place, spec).map(move |bytes| spec.with(sizes, bytes));
            all = all.into_iter().flat_map(with).collect();
        }
        all.into_iter()
    }

    fn count(&self, sizes: Sizes, counted: impl Fn(&Sample<'_>, &Base) -> bool) -> u32 {
        let base = Base::new(Config { sizes, ..self.start }, 0, Clock::new(0));
        self.samples.iter().filter(|sample| counted(sample, &base)).map(|sample| sample.count).sum()
    }

    fn fitting(&self, sizes: Sizes) -> u32 {
        self.count(sizes, |sample, base| base.fits(sample.id, sample.payload))
    }

    /// Maximum number of payloads that may fit, whatever the other sizes are.
    fn most(&self, sizes: Sizes) -> u32 {
        let is_other = |ty: &Ty| matches!(ty, Ty::Evt | Ty::Que | Ty::Ctr | Ty::Tev);
        self.count(sizes, |sample, base| sample.types.iter().any(is_other) || base.fits(sample.id, sample.payload))
    }

    /// Chooses the best value for each of the other sizes.
    fn improve(&self, sizes: Sizes) -> (u32, Sizes) {
        let mut best = (self.fitting(sizes), sizes);
        for (place, spec) in SIZES.iter().enumerate().skip(COMMON) {
            for bytes in self.values(place, spec).skip(1) {
                let sizes = spec.with(best.1, bytes);
                let fits = self.fitting(sizes);
                best = if fits > best.0 { (fits, sizes) } else { best };
            }
        }
        best
    }

    /// Determines what is certain about the first of the equally good sizes.
    fn judge(&self, found: &[(u32, Sizes)]) -> Best {
        let (fits, sizes) = found.first().copied().unwrap_or((0, self.start.sizes));
        let base = Base::new(Config { sizes, ..self.start }, 0, Clock::new(0));
        let (mut certain, mut doubtful) = (0, Vec::new());
        for sample in self.samples.iter().filter(|sample| base.fits(sample.id, sample.payload)) {
            // Other sizes that put its fields at other offsets.
            let differs = |other: &&(u32, Sizes)| sample.types.iter().any(|ty| ty.size(&sizes) != ty.size(&other.1));
            let Some((_, other)) = found.iter().find(differs) else {
                certain += sample.count;
                continue;
            };
            let places = SIZES.iter().enumerate().filter(|(_, spec)| spec.get(sizes) != spec.get(*other));
            doubtful.extend(places.map(|(place, _)| place));
        }
        doubtful.sort_unstable();
        doubtful.dedup();
        let all = self.samples.iter().map(|sample| sample.count).sum();
        Best { config: base.config, fits, certain, all, doubtful }
    }
}

/// Ids that are application records only before 6.6.
const DISPUTED: RangeInclusive<u8> = 70..=USER_BASE - 1;
/// Version for reading such a target: the last before 6.6.
const OLD_VERSION: u16 = 650;
/// Minimum number of records as evidence against later versions.
const FEWEST_OLD: u32 = 3;
/// Minimum ratio of these records to others.
const TIMES: u32 = 4;
const LAST_PRIORITY: u64 = 64;

/// Number of disputed records that must be application records; `None` if a later version explains them.
fn old_users(frames: &[Vec<u8>], disputed: &[Vec<u8>], config: &Config) -> Option<u32> {
    let later =
        [config.version, NEWEST_VERSION].map(|version| Base::new(Config { version, ..*config }, 0, Clock::new(0)));
    let known = regions(frames, &later[0]);
    let (mut old, mut new) = (0, 0);
    for frame in disputed {
        let [_, id, payload @ .., _] = frame.as_slice() else { continue };
        if later.iter().any(|base| is_plausible(base, *id, payload, &known)) {
            new += 1;
        } else if record::whole(payload, config) {
            old += 1;
        }
    }
    (old >= FEWEST_OLD && old >= new * TIMES).then_some(old)
}

/// Whether a payload makes sense as a predefined record: length, object and thread numbers.
fn is_plausible(base: &Base, id: u8, payload: &[u8], known: &HashSet<u64>) -> bool {
    let Some(layout) = layout::layout(id, base.config.version, base.config.style) else { return false };
    let Some(values) = record::exact(layout, &base.config.sizes, payload) else { return false };
    let size = base.config.sizes.obj;
    layout.fields.iter().zip(values.numbers).all(|(field, number)| match field.name {
        "obj" => is_aligned(number, size) && (known.is_empty() || known.contains(&region(number, size))),
        "thr" | "hldr" => number <= LAST_PRIORITY,
        _ => true,
    })
}

/// Objects contain counters and pointers, so they are aligned.
fn is_aligned(address: u64, size: u8) -> bool {
    address.trailing_zeros()
        >= match size {
            4.. => 2,
            2.. => 1,
            _ => 0,
        }
}

/// The memory region of an object: the upper byte or half of its address.
fn region(address: u64, size: u8) -> u64 {
    match size {
        8.. => address >> 32,
        4.. => address >> 24,
        _ => 0,
    }
}

/// Memory regions of the objects in all other records.
fn regions(frames: &[Vec<u8>], base: &Base) -> HashSet<u64> {
    let object = |frame: &Vec<u8>| {
        let [_, id, payload @ .., _] = frame.as_slice() else { return None };
        let layout: &Layout = base.plans.of(*id).layout.filter(|_| *id < *DISPUTED.start())?;
        let has_object = layout.subject == RecordSubject::Object || *id == id::OBJ_DICT;
        let values = record::exact(layout, &base.config.sizes, payload).filter(|_| has_object)?;
        Some(values.number(layout.obj)).filter(|address| *address != 0)
    };
    frames.iter().filter_map(object).map(|address| region(address, base.config.sizes.obj)).collect()
}
