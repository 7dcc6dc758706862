//! Detects the profile and byte order of a stream.

use std::collections::HashSet;

use memchr::memmem;
use spytui_plugin_api::info::Guess;

use crate::{
    config::{Format, Profile, QnxOptions},
    frame::{Rules, WITH_COOKIE, follows, near, records},
    record::{BEGIN, EVENT, Event, ReadEvent},
};

pub(crate) const SAMPLE: usize = 4096;

/// Number of consecutive plausible records needed as evidence.
const EVIDENCE: usize = 8;

/// Number of records checked for increasing times.
const CLOCK: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProbeEvidence {
    pub(crate) profile: Profile,
    pub(crate) big: Option<bool>,
    /// Release of the target, if its events reveal it.
    pub(crate) release: Option<u8>,
}

impl ProbeEvidence {
    fn new(profile: Profile, big: Option<bool>) -> ProbeEvidence {
        ProbeEvidence { profile, big, release: None }
    }
}

/// Detects a stream by its first bytes; `None` if more are needed, unless the sample is `complete`.
pub(crate) fn find(sample: &[u8], complete: bool, options: &QnxOptions) -> Option<ProbeEvidence> {
    if has_header(sample) {
        return Some(ProbeEvidence::new(Profile::Kev, None));
    }
    match options.profile {
        Some(Profile::Qnx4) => return Some(ProbeEvidence::new(Profile::Qnx4, None)),
        Some(profile) if is_settled(profile, options) => return Some(ProbeEvidence::new(profile, None)),
        _ if !complete => return None,
        _ => {}
    }
    let unknown = ProbeEvidence::new(options.profile.unwrap_or(Profile::Kev), None);
    Some(best(sample, options).map_or(unknown, |best| best.found))
}

/// Whether options determine everything that a stream of this profile does not report.
fn is_settled(profile: Profile, options: &QnxOptions) -> bool {
    options.big.is_some() && (profile != Profile::Kev || options.release.is_some())
}

/// A profile with records in the sample.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    found: ProbeEvidence,
    /// Number of consecutive records, and of bytes in them.
    records: usize,
    explains: usize,
    /// Its records are from a time when such logs existed. Words in other files may look like increasing seconds.
    is_dated: bool,
    has_clock: bool,
}

/// The first second of 1980.
const FIRST_DAY: u32 = 315_532_800;

/// The first of the profiles that explain most of the sample by enough consecutive records.
fn best(sample: &[u8], options: &QnxOptions) -> Option<Candidate> {
    let may_be = |profile| options.profile.is_none_or(|given| given == profile);
    let mut all = Vec::new();
    let QnxOptions { exception, .. } = *options;
    let nto1 = orders(options).into_iter().map(|big| Format::Nto1 { big, exception });
    for format in [Format::Qnx4].into_iter().chain(nto1).filter(|format| may_be(format.profile())) {
        all.extend(classic(sample, format));
    }
    if may_be(Profile::Kev) {
        for release in releases(options) {
            all.extend(orders(options).into_iter().filter_map(|big| kev(sample, big, release, options)));
        }
    }
    all.into_iter().rev().max_by_key(|candidate| candidate.explains)
}

fn classic(sample: &[u8], format: Format) -> Option<Candidate> {
    let row = |bytes: &[u8], most| {
        let (count, len, _) = records(format, bytes, most, None);
        (count, len)
    };
    let (records, explains) = match row(sample, usize::MAX) {
        // Fewer records are enough if the sample contains nothing else.
        all @ (1.., len) if len == sample.len() => all,
        _ => stretches(sample, row)?,
    };
    let start = first_record(sample, format, records.min(EVIDENCE))?;
    let big = (format != Format::Qnx4).then(|| format.is_big());
    let is_dated = matches!(format.read(start), ReadEvent::Record(record) if record.seconds >= FIRST_DAY);
    let has_clock = has_a_clock(start, format);
    Some(Candidate { found: ProbeEvidence::new(format.profile(), big), records, explains, is_dated, has_clock })
}

/// The sample, starting at the first of `count` consecutive records.
fn first_record(sample: &[u8], format: Format, count: usize) -> Option<&[u8]> {
    (0..sample.len()).filter_map(|start| sample.get(start..)).find(|from| records(format, from, count, None).0 >= count)
}

