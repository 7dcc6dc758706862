//! Splits a stream at its flags into segments with sums, and keeps an incomplete one.

use spytui_plugin_api::{Output, RowKind, StreamEvent, StreamEventKind};
use spytui_plugin_layer::Clock;

use crate::{
    run::{Run, Runs, sum},
    stuffing::{ESCAPE, FLAG, Room},
};

/// Maximum number of consecutive flags held for the next frame.
pub const MOST_IDLE: usize = 1024;

/// A segment between flags, with its leading flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// Absolute position of the first byte.
    pub pos: u64,
    /// Idle flags, the stuffed frame, and its flag.
    pub raw: &'a [u8],
    /// Idle flags at the beginning of `raw`.
    pub leading_flags: usize,
    /// Whether `raw` ends with a flag; otherwise more may follow.
    pub ended: bool,
    /// Sum of the stuffed bytes between the flags.
    pub sum: u8,
    pub escaped: bool,
}

impl<'a> Segment<'a> {
    /// Creates a segment and computes its sum.
    pub fn new(pos: u64, raw: &'a [u8], leading_flags: usize, ended: bool) -> Segment<'a> {
        let segment = Segment { ended, ..Segment::incomplete(pos, raw, leading_flags) };
        let body = segment.body();
        Segment { sum: sum(body), escaped: memchr::memchr(ESCAPE, body).is_some(), ..segment }
    }

    /// Creates a segment without its end; the sum is not needed.
    pub(crate) fn incomplete(pos: u64, raw: &'a [u8], leading_flags: usize) -> Segment<'a> {
        Segment { pos, raw, leading_flags, ended: false, sum: 0, escaped: false }
    }

    /// The stuffed bytes between the flags.
    #[inline]
    pub fn body(&self) -> &'a [u8] {
        let end = self.raw.len() - usize::from(self.ended);
        self.raw.get(self.leading_flags..end).unwrap_or(&[])
    }

    /// The unstuffed frame and its sum; `None` if its last byte is an escape.
    #[inline]
    pub fn frame<'r>(&self, room: &'r mut Room) -> Option<(&'r [u8], u8)>
    where
        'a: 'r,
    {
        if !self.escaped {
            return Some((self.body(), self.sum));
        }
        let frame = room.whole(self.body())?;
        Some((frame, sum(frame)))
    }
}

/// Splits a stream at its flags, keeping an incomplete segment.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    held: Vec<u8>,
    /// Idle flags at the beginning of `held`.
    leading_flags: usize,
}

impl Splitter {
    pub fn pending(&self) -> usize {
        self.held.len()
    }

    /// Feeds bytes at an absolute position. `take` handles each segment and returns the number of bytes consumed: for a
    /// complete segment all of it, or all but its flag, which then leads the next one.
    #[inline]
    pub fn feed(&mut self, pos: u64, bytes: &[u8], mut take: impl FnMut(Segment<'_>) -> usize) {
        let mut rest = bytes;
        if !self.held.is_empty() {
            rest = self.feed_held(pos, bytes, &mut take);
        }
        let pos = pos + (bytes.len() - rest.len()) as u64;
        let (mut start, mut body) = (0, 0);
        for Run { len, sum, escaped, ended } in Runs::new(rest) {
            if !ended {
                break;
            }
            let (end, leading_flags) = (body + len + 1, body - start);
            if len == 0 && leading_flags < MOST_IDLE {
                body = end;
                continue;
            }
            let Some(raw) = rest.get(start..end) else { break };
            start += take(Segment { pos: pos + start as u64, raw, leading_flags, ended: true, sum, escaped });
            body = end;
        }
        let left = rest.get(start..).unwrap_or(&[]);
        if !left.is_empty() {
            self.held.extend_from_slice(left);
            self.leading_flags = body - start;
            self.offer(pos + start as u64, &mut take);
        }
    }

    /// Completes the held segment up to its flag; returns the bytes after it.
    fn feed_held<'b>(&mut self, pos: u64, bytes: &'b [u8], take: &mut impl FnMut(Segment<'_>) -> usize) -> &'b [u8] {
        let mut rest = bytes;
        while let [first, tail @ ..] = rest {
            if !(self.held.len() == self.leading_flags && *first == FLAG && self.leading_flags < MOST_IDLE) {
                break;
            }
            self.held.push(FLAG);
            self.leading_flags += 1;
            rest = tail;
        }
        let at = pos + (bytes.len() - rest.len()) as u64 - self.held.len() as u64;
        match memchr::memchr(FLAG, rest) {
            Some(end) => {
                let (own, behind) = rest.split_at(end + 1);
                self.held.extend_from_slice(own);
                let held = std::mem::take(&mut self.held);
                let done = take(Segment::new(at, &held, self.leading_flags, true));
                let flag_left = done < held.len();
                self.held = held;
                self.held.clear();
                self.leading_flags = 0;
                if flag_left { rest.get(end..).unwrap_or(behind) } else { behind }
            }
            None => {
                self.held.extend_from_slice(rest);
                self.offer(at, take);
                &[]
            }
        }
    }

    /// Offers the held bytes to `take`, so that text and overlong runs don't wait for a flag.
    fn offer(&mut self, pos: u64, take: &mut impl FnMut(Segment<'_>) -> usize) {
        let done = take(Segment::incomplete(pos, &self.held, self.leading_flags)).min(self.held.len());
        if done > 0 {
            self.held.drain(..done);
            self.leading_flags = 0;
        }
    }

    /// Removes and returns the held bytes and their number of leading flags.
    pub fn take(&mut self) -> (Vec<u8>, usize) {
        (std::mem::take(&mut self.held), std::mem::take(&mut self.leading_flags))
    }
}

pub trait FrameHandler {
    /// Called before anything else: reports the initial configuration.
    fn open(&mut self, out: &mut Output<'_>);

    /// Handles a segment; returns the number of bytes consumed, see [`Splitter::feed`].
    fn segment(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize;

    /// Puts an incomplete segment into a row of this kind. `held` may be empty.
    fn give_up(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>);

    /// Kind of the row that pending bytes become at this event; `None` = they stay pending.
    fn breaks(&self, event: StreamEventKind) -> Option<RowKind> {
        event.left_over()
    }

    /// Handles any other effect of an event with its text. The clock has already seen it.
    fn event(&mut self, kind: StreamEventKind, text: &[u8], out: &mut Output<'_>);

    fn clock_mut(&mut self) -> &mut Clock;
}

/// A handler, and the incomplete segment of its stream.
#[derive(Clone, Debug)]
pub struct HdlcStream<R> {
    splitter: Splitter,
    handler: R,
    opened: bool,
}

impl<R: FrameHandler> HdlcStream<R> {
    pub fn new(handler: R) -> HdlcStream<R> {
        HdlcStream { splitter: Splitter::default(), handler, opened: false }
    }

    pub fn pending(&self) -> u64 {
        self.splitter.pending() as u64
    }

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

    /// Records its input; consumes whole segments.
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
