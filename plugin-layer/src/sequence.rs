//! Sequence numbers: missing, late, repeated or unrelated frames, and the rows that follow from them.
//!
//! Numbers wrap, so a frame that seems old may also follow a long loss. Nothing is counted until that is decided. Frames
//! whose numbers don't continue the current numbering are kept aside: a burst that lost nearly the whole range, a
//! restarted target, a second sender, or the numbering before a wrong number. Later frames decide which.

use std::collections::VecDeque;

use spytui_plugin_api::{
    Activity, AttachmentId, Growth, LossCause, Output, Row, RowKind, Severity, StreamEventKind, Verb, batch::lost,
};

use crate::clock::{Clock, Order};

/// Maximum distance in bytes at which a target's start can be late or repeated: the size of a datagram. Farther on, the
/// target has restarted.
pub const DATAGRAM: u64 = 1500;

/// Reported once when two numberings alternate.
const ALTERNATE: &str = "two numberings alternate on this line, as of two senders: their gaps are not counted; \
                         give each a line of its own, or let one send";

/// Frames remembered to recognise repeated ones; as many as 8 bits can number.
const HISTORY: usize = 256;
/// Maximum lateness of a frame, in frames, without time stamps as evidence.
const LATEST: u64 = 64;
/// Maximum number of gaps that late frames may fill.
const MOST_GAPS: usize = 64;
const MOST_ASIDES: usize = 3;
/// Frames of the current numbering after which alternation counts as over.
const ALONE: u64 = 1024;
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

#[derive(Clone, Copy, Debug, Default)]
pub struct Numbered<'a> {
    pub number: u64,
    pub frame: &'a [u8],
    pub pos: u64,
    /// Its extended time, if it has one.
    pub time: Option<u64>,
    /// When it was made relative to the last frame in order, see [`crate::Clock::order`].
    pub order: Order,
}

/// Where a frame lies relative to the current numbering.
#[derive(Clone, Copy, Debug)]
struct Place {
    number: u64,
    /// Index of the next frame.
    next: u64,
    /// Distances from the next number, modulo its range.
    ahead: u64,
    back: u64,
    mark: u64,
    pos: u64,
    time: Option<u64>,
    order: Order,
}

/// A side numbering: frames that don't continue the current numbering.
#[derive(Clone, Copy, Debug)]
struct Aside {
    expected: u64,
    /// It was the current numbering earlier.
    was_main: bool,
    /// First number of the current run.
    first: u64,
    /// Length of the current run, in frames.
    run: u32,
    /// How often it alternated with the other numbering.
    switches: u32,
    /// Index of the frame that was expected when its last frame arrived.
    at: u64,
    /// Position of the first alternating frame.
    began: u64,
    /// The run has frames made earlier than the current numbering, or later.
    earlier: bool,
    later: bool,
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

/// Classification of a frame by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    First,
    Next,
    /// A byte-for-byte repetition.
    Again,
    /// A frame that arrived after its successors.
    Late,
    /// The next frame after this many missing ones.
    Gap(u64),
    /// Undecided until later frames arrive, or part of another numbering.
    Aside,
    /// A frame that decides what it and the preceding frames outside of the numbering are.
    Decided(Decision),
}

