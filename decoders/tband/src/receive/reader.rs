//! Makes rows of frames.

use spytui_plugin_api::{
    Output, Row, StreamEvent,
    chunk::StreamEventKind,
    row::{RowFlags, RowKind, Severity},
};

use super::{
    control_event::{Back, Resolution},
    cores::{Core, Cores},
    drops::Drops,
    pending_start::PendingStart,
};
use crate::{
    activity,
    config::{Config, Options},
    fast::{self, Room},
    frame::{FrameHandler, Splitter},
    layout::{Role, Subject},
    names,
    record::{BadFrames, Record, RowContext},
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
    pub(super) pending: PendingStart,
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
            pending: PendingStart::default(),
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

    /// Turns what is pending into rows.
    fn give_up(&mut self, kind: RowKind, pos: u64, out: &mut Output<'_>) {
        let len = self.splitter.give_up(pos, &mut Feed { reader: &mut self.reader, out });
        self.reader.settle(None, out);
        if len > 0 {
            out.row(self.reader.context().skipped(kind, pos - len as u64, len, Severity::WARNING));
        }
    }
}

/// A reader with the place where its rows go.
struct Feed<'r, 'o, 'b> {
    reader: &'r mut Reader,
    out: &'o mut Output<'b>,
}

impl FrameHandler for Feed<'_, '_, '_> {
    #[inline]
    fn frame(&mut self, pos: u64, raw: &[u8]) {
        self.reader.frame(pos, raw, self.out);
    }

    fn empty(&mut self, pos: u64, count: usize) {
        self.reader.bad_frames(BadFrames::empty(pos, count), self.out);
        self.reader.fresh = false;
    }

    fn overlong(&mut self, pos: u64, len: usize, first: bool) {
        self.reader.settle(None, self.out);
        let kind = if first { RowKind::TOO_LONG } else { RowKind::RESYNC };
        self.out.row(self.reader.context().skipped(kind, pos, len, Severity::ERROR));
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
        names::built_in(out);
    }

    /// A frame with its end.
    pub(super) fn frame(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) {
        let mut room = Room::new();
        let body = raw.get(..raw.len() - 1).unwrap_or(raw);
        let mut record = Record::blank();
        match fast::decode(body, &mut room).map(|bytes| fast::read(&mut record, bytes, self.config.rtos)) {
            Some(Ok(())) => self.record(&record, pos, raw, out),
            _ => self.bad_frames(BadFrames::one(pos, raw.len()), out),
        }
        self.fresh = false;
    }

    /// A good frame. Its text may be broken.
    #[inline]
    fn record(&mut self, record: &Record<'_>, pos: u64, raw: &[u8], out: &mut Output<'_>) {
        let waits = record.layout.role == Role::Core || !self.pending.is_empty();
        if !(waits && self.holds(record, pos, raw, out)) {
            self.take(record, pos, raw.len(), out);
        }
    }

    #[inline]
    fn take(&mut self, record: &Record<'_>, pos: u64, len: usize, out: &mut Output<'_>) {
        let broken = record.is_broken();
        let layout = record.layout;
        if layout.role == Role::Core {
            self.core_is(record.numbers[0]);
        }
        if layout.timed
            && let Core { id: core, stamp: Some(from), .. } = self.cores.now
            && record.stamp < from
            && !record.is_bare()
        {
            self.time_back(Back { core, from, to: record.stamp, begin: record.stamp }, pos, out);
        }
        let mut says = RowFlags::empty();
        if layout.role != Role::Plain || layout.rtos && !self.rtos_seen {
            says = self.control_event(record, pos, out);
        }
        let mut row = self.row_of(record, pos, len);
        row.flags |= says;
        if broken {
            row.flags |= RowFlags::MALFORMED;
            row.severity = Severity::WARNING;
        }
        if out.wants_activities() {
            let Core { id: core, task, .. } = self.cores.now;
            activity::of_record(record, core, task, out);
            activity::of_bad_frames(broken.into(), core, out);
        }
        out.row(row);
    }

    #[inline(always)]
    fn row_of(&mut self, record: &Record<'_>, pos: u64, len: usize) -> Row {
        let timed = if record.layout.timed { self.told(record) } else { RowFlags::empty() };
        let mut row = self.context().record(record, pos, len);
        let object = match record.layout.subject {
            Subject::First => Some(record.numbers[0]),
            Subject::Nothing => None,
            Subject::Current => self.cores.now.task,
            Subject::Owner => names::owner(record, self.cores.now.task),
        };
        row.flags |= timed;
        if let Some(key) = object {
            row.obj = key;
            row.flags |= RowFlags::HAS_OBJECT;
        }
        row
    }

    /// Takes a time stamp; the flags of its row. A core that is given without a time keeps the one that it has.
    #[inline]
    fn told(&mut self, record: &Record<'_>) -> RowFlags {
        if !record.is_bare() {
            self.time = Some(record.stamp);
        } else if self.cores.now.stamp.is_some() {
            return RowFlags::empty();
        }
        self.cores.now.stamp = Some(record.stamp);
        RowFlags::TIME_OWN
    }

    /// What rows have from the stream: the core in force and its time.
    #[inline]
    pub(super) fn context(&self) -> RowContext {
        RowContext { core: self.cores.now.id, time: self.cores.now.stamp.or(self.time).unwrap_or(0) }
    }

    /// Frames that hold no event.
    #[inline(never)]
    fn bad_frames(&mut self, bad: BadFrames, out: &mut Output<'_>) {
        self.settle(None, out);
        if out.wants_activities() {
            activity::of_bad_frames(bad.frames, self.cores.now.id, out);
        }
        self.context().bad_frames(bad, self.fresh, out);
    }
}
