//! Detection: whether a sample is RKH, and with which sizes. The target's configuration record decides if there is one,
//! else the sizes that explain most frame lengths. `frames` evaluates the framing, `search` tries sizes.

mod frames;
mod search;

use spytui_decoder_kit::number::grouped_text;
use spytui_plugin_api::info::Guess;

use crate::config::{Key, SPECS, Settings, Spec};
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
    let frames = Frames::of(sample, start, given);
    if frames.count < FEWEST {
        return;
    }
    let found = match frames.tcfg {
        Some(tcfg) => search::reported(&frames, tcfg),
        None => search::best(&frames, start, given),
    };
    // A few ids have a matching length in any stream; many hardly by chance.
    if found.ids < FEWEST_IDS && !frames.checksum {
        return;
    }
    let options = match frames.tcfg {
        // The stream begins with its configuration.
        Some(_) if frames.tcfg_first => String::new(),
        _ => options(&found.settings, &start),
    };
    let explained = found.bytes * 1000 / frames.bytes.max(1);
    let evidence = 8 * frames.right_sums(&found.settings) + 8 * frames.in_order(&found.settings) + 4 * found.fits;
    out.push(Guess {
        evidence_bits: evidence,
        explained: explained.min(1000) as u16,
        options: options.into(),
        why: why(&frames, &found).into(),
    });
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
fn why(frames: &Frames, found: &Found) -> String {
    let (fits, count) = (found.fits, frames.looked_at(&found.settings));
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
        text += &format!(", {} the right sum", grouped_text(frames.right_sums(&found.settings).into()));
    }
    if found.settings.on(Key::Nseq) {
        // The first one follows none, so it is in order.
        text += &format!(", {} numbers in order", grouped_text(u64::from(frames.in_order(&found.settings)) + 1));
    }
    if !found.open.is_empty() {
        let list: Vec<&str> = found.open.iter().map(|spec| spec.option.key).collect();
        text += &format!("; no frame shows {}", list.join(" "));
    }
    text
}
