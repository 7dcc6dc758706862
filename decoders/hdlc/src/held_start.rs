//! Handles a target's start that arrives after frames that follow it, or again. Either datagrams were reordered or
//! repeated, or the target restarted. Its frames are held until later frames show which.

use spytui_plugin_api::Output;
use spytui_plugin_layer::{
    Order,
    sequence::{DATAGRAM, Step},
};

use crate::{Segment, TextHandler, stuffing::Room};

/// Maximum number of held frames, and of their bytes.
const MOST: usize = 256;
const MOST_BYTES: usize = 16 * 1024;
/// Number of frames that may be missing after a start.
const NEAR: u8 = 16;

#[derive(Clone, Debug, Default)]
pub struct HeldStart {
    /// Position, raw bytes, and number of leading flags of each.
    frames: Vec<(u64, Vec<u8>, usize)>,
    bytes: usize,
    /// Number of the next frame.
    next: u8,
    /// Position of the stream's first frame, or of the last start.
    since: Option<u64>,
    /// While released frames are taken: whether the target restarted with them, and their number.
    verdict: Option<(bool, usize)>,
}

impl HeldStart {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The target or the stream starts with the frame at this position.
    pub fn begins(&mut self, pos: u64) {
        self.since = Some(pos);
    }

    /// Number of frames released together with the current one if they were late or repeated, although they look like a
    /// start.
    pub fn came_late(&self) -> Option<usize> {
        self.verdict.and_then(|(started, len)| (!started).then_some(len))
    }

    fn is_near(&self, pos: u64) -> bool {
        self.since.is_some_and(|since| pos.saturating_sub(since) <= DATAGRAM)
    }

    fn is_full(&self) -> bool {
        self.frames.len() >= MOST || self.bytes >= MOST_BYTES
    }

    fn add(&mut self, next: u8, segment: &Segment<'_>) {
        self.frames.push((segment.pos, segment.raw.to_vec(), segment.leading_flags));
        self.bytes += segment.raw.len();
        self.next = next;
    }
}

/// Decides whether the target restarted.
pub trait StartHandler: TextHandler {
    fn held_start(&mut self) -> &mut HeldStart;

    /// Whether this is a valid frame; `sum` = sum of its bytes.
    fn is_valid(&self, frame: &[u8], sum: u8) -> bool;

    /// Classifies a frame by its number, provided that it is not a repetition.
    fn step_of(&self, number: u8) -> Step;

    /// Ensures that the next frame is passed to [`StartHandler::holds`], whatever its number.
    fn watch(&mut self);

    /// Handles a segment while frames are held and returns the number of bytes consumed; `None` = the frames were
    /// released.
    fn beside_start(&mut self, segment: Segment<'_>, out: &mut Output<'_>) -> Option<usize> {
        if !segment.ended && segment.body().len() < MOST_BYTES {
            return Some(0);
        }
        let mut room = Room::default();
        let frame = segment.frame(&mut room).filter(|_| segment.ended);
        if frame.is_some_and(|(frame, sum)| self.is_valid(frame, sum)) {
            self.take_frame(segment, out);
            return Some(segment.raw.len());
        }
        self.release_start(out);
        None
    }

    /// Holds a valid frame if the target may have restarted with it; otherwise releases the held ones. `number` is the
    /// frame's, `starts` = a target starts with this frame.
    fn holds(
        &mut self,
        starts: bool,
        (number, step, order): (u8, Step, Order),
        segment: &Segment<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let held = self.held_start();
        let may_begin = starts && held.is_near(segment.pos);
        if held.verdict.is_some() || (held.is_empty() && !may_begin) {
            return false;
        }
        let came_late = matches!(step, Step::Again | Step::Late);
        if came_late && !held.is_full() {
            self.settle_text(None, out);
            self.held_start().add(number.wrapping_add(1), segment);
            self.watch();
            return true;
        }
        let follows = number.wrapping_sub(held.next) <= NEAR;
        let is_later = match step {
            Step::First | Step::Next => true,
            Step::Gap(_) => order != Order::Earlier,
            _ => false,
        };
        self.release(follows && !came_late && !is_later, out);
        false
    }

    /// Releases the held frames without a later frame to decide. If the frame after them has already arrived, they were
    /// late or repeated. One or two frames at the end may be a start.
    fn release_start(&mut self, out: &mut Output<'_>) {
        let (next, len) = (self.held_start().next, self.held_start().frames.len());
        let started = match self.step_of(next) {
            Step::Late => true,
            Step::Next => len <= 2,
            _ => false,
        };
        self.release(started, out);
    }

    /// Takes the held frames, as part of a start if `started`.
    fn release(&mut self, started: bool, out: &mut Output<'_>) {
        let held = self.held_start();
        let HeldStart { frames, .. } = std::mem::replace(held, HeldStart { since: held.since, ..HeldStart::default() });
        for (pos, raw, leading_flags) in &frames {
            self.held_start().verdict = Some((started, frames.len()));
            self.take_frame(Segment::new(*pos, raw, *leading_flags, true), out);
        }
        self.held_start().verdict = None;
    }
}
