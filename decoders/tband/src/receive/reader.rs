//! Frames to rows.

use spytui_plugin_api::{
    AttachmentId, Output, Row, StreamEvent,
    chunk::StreamEventKind,
    row::{RowFlags, RowKind, Severity},
};

use super::{
    cores::{Core, Cores},
    drops::Drops,
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
    pub(super) cores: Cores,
    /// The last time stamp of all cores.
    pub(super) time: Option<u64>,
    pub(super) held: Held,
    pub(super) drops: Drops,
    pub(super) resolution: Resolution,
    /// No frame since the stream or the link began.
    fresh: bool,
    opened: bool,
    pub(super) rtos_seen: bool,
}

impl Tracer {
    pub(crate) fn new(options: &Options, core: u16) -> Tracer {
        let reader = Reader {
            config: options.config,
            cores: Cores::new(core),
            time: None,
            held: Held::default(),
            drops: Drops::default(),
            resolution: Resolution::new(options.resolution),
            fresh: true,
            opened: false,
            rtos_seen: false,
        };
        Tracer { splitter: Splitter::new(options.max_frame), reader }
    }

    pub(crate) fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.reader.open(out);
        self.splitter.feed(pos, bytes, &mut Feed { reader: &mut self.reader, out });
    }

    pub(crate) fn event(&mut self, event: &StreamEvent, out: &mut Output<'_>) {
        self.reader.open(out);
        match event.kind {
            StreamEventKind::LINK_UP | StreamEventKind::LINK_DOWN | StreamEventKind::HOST_LOSS => {
                self.give_up(RowKind::RESYNC, event.pos, out);
                self.reader.fresh = true;
            }
            StreamEventKind::END => self.give_up(RowKind::TAIL, event.pos, out),
            _ => {}
        }
    }

    /// Puts what is pending into rows.
    fn give_up(&mut self, kind: RowKind, pos: u64, out: &mut Output<'_>) {
        let len = self.splitter.give_up(pos, &mut Feed { reader: &mut self.reader, out });
        self.reader.settle(None, out);
        if len > 0 {
            self.reader.skip(kind, pos - len as u64, len, Severity::WARNING, out);
        }
    }
}

/// A reader with the place where its rows go.
struct Feed<'r, 'o, 'b> {
    reader: &'r mut Reader,
    out: &'o mut Output<'b>,
}

impl Receiver for Feed<'_, '_, '_> {
    #[inline]
    fn frame(&mut self, pos: u64, raw: &[u8]) {
        self.reader.frame(pos, raw, self.out);
    }

    fn empty(&mut self, pos: u64, count: usize) {
        self.reader.settle(None, self.out);
        self.reader.bad_frames(pos, count, count as u64, Severity::WARNING, self.out);
        self.reader.fresh = false;
    }

    fn overlong(&mut self, pos: u64, len: usize, first: bool) {
        self.reader.settle(None, self.out);
        let kind = if first { RowKind::TOO_LONG } else { RowKind::RESYNC };
        self.reader.skip(kind, pos, len, Severity::ERROR, self.out);
        self.reader.fresh = false;
    }
}

