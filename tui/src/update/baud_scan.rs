//! `:baud auto`: listens for a second at each usual rate, scores what the decoder makes of it, sends nothing.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::open::{Decoder, Options};
use spytui_plugin_api::info::Guess;

use crate::{
    app_log::Level,
    model::{Effect, Model, baud_scan::BaudScan},
};

const LISTEN: Duration = Duration::from_secs(1);

/// Continues the scan.
pub(super) fn follow(model: &mut Model, now: Instant) {
    let Some(mut scan) = model.jobs.baud_scan.take() else { return };
    let len = model.links.sources[scan.source].log().len();
    match scan.since {
        Some(since) if now.duration_since(since) < LISTEN => {
            model.jobs.baud_scan = Some(scan);
            return;
        }
        Some(_) => scan.score(score(model, &scan, len)),
        None => {}
    }
    match scan.rate() {
        Some(rate) => {
            set_baud(model, scan.source, rate);
            let so_far =
                scan.best().map(|_| format!("; bits of evidence so far: {}", scan.scores())).unwrap_or_default();
            model.say(format!("listening at {rate} baud{so_far}"));
            scan.since = Some(now);
            scan.from = len;
            model.jobs.baud_scan = Some(scan);
        }
        None => end(model, &scan),
    }
}

fn end(model: &mut Model, scan: &BaudScan) {
    let (present, scores) = (scan.present(), scan.scores());
    let rate = scan.best().unwrap_or(present);
    set_baud(model, scan.source, rate);
    model.links.sources[scan.source].begin_anew();
    match scan.best() {
        None => {
            model.log(Level::Info, "baud", format!("listened at all usual rates; bits of evidence: {scores}"));
            model.fail(format!(
                "no rate gives valid frames, so it stays {present} baud; is the target sending, and is the decoder right?"
            ));
        }
        Some(_) if rate == present => model.say(format!("it stays {rate} baud; bits of evidence: {scores}")),
        Some(_) => model.say(format!("{rate} baud fits best; bits of evidence: {scores}")),
    }
}

fn set_baud(model: &mut Model, source: usize, rate: u32) {
    model.ask_for(Effect::SetBaud(source, rate));
}

/// Evidence that the decoder finds in what came at the current rate, in bits; where it is not known yet, that any finds.
fn score(model: &Model, scan: &BaudScan, end: u64) -> u32 {
    let source = &model.links.sources[scan.source];
    let mut sample = Vec::new();
    let len = (end - scan.from).min(256 * 1024) as usize;
    if source.log().read_into(scan.from, len, &mut sample).is_err() {
        return 0;
    }
    let decoding = source.decoding();
    if source.autodetect.is_to_choose() {
        return evidence(model.links.registry.decoders(), &Options::default(), &sample);
    }
    evidence(std::slice::from_ref(&decoding.decoder), &decoding.options, &sample)
}

fn evidence(decoders: &[Arc<Decoder>], options: &Options, sample: &[u8]) -> u32 {
    let guesses = decoders.iter().filter_map(|decoder| decoder.table.probe(sample, &options.vals()).ok());
    let fits = |guess: &Guess| guess.explained >= 500;
    guesses.flatten().filter(fits).map(|guess| guess.evidence_bits).max().unwrap_or(0)
}

#[cfg(all(test, feature = "decoders"))]
mod tests {
    use super::*;
    use spytui_engine::open::{Origin, Registry};

    #[test]
    fn where_the_decoder_is_not_known_any_may_find_evidence() {
        let mut registry = Registry::new();
        for library in [spytui_decoder_qs::plugin(), spytui_decoder_rkh::plugin()] {
            registry.add(library, &Origin::BuiltIn).unwrap();
        }
        let capture = include_bytes!("../../../decoders/rkh-trazer/tests/captures/gh340-default.bin");
        let found = |decoders| evidence(decoders, &Options::default(), capture);
        let (qs, all) = (registry.find("qs").unwrap(), found(registry.decoders()));
        assert!(found(&[qs]) < all && all > 1_000, "{all}");
    }
}
