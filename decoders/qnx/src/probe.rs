//! Detection: which profile a stream has, and which byte order.

use spytui_plugin_api::info::Guess;

use crate::{
    config::{MOST_CPUS, Options, Profile},
    frame::{Rules, near},
    record::{BEGIN, EVENT, Event},
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
    if has_header(sample) {
        return Some(Found { profile: options.profile.unwrap_or(Profile::Kev), big: None });
    }
    if options.profile == Some(Profile::Kev) && options.big.is_some() {
        return Some(Found { profile: Profile::Kev, big: None });
    }
    if !complete {
        return None;
    }
    let big = kev(sample, options).map(|found| found.0);
    Some(Found { profile: options.profile.unwrap_or(Profile::Kev), big })
}

fn has_header(sample: &[u8]) -> bool {
    sample.windows(BEGIN.len()).any(|window| window == BEGIN)
}

/// Byte order of the first chain of events, and where it begins.
fn kev(sample: &[u8], options: &Options) -> Option<(bool, usize)> {
    let target = options.target();
    let follows = |before: Option<&Event>, event: &Event| before.is_none_or(|before| near(event.low, before.low));
    let orders = match options.big {
        Some(big) => vec![big],
        None => vec![false, true],
    };
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