impl Reader {
    fn open(&mut self, out: &mut Output<'_>) {
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
    pub(super) fn frame(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) {
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
    fn event(&mut self, event: &Event<'_>, pos: u64, raw: &[u8], out: &mut Output<'_>) {
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
    fn take(&mut self, event: &Event<'_>, pos: u64, len: usize, out: &mut Output<'_>) {
        let broken = is_broken(event);
        let layout = event.layout;
        if layout.id == id::CORE {
            self.core_is(event.numbers[0]);
        }
        if layout.timed
            && let Core { id: core, stamp: Some(from), .. } = self.cores.now
            && event.stamp < from
            && !event.is_bare()
        {
            self.time_back(Back { core, from, to: event.stamp, begin: event.stamp }, pos, out);
        }
        let mut says = RowFlags::empty();
        if layout.role != Role::Plain || layout.rtos && !self.rtos_seen {
            says = self.of_the_stream(event, pos, out);
        }
        let mut row = self.row_of(event, pos, len);
        row.flags |= says;
        if broken {
            row.flags |= RowFlags::MALFORMED;
            row.severity = Severity::WARNING;
        }
        if out.wants_activities() {
            activity::of_event(event, &self.cores.now, out);
            activity::of_bad_frames(broken.into(), self.cores.now.id, out);
        }
        out.row(row);
    }

    /// An event as the reference tool takes it: nothing but its row.
    #[inline]
    fn as_it_is(&mut self, event: &Event<'_>, pos: u64, len: usize, out: &mut Output<'_>) {
        let mut row = self.row_of(event, pos, len);
        (row.obj, row.flags) = (event.numbers[0], row.flags | RowFlags::HAS_OBJECT);
        out.row(row);
    }

    #[inline(always)]
    fn row_of(&mut self, event: &Event<'_>, pos: u64, len: usize) -> Row {
        let layout = event.layout;
        let (time, timed) = if layout.timed { self.told(event) } else { (self.inherited(), RowFlags::empty()) };
        let flags = flags_of(layout) | timed;
        let (obj, has_obj) = match layout.subject {
            Subject::First => (event.numbers[0], RowFlags::HAS_OBJECT),
            Subject::Nothing => (0, RowFlags::empty()),
            Subject::Current => known(self.cores.now.task),
            Subject::Owner => known(names::owner(event, self.cores.now.task)),
        };
        let item = match layout.second {
            Second::Nothing => 0,
            Second::First => event.numbers[0],
            Second::Code => event.numbers[0] | u64::from(layout.is_local()) << 32,
        };
        Row {
            pos,
            time,
            obj,
            item,
            len: len as u32,
            flags: flags | has_obj,
            kind: RowKind(layout.id.into()),
            cfg: 0,
            core: self.cores.now.id,
            severity: Severity::NORMAL,
            group: layout.group as u8,
        }
    }

    /// Time and flags of a row with a stamp.
    #[inline]
    fn told(&mut self, event: &Event<'_>) -> (u64, RowFlags) {
        if event.is_bare() {
            // A core that is told without a time keeps the one that it has.
            if self.cores.now.stamp.is_some() && !self.config.reference {
                return (self.inherited(), RowFlags::empty());
            }
        } else {
            self.time = Some(event.stamp);
        }
        self.cores.now.stamp = Some(event.stamp);
        (event.stamp, RowFlags::TIME_OWN)
    }

    /// Time and flags of a row that inherits the time of its core.
    #[inline]
    fn inherited(&self) -> u64 {
        self.cores.now.stamp.or(self.time).unwrap_or(0)
    }

    /// A row that is no record, with the time of its core.
    pub(super) fn note(&self, kind: RowKind, pos: u64, len: usize, level: Severity) -> Row {
        let time = self.inherited();
        Row { pos, time, len: len as u32, kind, core: self.cores.now.id, severity: level, ..Row::default() }
    }

    #[inline(never)]
    fn bad(&mut self, pos: u64, len: usize, out: &mut Output<'_>) {
        self.settle(None, out);
        self.bad_frames(pos, len, 1, Severity::ERROR, out);
    }

    /// Frames that hold no event, in one row. Its bytes tell why.
    fn bad_frames(&mut self, pos: u64, len: usize, frames: u64, level: Severity, out: &mut Output<'_>) {
        let mut row = self.note(RowKind::BAD_FRAME, pos, len, level);
        if frames != 1 {
            out.attachment(AttachmentId::FRAMES, frames, 0);
        }
        row.flags |=
            RowFlags::SKIPPED | RowFlags::MALFORMED | if self.fresh { own_flag::FIRST } else { RowFlags::empty() };
        if out.wants_activities() && !self.config.reference {
            activity::of_bad_frames(frames, self.cores.now.id, out);
        }
        out.row(row);
    }

    /// Adds a row of bytes that are given up.
    fn skip(&mut self, kind: RowKind, pos: u64, len: usize, level: Severity, out: &mut Output<'_>) {
        let mut row = self.note(kind, pos, len, level);
        row.flags |= RowFlags::SKIPPED;
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
fn known(key: Option<u64>) -> (u64, RowFlags) {
    key.map_or((0, RowFlags::empty()), |key| (key, RowFlags::HAS_OBJECT))
}

/// Flags of an event's rows that don't depend on the event.
#[inline]
fn flags_of(layout: &Layout) -> RowFlags {
    let mut flags = RowFlags::empty();
    match layout.second {
        Second::Nothing => {}
        Second::First => flags |= RowFlags::HAS_ITEM,
        Second::Code => flags |= RowFlags::HAS_ITEM | RowFlags::APPLICATION,
    }
    // The core that events come from is configuration, not an event of the core.
    if layout.role == Role::Naming || layout.id == id::CORE {
        flags |= RowFlags::NAMING;
    }
    flags
}
