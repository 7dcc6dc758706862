//! Guesses from a sample of the stream: options that neither the user nor the target specified, and the decoder.

use std::sync::Arc;

use spytui_plugin_api::info::Guess;

use super::{Decoder, Options};
use crate::log::RawLog;

/// Size of the sample.
pub const SAMPLE: usize = 256 * 1024;
/// Per mille of the sample that a guess must explain if the user chose the decoder.
const EXPLAINED: u16 = 500;
/// The same if nobody chose the decoder.
const LIKELY: u16 = 900;
/// Evidence, in bits, below which a guess is discarded as chance.
const EVIDENCE: u32 = 64;

/// Options suggested by a sample, in addition to those given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Suggested keys and values; empty = not certain.
    pub options: Vec<(String, String)>,
    /// Per cent of the sample's bytes that fit.
    pub percent: u16,
    /// The decoder's explanation.
    pub why: String,
    /// The record that specifies the sizes, if the decoder names one.
    pub teller: Option<String>,
}

/// The reasons in a decoder's explanation, without its introduction.
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

/// Suggests options from `sample`; `None` if nothing is missing.
#[must_use]
pub fn suggest(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Suggestion> {
    if options.get("reference").is_some() {
        // Reference tools do not guess.
        return None;
    }
    let best = best(decoder, options, sample)?;
    let (percent, why) = (best.explained / 10, best.why.to_string());
    let teller = Some(decoder.info.sizes_from.to_string()).filter(|record| !record.is_empty());
    let unsure = best.explained < EXPLAINED || best.evidence_bits < EVIDENCE;
    // Without evidence, the explanation says what the decoder needs to know.
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

/// Adds the options suggested by the start of a log; unchanged if the guess is not certain.
#[must_use]
pub fn with_suggestion(decoder: &Decoder, options: &Options, log: &RawLog) -> Option<(Options, Suggestion)> {
    let mut sample = Vec::new();
    log.read_into(log.first(), SAMPLE, &mut sample).ok()?;
    let suggestion = suggest(decoder, options, &sample)?;
    let mut options = options.clone();
    for (key, value) in &suggestion.options {
        // Skip values that the decoder's own specification refuses.
        options.set(&decoder.info, key, value).ok()?;
    }
    Some((options, suggestion))
}

/// The most likely decoder of a sample.
#[derive(Debug, Clone)]
pub struct Likely {
    /// The decoder.
    pub decoder: Arc<Decoder>,
    /// Suggested options, as `key=value`.
    pub options: Vec<String>,
    /// Per cent of the sample's bytes that fit.
    pub percent: u16,
    /// Whether it is certain enough to be used without asking.
    pub sure: bool,
    /// The decoder's explanation.
    pub why: String,
}

/// Probes all decoders with `sample` and returns the one with the most evidence.
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

impl std::fmt::Display for Likely {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} % of the bytes fit: {}", self.decoder.info.id, self.percent, self.why)
    }
}

/// The decoder for a sample of `name`, if it is certain.
///
/// # Errors
/// The reason in a sentence, with what to do.
pub fn certain(decoders: &[Arc<Decoder>], sample: &[u8], name: &str) -> Result<Likely, String> {
    let why = match likely(decoders, sample) {
        Some(found) if found.sure => return Ok(found),
        Some(Likely { decoder, percent, why, .. }) => {
            let (id, why) = (&decoder.info.id, reasons(&why));
            format!("{name}: not sure: best match is {id}, {percent} % of the bytes fit ({why})")
        }
        None if sample.is_empty() => format!("{name} is empty"),
        None if is_text(sample) => {
            format!("{name} is text, not a trace (0 of {} decoders see a frame)", decoders.len())
        }
        None => format!("{name}: no decoder recognises these bytes (0 of {} see a frame)", decoders.len()),
    };
    Err(format!("{why}. --proto forces one."))
}

fn is_text(sample: &[u8]) -> bool {
    let printable = sample.iter().filter(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()).count();
    printable * 10 > sample.len() * 9
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
