//! Detection: whether a sample is QS, with which sizes, and whether of a version with other application records
//! (`old_users`); which sizes, unless the target says it: `sizes`. Counts valid checksums, sequence numbers in order and payloads that fit.

mod old_users;
mod sizes;

use self::sizes::Best;
use spytui_decoder_kit::number::grouped_text;
use spytui_hdlc::{FLAG, Numbered, unstuff, without_text};
use spytui_plugin_api::info::Guess;

use crate::{
    config::{Config, SIZES, Style},
    frame::{GOOD_SUM, SHORTEST},
    layout::id,
    record::TargetInfo,
};

/// Maximum number of frames used to find sizes.
const MOST_FRAMES: usize = 500;
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
    let mut framing = framing(sample);
    if framing.good_bytes < framing.bytes {
        framing = self::framing(&without_text(sample, GOOD_SUM, numbered));
    }
    if framing.good < FEWEST || framing.bytes == 0 {
        return;
    }
    let mut best = match framing.info {
        Some(info) => Best::known(Config { version: info.version, sizes: info.sizes, ..config }),
        None => sizes::best(&framing.frames, config, given),
    };
    let is_open = framing.info.is_none() && !config.is_version_known;
    let old = old_users::count(&framing.frames, &framing.disputed, &best.config).filter(|_| is_open);
    if old.is_some() {
        best = sizes::best(&framing.frames, Config { version: old_users::VERSION, ..config }, given);
    }
    let found = best.config;
    let good = framing.good_bytes * 1000 / framing.bytes;
    // Of a frame whose payload does not fit, or may be read in several ways, nothing is explained.
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
    let good_frames = grouped_text(framing.good.into());
    // The first one follows none, so it is in order.
    let in_order = grouped_text(u64::from(framing.in_order) + 1);
    let old = old.map_or(String::new(), |count| old_users::why(count.into()));
    let why = format!("{old}{good_frames} frames with the right sum, {in_order} numbers in order, {sizes}");
    out.push(Guess {
        evidence_bits: 8 * framing.good + 8 * framing.in_order + 4 * best.fits,
        explained: explained.min(1000) as u16,
        options: options.into(),
        why: why.into(),
    });
}

/// How many payloads fit, and which sizes that does not decide.
fn why(best: &Best) -> String {
    let count = |number: u32| grouped_text(number.into());
    let mut why = format!("{} of {} payloads fit", count(best.fits), count(best.all));
    if !best.doubtful.is_empty() {
        let keys: Vec<&str> =
            best.doubtful.iter().filter_map(|place| SIZES.get(*place)).map(|spec| spec.option.key).collect();
        why += &format!(", as many with other values of {}", keys.join(", "));
    }
    why
}

/// A valid frame as the next one, or the first of a target.
fn numbered(frame: &[u8]) -> Option<Numbered> {
    let &[number, id, ref payload @ .., _] = frame else { return None };
    Some(Numbered { number, starts: id == id::EMPTY && number == 1 && payload.is_empty() })
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
