//! The start of a target behind frames that follow it, or once more. Its datagrams overtook each other or came twice, or the
//! target started again. Later frames show which; until then these are held.

use spytui_plugin_api::{
    Order, Output,
    sequence::{DATAGRAM, Step},
};

use crate::{Segment, TextHandler, stuffing::Room};

/// Most frames held, and bytes of them.
const MOST: usize = 256;
const MOST_BYTES: usize = 16 * 1024;
/// Numbers that may be missing behind a start.
const NEAR: u8 = 16;

/// Frames of a start that are held.
#[derive(Clone, Debug, Default)]
pub struct HeldStart {
    /// Position, raw bytes, and number of flags before each.
    frames: Vec<(u64, Vec<u8>, usize)>,
    bytes: usize,
    /// Number of the frame that follows them.
    next: u8,
    /// Position of the first frame of the stream, or of the last start.
    since: Option<u64>,
    /// While frames that were held are taken: whether the target started with them, and how many they are.
    verdict: Option<(bool, usize)>,
}

impl HeldStart {
    /// Whether nothing is held.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The target starts with the frame at this position, or the stream does.
    pub fn begins(&mut self, pos: u64) {
        self.since = Some(pos);
    }

    /// Whether the frame that is taken came late or again, although it looks like a start, and how many were held with it.
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

/// Decides whether the target started.
pub trait StartHandler: TextHandler {
    /// Its held frames.
    fn held_start(&mut self) -> &mut HeldStart;

    /// Whether these bytes with this sum are a valid frame.
    fn is_valid(&self, frame: &[u8], sum: u8) -> bool;

    /// What a frame with this number is that did not come before.
    fn step_of(&self, number: u8) -> Step;

    /// The next frame is passed to [`StartHandler::holds`], whatever its number.
    fn watch(&mut self);

    /// Takes a segment while frames are held, if it does not end that; the number of bytes consumed.
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

    /// Holds a valid frame, if the target did perhaps not start with it; otherwise takes what is held. `number` is that of
    /// the frame, `starts` = a target starts with it.
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

    /// Takes what is held, as no frame follows that decides. If the numbers lead up to a frame that came, it was late or came
    /// twice. Two frames at the end may be of a start.
    fn release_start(&mut self, out: &mut Output<'_>) {
        let (next, len) = (self.held_start().next, self.held_start().frames.len());
        let started = match self.step_of(next) {
            Step::Late => true,
            Step::Next => len <= 2,
            _ => false,
        };
        self.release(started, out);
    }

    /// Takes what is held.
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
