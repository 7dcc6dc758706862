//! Receiving: bytes to rows. The stream of frames is shared with the reference tool; `native` is spytui's own receiver,
//! `cores` the state of each core.

mod cores;
mod native;

pub(crate) use native::{Native, begin};

use spytui_plugin_api::{
    Output, Row, StreamEvent,
    row::{RowKind, Severity},
};

use crate::{
    frame::{END, Piece, Splitter},
    record::{BadFrames, RowContext},
};

pub(crate) trait FrameHandler {
    /// Called before anything else: reports the initial configuration.
    fn open(&mut self, out: &mut Output<'_>);

    fn context(&self) -> RowContext;

    /// Takes a frame with its end; returns `false` if it has no valid record.
    fn frame(&mut self, pos: u64, raw: &[u8], out: &mut Output<'_>) -> bool;

    /// A row for frames without a record; adds its attachments. `first` = no frame since the stream or the link began.
    fn bad_frames(&mut self, bad: BadFrames, first: bool, out: &mut Output<'_>) -> Row {
        self.context().bad_frames(bad, first, out)
    }

    /// Adds rows for bytes without a record. `row` covers all of them.
    fn skipped(&mut self, row: Row, _: &[u8], out: &mut Output<'_>) {
        out.row(row);
    }

    fn settle(&mut self, _: &mut Output<'_>) {}

    /// Notes that unknown records may be missing here.
    fn lost(&mut self) {}
}

/// A handler, and the incomplete frame of its stream.
#[derive(Clone, Debug)]
pub(crate) struct FrameStream<R> {
    splitter: Splitter,
    handler: R,
    opened: bool,
    /// No frame since the stream or the link began.
    fresh: bool,
}

impl<R: FrameHandler> FrameStream<R> {
    pub(crate) fn new(handler: R, max_frame: usize) -> FrameStream<R> {
        FrameStream { splitter: Splitter::new(max_frame), handler, opened: false, fresh: true }
    }

    #[inline]
    pub(crate) fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.open(out);
        let FrameStream { splitter, handler, fresh, .. } = self;
        splitter.feed(pos, bytes, &mut |piece| take(handler, piece, fresh, out));
    }

    /// Handles an event, which may end pending bytes.
    pub(crate) fn event(&mut self, event: &StreamEvent, out: &mut Output<'_>) {
        self.open(out);
        let Some(kind) = event.kind.left_over() else { return };
        let FrameStream { splitter, handler, fresh, .. } = self;
        let held = splitter.give_up(event.pos, &mut |piece| take(handler, piece, fresh, out));
        handler.settle(out);
        if !held.is_empty() {
            let row = handler.context().note(Row::skipped(kind, event.pos - held.len() as u64, held.len()));
            handler.skipped(Row { severity: Severity::WARNING, ..row }, &held, out);
        }
        handler.lost();
        // The bytes after this position don't continue those before it.
        *fresh |= kind != RowKind::TAIL;
    }

    fn open(&mut self, out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.opened, true) {
            self.handler.open(out);
        }
    }
}

#[inline]
fn take(handler: &mut impl FrameHandler, piece: Piece<'_>, fresh: &mut bool, out: &mut Output<'_>) {
    match piece {
        Piece::Frame(pos, raw) if handler.frame(pos, raw, out) => {}
        Piece::Frame(pos, raw) => {
            let row = handler.bad_frames(BadFrames::one(pos, raw.len()), *fresh, out);
            handler.skipped(row, raw.strip_suffix(&[END]).unwrap_or(raw), out);
            handler.lost();
        }
        Piece::Empty(pos, count) => {
            let row = handler.bad_frames(BadFrames::empty(pos, count), *fresh, out);
            out.row(row);
            handler.lost();
        }
        Piece::Overlong { pos, raw, first } => {
            handler.settle(out);
            let kind = if first { RowKind::TOO_LONG } else { RowKind::RESYNC };
            let row = handler.context().note(Row::skipped(kind, pos, raw.len()));
            handler.skipped(row, raw.strip_suffix(&[END]).unwrap_or(raw), out);
            handler.lost();
        }
    }
    *fresh = false;
}
