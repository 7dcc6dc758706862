//! Examines the start of a log before decoding: when enough was received, whether there are frames, and which options
//! the target reports late. A file or pipe is examined when the whole sample is available, so that the same bytes
//! always lead to the same guess; a live stream is examined earlier, too.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use spytui_plugin_api::{
    Batch, Row, RowFlags, Source,
    chunk::MAX_CHUNK,
    info::{prop, space},
};

use super::instance_host::{InstanceHost, LearnedOptions, OptionLearner};
use crate::{
    io::{
        link::Undo,
        log::{Cursor, LogEvent, LogReader, RawLog, kind},
    },
    open::{
        Decoder, Options,
        guess::{Pattern, SAMPLE, likely, restored},
    },
};

/// Delay after its first byte before a live stream is first examined.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// When to examine the start of a target's streams.
#[derive(Debug, Clone, Default)]
pub struct Looks {
    /// Arrival of the first byte.
    begun: Option<Instant>,
    /// Length of all logs at which the next early examination is due.
    next: u64,
    complete: bool,
}

impl Looks {
    /// Whether to examine now; `live` = also before the whole sample is available.
    pub fn due(&mut self, logs: &[Arc<RawLog>], live: bool, now: Instant) -> bool {
        if self.complete {
            return false;
        }
        self.complete = logs.iter().all(|log| is_complete(log, live));
        if self.complete {
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

    pub fn is_complete(&self) -> bool {
        self.complete
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
    let (mut batch, mut learner) = (Batch::default(), OptionLearner::new(first));
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
pub fn pattern(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Pattern> {
    if let Some(undo) = undoable(decoder, options, sample) {
        return Some(Pattern::Undoable(undo));
    }
    // Apart from a character that is cut off at the end.
    let is_utf8 = || std::str::from_utf8(sample).err().is_none_or(|error| error.error_len().is_none());
    if memchr::memmem::find_iter(sample, REPLACEMENT).count() >= FEWEST_BITS && is_utf8() {
        return Some(Pattern::Replaced);
    }
    let damaged = damaged(decoder, options, sample);
    let is_repaired = |repairs: &dyn Fn(&[u8]) -> Vec<Vec<u8>>| {
        let tried = damaged.iter().filter(|frame| frame.len() <= LONGEST).take(TRIED);
        let (mut all, mut repaired) = (0, 0);
        for frame in tried {
            all += 1;
            repaired += usize::from(repairs(frame).iter().any(|frame| is_frame(decoder, options, frame)));
        }
        repaired >= FEWEST_DAMAGED && repaired * 2 >= all
    };
    let lacks = |byte: u8| !sample.contains(&byte);
    if damaged.len() >= FEWEST_BITS && sample.is_ascii() {
        Some(Pattern::SevenBits)
    } else if lacks(XON) && lacks(XOFF) && is_repaired(&with_flow_control) {
        Some(Pattern::FlowControl)
    } else if lacks(b'\r') && is_repaired(&with_cr) {
        Some(Pattern::CrToLf)
    } else {
        None
    }
}

/// The reversible change that a sample went through, if the decoder finds more without it.
fn undoable(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Undo> {
    let explains = |sample: &[u8]| {
        let best = decoder.probe(sample, options).into_iter().max_by_key(|guess| guess.evidence_bits);
        best.map_or(0, |guess| guess.explained)
    };
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

fn damaged<'s>(decoder: &Decoder, options: &Options, sample: &'s [u8]) -> Vec<&'s [u8]> {
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
        assert!(looks.waited(later) && !looks.is_complete());
        logs[0].append(&vec![0; SAMPLE], 1);
        assert!(!looks.due(&logs, false, later));
        logs[1].end(2);
        assert!(looks.due(&logs, false, later) && looks.is_complete());
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
        assert!(looks.due(&logs, true, at(9_001)) && !looks.is_complete());
        logs[0].append(&vec![0; SAMPLE], 1);
        assert!(looks.due(&logs, true, at(9_002)) && looks.is_complete());
    }
}
