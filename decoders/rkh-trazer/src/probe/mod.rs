//! Detection: whether a sample is RKH, and with which sizes. The target's configuration record decides if there is one,
//! else the sizes that explain most frame lengths. `frames` evaluates the framing, `search` tries sizes.

mod frames;
mod search;

use spytui_decoder_kit::number::grouped_text;
use spytui_hdlc::{Numbered, without_text};
use spytui_plugin_api::info::Guess;

use crate::config::{Key, SPECS, Settings, Spec, Tcfg};
use frames::Frames;
use search::Found;

/// Minimum number of frames for a guess.
const FEWEST: u32 = 3;
/// Minimum number of different ids for a guess without checksums.
const FEWEST_IDS: u32 = 5;
/// Per mille of matching frames for a guess to be called sure.
const SURE: u32 = 950;

/// Adds a guess if the sample looks like RKH. `given` = settings to be kept.
pub(crate) fn guess(sample: &[u8], start: Settings, given: u16, out: &mut Vec<Guess>) {
    let mut builds = Frames::of(sample, start, given);
    if builds.iter().any(|frames| frames.right < frames.count) {
        builds = Frames::of(&without_text(sample, 0, numbered), start, given);
    }
    if builds.iter().map(|frames| frames.count).sum::<u32>() < FEWEST {
        return;
    }
    let sizes = |frames: &Frames| match frames.tcfg {
        Some(tcfg) => search::reported(frames, tcfg),
        None => search::best(frames, start, given),
    };
    let founds: Vec<Found> = builds.iter().map(sizes).collect();
    let (Some(frames), Some(found)) = (builds.first(), founds.first()) else { return };
    // A few ids have a matching length in any stream; many hardly by chance.
    if found.ids < FEWEST_IDS && !frames.checksum {
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

/// A frame with the right sum as the next one, or the first of a target.
fn numbered(frame: &[u8]) -> Option<Numbered> {
    // Numbers begin with 0 behind the configuration record.
    if Tcfg::find(frame, None).is_some() {
        return Some(Numbered { number: u8::MAX, starts: true });
    }
    frame.get(1).map(|&number| Numbered { number, starts: false }).filter(|_| frame.len() > 2)
}

/// What speaks for the sizes of all builds in a sample.
#[derive(Default)]
struct Evidence {
    /// Frames to be explained, and of those with the right length, sum and number.
    frames: u32,
    fits: u32,
    right_sums: u32,
    in_order: u32,
    /// Bytes of all frames, and of those with the right length.
    bytes: usize,
    explained: usize,
}

impl Evidence {
    fn of(builds: &[Frames], founds: &[Found]) -> Evidence {
        builds.iter().zip(founds).fold(Evidence::default(), |all, (frames, found)| Evidence {
            frames: all.frames + frames.looked_at(&found.settings),
            fits: all.fits + found.fits,
            right_sums: all.right_sums + frames.right_sums(&found.settings),
            in_order: all.in_order + frames.in_order(&found.settings),
            bytes: all.bytes + frames.bytes,
            explained: all.explained + found.bytes,
        })
    }
}

/// The settings that differ from `start` as options; the version if none does, so that the guess is shown.
fn options(settings: &Settings, start: &Settings) -> String {
    let line = |spec: &Spec| format!("{}={}\n", spec.option.key, spec.show(settings.get(spec.key)));
    // A version that the target reports may be newer than any that can be set.
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
        format!("{sure}: {} of {} frames have the right length", grouped_text(fits.into()), grouped_text(count.into()));
    if found.settings.on(Key::Checksum) {
        text += &format!(", {} the right sum", grouped_text(all.right_sums.into()));
    }
    if found.settings.on(Key::Nseq) {
        // The first one follows none, so it is in order.
        text += &format!(", {} numbers in order", grouped_text(u64::from(all.in_order) + 1));
    }
    if !found.open.is_empty() {
        let list: Vec<&str> = found.open.iter().map(|spec| spec.option.key).collect();
        text += &format!("; no frame shows {}", list.join(" "));
    }
    text
}
