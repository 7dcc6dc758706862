//! `:baud auto`: listens for a second at each common rate and scores what the decoder finds; sends nothing.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_engine::{
    io::link::LineCommand,
    open::{Decoder, Options},
};
use spytui_plugin_api::info::Guess;

use super::{Effect, Model};
use crate::app_log::LogLevel;

/// Listening time per rate.
const LISTEN: Duration = Duration::from_secs(1);

/// Common rates, most likely first.
const RATES: [u32; 10] = [115_200, 921_600, 1_000_000, 460_800, 230_400, 57_600, 38_400, 19_200, 9_600, 2_000_000];

#[derive(Debug, Clone)]
pub struct BaudScan {
    pub source: usize,
    /// The rates, the present one first.
    rates: Vec<u32>,
    /// Evidence for each rate tried so far, in bits.
    scores: Vec<u32>,
    /// Start of listening at the current rate.
    since: Option<Instant>,
    /// Length of the log at that time.
    from: u64,
}

impl BaudScan {
    pub fn start(source: usize, present: u32) -> BaudScan {
        let others = RATES.into_iter().filter(|rate| *rate != present);
        let rates = [present].into_iter().chain(others).collect();
        BaudScan { source, rates, scores: Vec::new(), since: None, from: 0 }
    }

    /// The rate to listen at; `None` if all are done.
    fn rate(&self) -> Option<u32> {
        self.rates.get(self.scores.len()).copied()
    }

    pub fn present(&self) -> u32 {
        self.rates.first().copied().unwrap_or_default()
    }

    /// The rate with the most evidence, the first of equal ones, so that a tie keeps the present rate. `None` without
    /// any evidence.
    fn best(&self) -> Option<u32> {
        let most = self.scores.iter().max().filter(|most| **most > 0)?;
        self.scored().find(|(_, bits)| bits == most).map(|(rate, _)| rate)
    }

    /// `921600: 412, 115200: 8, others 0`: the evidence so far, in bits.
    fn scores(&self) -> String {
        let mut scored: Vec<(u32, u32)> = self.scored().filter(|(_, bits)| *bits > 0).collect();
        scored.sort_by_key(|(_, bits)| std::cmp::Reverse(*bits));
        let mut words: Vec<String> = scored.iter().map(|(rate, bits)| format!("{rate}: {bits}")).collect();
        if scored.len() < self.scores.len() {
            words.push(if scored.is_empty() { "all 0".to_owned() } else { "others 0".to_owned() });
        }
        words.join(", ")
    }

    fn scored(&self) -> impl Iterator<Item = (u32, u32)> {
        self.rates.iter().copied().zip(self.scores.iter().copied())
    }
}

pub fn follow(model: &mut Model, now: Instant) {
    let Some(mut scan) = model.jobs.baud_scan.take() else { return };
    let len = model.links.sources[scan.source].log().len();
    match scan.since {
        Some(since) if now.duration_since(since) < LISTEN => {
            model.jobs.baud_scan = Some(scan);
            return;
        }
        Some(_) => scan.scores.push(score(model, &scan, len)),
        None => {}
    }
    match scan.rate() {
        Some(rate) => {
            model.ask_for(Effect::SetLine(scan.source, LineCommand::Baud(rate)));
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
    model.ask_for(Effect::SetLine(scan.source, LineCommand::Baud(rate)));
    model.links.sources[scan.source].begin_anew();
    match scan.best() {
        None => {
            model.log(LogLevel::Info, "baud", format!("listened at all usual rates; bits of evidence: {scores}"));
            model.fail(format!(
                "no rate gives valid frames, so it stays {present} baud; is the target sending, and is the decoder right?"
            ));
        }
        Some(_) if rate == present => model.say(format!("it stays {rate} baud; bits of evidence: {scores}")),
        Some(_) => model.say(format!("{rate} baud fits best; bits of evidence: {scores}")),
    }
}

/// Evidence, in bits, that the decoder finds in what was received at the current rate; if the decoder is unknown, that
/// of any.
fn score(model: &Model, scan: &BaudScan, end: u64) -> u32 {
    let source = &model.links.sources[scan.source];
    let mut sample = Vec::new();
    let len = (end - scan.from).min(256 * 1024) as usize;
    if source.log().read_into(scan.from, len, &mut sample).is_err() {
        return 0;
    }
    let decoding = source.decoding();
    if source.autodetect.is_to_choose() {
        return evidence(&model.links.registry.decoders, &Options::default(), &sample);
    }
    evidence(std::slice::from_ref(&decoding.decoder), &decoding.options, &sample)
}

fn evidence(decoders: &[Arc<Decoder>], options: &Options, sample: &[u8]) -> u32 {
    let guesses = decoders.iter().flat_map(|decoder| decoder.probe(sample, options));
    let fits = |guess: &Guess| guess.explained >= 500;
    guesses.filter(fits).map(|guess| guess.evidence_bits).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(present: u32, evidence: impl Fn(u32) -> u32) -> BaudScan {
        let mut scan = BaudScan::start(0, present);
        while let Some(rate) = scan.rate() {
            scan.scores.push(evidence(rate));
        }
        scan
    }

    #[test]
    fn the_rate_with_the_most_evidence_wins_and_a_tie_keeps_the_present_one() {
        let scan = scanned(9_600, |rate| if rate == 921_600 { 412 } else { u32::from(rate == 115_200) * 8 });
        assert_eq!((scan.best(), scan.scores().as_str()), (Some(921_600), "921600: 412, 115200: 8, others 0"));
        assert_eq!(scanned(38_400, |_| 7).best(), Some(38_400));
        // An uncommon rate, too.
        let scan = scanned(250_000, |rate| u32::from(rate == 250_000 || rate == 115_200) * 20);
        assert_eq!((scan.best(), scan.rates.len()), (Some(250_000), 11));
        let scan = scanned(57_600, |_| 0);
        assert_eq!((scan.best(), scan.present(), scan.scores().as_str()), (None, 57_600, "all 0"));
    }

    #[cfg(feature = "decoders")]
    #[test]
    fn where_the_decoder_is_not_known_any_may_find_evidence() {
        use spytui_engine::open::{Origin, Registry};

        let mut registry = Registry::new();
        for library in [spytui_decoder_qs::plugin(), spytui_decoder_rkh::plugin()] {
            registry.add(library, &Origin::BuiltIn).unwrap();
        }
        let capture = include_bytes!("../../../decoders/rkh-trazer/tests/captures/gh340-default.bin");
        let found = |decoders| evidence(decoders, &Options::default(), capture);
        let (qs, all) = (registry.find("qs").unwrap(), found(&registry.decoders));
        assert!(found(&[qs]) < all && all > 1_000, "{all}");
    }
}
