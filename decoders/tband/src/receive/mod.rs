//! Receiving: bytes to rows. The stream of frames is shared with the reference tool; `native` is spytui's own receiver.
//! Also the state of each core: its time and running task.

mod native;

pub(crate) use native::{Native, begin};

use spytui_plugin_api::{
    NONE, Output, Row, StreamEvent,
    row::{RowKind, Severity},
};
use spytui_plugin_layer::Clock;

use crate::{
    frame::{CobsSplitter, END, FramePiece},
    record::{BadFrames, CoreTime},
};

pub(crate) trait CobsHandler {
    /// Called before anything else: reports the initial configuration.
    fn open(&mut self, out: &mut Output<'_>);

    fn context(&self) -> CoreTime;

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
    splitter: CobsSplitter,
    handler: R,
    opened: bool,
    /// No frame since the stream or the link began.
    fresh: bool,
}

impl<R: CobsHandler> FrameStream<R> {
    pub(crate) fn new(handler: R, max_frame: usize) -> FrameStream<R> {
        FrameStream { splitter: CobsSplitter::new(max_frame), handler, opened: false, fresh: true }
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
fn take(handler: &mut impl CobsHandler, piece: FramePiece<'_>, fresh: &mut bool, out: &mut Output<'_>) {
    match piece {
        FramePiece::Frame(pos, raw) if handler.frame(pos, raw, out) => {}
        FramePiece::Frame(pos, raw) => {
            let row = handler.bad_frames(BadFrames { pos, len: raw.len(), are_empty: false }, *fresh, out);
            handler.skipped(row, raw.strip_suffix(&[END]).unwrap_or(raw), out);
            handler.lost();
        }
        FramePiece::Empty(pos, count) => {
            let row = handler.bad_frames(BadFrames { pos, len: count, are_empty: true }, *fresh, out);
            out.row(row);
            handler.lost();
        }
        FramePiece::Overlong { pos, raw, first } => {
            handler.settle(out);
            let kind = if first { RowKind::TOO_LONG } else { RowKind::RESYNC };
            let row = handler.context().note(Row::skipped(kind, pos, raw.len()));
            handler.skipped(row, raw.strip_suffix(&[END]).unwrap_or(raw), out);
            handler.lost();
        }
    }
    *fresh = false;
}

/// Maximum number of cores kept. Targets have up to four, but damaged events may contain any number.
const MOST: usize = 64;

/// Rows have 16 bits for the core; the maximum means all cores.
const LAST_CORE: u64 = NONE as u64 - 1;

/// Converts the core in a core event to a row's core.
pub(crate) fn core_of(core: u64) -> u16 {
    core.min(LAST_CORE) as u16
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Core {
    pub(crate) id: u16,
    pub(crate) stamp: Option<u64>,
    /// Its clock, only set by time stamps.
    pub(crate) clock: Clock,
    pub(crate) task: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Cores {
    pub(crate) now: Core,
    others: Vec<Core>,
    /// The clock of cores not seen yet. All cores read the same counter.
    clock: Clock,
    /// A core event may have been lost since the last one.
    is_doubtful: bool,
}

impl Cores {
    pub(crate) fn new(id: u16, clock: Clock) -> Cores {
        let now = Core { id, clock: clock.clone(), ..Core::default() };
        Cores { now, others: Vec::new(), clock, is_doubtful: false }
    }

    pub(crate) fn switch(&mut self, id: u16) {
        self.is_doubtful = false;
        if id == self.now.id {
            return;
        }
        let known = self.others.iter().position(|core| core.id == id);
        let new = || Core { id, clock: self.clock.clone(), ..Core::default() };
        let next = known.map_or_else(new, |at| self.others.remove(at));
        if self.others.len() == MOST {
            self.others.remove(0);
        }
        self.others.push(std::mem::replace(&mut self.now, next));
    }

    /// The clock of a core, if it has had a time stamp.
    pub(crate) fn clock(&self, id: u16) -> Option<&Clock> {
        let mut all = std::iter::once(&self.now).chain(&self.others);
        all.find(|core| core.id == id).map(|core| &core.clock).filter(|clock| clock.is_known())
    }

    /// Copies what is known about the counter from the current core to all cores.
    pub(crate) fn share_counter(&mut self) {
        let Cores { now, others, clock, .. } = self;
        others.iter_mut().map(|core| &mut core.clock).chain([clock]).for_each(|other| other.share_counter(&now.clock));
    }

    /// Notes that events may be missing: other tasks may run, and with several cores the next events may be from
    /// another one.
    pub(crate) fn lost(&mut self) {
        self.is_doubtful |= !self.others.is_empty();
        std::iter::once(&mut self.now).chain(&mut self.others).for_each(|core| core.task = None);
    }

    pub(crate) fn is_certain(&self) -> bool {
        !self.is_doubtful
    }

    pub(crate) fn forget(&mut self) {
        self.others.clear();
        self.now = Core { id: self.now.id, clock: self.clock.clone(), ..Core::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_keep_what_is_known_of_them() {
        let mut cores = Cores::new(0, Clock::new(0));
        cores.now.task = Some(7);
        cores.switch(1);
        assert_eq!((cores.now.id, cores.now.stamp, cores.now.task), (1, None, None));
        cores.now.stamp = Some(5);
        cores.switch(0);
        assert_eq!((cores.now.task, cores.now.stamp), (Some(7), None));
        cores.switch(1);
        assert_eq!(cores.now.stamp, Some(5));

        cores.now.task = Some(3);
        cores.lost();
        assert_eq!((cores.now.task, cores.is_certain()), (None, false));
        cores.switch(0);
        assert_eq!((cores.now.task, cores.is_certain()), (None, true));
        cores.forget();
        cores.switch(0);
        assert_eq!((cores.now.id, cores.now.stamp, cores.now.task), (0, None, None));
    }

    #[test]
    fn noise_does_not_fill_the_memory() {
        let mut cores = Cores::new(0, Clock::new(0));
        (0..u16::MAX).for_each(|id| cores.switch(id));
        assert!(cores.others.len() <= MOST);
    }
}
