//! Looks at the start of a log before it is decoded: which decoder and which options fit that neither the user nor the
//! target specified, whether there are frames, what damaged them, and which options the target reports late. A file or
//! pipe is examined when the whole sample is available, so that the same bytes always lead to the same guess; a live
//! stream is examined earlier, too.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_plugin_api::{
    Batch, Row, RowFlags, Source,
    chunk::MAX_CHUNK,
    info::{Guess, OptSpec, prop, space},
};

use super::instance_host::{InstanceHost, LearnedOptions, OptionLearner};
use crate::{
    io::{
        link::{Restorer, Undo},
        log::{Cursor, LogEvent, LogReader, RawLog, kind},
        packed::Packing,
        text::recognise,
    },
    open::{Decoder, Options},
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

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    let list: Vec<_> = pairs(best.options.lines()).filter(|(key, _)| options.get(key).is_none()).collect();
    (!list.is_empty()).then_some(Suggestion { options: list, percent, why, teller, misfit })
}

/// Keys and values of lines `key=value`.
fn pairs<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = (String, String)> {
    lines.filter_map(|line| line.split_once('=')).map(|(key, value)| (key.to_owned(), value.to_owned()))
}

fn best(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Guess> {
    decoder.probe(sample, options).into_iter().max_by_key(|g: &Guess| g.evidence_bits)
}

/// Given options that explain much less than the decoder's own guess. `found` = its guess with all of them.
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
    let guessed: Vec<_> = pairs(free.options.lines()).collect();
    let instead = |key: &str| match guessed.iter().find(|(guessed, _)| guessed == key) {
        Some((_, value)) => value.clone(),
        None => decoder.info.option(key).map(|spec| spec.default.to_string()).unwrap_or_default(),
    };
    let mut better: Vec<(String, String)> = given.iter().map(|(key, _)| (key.clone(), instead(key))).collect();
    better.retain(|(_, value)| !value.is_empty());
    if better.is_empty() {
        // The given option is a file, for which no single value can be suggested.
        better.clone_from(&guessed);
    }
    let complete = !given.is_empty() && !better.is_empty();
    complete.then_some(Misfit { given, percent: found.explained / 10, better, better_percent: free.explained / 10 })
}

/// Adds the options that the first conclusive log of a target suggests. The figures are those of all logs.
pub fn of_target(decoder: &Decoder, options: &Options, logs: &[Arc<RawLog>]) -> Option<(Options, Suggestion)> {
    let mut samples = logs.iter().filter_map(|log| sample_of(log)).collect::<Vec<_>>();
    let with_suggestion = |sample: &Vec<u8>| {
        let suggestion = suggest(decoder, options, sample)?;
        let mut options = options.clone();
        for (key, value) in &suggestion.options {
            // Skip values that the decoder's own specification refuses.
            options.set(&decoder.info, key, value).ok()?;
        }
        Some((options, suggestion))
    };
    let (options, mut suggestion) = samples.iter().find_map(with_suggestion)?;
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
    /// Replaces the figures of one source with those of all.
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
    pub why: String,
}

/// Probes all decoders with `sample` and returns the one with the most evidence.
pub fn likely(decoders: &[Arc<Decoder>], sample: &[u8]) -> Option<Likely> {
    let guesses = decoders.iter().filter_map(|decoder| Some((decoder, best(decoder, &Options::default(), sample)?)));
    // The first of several with the same evidence.
    let (decoder, guess) = guesses.rev().max_by_key(|(_, guess)| guess.evidence_bits)?;
    Some(Likely {
        decoder: decoder.clone(),
        options: guess.options.lines().map(str::to_owned).collect(),
        percent: guess.explained / 10,
        sure: guess.explained >= LIKELY && guess.evidence_bits >= EVIDENCE,
        why: guess.why.to_string(),
    })
}

impl Likely {
    pub fn doubt(&self) -> String {
        let Likely { decoder, percent, why, .. } = self;
        let (id, why) = (&decoder.info.id, reasons(why));
        format!("not sure: best match is {id}, {percent} % of the bytes fit ({why})")
    }

