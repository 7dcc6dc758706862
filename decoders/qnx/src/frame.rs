//! Locates events in a stream: checks whether bytes may be an event or a record, and assembles events sent in parts.

use spytui_plugin_api::{AttachmentId, Output};

use crate::{
    config::Format,
    layout::Codes,
    record::{Classic, EVENT, Event, ReadEvent, WORDS, event},
};

/// Number of consecutive plausible events that prove an event start.
pub(crate) const CHAIN: usize = 4;

/// Maximum number checked at the start of a stream.
pub(crate) const FIRST_CHAIN: usize = 64;

/// Maximum time between two events.
const FAR: u32 = 1 << 30;

/// Header bits that are 0.
const ZERO: u32 = 0x00FF_C000;
/// A header bit that in release 8 marks an event injected by a process.
const INJECTED: u32 = 0x0001_0000;

/// First release in which buffers have an end mark.
pub(crate) const WITH_COOKIE: u8 = 8;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    codes: &'static Codes,
    zero: u32,
    cpus: u8,
    pub(crate) big: bool,
    pub(crate) release: u8,
}

/// Whether two time stamps are close to each other.
#[inline(always)]
pub(crate) fn near(stamp: u32, other: u32) -> bool {
    (stamp.wrapping_sub(other) as i32).unsigned_abs() <= FAR
}

impl Rules {
    pub(crate) fn new(release: u8, big: bool, cpus: u8) -> Rules {
        let zero = if release >= 8 { ZERO & !INJECTED } else { ZERO };
        Rules { codes: Codes::of(release), zero, cpus, big, release }
    }

    /// The kind of an event; 0 = invalid.
    #[inline(always)]
    pub(crate) fn kind(&self, event: &Event) -> u16 {
        if event.header & self.zero != 0 || event.cpu() >= self.cpus {
            return 0;
        }
        self.codes.kind(event.header)
    }

    /// Number of consecutive plausible events at the start of some bytes. Each must be valid, and accepted by
    /// `follows`, which also gets the previous event.
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

/// Maximum number of payload bytes kept per event: enough for everything that later records depend on.
const MOST_KEPT: usize = 512;

/// Maximum number of parts of an event, and of incomplete events.
const MOST_PARTS: u32 = 4096;
const MOST_OPEN: usize = 1024;
/// Maximum distance between begin and end of an event in the stream.
const MOST_APART: u64 = 512 * 1024;

/// Locations of an event's parts in the stream; the last one is separate.
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

    /// Attaches the earlier parts to the next row; returns whether there are any, and the last part.
    #[inline]
    pub(crate) fn attach(&self, out: &mut Output<'_>) -> (bool, u64, u64) {
        for &(pos, len) in &self.earlier {
            out.attachment(AttachmentId::FRAGMENT, pos, len);
        }
        (!self.earlier.is_empty(), self.pos, self.len)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) kind: u16,
    /// Its first part.
    pub(crate) event: Event,
    /// Time of its begin, if known.
    pub(crate) time: Option<u64>,
    count: u32,
    pub(crate) places: Parts,
    /// The start of its payload.
    pub(crate) payload: Vec<u8>,
    begin: u64,
}

impl Part {
    /// Whether it began before the time of a later event, so its end is lost.
    pub(crate) fn is_before(&self, low: u32) -> bool {
        (self.event.low.wrapping_sub(low) as i32) < 0
    }

    /// Whether it began too far before `pos` in the stream.
    pub(crate) fn is_too_old(&self, pos: u64) -> bool {
        self.begin.saturating_add(MOST_APART) < pos
    }

