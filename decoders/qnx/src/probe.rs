//! Detection: which profile a stream has, and which byte order.

use spytui_plugin_api::info::Guess;

use crate::{
    config::{Options, Profile},
    frame::{Rules, near, records},
    record::{BEGIN, EVENT, Event, Format},
};

/// Bytes that are looked at.
const SAMPLE: usize = 4096;

/// Number of plausible records in a row that say what a stream is.
const EVIDENCE: usize = 8;

/// What a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) profile: Profile,
    pub(crate) big: Option<bool>,
}

/// Finds out what a stream is from its first bytes; `None` if more are needed, which there are unless they are
/// `complete`.
pub(crate) fn find(sample: &[u8], complete: bool, options: &Options) -> Option<Found> {
    if has_header(sample) && options.profile.is_none_or(|profile| profile == Profile::Kev) {
        return Some(Found { profile: Profile::Kev, big: None });
    }
    match options.profile {
        Some(Profile::Qnx4) => return Some(Found { profile: Profile::Qnx4, big: None }),
        Some(profile) if options.big.is_some() => return Some(Found { profile, big: None }),
        _ if !complete => return None,
        _ => {}
    }
    let candidates = candidates(sample, options);
    // The first one of those that explain most.
    let best = candidates.iter().rev().max_by_key(|candidate| candidate.explains);
    Some(best.map_or(Found { profile: options.profile.unwrap_or(Profile::Kev), big: None }, |best| best.found))
}

/// A profile with records in the sample.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    found: Found,
    /// Number of records in a row, and of their bytes.
    records: usize,
    explains: usize,
}

/// All profiles that have so many records in a row, in their order.
fn candidates(sample: &[u8], options: &Options) -> Vec<Candidate> {
    let may_be = |profile| options.profile.is_none_or(|given| given == profile);
    let mut all = Vec::new();
    if may_be(Profile::Qnx4) {
        all.extend(classic(sample, Profile::Qnx4, None, Format::Qnx4));
    }
    for big in orders(options).into_iter().filter(|_| may_be(Profile::Nto1)) {
        let format = Format::Nto1 { big, exception: options.exception };
        all.extend(classic(sample, Profile::Nto1, Some(big), format));
    }
    if may_be(Profile::Kev) {
        all.extend(orders(options).into_iter().filter_map(|big| kev(sample, big, options)));
    }
    all
}

fn classic(sample: &[u8], profile: Profile, big: Option<bool>, format: Format) -> Option<Candidate> {
    let start = classic_start(sample, format)?;
    let (records, explains) = records(format, sample.get(start..).unwrap_or(&[]), usize::MAX);
    Some(Candidate { found: Found { profile, big }, records, explains })
}

/// Where so many records in a row begin; or fewer, if the sample has nothing else.
fn classic_start(sample: &[u8], format: Format) -> Option<usize> {
    let from = |start: usize| records(format, sample.get(start..).unwrap_or(&[]), EVIDENCE);
    let (count, len) = from(0);
    let is_all = count > 0 && len == sample.len();
    if is_all { Some(0) } else { (0..sample.len()).find(|&start| from(start).0 >= EVIDENCE) }
}

/// The byte orders that come into question.
fn orders(options: &Options) -> Vec<bool> {
    options.big.map_or_else(|| vec![false, true], |big| vec![big])
}

fn has_header(sample: &[u8]) -> bool {
    sample.windows(BEGIN.len()).any(|window| window == BEGIN)
}

/// Events of the instrumented kernel.
fn kev(sample: &[u8], big: bool, options: &Options) -> Option<Candidate> {
    let target = options.target();
    let rules = Rules::new(target.release, big, target.cpus);
    let follows = |before: Option<&Event>, event: &Event| before.is_none_or(|before| near(event.low, before.low));
    let from = |start: usize, most| rules.chain(sample.get(start..).unwrap_or(&[]), most, follows);
    let start = (0..sample.len()).find(|&start| from(start, EVIDENCE) == EVIDENCE)?;
    let records = (start..start + EVENT).map(|start| from(start, usize::MAX)).max()?;
    Some(Candidate { found: Found { profile: Profile::Kev, big: Some(big) }, records, explains: records * EVENT })
}

/// Adds a guess if the sample looks like a trace.
pub(crate) fn guess(sample: &[u8], options: &Options, out: &mut Vec<Guess>) {
    let start = sample.get(..SAMPLE).unwrap_or(sample);
    if has_header(start) {
        let why = "header of a trace of the instrumented kernel".into();
        return out.push(Guess { evidence_bits: 8 * BEGIN.len() as u32, explained: 1000, options: "".into(), why });
    }
    let candidates = candidates(start, options);
    let Some(best) = candidates.iter().rev().max_by_key(|candidate| candidate.explains) else { return };
    let order = |big| if big { "big" } else { "little" };
    let (name, what) = match best.found.profile {
        Profile::Kev => ("kev", "events of the instrumented kernel"),
        Profile::Qnx4 => ("qnx4", "records of a trace log of QNX 4"),
        Profile::Nto1 => ("nto1", "records of a trace log of Neutrino 1.0"),
    };
    let endian = best.found.big.map(|big| format!("endian={}\n", order(big))).unwrap_or_default();
    out.push(Guess {
        // Bits that are zero, some of a class or a limit, two of the time.
        evidence_bits: 14 * best.records as u32,
        explained: (best.explains * 1000 / start.len().max(1)) as u16,
        options: format!("profile={name}\n{endian}").into(),
        why: format!("{} {what}", best.records).into(),
    });
}