    /// The sizes guessed with it, if the target did not report them.
    pub fn sizes(&self) -> Option<Suggestion> {
        let options: Vec<_> = pairs(self.options.iter().map(String::as_str)).collect();
        let (percent, why, teller) = (self.percent, self.why.clone(), teller(&self.decoder));
        (!options.is_empty()).then_some(Suggestion { options, percent, why, teller, misfit: None })
    }
}

impl fmt::Display for Likely {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
pub fn certain(decoders: &[Arc<Decoder>], sample: &[u8], name: &str, beside: bool) -> Result<Option<Likely>, String> {
    let found = likely(decoders, sample);
    if let Some(found) = found.as_ref().filter(|found| found.sure) {
        return Ok(Some(found.clone()));
    }
    if let Some(packing) = Packing::of(sample) {
        return Err(format!("{name} is {}", packing.refusal()));
    }
    if let Some(hint) = recognise(name, sample) {
        return Err(hint);
    }
    if !beside && let Some(damaged) = damaged(decoders, found.as_ref(), sample) {
        return Err(format!("{name}: {damaged}"));
    }
    let why = match found {
        None if !sample.is_empty() && is_text(sample) => {
            format!("{name} is text, not a trace (no decoder sees a frame)")
        }
        _ if beside => return Ok(None),
        Some(found) => format!("{name}: {}", found.doubt()),
        None if sample.is_empty() => {
            return Err(format!("{name} is empty, so its decoder is not known; --proto NAME names one"));
        }
        None => format!("{name}: no decoder recognises these bytes"),
    };
    Err(if beside { why } else { format!("{why}. --proto forces one.") })
}

/// The damage that makes the decoder uncertain: `qs, but each LF arrived as CR LF …`.
fn damaged(decoders: &[Arc<Decoder>], found: Option<&Likely>, sample: &[u8]) -> Option<String> {
    let undone = restored(sample).into_iter().find_map(|(undo, restored)| {
        let found = likely(decoders, &restored).filter(|found| found.sure)?;
        Some((found.decoder.info.id.to_string(), DamagePattern::Undoable(undo)))
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
pub enum DamagePattern {
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

impl fmt::Display for DamagePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DamagePattern::Undoable(Undo::CrLf) => {
                "each LF arrived as CR LF, as from a terminal or a file in text mode: --undo crlf restores the bytes"
            }
            DamagePattern::Undoable(Undo::Utf8) => {
                "bytes from 0x80 up arrived as UTF-8, from a program that took them for text: --undo utf8 restores them"
            }
            DamagePattern::Replaced => {
                "bytes from 0x80 up arrived as U+FFFD: a program took them for UTF-8, and they are lost; make it copy bytes"
            }
            DamagePattern::SevenBits => {
                "no byte has its top bit: the line or its driver strips it, and it is lost; set 8 data bits (stty cs8 -istrip)"
            }
            DamagePattern::FlowControl => {
                "no 0x11 and no 0x13 arrived: software flow control (XON/XOFF) took them, and they are lost; switch it off \
                 (stty -ixon -ixoff)"
            }
            DamagePattern::CrToLf => {
                "no CR arrived, but LF in its place: a terminal driver turns CR into LF, and the difference is lost; \
                 switch it off (stty -icrnl)"
            }
        })
    }
}

/// The sample before each change that it may have gone through, judging by all affected bytes.
pub fn restored(sample: &[u8]) -> Vec<(Undo, Vec<u8>)> {
    let restored = |undo: Undo| Some((undo, Restorer::restored(undo, sample)?));
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

/// Delay after its first byte before a live stream is first examined.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// When to examine the start of a target's streams.
#[derive(Debug, Clone, Default)]
pub struct Looks {
    /// Arrival of the first byte.
    begun: Option<Instant>,
    /// Length of all logs at which the next early examination is due.
    next: u64,
    pub is_complete: bool,
}

impl Looks {
    /// Whether to examine now; `live` = also before the whole sample is available.
    pub fn due(&mut self, logs: &[Arc<RawLog>], live: bool, now: Instant) -> bool {
        if self.is_complete {
            return false;
        }
        self.is_complete = logs.iter().all(|log| is_complete(log, live));
        if self.is_complete {
            return true;
        }
        let len: u64 = logs.iter().map(|log| log.len()).sum();
        if len > 0 {
            self.begun.get_or_insert(now);
        }
        let due = live && self.waited(now) && len >= self.next;
        if due {
            self.next = len.saturating_mul(2);
        }
        due
    }

    pub fn waited(&self, now: Instant) -> bool {
        self.begun.is_some_and(|begun| now.saturating_duration_since(begun) >= FIRST_LOOK)
    }
}

/// Whether the whole sample is available. A named pipe continues after its writer closes it, but the stream has ended.
fn is_complete(log: &RawLog, live: bool) -> bool {
    let is_down = || !log.is_empty() && log.events(0, log.len()).iter().any(|event| event.kind == kind::LINK_DOWN);
    log.ended() || log.len() >= SAMPLE as u64 || (!live && is_down())
}

/// Minimum number of valid frames from a sender: in noise, one in 256 pieces has a valid 8-bit checksum.
const FEWEST: usize = 2;

/// `true` if one of the decoders `tried` finds several records, and more than damage, or if the bytes certainly belong
/// to another decoder of `all`: even with the wrong decoder, the target is shown.
pub fn has_frame(tried: &[(Arc<Decoder>, Options)], all: &[Arc<Decoder>], bytes: &[u8]) -> bool {
    let found = tried.iter().any(|(decoder, options)| has_records(decoder, options, bytes));
    found || likely(all, bytes).is_some_and(|likely| likely.sure)
}

fn has_records(decoder: &Decoder, options: &Options, bytes: &[u8]) -> bool {
    let Some((host, batch)) = fed(decoder, options, bytes) else { return true };
    let skipped = batch.rows.iter().filter(|row| row.has(RowFlags::SKIPPED)).count();
    let good = batch.rows.iter().filter(|row| row.is_record() && !row.has(RowFlags::SKIPPED)).count();
    // A decoder that fails can't judge.
    host.fault().is_some() || (good >= FEWEST && good > skipped)
}

fn fed(decoder: &Decoder, options: &Options, bytes: &[u8]) -> Option<(InstanceHost, Batch)> {
    let instance = decoder.open(options, &Source::default()).ok()?;
    let mut host = InstanceHost::new(instance, &decoder.info, 0).without_activities();
    let (mut batch, mut events) = (Batch::default(), vec![event(kind::START, 0)]);
    for (at, part) in bytes.chunks(MAX_CHUNK).enumerate() {
        host.feed((at * MAX_CHUNK) as u64, part, &events, &mut batch);
        events.clear();
    }
    Some((host, batch))
}

fn event(kind: u16, pos: usize) -> LogEvent {
    LogEvent { pos: pos as u64, host_ns: 0, kind, arg: 0, text: Vec::new() }
}

/// Options learned from the start of a log, which is decoded again with each option learned.
pub fn learn_from_beginning(decoder: &Decoder, options: &Options, log: &Arc<RawLog>) -> LearnedOptions {
    let mut learned = LearnedOptions::default();
    while let Some(more) = pass(decoder, options, log, &learned) {
        learned = more;
    }
    learned
}

/// Whether the start of a log leaves nothing to guess: the target reports its version before any record except the
/// start mark, or the decoder is certain.
pub fn is_known_at_start(decoder: &Decoder, options: &Options, log: &Arc<RawLog>) -> bool {
    let first = log.first();
    let Ok(instance) = decoder.open(options, &Source::default()) else { return false };
    let mut host = InstanceHost::new(instance, &decoder.info, first).without_activities();
    let (mut reader, mut batch) = (LogReader::new(log.clone(), Cursor { pos: first, event: 0 }), Batch::default());
    let Ok(true) = reader.next(first + SAMPLE as u64) else { return false };
    // What an instance reports before its first byte comes from its options.
    host.feed(reader.pos, &[], &reader.events, &mut batch);
    batch.clear();
    host.feed(reader.pos, &reader.bytes, &[], &mut batch);
    let reported = |key| batch.dict.iter().find(|event| event.space == space::PROPS && event.key == key);
    if reported(prop::CERTAIN).is_some() {
        return true;
    }
    let Some(reported) = reported(prop::VERSION) else { return false };
    batch.rows.iter().take(reported.at as usize).filter(|row| row.is_record()).count() <= 1
}

fn pass(decoder: &Decoder, options: &Options, log: &Arc<RawLog>, before: &LearnedOptions) -> Option<LearnedOptions> {
    let first = log.first();
    // Errors are reported when the whole log is read.
    let instance = decoder.open(options, &Source::default()).ok()?;
    let mut host = InstanceHost::new(instance, &decoder.info, first).without_activities();
    host.set_learned(before);
    let mut reader = LogReader::new(log.clone(), Cursor { pos: first, event: 0 });
    let (mut batch, mut learner) = (Batch::default(), OptionLearner { epoch: first });
    while reader.next(first + SAMPLE as u64).ok()? {
        batch.clear();
        host.feed(reader.pos, &reader.bytes, &reader.events, &mut batch);
        let learned = learner.learn(&batch, options, before);
        if learned.is_some() {
            return learned;
        }
    }
    None
}

/// Maximum number of damaged frames tried with a byte restored.
const TRIED: usize = 16;
const LONGEST: usize = 64;
/// Damaged frames without which nothing is concluded from bytes that are missing.
const FEWEST_DAMAGED: usize = 2;
/// The minimum for the top bit, which half of all checksums lack.
const FEWEST_BITS: usize = 8;

const XON: u8 = 0x11;
const XOFF: u8 = 0x13;
const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

/// The change that a sample went through, if the decoder finds more without it.
pub fn pattern(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<DamagePattern> {
    if let Some(undo) = undoable(decoder, options, sample) {
        return Some(DamagePattern::Undoable(undo));
    }
    // Apart from a character that is cut off at the end.
    let is_utf8 = || std::str::from_utf8(sample).err().is_none_or(|error| error.error_len().is_none());
    if memchr::memmem::find_iter(sample, REPLACEMENT).count() >= FEWEST_BITS && is_utf8() {
        return Some(DamagePattern::Replaced);
    }
    let damaged = damaged_frames(decoder, options, sample);
    let is_repaired = |repairs: &dyn Fn(&[u8]) -> Vec<Vec<u8>>| {
        let tried: Vec<_> = damaged.iter().filter(|frame| frame.len() <= LONGEST).take(TRIED).collect();
        let is_one = |frame: &Vec<u8>| is_frame(decoder, options, frame);
        let repaired = tried.iter().filter(|frame| repairs(frame).iter().any(is_one)).count();
        repaired >= FEWEST_DAMAGED && repaired * 2 >= tried.len()
    };
    let lacks = |byte: u8| !sample.contains(&byte);
    if damaged.len() >= FEWEST_BITS && sample.is_ascii() {
        Some(DamagePattern::SevenBits)
    } else if lacks(XON) && lacks(XOFF) && is_repaired(&with_flow_control) {
        Some(DamagePattern::FlowControl)
    } else if lacks(b'\r') && is_repaired(&with_cr) {
        Some(DamagePattern::CrToLf)
    } else {
        None
    }
}

/// The reversible change that a sample went through, if the decoder finds more without it.
fn undoable(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Undo> {
    let explains = |sample: &[u8]| best(decoder, options, sample).map_or(0, |guess| guess.explained);
    let restored = restored(sample);
    // Text from the target has line ends, too; only records show that its frames were changed likewise.
    let records = |sample: &[u8]| {
        let is_whole = |row: &&Row| row.is_record() && !row.has(RowFlags::SKIPPED);
        decoded(decoder, options, sample).map_or(0, |batch| batch.rows.iter().filter(is_whole).count())
    };
    let is_better = |restored: &[u8]| explains(restored) > explains(sample) && records(restored) > records(sample);
    let found = restored.into_iter().find(|(_, restored)| is_better(restored));
    found.map(|(undo, _)| undo)
}

fn decoded(decoder: &Decoder, options: &Options, bytes: &[u8]) -> Option<Batch> {
    let (mut host, mut batch) = fed(decoder, options, bytes)?;
    host.feed(bytes.len() as u64, &[], &[event(kind::END, bytes.len())], &mut batch);
    Some(batch)
}

fn damaged_frames<'s>(decoder: &Decoder, options: &Options, sample: &'s [u8]) -> Vec<&'s [u8]> {
    let Some(batch) = decoded(decoder, options, sample) else { return Vec::new() };
    let skipped = batch.rows.iter().filter(|row| row.has(RowFlags::SKIPPED) && row.kind.is_loss());
    skipped.filter_map(|row| sample.get(row.pos as usize..)?.get(..row.len as usize)).collect()
}

/// Whether the bytes are one or more records and nothing else.
fn is_frame(decoder: &Decoder, options: &Options, bytes: &[u8]) -> bool {
    decoded(decoder, options, bytes).is_some_and(|batch| {
        let taken = |record: bool| -> u64 {
            let rows = batch.rows.iter().filter(|row| (row.is_record() && !row.has(RowFlags::SKIPPED)) == record);
            rows.map(|row| u64::from(row.len)).sum()
        };
        taken(true) == bytes.len() as u64 && taken(false) == 0
    })
}

/// Copies of a frame with a byte that flow control removes restored, at each position.
fn with_flow_control(frame: &[u8]) -> Vec<Vec<u8>> {
    let place = |at: usize| {
        let (before, behind) = frame.split_at(at);
        [XON, XOFF].map(|byte| [before, &[byte], behind].concat())
    };
    (0..frame.len()).flat_map(place).collect()
}

/// Copies of a frame with a CR in place of one LF, or of all.
fn with_cr(frame: &[u8]) -> Vec<Vec<u8>> {
    let replaced = |at: usize| {
        let (before, behind) = frame.split_at(at);
        [before, b"\r", behind.get(1..).unwrap_or(&[])].concat()
    };
    let all = frame.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte }).collect();
    memchr::memchr_iter(b'\n', frame).map(replaced).chain([all]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::log::LogOptions;

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

    fn log() -> Arc<RawLog> {
        RawLog::new(&LogOptions { spool: None, ..LogOptions::default() })
    }

    #[test]
    fn a_pipe_is_looked_at_when_all_of_the_sample_is_there() {
        let (now, logs) = (Instant::now(), [log(), log()]);
        let later = now + Duration::from_secs(60);
        let mut looks = Looks::default();
        logs[0].append(&[0; 100], 1);
        assert!(!looks.due(&logs, false, now) && !looks.due(&logs, false, later));
        assert!(looks.waited(later) && !looks.is_complete);
        logs[0].append(&vec![0; SAMPLE], 1);
        assert!(!looks.due(&logs, false, later));
        logs[1].end(2);
        assert!(looks.due(&logs, false, later) && looks.is_complete);
        assert!(!looks.due(&logs, false, later));
    }

    #[test]
    fn the_end_of_a_writer_is_the_end_of_a_named_pipe() {
        let (now, logs) = (Instant::now(), [log()]);
        let mut looks = Looks::default();
        logs[0].append(&[0; 100], 1);
        logs[0].add_event(kind::LINK_DOWN, 0, b"", 2);
        assert!(!looks.clone().due(&logs, true, now) && looks.due(&logs, false, now));
    }

    #[test]
    fn a_live_stream_is_looked_at_a_second_after_its_first_byte_and_as_it_doubles() {
        let (now, logs) = (Instant::now(), [log()]);
        let at = |millis| now + Duration::from_millis(millis);
        let mut looks = Looks::default();
        assert!(!looks.due(&logs, true, at(0)) && !looks.due(&logs, true, at(5_000)));
        logs[0].append(&[0; 100], 1);
        assert!(!looks.due(&logs, true, at(6_000)) && !looks.due(&logs, true, at(6_999)));
        assert!(looks.due(&logs, true, at(7_000)) && !looks.due(&logs, true, at(9_000)));
        logs[0].append(&[0; 100], 1);
        assert!(looks.due(&logs, true, at(9_001)) && !looks.is_complete);
        logs[0].append(&vec![0; SAMPLE], 1);
        assert!(looks.due(&logs, true, at(9_002)) && looks.is_complete);
    }
}
