//! Guesses the decoder, and options that neither the user nor the target specified, from a sample of the stream.

use std::{fmt, sync::Arc};

use spytui_plugin_api::info::{Guess, OptSpec};

use super::{Decoder, Options};
use crate::io::{
    link::{Restorer, Undo},
    log::RawLog,
    packed::Packing,
    text::recognise,
};

pub const SAMPLE: usize = 256 * 1024;
/// Per mille of the sample that a guess must explain if the user chose the decoder.
const EXPLAINED: u16 = 500;
/// Per mille of the sample that a guess must explain if nobody chose the decoder.
const LIKELY: u16 = 900;
/// Percentage of a damaged sample that the right decoder still explains.
const DAMAGED: u16 = 10;
/// Evidence, in bits, below which a guess is discarded as chance.
const EVIDENCE: u32 = 64;
/// Advantage, per mille, of other sizes over the given ones for mentioning them.
const BETTER: u16 = 100;

/// Options suggested by a sample, in addition to those given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Suggested keys and values; empty = not certain.
    pub options: Vec<(String, String)>,
    /// Percentage of the sample's bytes that fit.
    pub percent: u16,
    /// The decoder's explanation.
    pub why: String,
    /// The record that specifies the sizes, if the decoder names one.
    pub teller: Option<String>,
    pub misfit: Option<Misfit>,
}

/// Given options that don't fit, and better ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    given: Vec<(String, String)>,
    /// Percentage that fits with the given options.
    percent: u16,
    better: Vec<(String, String)>,
    /// Percentage that fits with the better options.
    better_percent: u16,
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = |list: &[(String, String)]| {
            list.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
        };
        let Misfit { given, percent, better, better_percent } = self;
        write!(f, "{} fits {percent} %; {} fits {better_percent} %", words(given), words(better))
    }
}

/// The reasons in a decoder's explanation, without its introduction.
fn reasons(why: &str) -> &str {
    why.strip_prefix("not sure: ").unwrap_or(why)
}