impl Step {
    /// Number of frames missing before it, according to its number.
    pub fn missing(self) -> Option<usize> {
        match self {
            Step::Next => Some(0),
            Step::Gap(missing) => Some(usize::try_from(missing).unwrap_or(usize::MAX)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// Position of its row.
    pub pos: u64,
    /// Lost records according to the numbers; 0 = not yet known whether any are lost.
    pub lost: u64,
    /// How many of them were certainly not lost in the target.
    pub linked: u64,
}

/// Where a frame belongs among its sender's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FramePlace {
    #[default]
    InOrder,
    /// Its row has [`spytui_plugin_api::RowFlags::OUT_OF_ORDER`], and the clock stays where it is.
    Aside,
    Repeated,
}

/// Result of taking a frame.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    pub place: FramePlace,
    /// A gap that it reveals.
    pub gap: Option<Lost>,
    /// Updates of earlier gaps.
    pub settled: Vec<Growth>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Note {
    Nothing,
    /// A late frame: position of the gap that it fills, and how many are still missing there.
    Late(Option<(u64, u64)>),
    /// Frames are missing; `lost` = 0: undecided.
    Gap {
        lost: u64,
        expected: u64,
    },
    Alternates,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    index: u64,
    mark: u64,
}

/// Matches no number, because numbers have at most 63 bits.
const LOOK: u64 = u64::MAX;

const NEVER: Seen = Seen { index: 1 << 63, mark: 0 };

#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Index of the first missing frame.
    first: u64,
    len: u64,
    left: u64,
    pos: u64,
}

/// Sequence numbers of a stream, and damage since the last valid frame. The index of a frame is its number without
/// wrapping.
#[derive(Clone, Debug)]
pub struct Sequence {
    mask: u64,
    /// Index of the next frame; `None` before the first.
    next: Option<u64>,
    /// Number of the next frame; [`LOOK`] = every frame needs a closer look, for example the first.
    plain: u64,
    /// Number after the last repeated frame, and index of the next frame at that time: several may repeat.
    repeated: Option<(u64, u64)>,
    /// Recent frames, at index modulo [`HISTORY`].
    seen: Box<[Seen; HISTORY]>,
    gaps: VecDeque<Gap>,
    /// Side numberings, most recent last.
    asides: Vec<Aside>,
    /// Lowest possible index of a frame.
    start: u64,
    /// Index at which the current numbering began.
    since: u64,
    /// Index of the next frame when the last one outside of the numbering arrived.
    last_aside: u64,
    alternates: bool,
    /// No frame since the last gap, or since the first frame, has a time.
    is_untimed: bool,
    /// Number of damaged frames since the last valid one.
    damaged: u64,
    /// Cause of a loss, if known; see [`AttachmentId::CAUSE`].
    cause: LossCause,
    /// Time of the last frame, if frames of other sequences may precede the next one.
    pub(crate) reached: Option<u64>,
}

impl Aside {
    /// Starts a side numbering at its first frame.
    fn new(number: u64, mask: u64, pos: u64) -> Aside {
        let (first, expected) = (number, number.wrapping_add(1) & mask);
        let (was_main, earlier, later) = (false, false, false);
        Aside { expected, was_main, first, run: 0, switches: 0, at: 0, began: pos, earlier, later }
    }

    /// Turns the current numbering into a side numbering.
    fn left(expected: u64, at: u64, began: u64, switches: u32) -> Aside {
        Aside { expected, was_main: true, at, switches, ..Aside::new(expected, 0, began) }
    }

