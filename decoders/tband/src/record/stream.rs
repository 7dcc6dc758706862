//! A byte stream with its events, split into frames for a receiver; what both receivers do alike.

use spytui_plugin_api::{
    Output, Row, StreamEvent,
    chunk::StreamEventKind,
    row::{RowKind, Severity},
};

use super::{BadFrames, RowContext};
use crate::frame::{FrameHandler, Splitter};

/// Makes the rows of a stream.
pub(crate) trait Receiver {
    /// Called before anything else: reports the initial configuration.
    fn open(&mut self, out: &mut Output<'_>);

    /// Core and time of the next row.
    fn context(&self) -> RowContext;

    /// Takes a frame with its end; `false` if it has no valid record.
    fn frame(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool;

    /// Adds the row of frames without a record; `first` = no frame since the stream or the link began.
    fn bad_frames(&mut self, bad: BadFrames, first: bool, out: &mut Output<'_>) {
        self.context().bad_frames(bad, first, out);
    }

    /// Makes rows of the frames it holds back.
    fn settle(&mut self, _: &mut Output<'_>) {}
}

/// A receiver, and the bytes of its stream that are not a frame yet.
#[derive(Clone, Debug)]
pub(crate) struct FrameStream<R> {
    splitter: Splitter,
    receiver: R,
    opened: bool,
    /// No frame since the stream or the link began.
    fresh: bool,
}

impl<R: Receiver> FrameStream<R> {
    pub(crate) fn new(receiver: R, max_frame: usize) -> FrameStream<R> {
        FrameStream { splitter: Splitter::new(max_frame), receiver, opened: false, fresh: true }
    }

    /// Feeds bytes at an absolute position.
    #[inline]
    pub(crate) fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.open(out);
        let FrameStream { splitter, receiver, fresh, .. } = self;
        splitter.feed(pos, bytes, &mut Feed { receiver, fresh, out });
    }

    /// Takes an event.
    pub(crate) fn event(&mut self, event: &StreamEvent, out: &mut Output<'_>) {
        self.open(out);
        match event.kind {
            StreamEventKind::LINK_UP | StreamEventKind::LINK_DOWN => self.interrupted(RowKind::CUT_OFF, event.pos, out),
            StreamEventKind::HOST_LOSS => self.interrupted(RowKind::RESYNC, event.pos, out),
            StreamEventKind::END => self.give_up(RowKind::TAIL, event.pos, out),
            _ => {}
        }
    }

    fn open(&mut self, out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.opened, true) {
            self.receiver.open(out);
        }
    }

    /// The bytes after this position do not follow those before it.
    fn interrupted(&mut self, kind: RowKind, pos: u64, out: &mut Output<'_>) {
        self.give_up(kind, pos, out);
        self.fresh = true;
    }

    /// Turns pending bytes into rows.
    fn give_up(&mut self, kind: RowKind, pos: u64, out: &mut Output<'_>) {
        let FrameStream { splitter, receiver, fresh, .. } = self;
        let len = splitter.give_up(pos, &mut Feed { receiver, fresh, out });
        self.receiver.settle(out);
        if len > 0 {
            let row = self.receiver.context().note(Row::skipped(kind, pos - len as u64, len));
            out.row(Row { severity: Severity::WARNING, ..row });
        }
    }
}

/// A receiver with the output for its rows.
struct Feed<'r, 'o, 'b, R> {
    receiver: &'r mut R,
    fresh: &'r mut bool,
    out: &'o mut Output<'b>,
}

impl<R: Receiver> FrameHandler for Feed<'_, '_, '_, R> {
    #[inline]
    fn frame(&mut self, pos: u64, raw: &[u8]) {
        if !self.receiver.frame(pos, raw, self.out) {
            self.receiver.bad_frames(BadFrames::one(pos, raw.len()), *self.fresh, self.out);
        }
        *self.fresh = false;
    }

    fn empty(&mut self, pos: u64, count: usize) {
        self.receiver.bad_frames(BadFrames::empty(pos, count), *self.fresh, self.out);
        *self.fresh = false;
    }

    fn overlong(&mut self, pos: u64, len: usize, first: bool) {
        self.receiver.settle(self.out);
        let kind = if first { RowKind::TOO_LONG } else { RowKind::RESYNC };
        self.out.row(self.receiver.context().note(Row::skipped(kind, pos, len)));
        *self.fresh = false;
    }
}
