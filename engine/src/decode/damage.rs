//! Recognises patterns of damage: characteristic bytes are missing, and damaged frames become valid with one of them
//! restored.

use spytui_plugin_api::{Batch, Row, RowFlags, Source, chunk::MAX_CHUNK};

use super::InstanceHost;
use crate::{
    io::{
        link::Undo,
        log::{LogEvent, kind},
    },
    open::{
        Decoder, Options,
        guess::{Pattern, restored},
    },
};

/// Maximum number of damaged frames tried with a byte restored.
const TRIED: usize = 16;
const LONGEST: usize = 64;
/// Minimum number of damaged frames for a conclusion from missing bytes.
const FEWEST: usize = 2;
/// The minimum for the top bit, which half of all checksums lack.
const FEWEST_BITS: usize = 8;

const XON: u8 = 0x11;
const XOFF: u8 = 0x13;
/// U+FFFD in UTF-8.
const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

/// The change that a sample went through, if the decoder finds more without it.
pub fn pattern(decoder: &Decoder, options: &Options, sample: &[u8]) -> Option<Pattern> {
    if let Some(undo) = undoable(decoder, options, sample) {
        return Some(Pattern::Undoable(undo));
    }
    if memchr::memmem::find_iter(sample, REPLACEMENT).count() >= FEWEST_BITS && is_utf8(sample) {
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
        repaired >= FEWEST && repaired * 2 >= all
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

/// Whether it is UTF-8, apart from a truncated last character.
fn is_utf8(sample: &[u8]) -> bool {
    std::str::from_utf8(sample).err().is_none_or(|error| error.error_len().is_none())
}

/// Decodes bytes into rows.
fn decoded(decoder: &Decoder, options: &Options, bytes: &[u8]) -> Option<Batch> {
    let instance = decoder.open(options, &Source::default()).ok()?;
    let mut host = InstanceHost::new(instance, &decoder.info, 0).without_activities();
    let mut batch = Batch::default();
    let event = |kind, pos: usize| LogEvent { pos: pos as u64, host_ns: 0, kind, arg: 0, text: Vec::new() };
    let mut events = vec![event(kind::START, 0)];
    for (at, part) in bytes.chunks(MAX_CHUNK).enumerate() {
        host.feed((at * MAX_CHUNK) as u64, part, &events, &mut batch);
        events.clear();
    }
    host.feed(bytes.len() as u64, &[], &[event(kind::END, bytes.len())], &mut batch);
    Some(batch)
}

/// The bytes of damaged frames.
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