    /// Whether a frame may belong to it; `followed` = number of frames since the current numbering began.
    fn may_have(&self, place: &Place, mask: u64, followed: u64) -> bool {
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
    fn is_old(&self, next: u64) -> bool {
        next.wrapping_sub(self.at) > MEMORY && next >= self.at
    }

    fn with(self, place: &Place, mask: u64) -> Aside {
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
    fn decision(&self, followed: u64) -> Decision {
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

/// Identifies a frame by its first and last bytes and length, which include checksum and time stamp.
#[inline]
fn mark_of(frame: &[u8]) -> u64 {
    let (Some(first), Some(last)) = (frame.first_chunk(), frame.last_chunk()) else { return mark_of_short(frame) };
    let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    (first ^ (frame.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ last
}

#[cold]
fn mark_of_short(frame: &[u8]) -> u64 {
    frame.iter().fold(frame.len() as u64, |n, &b| n << 8 | u64::from(b))
}

/// Adds an attachment that updates an earlier gap.
pub fn settle(growth: Growth, out: &mut Output<'_>) {
    let (a, b) = growth.numbers();
    out.attachment(AttachmentId::SETTLED, a, b);
}

impl Sequence {
    pub fn new(bits: u32) -> Sequence {
        Sequence {
            mask: LOOK >> (64 - bits.clamp(1, 63)),
            next: None,
            plain: LOOK,
            repeated: None,
            seen: Box::new([NEVER; HISTORY]),
            gaps: VecDeque::new(),
            asides: Vec::new(),
            start: 0,
            since: 0,
            last_aside: 0,
            alternates: false,
            is_untimed: false,
            damaged: 0,
            cause: LossCause::NONE,
            reached: None,
        }
    }

    /// Number of the next frame; `None` before the first.
    #[inline]
    pub fn expected(&self) -> Option<u64> {
        self.next.map(|next| next & self.mask)
    }

    /// Whether a frame is simply the next one, for [`Sequence::take_plain`].
    #[inline]
    pub fn is_plain(&self, number: u64) -> bool {
        self.plain == number
    }

    #[inline]
    pub fn take_plain(&mut self, frame: &[u8]) {
        self.advance(frame);
        (self.damaged, self.cause) = (0, LossCause::NONE);
    }

    #[inline]
    fn advance(&mut self, frame: &[u8]) {
        let Some(next) = self.next else { return };
        self.remember(next, mark_of(frame));
        let next = next.wrapping_add(1);
        (self.next, self.plain) = (Some(next), next & self.mask);
    }

    #[inline]
    fn remember(&mut self, index: u64, mark: u64) {
        self.seen[index as usize % HISTORY] = Seen { index, mark };
    }

    /// Makes [`Sequence::is_plain`] false for the next frame, whatever its number.
    pub fn watch(&mut self) {
        self.plain = LOOK;
    }

    /// Ends [`Sequence::watch`].
    pub fn unwatch(&mut self) {
        self.plain = self.expected().filter(|_| !self.is_untimed).unwrap_or(LOOK);
    }

    fn place(&self, frame: &Numbered<'_>) -> Option<Place> {
        let next = self.next?;
        let number = frame.number & self.mask;
        let (ahead, back) = (number.wrapping_sub(next) & self.mask, next.wrapping_sub(number) & self.mask);
        // The reference time is from before the gap.
        let order = if self.is_untimed && frame.order == Order::Later { Order::Unknown } else { frame.order };
        Some(Place { number, next, ahead, back, mark: mark_of(frame.frame), pos: frame.pos, time: frame.time, order })
    }

    /// Classifies a frame by its number without changing anything: a decoder may know better.
    pub fn step(&self, frame: &Numbered<'_>) -> Step {
        let Some(place) = self.place(frame) else { return Step::First };
        if place.ahead == 0 {
            return Step::Next;
        }
        if self.has_come(&place) {
            return Step::Again;
        }
        if self.is_late(&place) {
            return Step::Late;
        }
        if let Some(aside) = self.aside_of(&place) {
            let decision = self.asides[aside].with(&place, self.mask).decision(place.next.wrapping_sub(self.since));
            let is_open = self.alternates || decision == Decision::Open;
            return if is_open { Step::Aside } else { Step::Decided(decision) };
        }
        let farthest = if self.mask > 0xFF { self.mask / 2 } else { self.window() };
        let goes_back = (place.back <= farthest && !self.is_before_start(&place))
            || (place.order == Order::Earlier && place.ahead > LATEST);
        if goes_back || self.alternates { Step::Aside } else { Step::Gap(place.ahead) }
    }

    /// Whether the frame would lie before the start of the numbering.
    fn is_before_start(&self, place: &Place) -> bool {
        place.back > place.next.wrapping_sub(self.start)
    }

    /// Maximum lateness of a frame, in frames.
    fn window(&self) -> u64 {
        LATEST.min(self.mask / 2 + 1)
    }

    fn has_come(&self, place: &Place) -> bool {
        let seen = self.seen[place.number as usize % HISTORY];
        let distance = place.next.wrapping_sub(seen.index) as i64;
        let is_same = seen.mark == place.mark && seen.index & self.mask == place.number;
        // Without time stamps, equal frames look alike after each wrap.
        let is_nearer = distance <= 0 || distance.unsigned_abs() <= place.ahead;
        let is_known = is_nearer || place.time.is_some() || self.repeated == Some((place.number, place.next));
        is_same && is_known && distance.unsigned_abs() <= HISTORY as u64
    }

    fn has(&self, index: u64) -> bool {
        self.seen[index as usize % HISTORY].index == index
    }

    fn is_late(&self, place: &Place) -> bool {
        let Place { next, ahead, back, order, .. } = *place;
        if order == Order::Later || back > HISTORY as u64 || self.is_before_start(place) {
            return false;
        }
        let index = next.wrapping_sub(back);
        let is_nearer = back <= ahead || order == Order::Earlier;
        !self.has(index) && is_nearer && (back <= self.window() || self.gap_of(index).is_some())
    }

    /// The gap that contains this index.
    fn gap_of(&self, index: u64) -> Option<usize> {
        self.gaps.iter().position(|gap| index.wrapping_sub(gap.first) < gap.len && gap.left > 0)
    }

    fn aside_of(&self, place: &Place) -> Option<usize> {
        let followed = place.next.wrapping_sub(self.since);
        let may_have = |aside: &Aside| {
            let is_over = place.order != Order::Earlier && self.is_over(aside);
            !is_over && !aside.is_old(place.next) && aside.may_have(place, self.mask, followed)
        };
        let fits = |at: &usize| self.asides[*at].expected == place.number;
        let mut all = (0..self.asides.len()).filter(|at| may_have(&self.asides[*at]));
        all.clone().find(fits).or_else(|| all.next())
    }

    /// Of abandoned numberings, only the last can have been left because of a wrong number; others match by chance.
    fn is_over(&self, aside: &Aside) -> bool {
        aside.was_main && aside.switches == 0 && aside.at != self.since
    }

    /// Takes a valid frame classified as `step`, and adds rows for what it reveals, but not its own row. `note` fills
    /// in what all rows of the stream share.
    pub fn take(
        &mut self,
        step: Step,
        frame: &Numbered<'_>,
        (clock, note): (&Clock, impl Fn(Row) -> Row),
        out: &mut Output<'_>,
    ) -> Taken {
        let expected = self.expected().unwrap_or(frame.number);
        let mut taken = Taken::default();
        if step == Step::Again {
            taken.place = FramePlace::Repeated;
            self.repeated = self.next.map(|next| (frame.number.wrapping_add(1) & self.mask, next));
            return taken;
        }
        let said = self.follow_step(step, frame, &mut taken, out);
        taken.settled.iter().for_each(|growth| settle(*growth, out));
        match said {
            Note::Nothing => {}
            Note::Late(filled) => {
                out.attachment(AttachmentId::EXPECTED, expected, frame.number);
                if let Some((pos, left)) = filled {
                    out.attachment(AttachmentId::FILLS, pos, left);
                }
                out.row(note(Row::note(RowKind::LATE, frame.pos, 0)));
            }
            Note::Gap { lost, expected } => {
                taken.gap = Some(self.lost(frame.pos, lost));
                self.add_gap_row(lost, expected, frame, (clock, note), out);
            }
            Note::Alternates => {
                out.attachment_bytes(AttachmentId::TEXT, ALTERNATE.as_bytes());
                out.attachment(AttachmentId::LOST, 0, lost::AT_LEAST);
                out.row(note(Row { severity: Severity::WARNING, ..Row::gap(frame.pos) }));
            }
        }
        if taken.place == FramePlace::InOrder {
            (self.damaged, self.cause) = (0, LossCause::NONE);
        }
        taken
    }

    fn lost(&self, pos: u64, lost: u64) -> Lost {
        Lost { pos, lost, linked: if self.cause == LossCause::NONE { self.damaged } else { lost } }
    }

    /// Takes a frame classified as `step`; returns the note before its row.
    fn follow_step(&mut self, step: Step, frame: &Numbered<'_>, taken: &mut Taken, out: &mut Output<'_>) -> Note {
        let number = frame.number & self.mask;
        let Some(place) = self.place(frame).filter(|_| step != Step::First) else {
            self.begin(number);
            // Frames sent earlier may arrive late.
            self.start = self.start.wrapping_sub(LATEST);
            self.advance(frame.frame);
            self.is_untimed = frame.time.is_none();
            self.watch();
            return Note::Nothing;
        };
        let said = match step {
            Step::First | Step::Next | Step::Again => Note::Nothing,
            Step::Gap(missing) => self.skip(missing, &place),
            Step::Late => self.late(&place, taken),
            Step::Aside => self.aside(&place, taken),
            Step::Decided(Decision::Alternates) => {
                self.aside(&place, taken);
                let began = self.asides.iter().find(|aside| aside.at == place.next);
                self.alternate(began.map_or(place.pos, |aside| aside.began), taken)
            }
            Step::Decided(decision) => self.decide(decision, &place, taken, out),
        };
        if self.alternates && place.next.wrapping_sub(self.last_aside) > ALONE && taken.place == FramePlace::InOrder {
            self.alternates = false;
            self.asides.clear();
        }
        if taken.place == FramePlace::InOrder {
            self.advance(frame.frame);
            self.is_untimed = frame.time.is_none() && (self.is_untimed || matches!(step, Step::Gap(_)));
            self.unwatch();
        }
        said
    }

    /// Starts a numbering at this number, because the target starts; the previous one may continue.
    pub fn begin(&mut self, number: u64) {
        let number = number & self.mask;
        // Leaves room for late frames, which have a lower index.
        let index = if self.mask > u64::from(u32::MAX) { number } else { 1 << 40 | number };
        if let Some(before) = self.expected().filter(|before| *before != number) {
            self.leave(Aside::left(before, index, 0, 0));
        }
        self.seen.fill(NEVER);
        self.gaps.clear();
        (self.next, self.start, self.since, self.plain) = (Some(index), index, index, number);
    }

    /// Records a gap before the frame.
    fn skip(&mut self, missing: u64, place: &Place) -> Note {
        let (next, pos) = (place.next, place.pos);
        let is_next = |aside: &Aside| aside.was_main && aside.expected == place.number && !self.is_over(aside);
        let before = self.asides.iter().position(is_next).map(|at| self.asides.remove(at));
        let (began, switches) = before.map_or((pos, 0), |aside| (aside.began.min(pos), aside.switches + 1));
        let lost = missing - self.came_beside(next, missing);
        self.add_gap(Gap { first: next, len: missing, left: lost, pos });
        self.leave(Aside::left(next & self.mask, next.wrapping_add(missing), began, switches));
        self.follow(next.wrapping_add(missing));
        Note::Gap { lost, expected: next & self.mask }
    }

    fn add_gap(&mut self, gap: Gap) {
        let is_old = |old: &Gap| gap.first.wrapping_sub(old.first.wrapping_add(old.len)) as i64 > HISTORY as i64;
        while self.gaps.front().is_some_and(is_old) || self.gaps.len() >= MOST_GAPS {
            self.gaps.pop_front();
        }
        self.gaps.push_back(gap);
    }

    fn leave(&mut self, aside: Aside) {
        if self.asides.len() >= MOST_ASIDES {
            self.asides.remove(0);
        }
        self.asides.push(aside);
    }

    /// Makes this the index of the next frame.
    fn follow(&mut self, index: u64) {
        (self.next, self.since) = (Some(index), index);
    }

    /// Handles a frame that arrived after its successors.
    fn late(&mut self, place: &Place, taken: &mut Taken) -> Note {
        let index = place.next.wrapping_sub(place.back);
        self.remember(index, place.mark);
        let filled = self.gap_of(index).map(|at| {
            let gap = &mut self.gaps[at];
            gap.left -= 1;
            let how = if gap.left == 0 { lost::NONE } else { lost::FEWER };
            taken.settled.push(Growth { pos: gap.pos, more: 1, how });
            (gap.pos, gap.left)
        });
        taken.place = FramePlace::Aside;
        let mask = self.mask;
        let is_next = |aside: &&mut Aside| aside.expected == place.number && !aside.is_old(place.next);
        if let Some(aside) = self.asides.iter_mut().find(is_next) {
            *aside = aside.with(&Place { order: Order::Earlier, ..*place }, mask);
            let began = aside.began;
            if aside.decision(place.next) == Decision::Alternates && !self.alternates {
                return self.alternate(began, taken);
            }
        }
        Note::Late(filled)
    }

    fn aside(&mut self, place: &Place, taken: &mut Taken) -> Note {
        taken.place = FramePlace::Aside;
        self.last_aside = place.next;
        let before = self.aside_of(place).map(|at| self.asides.remove(at));
        let is_first = before.is_none() && !self.alternates;
        let aside = before.unwrap_or_else(|| Aside::new(place.number, self.mask, place.pos));
        self.leave(aside.with(place, self.mask));
        self.remember(place.next.wrapping_add(place.ahead), place.mark);
        if is_first { Note::Gap { lost: 0, expected: place.next & self.mask } } else { Note::Nothing }
    }

    /// Treats the side frames as the end of a loss of nearly the whole range; `number` = the number after the loss and
    /// those frames.
    fn burst(&mut self, pos: u64, number: u64, next: u64) -> Growth {
        let len = number.wrapping_sub(next) & self.mask;
        let lost = len - self.came_beside(next, len);
        self.add_gap(Gap { first: next, len, left: lost, pos });
        Growth { pos, more: lost, how: lost::AT_LEAST }
    }

    /// Side frames that arrived since the last frame in order, at most `len`.
    fn came_beside(&self, next: u64, len: u64) -> u64 {
        let is_here = |aside: &&Aside| !aside.was_main && aside.at == next && aside.run > 0;
        self.asides.iter().filter(is_here).map(|aside| u64::from(aside.run)).sum::<u64>().min(len)
    }

    /// Call it before adding the row of an out-of-order record that reports `dropped` records not covered by a gap. If
    /// the side frames follow a loss of that many, give or take the damaged ones, they continue the numbering, and the
    /// gap is returned.
    pub fn prove(&mut self, dropped: u64, out: &mut Output<'_>) -> Option<Lost> {
        let next = self.next?;
        let at = self.asides.iter().rposition(|aside| !aside.was_main && aside.at == next && aside.run > 0)?;
        let aside = self.asides[at];
        let len = aside.expected.wrapping_sub(next) & self.mask;
        let lost = len - self.came_beside(next, len);
        if dropped == 0 || lost.wrapping_sub(dropped) & self.mask > self.damaged {
            return None;
        }
        let growth = self.burst(aside.began, aside.expected, next);
        self.asides.remove(at);
        self.follow(next.wrapping_add(aside.expected.wrapping_sub(next) & self.mask));
        self.plain = aside.expected;
        settle(growth, out);
        let lost = self.lost(growth.pos, growth.more);
        (self.damaged, self.cause) = (0, LossCause::NONE);
        Some(lost)
    }

    /// The target reports that it dropped everything missing so far, so no frame had a wrong number.
    pub fn proven(&mut self) {
        if !self.alternates {
            self.asides.clear();
        }
    }

    /// Two numberings alternate: gaps since `began` were not losses.
    fn alternate(&mut self, began: u64, taken: &mut Taken) -> Note {
        self.take_back(began, taken);
        self.alternates = true;
        self.last_aside = self.next.unwrap_or_default();
        Note::Alternates
    }

    fn take_back(&mut self, since: u64, taken: &mut Taken) {
        for gap in self.gaps.iter_mut().filter(|gap| gap.pos >= since && gap.left > 0) {
            taken.settled.push(Growth { pos: gap.pos, more: gap.left, how: lost::EXACT });
            gap.left = 0;
        }
    }

    /// Switches to the numbering of the side frames, now that they are explained.
    fn decide(&mut self, decision: Decision, place: &Place, taken: &mut Taken, out: &mut Output<'_>) -> Note {
        let Place { number, next, pos, .. } = *place;
        let mut said = Note::Nothing;
        let Some(at) = self.aside_of(place) else { return said };
        let missing = number.wrapping_sub(self.asides[at].expected) & self.mask;
        let aside = self.asides[at].with(place, self.mask);
        let goes_on = next.wrapping_add(place.ahead);
        let followed = next.wrapping_sub(self.since);
        let was_wrong = decision == Decision::Return && followed <= 2;
        match decision {
            Decision::Burst => {
                let growth = self.burst(aside.began, number, next);
                settle(growth, out);
                taken.gap = Some(self.lost(growth.pos, growth.more));
            }
            Decision::Return => {
                self.take_back(aside.began, taken);
                // Some arrived late, and some with a wrong number.
                let index = |back: u64| goes_on.wrapping_sub(back).wrapping_sub(self.mask).wrapping_sub(1);
                let came = (1..=missing).filter(|back| self.has(index(*back))).count() as u64;
                let lost = missing.saturating_sub(came + if was_wrong { followed } else { 0 });
                if lost > 0 {
                    self.add_gap(Gap { first: goes_on.wrapping_sub(missing), len: missing, left: lost, pos });
                    said = Note::Gap { lost, expected: number.wrapping_sub(missing) & self.mask };
                }
            }
            Decision::Open | Decision::Alternates | Decision::Restart | Decision::Moved => {}
        }
        self.asides.remove(at);
        if !was_wrong {
            self.leave(Aside::left(next & self.mask, goes_on, aside.began, aside.switches));
        }
        self.follow(goes_on);
        self.since = goes_on.wrapping_sub(u64::from(aside.run) - 1);
        said
    }

    /// Takes skipped bytes; `frame` = they are one damaged frame.
    pub fn skipped(&mut self, frame: bool) {
        self.damaged += u64::from(frame);
    }

    /// Takes a stream event, which may explain the next loss.
    pub fn event(&mut self, kind: StreamEventKind) {
        match kind {
            StreamEventKind::LINE_ERROR => self.cause = LossCause::LINE,
            StreamEventKind::HOST_LOSS => self.cause = LossCause::HOST,
            _ => {}
        }
    }

    /// Adds a gap row. The number of lost records is never exact: multiples of the whole range can't be seen.
    fn add_gap_row(
        &self,
        lost: u64,
        expected: u64,
        frame: &Numbered<'_>,
        (clock, note): (&Clock, impl Fn(Row) -> Row),
        out: &mut Output<'_>,
    ) {
        let row = note(Row::gap(frame.pos));
        if out.wants_activities() {
            out.activity(Activity { core: row.core, ..Activity::new(Verb::LOST).val(lost) });
        }
        out.attachment(AttachmentId::LOST, lost, lost::AT_LEAST);
        out.attachment(AttachmentId::EXPECTED, expected, frame.number);
        if self.cause != LossCause::NONE {
            out.attachment(AttachmentId::CAUSE, self.cause.0, 0);
        }
        if self.damaged > 0 {
            out.attachment(AttachmentId::DAMAGED, self.damaged, 0);
        }
        if let Some(time) = frame.time.filter(|_| clock.is_known()) {
            out.attachment(AttachmentId::SPAN, self.reached.unwrap_or_else(|| clock.now()), time);
        }
        out.row(row);
    }
}
