//! Detection: whether a sample is QS, with which sizes, and whether of a version with other application records
//! (`old_users`). Counts valid checksums, sequence numbers in order and payloads that fit.

mod old_users;

use spytui_decoder_kit::number::grouped_text;
use spytui_hdlc::{FLAG, unstuff};
use spytui_plugin_api::info::Guess;

use crate::{
    config::{Config, SIZES, Sizes, Style},
    frame::{GOOD_SUM, SHORTEST},
    layout::id,
    receive::Base,
    record::TargetInfo,
};

/// Maximum number of frames used to find sizes.
const MOST_FRAMES: usize = 500;
/// Number of combinations of sizes that are improved.
const STARTS: usize = 6;
/// Minimum number of frames for a guess.
const FEWEST: u32 = 3;

/// The frames of a sample.
#[derive(Default)]
struct Framing {
    frames: Vec<Vec<u8>>,
    /// Those with an id that is an application record or not, depending on the version.
    disputed: Vec<Vec<u8>>,
    good: u32,
    in_order: u32,
    good_bytes: usize,
    bytes: usize,
    info: Option<TargetInfo>,
    /// Records precede the epoch of the first info, so that it does not apply to them.
    info_is_later: bool,
    /// The target restarted after the first record.
    restarted: bool,
}

impl Framing {
    /// Takes an info.
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

/// Adds a guess if the sample looks like QS. `given` = sizes to be kept, as indices into [`SIZES`].
pub(crate) fn guess(sample: &[u8], config: Config, given: &[usize], out: &mut Vec<Guess>) {
    let framing = framing(sample);
    if framing.good < FEWEST || framing.bytes == 0 {
        return;
    }
    let (mut found, mut fits, mut looked_at) = match framing.info {
        Some(info) => (Config { version: info.version, sizes: info.sizes, ..config }, 0, 0),
        None => best_sizes(&framing.frames, config, given),
    };
    let is_open = framing.info.is_none() && !config.is_version_known;
    let old = old_users::count(&framing.frames, &framing.disputed, &found).filter(|_| is_open);
    if old.is_some() {
        let start = Config { version: old_users::VERSION, ..config };
        (found, fits, looked_at) = best_sizes(&framing.frames, start, given);
    }
    let good = framing.good_bytes * 1000 / framing.bytes;
    // Of a frame whose payload does not fit, nothing is explained.
    let explained = match framing.info {
        Some(_) => good,
        None => good * fits as usize / (looked_at as usize).max(1),
    };
    let mut options = String::new();
    if framing.info.is_none() || framing.info_is_later {
        if found.version != config.version {
            options += &format!("version={}\n", found.version);
        }
        for spec in SIZES.iter().filter(|s| s.get(found.sizes) != s.get(config.sizes)) {
            options += &format!("{}={}\n", spec.option.key, spec.get(found.sizes));
        }
    }
    let sizes = match framing.info {
        Some(_) => "sizes from the target".to_owned(),
        None => format!("{} of {} payloads fit", grouped_text(fits.into()), grouped_text(looked_at.into())),
    };
    let good_frames = grouped_text(framing.good.into());
    // The first one follows none, so it is in order.
    let in_order = grouped_text(u64::from(framing.in_order) + 1);
    let old = old.map_or(String::new(), |count| old_users::why(count.into()));
    let why = format!("{old}{good_frames} frames with the right sum, {in_order} numbers in order, {sizes}");
    out.push(Guess {
        evidence_bits: 8 * framing.good + 8 * framing.in_order + 4 * fits,
        explained: explained.min(1000) as u16,
        options: options.into(),
        why: why.into(),
    });
}

/// Splits the sample at its flags; bytes before the first and after the last are ignored.
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
        if old_users::IDS.contains(id) && found.disputed.len() < MOST_FRAMES {
            found.disputed.push(frame.clone());
        }
        if found.frames.len() < MOST_FRAMES {
            found.frames.push(frame);
        }
    }
    found
}

/// The sizes that match most payloads, the number of matching payloads and that of all. Starts with combinations of the
/// most important sizes; the best are improved one size after the other. Given sizes stay.
fn best_sizes(frames: &[Vec<u8>], start: Config, given: &[usize]) -> (Config, u32, u32) {
    let fitting = |sizes: Sizes| {
        let base = Base::new(Config { sizes, ..start }, 0, 0);
        let fits = |frame: &&Vec<u8>| matches!(&***frame, [_, id, payload @ .., _] if base.fits(*id, payload));
        frames.iter().filter(fits).count() as u32
    };
    let mut starts = vec![(fitting(start.sizes), start.sizes)];
    for pointer in [4, 8, 2] {
        for time in [4, 2, 1] {
            for sig in [2, 1, 4] {
                let tried = Sizes { obj: pointer, fun: pointer, time, sig, ..start.sizes };
                let sizes = kept(tried, start.sizes, given);
                starts.push((fitting(sizes), sizes));
            }
        }
    }
    starts.sort_by_key(|(fits, _)| std::cmp::Reverse(*fits));
    let mut best = (0, start.sizes);
    for start in starts.into_iter().take(STARTS) {
        let improved = improve(start, given, fitting);
        best = if improved.0 > best.0 { improved } else { best };
    }
    (Config { sizes: best.1, ..start }, best.0, frames.len() as u32)
}

/// `sizes` with the given ones as they were.
fn kept(mut sizes: Sizes, start: Sizes, given: &[usize]) -> Sizes {
    for spec in given.iter().filter_map(|place| SIZES.get(*place)) {
        *(spec.field)(&mut sizes) = spec.get(start);
    }
    sizes
}

/// Improves one size after the other, twice.
fn improve(mut best: (u32, Sizes), given: &[usize], fitting: impl Fn(Sizes) -> u32) -> (u32, Sizes) {
    let open = || SIZES.iter().enumerate().filter(|(place, _)| !given.contains(place));
    for (_, spec) in open().chain(open()) {
        for bytes in [1, 2, 4, 8].into_iter().filter(|b| spec.legal(*b)) {
            let mut sizes = best.1;
            *(spec.field)(&mut sizes) = bytes;
            let fits = fitting(sizes);
            best = if fits > best.0 { (fits, sizes) } else { best };
        }
    }
    best
}
