//! Receiving: bytes to rows. This file keeps bytes that are not in a row yet, and detects the profile; `kev` reads
//! events of the instrumented kernel, `classic` records of the other two profiles. Common to both: decoder-specific
//! counters, the state of a search, and a companion's answers and drop totals.

mod classic;
mod kev;

use std::collections::BTreeMap;

use classic::ClassicLog;
use kev::Kev;
use spytui_decoder_kit::has_wrapped;
use spytui_plugin_api::{
    AttachmentId, CounterId, LossCause, Output, Row, RowFlags, RowKind, StreamEvent, StreamEventKind, batch::lost,
    info::AnswerStage,
};

use crate::{
    config::{Format, Profile, QnxOptions},
    layout::{counter, note},
    probe::{self, SAMPLE},
};

/// How a stream ends, at least for now: the row kind of remaining bytes. `None` = more may follow.
type Ending = Option<RowKind>;

#[derive(Clone, Debug)]
enum Reader {
    /// Waits for enough bytes to detect it.
    Undecided,
    Kev(Box<Kev>),
    Classic(Box<ClassicLog>),
}

#[derive(Clone, Debug)]
pub(crate) struct Stream {
    options: QnxOptions,
    reader: Reader,
    /// Bytes that are not in a row yet, and their position.
    rest: Vec<u8>,
    rest_pos: u64,
}

impl Stream {
    pub(crate) fn new(options: QnxOptions) -> Stream {
        Stream { options, reader: Reader::Undecided, rest: Vec::new(), rest_pos: 0 }
    }

    pub(crate) fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        if self.rest.is_empty() {
            let used = self.take(pos, bytes, None, out);
            self.rest.extend_from_slice(bytes.get(used..).unwrap_or(&[]));
            self.rest_pos = pos + used as u64;
            return;
        }
        self.rest.extend_from_slice(bytes);
        self.go_on(None, out);
    }

    pub(crate) fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        match event.kind {
            StreamEventKind::OPTIONS => self.options(event.pos, text, out),
            kind => self.end(event.pos, kind.left_over(), out),
        }
    }

    fn options(&mut self, pos: u64, text: &[u8], out: &mut Output<'_>) {
        if !self.options.change_formats(text) {
            return;
        }
        match &mut self.reader {
            Reader::Undecided => {}
            Reader::Kev(kev) => kev.change_formats(&self.options, pos, out),
            Reader::Classic(log) => log.change_formats(&self.options, pos, out),
        }
    }

    fn end(&mut self, pos: u64, ending: Ending, out: &mut Output<'_>) {
        if ending.is_none() {
            return;
        }
        if self.rest.is_empty() {
            self.rest_pos = pos;
        }
        self.go_on(ending, out);
    }

    fn go_on(&mut self, ending: Ending, out: &mut Output<'_>) {
        let mut rest = std::mem::take(&mut self.rest);
        let used = self.take(self.rest_pos, &rest, ending, out);
        rest.drain(..used.min(rest.len()));
        self.rest_pos += used as u64;
        self.rest = rest;
    }

    /// Adds rows for the first bytes; returns their number.
    fn take(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> usize {
        if matches!(self.reader, Reader::Undecided) && !self.decide(pos, bytes, ending, out) {
            return 0;
        }
        match &mut self.reader {
            Reader::Undecided => 0,
            Reader::Kev(kev) => kev.take(pos, bytes, ending, out),
            Reader::Classic(log) => log.take(pos, bytes, ending, out),
        }
    }

    /// Detects the profile; returns `false` if more bytes are needed.
    fn decide(&mut self, pos: u64, bytes: &[u8], ending: Ending, out: &mut Output<'_>) -> bool {
        let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
        let complete = sample.len() == SAMPLE || ending.is_some();
        let Some(found) = probe::find(sample, complete, &self.options) else { return false };
        if bytes.is_empty() && ending != Some(RowKind::TAIL) {
            return false;
        }
        let big = found.big.or(self.options.big);
        let release = found.release.or(self.options.release);
        let QnxOptions { exception, .. } = self.options;
        let mut log = |format| Reader::Classic(Box::new(ClassicLog::new(&self.options, format, pos, out)));
        self.reader = match found.profile {
            Profile::Qnx4 => log(Format::Qnx4),
            Profile::Nto1 => log(Format::Nto1 { big: big.unwrap_or(false), exception }),
            Profile::Kev => {
                Reader::Kev(Box::new(Kev::new(QnxOptions { big, release, ..self.options.clone() }, pos, out)))
            }
        };
        true
    }
}