    #[inline]
    fn add(&mut self, pos: u64, raw: &[u8]) {
        if self.payload.len() < MOST_KEPT {
            self.payload.extend_from_slice(raw.get(EVENT - WORDS..).unwrap_or_default());
        }
        self.count += 1;
        self.places.add(pos, raw.len());
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Assembly {
    open: Vec<Part>,
    pub(crate) spare: Vec<u8>,
}

impl Assembly {
    #[inline]
    fn find(&self, event: &Event) -> Option<usize> {
        let key = event.key();
        self.open.iter().position(|part| part.event.key() == key)
    }

    /// Starts an event. Returns one that can no longer be completed: one with the same key, or the oldest.
    pub(crate) fn begin(&mut self, pos: u64, event: &Event, raw: &[u8], kind: u16, time: Option<u64>) -> Option<Part> {
        let left = self.find(event).or((self.open.len() >= MOST_OPEN).then_some(0)).map(|at| self.open.remove(at));
        let (places, mut payload) = (Parts { earlier: Vec::new(), pos, len: 0 }, std::mem::take(&mut self.spare));
        payload.clear();
        let mut part = Part { kind, event: *event, time, count: 0, places, payload, begin: pos };
        part.add(pos, raw);
        self.open.push(part);
        left
    }

    /// Adds a continuation; returns `false` if its begin is missing.
    pub(crate) fn go_on(&mut self, pos: u64, event: &Event, raw: &[u8]) -> bool {
        let part = self.find(event).and_then(|at| self.open.get_mut(at));
        let part = part.filter(|part| part.count < MOST_PARTS);
        part.map(|part| part.add(pos, raw)).is_some()
    }

    /// Completes an event; returns `None` if its begin is missing.
    pub(crate) fn end(&mut self, pos: u64, event: &Event, raw: &[u8]) -> Option<Part> {
        let at = self.find(event)?;
        let mut part = self.open.remove(at);
        part.add(pos, raw);
        Some(part)
    }

    /// Removes the oldest event for which `gone` is true.
    pub(crate) fn take_if(&mut self, gone: impl Fn(&Part) -> bool) -> Option<Part> {
        let at = self.open.iter().position(gone)?;
        Some(self.open.remove(at))
    }
}

/// Maximum time in seconds that a record may be before or after the last one.
const BEFORE: i64 = 60;
const AFTER: i64 = 30 * 24 * 3600;

/// Whether a record may follow one with this second. A first record of only zeros is invalid.
pub(crate) fn follows(record: &Classic<'_>, last: Option<u32>) -> bool {
    match last {
        Some(last) => (-BEFORE..=AFTER).contains(&(i64::from(record.seconds) - i64::from(last))),
        None => record.seconds > 0,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// As many as required; or at least one, and then the end of the stream.
    Enough,
    TooFew,
    /// Undecided until more bytes arrive.
    Open,
}

/// Looks for `most` consecutive plausible records. Fewer are enough if the stream ends after them (`ends`), or an empty
/// event follows: a log is read in pieces that end with one.
pub(crate) fn chain(format: Format, bytes: &[u8], most: usize, last: Option<u32>, ends: bool) -> Chain {
    let (count, len, next) = records(format, bytes, most, last);
    let is_end = len == bytes.len() && ends;
    match next {
        _ if count == most || count > 0 && (is_end || next == ReadEvent::Null) => Chain::Enough,
        ReadEvent::Incomplete if !ends => Chain::Open,
        _ => Chain::TooFew,
    }
}

/// The number of consecutive plausible records, at most `most`, their length, and what follows; `last` = second of the
/// previous record.
pub(crate) fn records(format: Format, bytes: &[u8], most: usize, last: Option<u32>) -> (usize, usize, ReadEvent<'_>) {
    let (mut count, mut at, mut before) = (0, 0, last);
    loop {
        match format.read(bytes.get(at..).unwrap_or(&[])) {
            ReadEvent::Record(record) if count < most && follows(&record, before) => {
                before = Some(record.seconds);
                count += 1;
                at += record.len;
            }
            // The first bytes of a stream can't be the end of a piece.
            ReadEvent::Null if (1..most).contains(&count) && last.is_none() => at += 2,
            next => return (count, at, next),
        }
    }
}
