//! What a sample of the stream says: options that neither the user gave nor the target told, and which decoder the
//! bytes look like.

use std::sync::Arc;

use spytui_plugin_api::info::Guess;

use super::{Decoder, Options};
use crate::log::RawLog;

/// Bytes of a stream that a guess is made from.
pub const SAMPLE: usize = 256 * 1024;
/// Per mille of the sample that a guess must explain: of a decoder that the user chose, and of one that nobody chose.
const EXPLAINED: u16 = 500;
/// The same for one that nobody chose.
const LIKELY: u16 = 900;
/// Bits of evidence below which a guess is an accident.
const EVIDENCE: u32 = 64;

/// Options that a sample suggests beside those given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Keys and values, none of which was given; empty = not sure.
    pub options: Vec<(String, String)>,
    /// Per cent of the sample's bytes that fit.
    pub percent: u16,
    /// Why, in the decoder's words.
    pub why: String,
    /// The record that tells the sizes, where the decoder names one.
    pub teller: Option<String>,
}

/// Why a guess is in doubt, where that it is has been said already: decoders may begin with it.
#[must_use]
pub fn reasons(why: &str) -> &str {
    why.strip_prefix("not sure: ").unwrap_or(why)
}

impl std::fmt::Display for Suggestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(teller) = &self.teller {
            write!(f, "No {teller} yet. ")?;
        }
        if self.options.is_empty() {
            return write!(f, "Not sure of the sizes: {}", reasons(&self.why));
        }
        write!(f, "Guess {} %:", self.percent)?;
        self.options.iter().try_for_each(|(key, value)| write!(f, " {key}={value}"))?;
        write!(f, "; {}", self.why)
    }
}

/// What `sample` suggests; `None` where nothing is missing. The decoder's pair `sizes-from` names the record that would
/// tell.
#[must_use]
pub fn suggest(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Suggestion> {
    if options.get("reference").is_some() {
        // A reference tool guesses nothing.
        return None;
    }
    let best = best(decoder, options, sample)?;
    let (percent, why) = (best.explained / 10, best.why.to_string());
    let teller = Some(decoder.info.sizes_from.to_string()).filter(|record| !record.is_empty());
    let unsure = best.explained < EXPLAINED || best.evidence_bits < EVIDENCE;
    // Without evidence a decoder says what it would need to know.
    if unsure && (!best.options.is_empty() || best.evidence_bits == 0) {
        return Some(Suggestion { options: Vec::new(), percent, why, teller });
    }
    let pairs = best.options.lines().filter_map(|line| line.split_once('='));
    let missing = pairs.filter(|(key, _)| options.get(key).is_none());
    let list: Vec<(String, String)> = missing.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    (!list.is_empty()).then_some(Suggestion { options: list, percent, why, teller })
}

fn best(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Guess> {
    let guesses = decoder.table.probe(sample, &options.vals()).ok()?;
    guesses.into_iter().max_by_key(|g: &Guess| g.evidence_bits)
}

/// The options with what the kept beginning of a log suggests; the same options where it is not sure.
#[must_use]
pub fn with_suggestion(decoder: &Decoder, options: &Options, log: &RawLog) -> Option<(Options, Suggestion)> {
    let mut sample = Vec::new();
    log.read_into(log.first(), SAMPLE, &mut sample).ok()?;
    let suggestion = suggest(decoder, options, &sample)?;
    let mut options = options.clone();
    for (key, value) in &suggestion.options {
        // A value that its own decoder's specification refuses is not taken.
        options.set(&decoder.info, key, value).ok()?;
    }
    Some((options, suggestion))
}

/// A decoder that bytes look like.
#[derive(Debug, Clone)]
pub struct Likely {
    /// The decoder.
    pub decoder: Arc<Decoder>,
    /// Options that it suggests, as `key=value`.
    pub options: Vec<String>,
    /// Per cent of the sample's bytes that fit.
    pub percent: u16,
    /// Whether it explains enough to be taken without asking.
    pub sure: bool,
    /// Why, in the decoder's words.
    pub why: String,
}

/// Asks decoders what `sample` looks like; the one with the most evidence.
#[must_use]
pub fn likely(decoders: &[Arc<Decoder>], sample: &[u8]) -> Option<Likely> {
    let mut found: Option<(u32, Likely)> = None;
    for decoder in decoders {
        let Some(guess) = best(decoder, &Options::default(), sample) else { continue };
        if found.as_ref().is_some_and(|f| f.0 >= guess.evidence_bits) {
            continue;
        }
        let likely = Likely {
            decoder: decoder.clone(),
            options: guess.options.lines().map(str::to_owned).collect(),
            percent: guess.explained / 10,
            sure: guess.explained >= LIKELY && guess.evidence_bits >= EVIDENCE,
            why: guess.why.to_string(),
        };
        found = Some((guess.evidence_bits, likely));
    }
    found.map(|f| f.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubt_is_told_once() {
        let told = |why: &str| {
            let suggestion =
                Suggestion { options: Vec::new(), percent: 5, why: why.to_owned(), teller: Some("TCFG".to_owned()) };
            suggestion.to_string()
        };
        assert_eq!(told("not sure: 1 of 9 fit"), "No TCFG yet. Not sure of the sizes: 1 of 9 fit");
        assert_eq!(told("nothing fits"), "No TCFG yet. Not sure of the sizes: nothing fits");
    }
}
