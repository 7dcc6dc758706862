//! Events that came in parts: a begin, continuations, an end. Other events may stand between them.

use spytui_plugin_api::{AttachmentId, Output};

use crate::record::{EVENT, Event, WORDS};

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