/// Decoder-specific counters by number, without those that a stream can't report.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    values: BTreeMap<u16, u64>,
    changed: bool,
}

impl Counts {
    /// Adds counters, starting at 0, that the stream can report.
    pub(super) fn begin(&mut self, ids: &[CounterId]) {
        ids.iter().for_each(|&id| self.add(id, 0));
    }

    pub(super) fn add(&mut self, id: CounterId, more: u64) {
        *self.values.entry(id.0).or_default() += more;
        self.changed = true;
    }

    /// Reports the counters to the host if any has changed.
    pub(super) fn report(&mut self, out: &mut Output<'_>) {
        if std::mem::take(&mut self.changed) {
            self.values.iter().for_each(|(&id, &value)| out.count(CounterId(id), value));
        }
    }
}

pub(super) const MOST_SKIPPED: usize = 64 * 1024;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Search {
    pub(super) tried: usize,
    /// A row of this search precedes them.
    pub(super) continues: bool,
}

impl Search {
    pub(super) const NEXT_ROW: Search = Search { tried: 0, continues: true };

    pub(super) const PAST_FIRST: Search = Search { tried: 1, continues: false };

    pub(super) fn row(self, pos: u64, len: usize) -> Row {
        Row::skipped(if self.continues { note::SKIPPED } else { RowKind::RESYNC }, pos, len)
    }
}

/// A note for bytes outside of records, which may hide lost records.
pub(super) fn hiding_records(note: Row) -> Row {
    if note.kind.is_loss() { Row { flags: note.flags | RowFlags::HIDES_RECORDS, ..note } } else { note }
}

/// Marks the next row as an answer: command id and result. Only the host knows whether a command with that id is
/// pending.
#[cold]
pub(super) fn answer([id, result]: [u32; 2], out: &mut Output<'_>) {
    out.attachment(AttachmentId::ANSWER, id.into(), AnswerStage::ACCEPTED.0.into());
    out.attachment(AttachmentId::ANSWER_DATA, 0, result.into());
}

/// Number of new drops between two totals. A smaller total is from a restarted companion.
fn new_drops(before: u32, total: u32) -> u32 {
    if total < before && !has_wrapped(before, total) { total } else { total.wrapping_sub(before) }
}

/// Takes a companion's total of drops; `dropped` = the one before, once it is known that a companion counts them. If there
/// are new drops, attaches their number and a text to the next row, the note.
#[cold]
pub(super) fn has_dropped(
    dropped: &mut Option<u32>,
    total: u32,
    unit: &str,
    counts: &mut Counts,
    out: &mut Output<'_>,
) -> bool {
    let Some(before) = dropped.as_mut().map(|dropped| std::mem::replace(dropped, total)) else { return false };
    let new = new_drops(before, total);
    if new > 0 {
        counts.add(counter::OVERRUN_EVENTS, new.into());
        let s = if new == 1 { "" } else { "s" };
        let text = format!("{new} {unit}{s} dropped by the target, {total} in all");
        out.attachment(AttachmentId::LOST, new.into(), lost::EXACT);
        out.attachment(AttachmentId::CAUSE, LossCause::TARGET.0, 0);
        out.attachment_bytes(AttachmentId::TEXT, text.as_bytes());
    }
    new > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_that_wrapped_goes_on() {
        assert_eq!([(3, 5), (5, 3), (u32::MAX, 3)].map(|(before, total)| new_drops(before, total)), [2, 3, 4]);
    }
}
