//! Frames whose numbers are not those of the numbering: a burst of losses over nearly the whole range, a target that
//! starts again, a second sender, or the numbering that a wrong number has left. What follows decides.

use crate::clock::Order;

/// Frames in a row that decide, where their times agree.
const PROOF: u32 = 4;
/// The same where their times say nothing.
const PROOF_WITHOUT_TIME: u32 = 16;
/// Changes between two numberings, each at exactly the next number, after which they alternate.
const SWITCHES: u32 = 4;
/// Numbers that a numbering beside may miss, or be behind, and still be the same.
const NEAR: u64 = 8;
/// The greatest number at which a target that starts again is noticed.
const START: u64 = 16;
/// Frames for which a numbering that was left is remembered. After 256, numbers of 8 bits come again.
const MEMORY: u64 = 192;

/// Where a frame is beside the numbering.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) number: u64,
    /// Index of the next frame.
    pub(super) next: u64,
    /// Distances from the next number.
    pub(super) ahead: u64,
    pub(super) back: u64,
    pub(super) mark: u64,
    pub(super) pos: u64,
    pub(super) time: Option<u64>,
    pub(super) order: Order,
}

/// A numbering beside that which is followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aside {
    /// Its next number.
    pub(super) expected: u64,
    /// It was followed before.
    pub(super) was_main: bool,
    /// First number of the frames in a row.
    pub(super) first: u64,
    /// Number of frames in a row.
    pub(super) run: u32,
    /// How often it took turns with the other numbering.
    pub(super) switches: u32,
    /// Index of the frame that was expected when its last frame came.
    pub(super) at: u64,
    /// Position of the frame with which the turns began.
    pub(super) began: u64,
    /// Frames in a row that were made earlier than those of the numbering, and later.
    pub(super) earlier: bool,
    pub(super) later: bool,
}

/// What a frame beside the numbering is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Not decided.
    Open,
    /// Two numberings take turns.
    Alternates,
    /// Nearly the whole range was lost.
    Burst,
    /// Numbers and time start again.
    Restart,
    /// The numbering that was left for a wrong number or for another numbering.
    Return,
    /// The numbers continue here for no known reason.
    Moved,
}

impl Aside {
    /// With its first frame.
    pub(super) fn new(number: u64, mask: u64, pos: u64) -> Aside {
        let (first, expected) = (number, number.wrapping_add(1) & mask);
        let (was_main, earlier, later) = (false, false, false);
        Aside { expected, was_main, first, run: 0, switches: 0, at: 0, began: pos, earlier, later }
    }

    /// The numbering that was followed up to here.
    pub(super) fn left(expected: u64, at: u64, began: u64, switches: u32) -> Aside {
        Aside { expected, was_main: true, at, switches, ..Aside::new(expected, 0, began) }
    }

    /// Whether a frame may be one of these; `followed` = frames since the numbering began that is followed.
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

    /// Whether it is forgotten by the frame with index `next`.
    pub(super) fn is_old(&self, next: u64) -> bool {
        next.wrapping_sub(self.at) > MEMORY && next >= self.at
    }

    /// The same with another of its frames.
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

    /// What its last frame shows. `followed` = frames since the numbering began that is followed.
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