impl std::fmt::Display for Suggestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(misfit) = &self.misfit {
            return write!(f, "{misfit}");
        }
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
pub fn suggest(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Suggestion> {
    if options.get("reference").is_some() {
        // Reference tools do not guess.
        return None;
    }
    let best = best(decoder, options, sample)?;
    let (percent, why) = (best.explained / 10, best.why.to_string());
    let teller = teller(decoder);
    let misfit = misfit(decoder, options, sample, &best);
    let unsure = best.explained < EXPLAINED || best.evidence_bits < EVIDENCE;
    // Without evidence, the explanation says what the decoder needs to know.
    let doubt = unsure && (!best.options.is_empty() || best.evidence_bits == 0);
    if doubt || misfit.is_some() {
        return Some(Suggestion { options: Vec::new(), percent, why, teller, misfit });
    }
    let pairs = best.options.lines().filter_map(|line| line.split_once('='));
    let missing = pairs.filter(|(key, _)| options.get(key).is_none());
    let list: Vec<(String, String)> = missing.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    (!list.is_empty()).then_some(Suggestion { options: list, percent, why, teller, misfit })
}

fn best(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Guess> {
    decoder.probe(sample, options).into_iter().max_by_key(|g: &Guess| g.evidence_bits)
}

/// The given options, if they explain much less of the sample than the decoder's own guess. `found` = its guess with
/// all of them.
fn misfit(decoder: &Decoder, options: &Options, sample: &[u8], found: &Guess) -> Option<Misfit> {
    if found.explained >= LIKELY || options.iter().next().is_none() {
        return None;
    }
    let free = best(decoder, &Options::default(), sample)?;
    let is_worse = |guess: &Guess| guess.explained + BETTER <= free.explained;
    if free.explained < EXPLAINED || free.evidence_bits < EVIDENCE || !is_worse(found) {
        return None;
    }
    let misfits = |(key, _): &(&str, &str)| best(decoder, &options.only(key), sample).as_ref().is_some_and(is_worse);
    let given: Vec<(String, String)> =
        options.iter().filter(misfits).map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let guessed: Vec<(&str, &str)> = free.options.lines().filter_map(|line| line.split_once('=')).collect();
    let instead = |key: &str| match guessed.iter().find(|(guessed, _)| *guessed == key) {
        Some((_, value)) => (*value).to_owned(),
        None => decoder.info.option(key).map(|spec| spec.default.to_string()).unwrap_or_default(),
    };
    let mut better: Vec<(String, String)> = given.iter().map(|(key, _)| (key.clone(), instead(key))).collect();
    better.retain(|(_, value)| !value.is_empty());
    if better.is_empty() {
        // The given option is a file, for which no single value can be suggested.
        better = guessed.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    }
    let complete = !given.is_empty() && !better.is_empty();
    complete.then_some(Misfit { given, percent: found.explained / 10, better, better_percent: free.explained / 10 })
}

/// Adds the options suggested by a sample; unchanged if the guess is not certain.
fn with_suggestion(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<(Options, Suggestion)> {
    let suggestion = suggest(decoder, options, sample)?;
    let mut options = options.clone();
    for (key, value) in &suggestion.options {
        // Skip values that the decoder's own specification refuses.
        options.set(&decoder.info, key, value).ok()?;
    }
    Some((options, suggestion))
}

/// Adds the options suggested by the start of a target's logs: the first log that allows a guess decides. The figures
/// are those of all logs.
pub fn of_target(decoder: &Decoder, options: &Options, logs: &[Arc<RawLog>]) -> Option<(Options, Suggestion)> {
    let mut samples = logs.iter().filter_map(|log| sample_of(log)).collect::<Vec<_>>();
    let (options, mut suggestion) = samples.iter().find_map(|sample| with_suggestion(decoder, options, sample))?;
    samples.retain(|sample| !sample.is_empty());
    if samples.len() > 1 {
        suggestion.count_all(decoder, &options, &samples);
    }
    Some((options, suggestion))
}

/// The start of a log, if readable.
pub fn sample_of(log: &RawLog) -> Option<Vec<u8>> {
    let mut sample = Vec::new();
    log.read_into(log.first(), SAMPLE, &mut sample).ok()?;
    Some(sample)
}

impl Suggestion {
    /// Replaces the figures of one source by those of all.
    fn count_all(&mut self, decoder: &Decoder, options: &Options, samples: &[Vec<u8>]) {
        self.percent = share(decoder, options, samples);
        let whys = samples.iter().map(|sample| best(decoder, options, sample).map(|guess| guess.why.to_string()));
        let each = (1..).zip(whys).filter_map(|(n, why)| Some(format!("source {n}: {}", reasons(&why?))));
        self.why = each.collect::<Vec<_>>().join("; ");
        if let Some(misfit) = &mut self.misfit {
            misfit.percent = self.percent;
            misfit.better_percent = share(decoder, &Options::default(), samples);
        }
    }
}

/// Percentage of all samples that the decoder explains.
fn share(decoder: &Decoder, options: &Options, samples: &[Vec<u8>]) -> u16 {
    let explained = |sample: &Vec<u8>| best(decoder, options, sample).map_or(0, |guess| u64::from(guess.explained));
    let fits: u64 = samples.iter().map(|sample| explained(sample) * sample.len() as u64).sum();
    let all: u64 = samples.iter().map(|sample| sample.len() as u64).sum();
    u16::try_from(fits / (all * 10).max(1)).unwrap_or(0)
}

/// Whether a guess could add any option.
pub fn is_useful(decoder: &Decoder, options: &Options) -> bool {
    let open = |spec: &OptSpec| spec.is_guessed && spec.key != "reference";
    options.get("reference").is_none()
        && decoder.info.options.iter().any(|spec| open(spec) && options.get(&spec.key).is_none())
}

#[derive(Debug, Clone)]
pub struct Likely {
    pub decoder: Arc<Decoder>,
    /// As `key=value`.
    pub options: Vec<String>,
    /// Percentage of the sample's bytes that fit.
    pub percent: u16,
    /// Certain enough to be used without asking.
    pub sure: bool,
    /// The decoder's explanation.
    pub why: String,
}

/// Probes all decoders with `sample` and returns the one with the most evidence.
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

impl Likely {
    pub fn doubt(&self) -> String {
        let Likely { decoder, percent, why, .. } = self;
        let (id, why) = (&decoder.info.id, reasons(why));
        format!("not sure: best match is {id}, {percent} % of the bytes fit ({why})")
    }

    /// The sizes guessed with it, if the target did not report them.
    pub fn sizes(&self) -> Option<Suggestion> {
        let pairs = self.options.iter().filter_map(|option| option.split_once('='));
        let options: Vec<_> = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let (percent, why, teller) = (self.percent, self.why.clone(), teller(&self.decoder));
        (!options.is_empty()).then_some(Suggestion { options, percent, why, teller, misfit: None })
    }
}

impl std::fmt::Display for Likely {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} % of the bytes fit", self.decoder.info.id, self.percent)?;
        // Guessed sizes have the same reasons, and are shown separately.
        if self.options.is_empty() { write!(f, ": {}", self.why) } else { Ok(()) }
    }
}

/// The record that specifies the sizes, if the decoder names one.
fn teller(decoder: &Decoder) -> Option<String> {
    Some(decoder.info.sizes_from.to_string()).filter(|record| !record.is_empty())
}

/// The decoder for a sample of `name`, if certain; `None` if uncertain while opened `beside` others.
pub fn certain(
    decoders: &[Arc<Decoder>],
    sample: &[u8],
    name: &str,
    beside: bool,
    pattern: FindPattern,
) -> Result<Option<Likely>, String> {
    let all = decoders.len();
    let found = likely(decoders, sample);
    if let Some(found) = found.as_ref().filter(|found| found.sure) {
        return Ok(Some(found.clone()));
    }
    if let Some(packing) = Packing::of(sample) {
        return Err(format!("{name} is {}", packing.refusal()));
    }
    if let Some(text) = recognise(sample) {
        return Err(text.hint(name));
    }
    if !beside && let Some(damaged) = damaged(decoders, found.as_ref(), sample, pattern) {
        return Err(format!("{name}: {damaged}"));
    }
    let why = match found {
        None if !sample.is_empty() && is_text(sample) => {
            format!("{name} is text, not a trace (0 of {all} decoders see a frame)")
        }
        _ if beside => return Ok(None),
        Some(found) => format!("{name}: {}", found.doubt()),
        None if sample.is_empty() => {
            return Err(format!("{name} is empty, so its decoder is not known; --proto NAME names one"));
        }
        None => format!("{name}: no decoder recognises these bytes (0 of {all} see a frame)"),
    };
    Err(if beside { why } else { format!("{why}. --proto forces one.") })
}

pub type FindPattern = fn(&Decoder, &Options, &[u8]) -> Option<Pattern>;

/// The damage that makes the decoder uncertain: `qs, but each LF arrived as CR LF …`.
fn damaged(decoders: &[Arc<Decoder>], found: Option<&Likely>, sample: &[u8], pattern: FindPattern) -> Option<String> {
    let undone = restored(sample).into_iter().find_map(|(undo, restored)| {
        let found = likely(decoders, &restored).filter(|found| found.sure)?;
        Some((found.decoder.info.id.to_string(), Pattern::Undoable(undo)))
    });
    let of_found = || {
        let found = found.filter(|found| found.percent >= DAMAGED)?;
        Some((found.decoder.info.id.to_string(), pattern(&found.decoder, &Options::default(), sample)?))
    };
    let (id, pattern) = undone.or_else(of_found)?;
    Some(format!("{id}, but {pattern}"))
}

fn is_text(sample: &[u8]) -> bool {
    let printable = sample.iter().filter(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()).count();
    printable * 10 > sample.len() * 9
}

/// Minimum number of changed bytes for a pattern.
const CHANGED: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Exactly reversible.
    Undoable(Undo),
    /// Each byte from 0x80 became U+FFFD.
    Replaced,
    /// The top bit of each byte is lost.
    SevenBits,
    /// XON and XOFF are lost.
    FlowControl,
    /// Each CR became LF.
    CrToLf,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pattern::Undoable(Undo::CrLf) => {
                "each LF arrived as CR LF, as from a terminal or a file in text mode: --undo crlf restores the bytes"
            }
            Pattern::Undoable(Undo::Utf8) => {
                "bytes from 0x80 up arrived as UTF-8, from a program that took them for text: --undo utf8 restores them"
            }
            Pattern::Replaced => {
                "bytes from 0x80 up arrived as U+FFFD: a program took them for UTF-8, and they are lost; make it copy bytes"
            }
            Pattern::SevenBits => {
                "no byte has its top bit: the line or its driver strips it, and it is lost; set 8 data bits (stty cs8 -istrip)"
            }
            Pattern::FlowControl => {
                "no 0x11 and no 0x13 arrived: software flow control (XON/XOFF) took them, and they are lost; switch it off \
                 (stty -ixon -ixoff)"
            }
            Pattern::CrToLf => {
                "no CR arrived, but LF in its place: a terminal driver turns CR into LF, and the difference is lost; \
                 switch it off (stty -icrnl)"
            }
        })
    }
}

