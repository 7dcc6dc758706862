//! Frames to rows.

use spytui_plugin_api::{
    Mark, Out, Row,
    chunk::mark,
    row::{flag, note, severity},
};

use super::{
    counts::Counts,
    drops::Drops,
    lanes::{Lane, Lanes},
    own_flag,
    splitter::{Receiver, Splitter},
    start::Held,
    stream::{Back, Resolution},
};
use crate::{
    activity,
    cobs::{self, Room},
    config::{Config, Options},
    event::Event,
    layout::{Layout, Role, Second, Subject, id},
    names,
};

/// The decoder at work.
#[derive(Clone, Debug)]
pub(crate) struct Tracer {
    splitter: Splitter,
    reader: Reader,
}

/// All of it but the splitting.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) config: Config,
    pub(super) lanes: Lanes,
    /// The last time stamp of all cores.
    pub(super) time: Option<u64>,
    pub(super) held: Held,
    pub(super) drops: Drops,
    pub(super) resolution: Resolution,
    pub(super) counts: Counts,
    /// No frame since the stream or the link began.
    fresh: bool,
    opened: bool,
    pub(super) rtos_seen: bool,
}

impl Tracer {
    pub(crate) fn new(options: &Options, lane: u16) -> Tracer {
        let reader = Reader {
            config: options.config,
            lanes: Lanes::new(lane),
            time: None,
            held: Held::default(),
            drops: Drops::default(),
            resolution: Resolution::new(options.resolution),
            counts: Counts::default(),
            fresh: true,
            opened: false,
            rtos_seen: false,
        };
        Tracer { splitter: Splitter::new(options.max_frame), reader }
    }

    pub(crate) fn pending(&self) -> u64 {
        (self.splitter.pending() + self.reader.held.len()) as u64
    }

    pub(crate) fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Out<'_>) {
        self.reader.open(out);
        self.splitter.feed(pos, bytes, &mut Feed { reader: &mut self.reader, out });
        self.reader.counts.bytes += bytes.len() as u64;
        self.reader.counts.send(out);
    }

    pub(crate) fn mark(&mut self, mark: &Mark, out: &mut Out<'_>) {
        self.reader.open(out);
        match mark.kind {
            mark::LINK_UP | mark::LINK_DOWN | mark::HOST_LOSS => {
                self.give_up(note::RESYNC, mark.pos, out);
                self.reader.fresh = true;
            }
            mark::END => self.give_up(note::TAIL, mark.pos, out),
            _ => {}
        }
        self.reader.counts.send(out);
    }

    /// Puts what is pending into rows.
    fn give_up(&mut self, kind: u16, pos: u64, out: &mut Out<'_>) {
        let len = self.splitter.give_up(pos, &mut Feed { reader: &mut self.reader, out });
        self.reader.settle(None, out);
        if len > 0 {
            self.reader.skip(kind, pos - len as u64, len, severity::WARNING, out);
        }
    }
}

/// A reader with the place where its rows go.
struct Feed<'r, 'o, 'b> {
    reader: &'r mut Reader,
    out: &'o mut Out<'b>,
}

impl Receiver for Feed<'_, '_, '_> {
    #[inline]
    fn frame(&mut self, pos: u64, raw: &[u8]) {
        self.reader.frame(pos, raw, self.out);
    }

    fn empty(&mut self, pos: u64, count: usize) {
        self.reader.settle(None, self.out);
        self.reader.bad_frames(pos, count, count as u64, severity::WARNING, self.out);
        self.reader.fresh = false;
    }

    fn overlong(&mut self, pos: u64, len: usize, first: bool) {
        self.reader.settle(None, self.out);
        let kind = if first { note::TOO_LONG } else { note::RESYNC };
        self.reader.counts.overlong += u64::from(first);
        self.reader.skip(kind, pos, len, severity::ERROR, self.out);
        self.reader.fresh = false;
    }
}

impl Reader {
    fn open(&mut self, out: &mut Out<'_>) {
        if std::mem::replace(&mut self.opened, true) {
            return;
        }
        out.cfg(0, &self.config.blob());
        out.clock(self.resolution.clock());
        if !self.config.reference {
            names::built_in(out);
        }
    }

    /// A frame with its end.
    pub(super) fn frame(&mut self, pos: u64, raw: &[u8], out: &mut Out<'_>) {
        let mut room = Room::new();
        let body = raw.get(..raw.len() - 1).unwrap_or(raw);
        let mut event = Event::blank();
        match cobs::decode(body, &mut room).map(|bytes| event.read(bytes, self.config.rtos)) {
            Some(Ok(())) => self.event(&event, pos, raw, out),
            _ => self.bad(pos, raw.len(), out),
        }
        self.fresh = false;
    }

    /// A good frame. Its text may be broken.
    #[inline]
    fn event(&mut self, event: &Event<'_>, pos: u64, raw: &[u8], out: &mut Out<'_>) {
        if self.config.reference {
            return if is_broken(event) {
                self.bad(pos, raw.len(), out)
            } else {
                self.as_it_is(event, pos, raw.len(), out)
            };
        }
        let waits = event.layout.id == id::CORE || !self.held.is_empty();
        if !(waits && self.holds(event, pos, raw, out)) {
            self.take(event, pos, raw.len(), out);
        }
    }

