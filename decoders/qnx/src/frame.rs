//! Where events lie in a stream: what may be an event or a record, and events that came in parts.

use spytui_plugin_api::{AttachmentId, Output};

use crate::{
    config::Format,
    layout::Codes,
    record::{Classic, EVENT, Event, Read, WORDS, event},
};

/// Number of plausible events in a row that make a place the start of one.
pub(crate) const CHAIN: usize = 4;

/// Maximum number at the start of a stream, where there is no event before them.
pub(crate) const FIRST_CHAIN: usize = 64;

/// Greatest distance in time from one event to the next.
const FAR: u32 = 1 << 30;

/// Bits of the header that are 0.
const ZERO: u32 = 0x00FF_C000;
/// In release 8, one of them says that a process injected the event.
const INJECTED: u32 = 0x0001_0000;

/// The release from which on a buffer has an end, marked by its words.
pub(crate) const WITH_COOKIE: u8 = 8;

/// What events of a target may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    codes: &'static Codes,
    zero: u32,
    cpus: u8,
    pub(crate) big: bool,
    pub(crate) release: u8,
}

/// Whether two stamps are close to each other.
#[inline(always)]
pub(crate) fn near(stamp: u32, other: u32) -> bool {
    (stamp.wrapping_sub(other) as i32).unsigned_abs() <= FAR
}

impl Rules {
    pub(crate) fn new(release: u8, big: bool, cpus: u8) -> Rules {
        let zero = if release >= 8 { ZERO & !INJECTED } else { ZERO };
        Rules { codes: Codes::of(release), zero, cpus, big, release }
    }

    /// The kind of an event; 0 = it is none.
    #[inline(always)]
    pub(crate) fn kind(&self, event: &Event) -> u16 {
        if event.header & self.zero != 0 || event.cpu() >= self.cpus {
            return 0;
        }
        self.codes.kind(event.header)
    }

    /// The events at the start of some bytes that follow each other, as long as they are plausible: by themselves, and
    /// by `follows`, which is asked with the event before.
    pub(crate) fn chain(&self, bytes: &[u8], most: usize, follows: impl Fn(Option<&Event>, &Event) -> bool) -> usize {
        let mut before: Option<Event> = None;
        for (i, raw) in bytes.chunks_exact(EVENT).take(most).enumerate() {
            let Ok((_, event)) = event(raw, self.big) else { return i };
            if self.kind(&event) == 0 || !follows(before.as_ref(), &event) {
                return i;
            }
            before = Some(event);
        }
        (bytes.len() / EVENT).min(most)
    }
}

/// Bytes of payload that are kept of an event: enough for all that later records depend on.
const MOST_KEPT: usize = 512;

/// Maximum number of parts of an event, and of events that wait for their end.
const MOST_PARTS: u32 = 4096;
const MOST_OPEN: usize = 1024;
/// Maximum distance from the begin of an event to its end in the stream.
const MOST_APART: u64 = 512 * 1024;

/// Where the parts of an event lie: stretches of the stream, the last one apart.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    earlier: Vec<(u64, u64)>,
    pos: u64,
    len: u64,
}

impl Parts {
    #[inline]
    fn add(&mut self, pos: u64, len: usize) {
        if self.pos + self.len != pos {
            self.earlier.push((self.pos, self.len));
            (self.pos, self.len) = (pos, 0);
        }
        self.len += len as u64;
    }

    /// Adds the earlier stretches to the next row; returns whether there are any, and the last stretch.
    #[inline]
    pub(crate) fn attach(&self, out: &mut Output<'_>) -> (bool, u64, u64) {
        for &(pos, len) in &self.earlier {
            out.attachment(AttachmentId::FRAGMENT, pos, len);
        }
        (!self.earlier.is_empty(), self.pos, self.len)
    }

    /// Adds all stretches to the next row.
    pub(crate) fn attach_all(&self, out: &mut Output<'_>) {
        let (_, pos, len) = self.attach(out);
        out.attachment(AttachmentId::FRAGMENT, pos, len);
    }
}

/// An event without its end.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) kind: u16,
    /// Its first part.
    pub(crate) event: Event,
    /// Time at its begin, if known.
    pub(crate) time: Option<u64>,
    count: u32,
    pub(crate) places: Parts,
    /// The start of its payload.
    pub(crate) payload: Vec<u8>,
    begin: u64,
}