/// Whether times mostly increase and records don't repeat: words in trace port frames may look like times, but are
/// unordered.
fn has_a_clock(mut bytes: &[u8], format: Format) -> bool {
    let (mut steps, mut forward, mut last, mut seen) = (0, 0, None, HashSet::new());
    while let ReadEvent::Record(record) = format.read(bytes) {
        if steps > CLOCK || !follows(&record, last.map(|(seconds, _)| seconds)) {
            break;
        }
        let now = (record.seconds, record.nanos);
        forward += usize::from(last.is_none_or(|last| now >= last));
        steps += 1;
        last = Some(now);
        let (own, rest) = bytes.split_at(record.len.min(bytes.len()));
        seen.insert(own);
        bytes = rest;
    }
    forward * 4 >= steps * 3 && seen.len() * 2 >= steps
}

/// Whether the bytes are text with one or two bytes per character.
fn is_text(sample: &[u8]) -> bool {
    let written = sample.iter().filter(|b| **b != 0).count();
    let text = sample.iter().filter(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()).count();
    written * 5 >= sample.len() * 2 && text * 20 >= written * 19
}

/// Number of records in a possibly damaged sample, and of bytes in them: all runs of enough consecutive records. `row`
/// returns the run at the start of some bytes, up to a limit.
fn stretches(sample: &[u8], row: impl Fn(&[u8], usize) -> (usize, usize)) -> Option<(usize, usize)> {
    let from = |start: usize, most| row(sample.get(start..).unwrap_or(&[]), most);
    let (mut records, mut explains, mut at) = (0, 0, 0);
    while let Some(start) = (at..sample.len()).find(|&start| from(start, EVIDENCE).0 >= EVIDENCE) {
        let (more, len) = from(start, usize::MAX);
        records += more;
        explains += len;
        at = start + len;
    }
    (records > 0).then_some((records, explains))
}

fn orders(options: &QnxOptions) -> Vec<bool> {
    options.big.map_or_else(|| vec![false, true], |big| vec![big])
}

fn has_header(sample: &[u8]) -> bool {
    memmem::find(sample, BEGIN).is_some()
}

/// The releases to try: the default, and one whose events the default can't explain.
fn releases(options: &QnxOptions) -> Vec<Option<u8>> {
    if options.release.is_some() { vec![None] } else { vec![None, Some(WITH_COOKIE)] }
}

fn kev(sample: &[u8], big: bool, release: Option<u8>, options: &QnxOptions) -> Option<Candidate> {
    let target = options.target();
    let rules = Rules::new(release.unwrap_or(target.release), big, target.cpus);
    let follows = |before: Option<&Event>, event: &Event| before.is_none_or(|before| near(event.low, before.low));
    let chain = |bytes: &[u8], most: usize| rules.chain(bytes, most, follows);
    let (records, explains) = stretches(sample, |bytes, most| {
        let records = chain(bytes, most);
        (records, records * EVENT)
    })?;
    Some(Candidate {
        found: ProbeEvidence { profile: Profile::Kev, big: Some(big), release },
        records,
        explains,
        is_dated: true,
        has_clock: true,
    })
}

/// Adds a guess if the sample looks like a trace.
pub(crate) fn guess(sample: &[u8], options: &QnxOptions, out: &mut Vec<Guess>) {
    let start = sample.get(..SAMPLE).unwrap_or(sample);
    if is_text(start) {
        return;
    }
    if has_header(start) {
        let why = "header of a trace of the instrumented kernel".into();
        return out.push(Guess { evidence_bits: 8 * BEGIN.len() as u32, explained: 1000, options: "".into(), why });
    }
    let Some(best) = best(start, options).filter(|best| best.has_clock) else { return };
    let order = |big| if big { ", big-endian" } else { ", little-endian" };
    let what = match best.found.profile {
        Profile::Kev => "events of the instrumented kernel",
        Profile::Qnx4 => "records of a trace log of QNX 4",
        Profile::Nto1 => "records of a trace log of Neutrino 1.0",
    };
    let order = best.found.big.map(order).unwrap_or_default();
    let release = best.found.release.map(|release| format!(", release {release}")).unwrap_or_default();
    out.push(Guess {
        // Some zero bits, some of a class or a limit, two of the time; without a plausible date, the evidence is weak.
        evidence_bits: 14 * if best.is_dated { best.records as u32 } else { 1 },
        explained: (best.explains * 1000 / start.len().max(1)) as u16,
        // A stream detects its profile by itself: files with different profiles may be read together.
        options: "".into(),
        why: format!("{} {what}{order}{release}", best.records).into(),
    });
}
