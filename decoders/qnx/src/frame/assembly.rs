//! Events that came in parts: a begin, continuations, an end. Other events may stand between them.

use spytui_plugin_api::{AttachmentId, Output};

use crate::record::Event;

/// Bytes of payload that are kept of an event: enough for all that later records depend on.
const MOST_KEPT: usize = 512;

/// Maximum number of parts of an event, and of events that wait for their end.
const MOST_PARTS: u32 = 4096;
const MOST_OPEN: usize = 1024;
/// Maximum distance from the begin of an event to its end in the stream.
const MOST_APART: u64 = 512 * 1024;

/// Where the parts of an event lie: stretches of the stream, the last one apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    earlier: Vec<(u64, u64)>,
    pos: u64,
    len: u64,
}

impl Parts {
    fn begin(&mut self, pos: u64, len: usize) {
        self.earlier.clear();
        (self.pos, self.len) = (pos, len as u64);
    }

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
    /// Number of parts.
    pub(crate) count: u32,
    pub(crate) places: Parts,
    kept: [u8; MOST_KEPT],
    begin: u64,
}

impl Part {
    fn empty() -> Part {
        Part {
            kind: 0,
            event: Event::default(),
            time: None,
            count: 0,
            places: Parts::default(),
            kept: [0; MOST_KEPT],
            begin: 0,
        }
    }

    /// The start of its payload.
    pub(crate) fn payload(&self) -> &[u8] {
        self.kept.get(..self.count as usize * 8).unwrap_or(&self.kept)
    }

    #[inline]
    fn add(&mut self, pos: u64, raw: &[u8]) {
        if let (Some(place), Some(words)) = (self.kept.get_mut(self.count as usize * 8..), raw.last_chunk::<8>())
            && let Some(place) = place.first_chunk_mut::<8>()
        {
            *place = *words;
        }
        self.count += 1;
        self.places.add(pos, raw.len());
    }
}

/// Events without their end, oldest first.
#[expect(clippy::vec_box, reason = "parts are long, and move when one before them is taken")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembly {
    keys: Vec<u64>,
    open: Vec<Box<Part>>,
    /// Memory for later ones.
    spare: Vec<Box<Part>>,
}

impl Assembly {
    #[inline]
    fn find(&self, event: &Event) -> Option<usize> {
        let key = event.key();
        self.keys.iter().position(|&known| known == key)
    }

    /// Takes a begin. Returns an event that this leaves without its end: one of the same key, or the oldest.
    pub(crate) fn begin(
        &mut self,
        pos: u64,
        event: &Event,
        raw: &[u8],
        kind: u16,
        time: Option<u64>,
    ) -> Option<Box<Part>> {
        let left = self.find(event).or((self.open.len() >= MOST_OPEN).then_some(0)).map(|at| self.take(at));
        let mut part = self.spare.pop().unwrap_or_else(|| Box::new(Part::empty()));
        (part.kind, part.event, part.time, part.count, part.begin) = (kind, *event, time, 0, pos);
        part.places.begin(pos, 0);
        part.add(pos, raw);
        self.keys.push(event.key());
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
    pub(crate) fn end(&mut self, pos: u64, event: &Event, raw: &[u8]) -> Option<Box<Part>> {
        let at = self.find(event)?;
        let mut part = self.take(at);
        part.add(pos, raw);
        Some(part)
    }

    /// Gives back the memory of an event.
    pub(crate) fn recycle(&mut self, part: Box<Part>) {
        if self.spare.len() < 8 {
            self.spare.push(part);
        }
    }

    fn take(&mut self, at: usize) -> Box<Part> {
        self.keys.remove(at);
        self.open.remove(at)
    }

    /// The oldest of the events that `gone` says won't end any more.
    pub(crate) fn take_if(&mut self, gone: impl Fn(&Part) -> bool) -> Option<Box<Part>> {
        let at = self.open.iter().position(|part| gone(part))?;
        Some(self.take(at))
    }

    /// The oldest event, if it began too far before `pos` to be kept.
    pub(crate) fn take_too_old(&mut self, pos: u64) -> Option<Box<Part>> {
        self.open.first().filter(|part| part.begin.saturating_add(MOST_APART) < pos)?;
        Some(self.take(0))
    }
}
