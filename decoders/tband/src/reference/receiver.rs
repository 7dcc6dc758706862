//! Receives the way the reference tool does: each event becomes a row, nothing else.

use spytui_plugin_api::{
    Output, StreamEvent,
    batch::ClockEvent,
    chunk::StreamEventKind,
    row::{RowFlags, RowKind, Severity},
};

use crate::{
    config::{Config, Options},
    fast::{self, Room},
    frame::{FrameHandler, Splitter},
    record::{BadFrames, Record, RowContext},
};

/// The reference tool at work.
#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    splitter: Splitter,
    reader: Reader,
}

#[derive(Clone, Debug)]
struct Reader {
    config: Config,
    clock: ClockEvent,
    /// Core of the stream, and the last time stamp.
    context: RowContext,
    /// No frame since the stream or the link began.
    fresh: bool,
    opened: bool,
}

impl Receiver {
    pub(crate) fn new(options: &Options, core: u16) -> Receiver {
        let reader = Reader {
            config: options.config,
            clock: options.clock(),
            context: RowContext { core, time: 0 },
            fresh: true,
            opened: false,
        };
        Receiver { splitter: Splitter::new(options.max_frame), reader }
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

    /// Turns what is pending into rows, which the tool is silent about.
    fn give_up(&mut self, kind: RowKind, pos: u64, out: &mut Output<'_>) {
        let len = self.splitter.give_up(pos, &mut Feed { reader: &mut self.reader, out });
        if len > 0 {
            out.row(self.reader.context.skipped(kind, pos - len as u64, len, Severity::WARNING));
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
    }

    fn overlong(&mut self, pos: u64, len: usize, first: bool) {
        let kind = if first { RowKind::TOO_LONG } else { RowKind::RESYNC };
        self.out.row(self.reader.context.skipped(kind, pos, len, Severity::ERROR));
        self.reader.fresh = false;
    }
}

impl Reader {
    fn open(&mut self, out: &mut Output<'_>) {
        if std::mem::replace(&mut self.opened, true) {
            return;
        }
        out.cfg(0, &self.config.blob());
        out.clock(self.clock);
    }

    /// A frame with its end. An event whose text is broken is none.
    fn frame(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) {
        let mut room = Room::new();
        let body = raw.get(..raw.len() - 1).unwrap_or(raw);
        let mut record = Record::blank();
        match fast::decode(body, &mut room).map(|bytes| fast::read(&mut record, bytes, self.config.rtos)) {
            Some(Ok(())) if !record.is_broken() => self.reference_row(&record, pos, raw.len(), out),
            _ => self.bad_frames(BadFrames::one(pos, raw.len()), out),
        }
        self.fresh = false;
    }

    /// The row of an event: its time, and its first number as the object.
    #[inline]
    fn reference_row(&mut self, record: &Record<'_>, pos: u64, len: usize, out: &mut Output<'_>) {
        let mut flags = RowFlags::HAS_OBJECT;
        if record.layout.timed {
            self.context.time = record.stamp;
            flags |= RowFlags::TIME_OWN;
        }
        let mut row = self.context.record(record, pos, len);
        row.obj = record.numbers[0];
        row.flags |= flags;
        out.row(row);
    }

    #[inline(never)]
    fn bad_frames(&mut self, bad: BadFrames, out: &mut Output<'_>) {
        self.context.bad_frames(bad, self.fresh, out);
        self.fresh = false;
    }
}
