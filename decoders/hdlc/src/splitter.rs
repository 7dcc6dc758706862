//! Cuts a stream at its flags into segments with sums for a handler, and keeps an incomplete one.

use spytui_plugin_api::{Output, RowKind, StreamEvent, StreamEventKind};

use crate::stuffing::{ESCAPE, FLAG, whole};

/// Bytes up to a flag, or to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuffedRun {
    pub len: usize,
    /// Their sum, escapes included.
    pub sum: u8,
    pub escaped: bool,
    /// A flag follows.
    pub ended: bool,
}

/// Iterates over runs. The last one does not end with a flag.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    bytes: &'a [u8],
    start: usize,
}

impl<'a> Runs<'a> {
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Runs<'a> {
        Runs { bytes, start: 0 }
    }

    /// Start of the run returned by [`Runs::next`].
    #[inline]
    pub fn at(&self) -> usize {
        self.start
    }

    /// Continues with a run that begins at `at`, regardless of flags.
    #[inline]
    pub fn seek(&mut self, at: usize) {
        self.start = at;
    }
}

impl Iterator for Runs<'_> {
    type Item = StuffedRun;

    #[inline]
    fn next(&mut self) -> Option<StuffedRun> {
        let rest = self.bytes.get(self.start..).filter(|rest| !rest.is_empty())?;
        let first = memchr::memchr2(FLAG, ESCAPE, rest);
        let escape = first.filter(|at| rest[*at] == ESCAPE);
        let flag = match escape {
            Some(escape) => memchr::memchr(FLAG, &rest[escape..]).map(|at| escape + at),
            None => first,
        };
        let body = &rest[..flag.unwrap_or(rest.len())];
        let ended = flag.is_some();
        self.start += body.len() + usize::from(ended);
        Some(StuffedRun { len: body.len(), sum: sum(body), escaped: escape.is_some(), ended })
    }
}

/// Sum of all bytes, modulo 256.
#[inline(never)]
pub fn sum(bytes: &[u8]) -> u8 {
    let (parts, tail) = bytes.as_chunks::<16>();
    let parts = parts.iter().map(|part| part.iter().map(|&b| u32::from(b)).sum::<u32>() as u8);
    tail.iter().copied().chain(parts).fold(0, u8::wrapping_add)
}

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

    /// The unstuffed frame and its sum; `None` if its last byte is an escape. `room` is a buffer for unstuffing.
    #[inline]
    pub fn frame<'r>(&self, room: &'r mut Vec<u8>) -> Option<(&'r [u8], u8)>
    where
        'a: 'r,
    {
        if !self.escaped {
            return Some((self.body(), self.sum));
        }
        let frame = whole(self.body(), room)?;
        Some((frame, sum(frame)))
    }
}

/// Splits a stream at its flags, keeping an incomplete segment.
#[derive(Clone, Debug, Default)]
struct Splitter {
    held: Vec<u8>,
}

