//! Frames whose numbers don't continue the current numbering: a burst that lost nearly the whole range, a restarted
//! target, a second sender, or the numbering before a wrong number. Later frames decide which.

use crate::clock::Order;

/// Consecutive frames needed for a decision if their times agree.
const PROOF: u32 = 4;
/// Consecutive frames needed for a decision without time stamps.
const PROOF_WITHOUT_TIME: u32 = 16;
/// Switches between two numberings, each to exactly the next number, until they count as alternating.
const SWITCHES: u32 = 4;
/// Numbers that a side numbering may skip or go back and still be the same.
const NEAR: u64 = 8;
/// Maximum number at which a restarted target is recognised.
const START: u64 = 16;
/// Frames for which an abandoned numbering is remembered. After 256, 8-bit numbers repeat.
const MEMORY: u64 = 192;

/// Where a frame lies relative to the current numbering.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) number: u64,
    /// Index of the next frame.
    pub(super) next: u64,
    /// Distances from the next number, modulo its range.
    pub(super) ahead: u64,
    pub(super) back: u64,
    pub(super) mark: u64,
    pub(super) pos: u64,
    pub(super) time: Option<u64>,
    pub(super) order: Order,
}

/// A side numbering: frames that don't continue the current numbering.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aside {
    pub(super) expected: u64,
    /// It was the current numbering earlier.
    pub(super) was_main: bool,
    /// First number of the current run.
    pub(super) first: u64,
    /// Length of the current run, in frames.
    pub(super) run: u32,
    /// How often it alternated with the other numbering.
    pub(super) switches: u32,
    /// Index of the frame that was expected when its last frame arrived.
    pub(super) at: u64,
    /// Position of the first alternating frame.
    pub(super) began: u64,
    /// The run has frames made earlier than the current numbering, or later.
    pub(super) earlier: bool,
    pub(super) later: bool,
}

/// Explanation for frames outside of the current numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Open,
    Alternates,
    /// Nearly the whole range was lost.
    Burst,
    /// Sequence numbers and time restarted.
    Restart,
    /// The earlier numbering continues after a wrong number or an interruption.
    Return,
    /// The numbers continue here for an unknown reason.
    Moved,
}

impl Aside {
    /// Starts a side numbering at its first frame.
    pub(super) fn new(number: u64, mask: u64, pos: u64) -> Aside {
        let (first, expected) = (number, number.wrapping_add(1) & mask);
        let (was_main, earlier, later) = (false, false, false);
        Aside { expected, was_main, first, run: 0, switches: 0, at: 0, began: pos, earlier, later }
    }

    /// Turns the current numbering into a side numbering.
    pub(super) fn left(expected: u64, at: u64, began: u64, switches: u32) -> Aside {
        Aside { expected, was_main: true, at, switches, ..Aside::new(expected, 0, began) }
    }

    /// Whether a frame may belong to it; `followed` = number of frames since the current numbering began.
    pub(super) fn may_have(&self, place: &Place, mask: u64, followed: u64) -> bool {
        let missing = place.number.wrapping_sub(self.expected) & mask;
        if self.was_main && self.switches == 0 && place.order != Order::Earlier {
            // A loss may end at that number, too.
            return (followed <= 1 && missing <= 2) || (followed <= PROOF.into() && missing == 0);
        }
        let is_behind = !self.was_main && self.expected.wrapping_sub(place.number) & mask <= NEAR;
        let goes_on = self.at == place.next || self.switches > 0;
        missing == 0 || (goes_on && ((missing <= NEAR && missing < place.ahead) || is_behind))
    }

    /// Whether it is forgotten at the frame with index `next`.
    pub(super) fn is_old(&self, next: u64) -> bool {
        next.wrapping_sub(self.at) > MEMORY && next >= self.at
    }

    pub(super) fn with(self, place: &Place, mask: u64) -> Aside {
        let Place { number, next, order, .. } = *place;
        let missing = number.wrapping_sub(self.expected) & mask;
        let is_behind = missing > mask / 2;
        let is_new_run = self.run == 0 || self.at != next;
        let turns = u32::from(self.at != next && missing == 0 && (self.run > 0 || self.was_main));
        let before =
            if is_new_run { Aside { run: 0, first: number, earlier: false, later: false, ..self } } else { self };
        Aside {
            expected: if is_behind { self.expected } else { number.wrapping_add(1) & mask },
            run: before.run + 1,
            switches: self.switches + turns,
            at: next,
            earlier: before.earlier || order == Order::Earlier,
            later: before.later || order == Order::Later,
            ..before
        }
    }

    /// The decision after its last frame. `followed` = number of frames since the current numbering began.
    pub(super) fn decision(&self, followed: u64) -> Decision {
        let is_certain = self.earlier != self.later;
        match () {
            () if self.switches >= SWITCHES => Decision::Alternates,
            () if self.was_main && (self.run >= PROOF || (self.switches <= 1 && followed <= PROOF.into())) => {
                Decision::Return
            }
            () if self.run >= PROOF && is_certain && self.later => Decision::Burst,
            () if self.run >= PROOF && is_certain && self.first <= START => Decision::Restart,
            () if self.run >= PROOF_WITHOUT_TIME => Decision::Moved,
            () => Decision::Open,
        }
    }
}
