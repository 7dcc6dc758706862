//! Detection: which profile a stream has, and which byte order.

use std::collections::HashSet;

use memchr::memmem;
use spytui_plugin_api::info::Guess;

use crate::{
    config::{Format, Options, Profile},
    frame::{Rules, WITH_COOKIE, follows, near, records},
    record::{BEGIN, EVENT, Event, Read},
};

/// Bytes that detection looks at.
pub(crate) const SAMPLE: usize = 4096;

/// Number of plausible records in a row that say what a stream is.
const EVIDENCE: usize = 8;

/// Steps from record to record that show whether there is a clock.
const CLOCK: usize = 64;

/// What a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) profile: Profile,
    pub(crate) big: Option<bool>,
    /// Release of the target, where its events say it.
    pub(crate) release: Option<u8>,
}

impl Found {
    fn new(profile: Profile, big: Option<bool>) -> Found {
        Found { profile, big, release: None }
    }
}

/// Finds out what a stream is from its first bytes; `None` if more are needed, which there are unless they are
/// `complete`.
pub(crate) fn find(sample: &[u8], complete: bool, options: &Options) -> Option<Found> {
    if has_header(sample) {
        return Some(Found::new(Profile::Kev, None));
    }
    match options.profile {
        Some(Profile::Qnx4) => return Some(Found::new(Profile::Qnx4, None)),
        Some(profile) if is_settled(profile, options) => return Some(Found::new(profile, None)),
        _ if !complete => return None,
        _ => {}
    }
    let unknown = Found::new(options.profile.unwrap_or(Profile::Kev), None);
    Some(best(sample, options).map_or(unknown, |best| best.found))
}

/// Whether options say all that a stream of this profile does not.
fn is_settled(profile: Profile, options: &Options) -> bool {
    options.big.is_some() && (profile != Profile::Kev || options.release.is_some())
}

/// A profile with records in the sample.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    found: Found,
    /// Number of records in a row, and of their bytes.
    records: usize,
    explains: usize,
    /// Its records are of a day on which there were such logs. Words of other files follow each other as seconds do.
    is_dated: bool,
    /// Their times increase.
    has_clock: bool,
}

/// The first second of 1980.
const FIRST_DAY: u32 = 315_532_800;

/// The first profile of those that explain most by so many records in a row.
fn best(sample: &[u8], options: &Options) -> Option<Candidate> {
    let may_be = |profile| options.profile.is_none_or(|given| given == profile);
    let mut all = Vec::new();
    let Options { exception, .. } = *options;
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
        // Fewer will do if the sample has nothing else.
        all @ (1.., len) if len == sample.len() => all,
        _ => stretches(sample, row)?,
    };
    let start = first_record(sample, format, records.min(EVIDENCE))?;
    let big = (format != Format::Qnx4).then(|| format.is_big());
    let is_dated = matches!(format.read(start), Read::Record(record) if record.seconds >= FIRST_DAY);
    let has_clock = has_a_clock(start, format);
    Some(Candidate { found: Found::new(format.profile(), big), records, explains, is_dated, has_clock })
}

/// The sample from the first of `count` records in a row.
fn first_record(sample: &[u8], format: Format, count: usize) -> Option<&[u8]> {
    (0..sample.len()).filter_map(|start| sample.get(start..)).find(|from| records(format, from, count, None).0 >= count)
}

/// Whether times increase from record to record, and the same ones do not repeat: the frames of a trace port have words
/// that could be times, too, but in no order.
fn has_a_clock(mut bytes: &[u8], format: Format) -> bool {
    let (mut steps, mut forward, mut last, mut seen) = (0, 0, None, HashSet::new());
    while let Read::Record(record) = format.read(bytes) {
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

/// Whether the bytes are text, of one or two bytes a character.
fn is_text(sample: &[u8]) -> bool {
    let written = sample.iter().filter(|b| **b != 0).count();
    let text = sample.iter().filter(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()).count();
    written * 5 >= sample.len() * 2 && text * 20 >= written * 19
}

/// Number and bytes of the records in a sample, which may be damaged: all stretches of so many in a row. `row` gives
/// those at the start of some bytes, but no more than asked for.
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

/// The byte orders that come into question.
fn orders(options: &Options) -> Vec<bool> {
    options.big.map_or_else(|| vec![false, true], |big| vec![big])
}

fn has_header(sample: &[u8]) -> bool {
    memmem::find(sample, BEGIN).is_some()
}

/// The releases that come into question: the usual one, and one whose events it would not explain.
fn releases(options: &Options) -> Vec<Option<u8>> {
    if options.release.is_some() { vec![None] } else { vec![None, Some(WITH_COOKIE)] }
}

/// Events of the instrumented kernel.
fn kev(sample: &[u8], big: bool, release: Option<u8>, options: &Options) -> Option<Candidate> {
    let target = options.target();
    let rules = Rules::new(release.unwrap_or(target.release), big, target.cpus);
    let follows = |before: Option<&Event>, event: &Event| before.is_none_or(|before| near(event.low, before.low));
    let chain = |bytes: &[u8], most: usize| rules.chain(bytes, most, follows);
    let (records, explains) = stretches(sample, |bytes, most| {
        let records = chain(bytes, most);
        (records, records * EVENT)
    })?;
    Some(Candidate {
        found: Found { profile: Profile::Kev, big: Some(big), release },
        records,
        explains,
        is_dated: true,
        has_clock: true,
    })
}

/// Adds a guess if the sample looks like a trace.
pub(crate) fn guess(sample: &[u8], options: &Options, out: &mut Vec<Guess>) {
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
        // Bits that are zero, some of a class or a limit, two of the time; without a date it stays a doubt.
        evidence_bits: 14 * if best.is_dated { best.records as u32 } else { 1 },
        explained: (best.explains * 1000 / start.len().max(1)) as u16,
        // A stream finds its profile itself: files of different profiles may be read together.
        options: "".into(),
        why: format!("{} {what}{order}{release}", best.records).into(),
    });
}
