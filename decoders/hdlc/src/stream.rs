//! A byte stream with its events, split into segments for a handler.

use spytui_plugin_api::{Clock, Output, RowKind, StreamEvent, StreamEventKind};

use crate::{Segment, Splitter};

/// Makes the rows of a stream from its segments.
pub trait FrameHandler {
    /// Called before anything else: reports the initial configuration.
    fn open(&mut self, out: &mut Output<'_>);

    /// Takes a segment; returns the number of bytes consumed, see [`Splitter::feed`].
    fn segment(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize;

    /// Puts an incomplete segment into a row of this kind. `held` may be empty.
    fn give_up(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>);

    /// Row kind for pending bytes when an event of this kind arrives; `None` = the event does not end the segment.
    fn breaks(&self, event: StreamEventKind) -> Option<RowKind> {
        event.left_over()
    }

    /// Any further effect of an event with its text. The clock has already seen it.
    fn event(&mut self, kind: StreamEventKind, text: &[u8], out: &mut Output<'_>);

    fn clock_mut(&mut self) -> &mut Clock;
}

/// A handler, and the bytes of its stream that are not delimited yet.
#[derive(Clone, Debug)]
pub struct HdlcStream<R> {
    splitter: Splitter,
    handler: R,
    opened: bool,
}

impl<R: FrameHandler> HdlcStream<R> {
    /// An empty stream.
    pub fn new(handler: R) -> HdlcStream<R> {
        HdlcStream { splitter: Splitter::default(), handler, opened: false }
    }

    /// Number of bytes held.
    pub fn pending(&self) -> u64 {
        self.splitter.pending() as u64
    }

    /// Feeds bytes at an absolute position.
    pub fn bytes(&mut self, pos: u64, bytes: &[u8], out: &mut Output<'_>) {
        self.open(out);
        let HdlcStream { splitter, handler, .. } = self;
        splitter.feed(
            pos,
            bytes,
            #[inline(always)]
            |segment| handler.segment(segment, out),
        );
    }

    pub fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>) {
        self.open(out);
        if event.kind == StreamEventKind::TIME {
            self.handler.clock_mut().host_time(event);
        }
        if let Some(kind) = self.handler.breaks(event.kind) {
            let (held, leading_flags) = self.splitter.take();
            let pos = event.pos.saturating_sub(held.len() as u64);
            self.handler.give_up(kind, Segment::incomplete(pos, &held, leading_flags), out);
        }
        self.handler.event(event.kind, text, out);
    }

    fn open(&mut self, out: &mut Output<'_>) {
        if !std::mem::replace(&mut self.opened, true) {
            self.handler.open(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::Batch;

    use super::*;

    /// Writes down what it gets; a whole segment is dealt with.
    #[derive(Default)]
    struct Notes {
        reported: Vec<String>,
        clock: Clock,
    }

    impl FrameHandler for Notes {
        fn open(&mut self, _: &mut Output<'_>) {
            self.reported.push("open".into());
        }

        fn segment(&mut self, segment: Segment<'_>, _: &mut Output<'_>) -> usize {
            if !segment.ended {
                return 0;
            }
            self.reported.push(format!("{} {:?}", segment.pos, segment.body()));
            segment.raw.len()
        }

        fn give_up(&mut self, kind: RowKind, held: Segment<'_>, _: &mut Output<'_>) {
            self.reported.push(format!("{kind:?} {} {:?} {}", held.pos, held.body(), held.leading_flags));
        }

        fn event(&mut self, kind: StreamEventKind, _: &[u8], _: &mut Output<'_>) {
            self.reported.push(format!("event {kind:?}"));
        }

        fn clock_mut(&mut self) -> &mut Clock {
            &mut self.clock
        }
    }

    #[test]
    fn what_is_pending_is_given_up_before_the_mark_that_ends_it() {
        let mut batch = Batch::default();
        let mut out = Output::new(&mut batch, false);
        let mut intake = HdlcStream::new(Notes::default());
        intake.bytes(0, b"\x01\x7E\x7E\x02", &mut out);
        assert_eq!(intake.pending(), 2);
        intake.event(
            &StreamEvent { kind: StreamEventKind::LINE_ERROR, pos: 4, ..StreamEvent::default() },
            b"",
            &mut out,
        );
        intake.bytes(4, b"\x03", &mut out);
        intake.event(&StreamEvent { kind: StreamEventKind::END, pos: 5, ..StreamEvent::default() }, b"", &mut out);
        let tail = "TAIL 2 [2, 3] 1";
        assert_eq!(intake.handler.reported, ["open", "0 [1]", "event LINE_ERROR", tail, "event END"]);
        assert_eq!(intake.pending(), 0);
    }
}