/// The sample before each change that it may have gone through, judging by all affected bytes.
pub fn restored(sample: &[u8]) -> Vec<(Undo, Vec<u8>)> {
    let restored = |undo: Undo| {
        let mut restored = Vec::new();
        Restorer::new(undo).feed(sample, &mut restored).ok()?;
        Some((undo, restored))
    };
    [Undo::Utf8, Undo::CrLf].into_iter().filter(|undo| may_have(*undo, sample)).filter_map(restored).collect()
}

fn may_have(undo: Undo, sample: &[u8]) -> bool {
    match undo {
        Undo::Utf8 => sample.iter().filter(|byte| matches!(byte, 0xC2 | 0xC3)).count() >= CHANGED,
        Undo::CrLf => {
            let is_behind_cr = |at: usize| at == 0 || sample.get(at - 1) == Some(&b'\r');
            memchr::memchr_iter(b'\n', sample).all(is_behind_cr)
                && memchr::memchr_iter(b'\n', sample).count() >= CHANGED
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubt_is_reported_once() {
        let reported = |why: &str| {
            let suggestion = Suggestion {
                options: Vec::new(),
                percent: 5,
                why: why.to_owned(),
                teller: Some("TCFG".to_owned()),
                misfit: None,
            };
            suggestion.to_string()
        };
        assert_eq!(reported("not sure: 1 of 9 fit"), "No TCFG yet. Not sure of the sizes: 1 of 9 fit");
        assert_eq!(reported("nothing fits"), "No TCFG yet. Not sure of the sizes: nothing fits");
    }
}