impl Part {
    #[inline]
    fn add(&mut self, pos: u64, raw: &[u8]) {
        if self.payload.len() < MOST_KEPT {
            self.payload.extend_from_slice(raw.get(EVENT - WORDS..).unwrap_or_default());
        }
        self.count += 1;
        self.places.add(pos, raw.len());
    }
}

/// Events without their end, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembly {
    open: Vec<Part>,
    /// Memory for the payload of a later one.
    pub(crate) spare: Vec<u8>,
}

impl Assembly {
    #[inline]
    fn find(&self, event: &Event) -> Option<usize> {
        let key = event.key();
        self.open.iter().position(|part| part.event.key() == key)
    }

    /// Takes a begin. Returns an event that this leaves without its end: one of the same key, or the oldest.
    pub(crate) fn begin(&mut self, pos: u64, event: &Event, raw: &[u8], kind: u16, time: Option<u64>) -> Option<Part> {
        let left = self.find(event).or((self.open.len() >= MOST_OPEN).then_some(0)).map(|at| self.open.remove(at));
        let (places, mut payload) = (Parts { earlier: Vec::new(), pos, len: 0 }, std::mem::take(&mut self.spare));
        payload.clear();
        let mut part = Part { kind, event: *event, time, count: 0, places, payload, begin: pos };
        part.add(pos, raw);
        self.open.push(part);
        left
    }

    /// Takes a continuation; `false` if it has no begin.
    pub(crate) fn go_on(&mut self, pos: u64, event: &Event, raw: &[u8]) -> bool {
        let part = self.find(event).and_then(|at| self.open.get_mut(at));
        let part = part.filter(|part| part.count < MOST_PARTS);
        part.map(|part| part.add(pos, raw)).is_some()
    }

    /// Takes an end; returns the whole event, `None` if it has no begin.
    pub(crate) fn end(&mut self, pos: u64, event: &Event, raw: &[u8]) -> Option<Part> {
        let at = self.find(event)?;
        let mut part = self.open.remove(at);
        part.add(pos, raw);
        Some(part)
    }

    /// The oldest of the events that `gone` says won't end any more.
    pub(crate) fn take_if(&mut self, gone: impl Fn(&Part) -> bool) -> Option<Part> {
        let at = self.open.iter().position(gone)?;
        Some(self.open.remove(at))
    }

    /// The oldest event, if it began too far before `pos` to be kept.
    pub(crate) fn take_too_old(&mut self, pos: u64) -> Option<Part> {
        self.open.first().filter(|part| part.begin.saturating_add(MOST_APART) < pos)?;
        Some(self.open.remove(0))
    }
}

/// Seconds that a record may be before and after the last one.
const BEFORE: i64 = 60;
const AFTER: i64 = 30 * 24 * 3600;

/// Whether a record may follow one of this second. The first record of zeros is none.
pub(crate) fn follows(record: &Classic<'_>, last: Option<u32>) -> bool {
    match last {
        Some(last) => (-BEFORE..=AFTER).contains(&(i64::from(record.seconds) - i64::from(last))),
        None => record.seconds > 0,
    }
}

/// How many plausible records follow each other at the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// At least as many as asked for; or some, and then the end of the stream.
    Enough,
    TooFew,
    /// More bytes would show it.
    Open,
}

/// Looks for `most` plausible records in a row. They may be fewer where the bytes end, if nothing follows: `ends`. Behind
/// a known record, an event without content ends them, too: a log is read in pieces that end with one.
pub(crate) fn chain(format: Format, bytes: &[u8], most: usize, last: Option<u32>, ends: bool) -> Chain {
    let (count, len, next) = records(format, bytes, most, last);
    let is_end = len == bytes.len() && ends;
    match next {
        _ if count == most || count > 0 && (is_end || next == Read::Null) => Chain::Enough,
        Read::Incomplete if !ends => Chain::Open,
        _ => Chain::TooFew,
    }
}

/// The number of plausible records at the start of some bytes, at most `most`, their length, and what is behind them;
/// `last` = second of the record before.
pub(crate) fn records(format: Format, bytes: &[u8], most: usize, last: Option<u32>) -> (usize, usize, Read<'_>) {
    let (mut count, mut at, mut before) = (0, 0, last);
    loop {
        match format.read(bytes.get(at..).unwrap_or(&[])) {
            Read::Record(record) if count < most && follows(&record, before) => {
                before = Some(record.seconds);
                count += 1;
                at += record.len;
            }
            // The first bytes of a stream are no rest of a read.
            Read::Null if (1..most).contains(&count) && last.is_none() => at += 2,
            next => return (count, at, next),
        }
    }
}