impl Splitter {
    /// Feeds bytes at an absolute position to `take`, see [`FrameHandler::segment`].
    #[inline]
    fn feed(&mut self, pos: u64, bytes: &[u8], take: impl FnMut(Segment<'_>) -> usize) {
        let mut held = std::mem::take(&mut self.held);
        let pos = pos - held.len() as u64;
        if held.is_empty() {
            let done = split(pos, bytes, take);
            held.extend_from_slice(bytes.get(done..).unwrap_or_default());
        } else {
            held.extend_from_slice(bytes);
            let done = split(pos, &held, take);
            held.drain(..done);
        }
        self.held = held;
    }

    /// Removes and returns the held bytes and their number of leading flags.
    fn take(&mut self) -> (Vec<u8>, usize) {
        let held = std::mem::take(&mut self.held);
        let leading_flags = held.iter().take_while(|&&byte| byte == FLAG).count();
        (held, leading_flags)
    }
}

/// Passes the segments of bytes to `take`; returns the number of bytes consumed. The last, incomplete one is offered, too,
/// so that text and overlong runs don't wait for a flag.
#[inline]
fn split(pos: u64, bytes: &[u8], mut take: impl FnMut(Segment<'_>) -> usize) -> usize {
    let (mut start, mut body) = (0, 0);
    for StuffedRun { len, sum, escaped, ended } in Runs::new(bytes) {
        if !ended {
            break;
        }
        let (end, leading_flags) = (body + len + 1, body - start);
        if len == 0 && leading_flags < MOST_IDLE {
            body = end;
            continue;
        }
        let Some(raw) = bytes.get(start..end) else { break };
        start += take(Segment { pos: pos + start as u64, raw, leading_flags, ended: true, sum, escaped });
        body = end;
    }
    match bytes.get(start..) {
        Some(rest @ [_, ..]) => {
            start + take(Segment::incomplete(pos + start as u64, rest, body - start)).min(rest.len())
        }
        _ => start,
    }
}

pub trait FrameHandler {
    /// Called before anything else: reports the initial configuration.
    fn open(&mut self, out: &mut Output<'_>);

    /// Handles a segment; returns the number of bytes consumed: of a complete segment all, or all but its flag, which then
    /// leads the next one.
    fn segment(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> usize;

    /// Puts an incomplete segment into a row of this kind. `held` may be empty.
    fn give_up(&mut self, kind: RowKind, held: Segment<'_>, out: &mut Output<'_>);

    /// Kind of the row that pending bytes become at this event; `None` = they stay pending.
    fn breaks(&self, event: StreamEventKind) -> Option<RowKind> {
        event.left_over()
    }

    /// Handles any other effect of an event with its text.
    fn event(&mut self, event: &StreamEvent, text: &[u8], out: &mut Output<'_>);
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
        if let Some(kind) = self.handler.breaks(event.kind) {
            let (held, leading_flags) = self.splitter.take();
            let pos = event.pos.saturating_sub(held.len() as u64);
            self.handler.give_up(kind, Segment::incomplete(pos, &held, leading_flags), out);
        }
        self.handler.event(event, text, out);
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

    /// Random bytes with many flags and escapes.
    fn bytes(len: usize, seed: &mut u32) -> Vec<u8> {
        let mut byte = || {
            *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if *seed >> 27 == 0 { 0x7C + (*seed >> 20 & 3) as u8 } else { (*seed >> 16) as u8 }
        };
        (0..len).map(|_| byte()).collect()
    }

    fn simply(bytes: &[u8]) -> Vec<StuffedRun> {
        let mut runs: Vec<StuffedRun> = bytes
            .split(|&b| b == FLAG)
            .map(|body| StuffedRun { len: body.len(), sum: sum(body), escaped: body.contains(&ESCAPE), ended: true })
            .collect();
        if let Some(last) = runs.pop().filter(|run| run.len > 0) {
            runs.push(StuffedRun { ended: false, ..last });
        }
        runs
    }

    #[test]
    fn runs_are_what_a_simple_loop_finds() {
        let mut seed = 1;
        for len in (0..400).chain([5000, 100_000]) {
            let bytes = bytes(len, &mut seed);
            assert_eq!(Runs::new(&bytes).collect::<Vec<_>>(), simply(&bytes), "{len} bytes");
        }
    }

    #[test]
    fn runs_go_on_anywhere() {
        let bytes = bytes(700, &mut 7);
        for at in 0..=bytes.len() {
            let mut runs = Runs::new(&bytes);
            runs.by_ref().take(at % 9).for_each(drop);
            runs.seek(at);
            assert_eq!(runs.at(), at);
            assert_eq!(runs.collect::<Vec<_>>(), simply(&bytes[at..]), "from {at}");
        }
    }

    #[test]
    fn long_runs_do_not_overflow() {
        let bytes = vec![0xFF; 100_000];
        assert_eq!(Runs::new(&bytes).next().map(|run| run.sum), Some(sum(&bytes)));
    }

    /// Records its input; consumes whole segments.
    #[derive(Default)]
    struct Notes {
        reported: Vec<String>,
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

        fn event(&mut self, event: &StreamEvent, _: &[u8], _: &mut Output<'_>) {
            self.reported.push(format!("event {:?}", event.kind));
        }
    }

    #[test]
    fn what_is_pending_is_given_up_before_the_mark_that_ends_it() {
        let mut batch = Batch::default();
        let mut out = Output::new(&mut batch, false);
        let mut intake = HdlcStream::new(Notes::default());
        intake.bytes(0, b"\x01\x7E\x7E\x02", &mut out);
        assert_eq!(intake.splitter.held.len(), 2);
        intake.event(
            &StreamEvent { kind: StreamEventKind::LINE_ERROR, pos: 4, ..StreamEvent::default() },
            b"",
            &mut out,
        );
        intake.bytes(4, b"\x03", &mut out);
        intake.event(&StreamEvent { kind: StreamEventKind::END, pos: 5, ..StreamEvent::default() }, b"", &mut out);
        let tail = "TAIL 2 [2, 3] 1";
        assert_eq!(intake.handler.reported, ["open", "0 [1]", "event LINE_ERROR", tail, "event END"]);
        assert_eq!(intake.splitter.held.len(), 0);
    }
}
