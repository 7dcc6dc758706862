//! Detection: which profile a stream has, and which byte order.

use spytui_plugin_api::info::Guess;

use crate::{
    config::{MOST_CPUS, Options, Profile},
    frame::{Rules, near, records},
    record::{BEGIN, EVENT, Event, Format},
};

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
    let may_be = |profile| options.profile.is_none_or(|given| given == profile);
    if may_be(Profile::Qnx4) && classic_start(sample, Format::Qnx4).is_some() {
        return Some(Found { profile: Profile::Qnx4, big: None });
    }
    let nto1 = |big| classic_start(sample, Format::Nto1 { big, exception: options.exception });
    let starts = orders(options).into_iter().filter_map(|big| Some((nto1(big)?, big)));
    if let Some((_, big)) = starts.min().filter(|_| may_be(Profile::Nto1)) {
        return Some(Found { profile: Profile::Nto1, big: Some(big) });
    }
    let big = kev(sample, options).map(|found| found.0);
    Some(Found { profile: options.profile.unwrap_or(Profile::Kev), big })
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

/// Byte order of the first chain of events, and where it begins.
fn kev(sample: &[u8], options: &Options) -> Option<(bool, usize)> {
    let target = options.target();
    let follows = |before: Option<&Event>, event: &Event| before.is_none_or(|before| near(event.low, before.low));
    let orders = orders(options);
    (0..sample.len()).find_map(|start| {
        let bytes = sample.get(start..start + EVIDENCE * EVENT)?;
        let fits =
            |big: &&bool| Rules::new(target.release, **big, target.cpus).chain(bytes, EVIDENCE, follows) == EVIDENCE;
        orders.iter().find(fits).map(|&big| (big, start))
    })
}

/// Adds a guess if the sample looks like a trace.
pub(crate) fn guess(sample: &[u8], options: &Options, out: &mut Vec<Guess>) {
    let start = sample.get(..4096).unwrap_or(sample);
    if has_header(start) {
        let why = "header of a trace of the instrumented kernel".into();
        return out.push(Guess { evidence_bits: 8 * BEGIN.len() as u32, explained: 1000, options: "".into(), why });
    }
    let found = find(start, true, options);
    if let Some(Found { profile: profile @ (Profile::Qnx4 | Profile::Nto1), big }) = found {
        return classic(sample, profile, big.unwrap_or(false), options, out);
    }
    let Some((big, at)) = kev(sample, options) else { return };
    let target = options.target();
    let rules = Rules::new(target.release, big, MOST_CPUS.min(target.cpus));
    let rest = sample.get(at..).unwrap_or(&[]);
    let follows = |before: Option<&Event>, event: &Event| before.is_none_or(|before| near(event.low, before.low));
    let events = rules.chain(rest, rest.len(), follows);
    let order = if big { "big" } else { "little" };
    out.push(Guess {
        // Ten bits that are zero, some of class and number, two of the time.
        evidence_bits: 14 * events as u32,
        explained: (events * EVENT * 1000 / sample.len().max(1)) as u16,
        options: format!("endian={order}\n").into(),
        why: format!("{events} events of the instrumented kernel, {order}-endian").into(),
    });
}

/// Adds the guess of a classic trace log.
fn classic(sample: &[u8], profile: Profile, big: bool, options: &Options, out: &mut Vec<Guess>) {
    let (format, name, set) = match profile {
        Profile::Nto1 if big => {
            (Format::Nto1 { big, exception: options.exception }, "Neutrino 1.0", "profile=nto1\nendian=big\n")
        }
        Profile::Nto1 => {
            (Format::Nto1 { big, exception: options.exception }, "Neutrino 1.0", "profile=nto1\nendian=little\n")
        }
        _ => (Format::Qnx4, "QNX 4", "profile=qnx4\n"),
    };
    let start = classic_start(sample.get(..4096).unwrap_or(sample), format).unwrap_or(0);
    let (records, len) = records(format, sample.get(start..).unwrap_or(&[]), usize::MAX);
    out.push(Guess {
        evidence_bits: 20 * records as u32,
        explained: (len * 1000 / sample.len().max(1)) as u16,
        options: set.into(),
        why: format!("{records} records of a trace log of {name}").into(),
    });
}
