//! Options that neither the user gave nor the target told: guessed from a sample of the stream, and said.

use spytui_plugin_api::info::Guess;

use super::{Decoder, Options};
use crate::log::RawLog;

/// Bytes of a stream that a guess is made from.
pub const SAMPLE: usize = 256 * 1024;
/// Per mille of the sample that a guess must explain to be used.
const EXPLAINED: u16 = 900;

/// Options that a sample suggests beside those given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Keys and values, none of which was given.
    pub options: Vec<(String, String)>,
    /// Per cent of the sample's bytes that fit.
    pub percent: u16,
    /// Why, in the decoder's words.
    pub why: String,
}

impl std::fmt::Display for Suggestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sizes are guessed, {} % of the bytes fit ({}):", self.percent, self.why)?;
        self.options.iter().try_for_each(|(key, value)| write!(f, " {key}={value}"))
    }
}

/// What `sample` suggests; `None` where nothing is missing, or where it is not sure.
#[must_use]
pub fn suggest(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Suggestion> {
    if options.get("reference").is_some() {
        // A reference tool guesses nothing.
        return None;
    }
    let guesses = decoder.table.guess(sample, &options.vals()).ok()?;
    let best = guesses.into_iter().filter(|g: &Guess| g.explained >= EXPLAINED).max_by_key(|g| g.evidence_bits)?;
    let pairs = best.options.lines().filter_map(|line| line.split_once('='));
    let missing = pairs.filter(|(key, _)| options.get(key).is_none());
    let list: Vec<(String, String)> = missing.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    let (percent, why) = (best.explained / 10, best.why.to_string());
    (!list.is_empty()).then_some(Suggestion { options: list, percent, why })
}

/// The options with what the kept beginning of a log suggests.
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