    /// An event in our own way.
    #[inline]
    fn take(&mut self, event: &Event<'_>, pos: u64, len: usize, out: &mut Out<'_>) {
        let broken = is_broken(event);
        let layout = event.layout;
        if layout.id == id::CORE {
            self.core_is(event.numbers[0]);
        }
        if layout.timed
            && let Lane { id: lane, stamp: Some(from), .. } = self.lanes.now
            && event.stamp < from
            && !event.is_bare()
        {
            self.time_back(Back { lane, from, to: event.stamp, begin: event.stamp }, pos, out);
        }
        let mut says = 0;
        if layout.role != Role::Plain || layout.rtos && !self.rtos_seen {
            says = self.of_the_stream(event, pos, out);
        }
        let mut row = self.row_of(event, pos, len);
        row.flags |= says;
        if broken {
            self.counts.bad_texts += 1;
            row.flags |= flag::MALFORMED;
            row.severity = severity::WARNING;
        }
        if out.wants_acts() {
            activity::of_event(event, &self.lanes.now, out);
            activity::of_bad_frames(broken.into(), self.lanes.now.id, out);
        }
        out.row(row);
    }

    /// An event as the reference tool takes it: nothing but its row.
    #[inline]
    fn as_it_is(&mut self, event: &Event<'_>, pos: u64, len: usize, out: &mut Out<'_>) {
        let mut row = self.row_of(event, pos, len);
        (row.obj, row.flags) = (event.numbers[0], row.flags | flag::HAS_OBJ);
        out.row(row);
    }

    #[inline(always)]
    fn row_of(&mut self, event: &Event<'_>, pos: u64, len: usize) -> Row {
        let layout = event.layout;
        let (time, timed) = if layout.timed { self.told(event) } else { self.inherited() };
        let flags = flags_of(layout) | timed;
        let (obj, has_obj) = match layout.subject {
            Subject::First => (event.numbers[0], flag::HAS_OBJ),
            Subject::Nothing => (0, 0),
            Subject::Current => known(self.lanes.now.task),
            Subject::Owner => known(names::owner(event, self.lanes.now.task)),
        };
        let aux = match layout.second {
            Second::Nothing => 0,
            Second::First => event.numbers[0],
            Second::Code => event.numbers[0] | u64::from(layout.is_local()) << 32,
        };
        self.counts.records += 1;
        self.counts.record_bytes += len as u64;
        Row {
            pos,
            time,
            obj,
            aux,
            len: len as u32,
            flags: flags | has_obj,
            kind: layout.id.into(),
            cfg: 0,
            lane: self.lanes.now.id,
            severity: severity::NORMAL,
            group: layout.group as u8,
        }
    }

    /// Time and flags of a row with a stamp.
    #[inline]
    fn told(&mut self, event: &Event<'_>) -> (u64, u32) {
        if event.is_bare() {
            // A core that is told without a time keeps the one that it has.
            if self.lanes.now.stamp.is_some() && !self.config.reference {
                return self.inherited();
            }
        } else {
            self.time = Some(event.stamp);
        }
        self.lanes.now.stamp = Some(event.stamp);
        (event.stamp, flag::TIME_OWN | flag::TIME_KNOWN)
    }

    /// Time and flags of a row that inherits the time of its core.
    #[inline]
    fn inherited(&self) -> (u64, u32) {
        self.lanes.now.stamp.or(self.time).map_or((0, 0), |time| (time, flag::TIME_KNOWN))
    }

    /// A row that is no record, with the time of its core.
    pub(super) fn note(&self, kind: u16, pos: u64, len: usize, level: u8) -> Row {
        let (time, timed) = self.inherited();
        Row {
            pos,
            time,
            len: len as u32,
            flags: flag::NOTE | timed,
            kind,
            lane: self.lanes.now.id,
            severity: level,
            ..Row::default()
        }
    }

    #[inline(never)]
    fn bad(&mut self, pos: u64, len: usize, out: &mut Out<'_>) {
        self.settle(None, out);
        self.bad_frames(pos, len, 1, severity::ERROR, out);
    }

    /// Frames that hold no event, in one row. Its bytes tell why.
    fn bad_frames(&mut self, pos: u64, len: usize, frames: u64, level: u8, out: &mut Out<'_>) {
        let mut row = self.note(note::BAD_FRAME, pos, len, level);
        row.flags |= flag::SKIPPED | flag::MALFORMED | if self.fresh { own_flag::FIRST } else { 0 };
        self.counts.bad_frames += frames;
        self.counts.skipped_bytes += len as u64;
        if out.wants_acts() && !self.config.reference {
            activity::of_bad_frames(frames, self.lanes.now.id, out);
        }
        out.row(row);
    }

    /// Adds a row of bytes that are given up.
    fn skip(&mut self, kind: u16, pos: u64, len: usize, level: u8, out: &mut Out<'_>) {
        let mut row = self.note(kind, pos, len, level);
        row.flags |= flag::SKIPPED;
        self.counts.skipped_bytes += len as u64;
        out.row(row);
    }
}

/// Whether its text is no text. The event is whole.
#[inline]
fn is_broken(event: &Event<'_>) -> bool {
    !event.text.is_ascii() && event.text_fault().is_some()
}

/// A key, and the flag that says whether there is one.
#[inline]
fn known(key: Option<u64>) -> (u64, u32) {
    key.map_or((0, 0), |key| (key, flag::HAS_OBJ))
}

/// Flags of an event's rows that don't depend on the event.
#[inline]
fn flags_of(layout: &Layout) -> u32 {
    let mut flags = 0;
    match layout.second {
        Second::Nothing => {}
        Second::First => flags |= flag::HAS_AUX,
        Second::Code => flags |= flag::HAS_AUX | flag::APP,
    }
    // The core that events come from is configuration, not an event of the core.
    if layout.role == Role::Naming || layout.id == id::CORE {
        flags |= flag::NAMING;
    }
    flags
}
