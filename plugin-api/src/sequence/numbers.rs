//! What a sequence number says of its frame. A number is at most so many bits wide, so a frame that seems to come from
//! before may as well come after a long loss. Until that is decided, nothing is counted.

use std::collections::VecDeque;

use super::aside::{Aside, Decision};
use crate::{batch::lost, clock::Order, growth::Growth};

/// Frames that are remembered, to recognise those that come again; all that 8 bits can number.
const HISTORY: usize = 256;
/// Frames that one may come after its successors, where time stamps don't show that it is late.
const LATEST: u64 = 64;
/// Most gaps that frames may fill.
const MOST_GAPS: usize = 64;
/// Most numberings that are remembered beside the one that is followed.
const MOST_ASIDES: usize = 3;
/// Frames without another numbering after which there is no other.
const ALONE: u64 = 1024;

/// What a frame is by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The first.
    First,
    /// The next one.
    Next,
    /// One that came before, byte for byte.
    Again,
    /// One that came after its successors.
    Late,
    /// The next one after so many that are missing.
    Gap(u64),
    /// One of which others must decide, or of another numbering.
    Aside,
    /// A frame after which it is decided what it and those beside the numbering before it are.
    Decided(Decision),
}

impl Step {
    /// Number of frames that are missing before it, as far as its number says that.
    #[must_use]
    pub fn missing(self) -> Option<usize> {
        match self {
            Step::Next => Some(0),
            Step::Gap(missing) => Some(usize::try_from(missing).unwrap_or(usize::MAX)),
            _ => None,
        }
    }
}

/// What is reported when a frame is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    Nothing,
    /// A late frame: position of the gap from which it was missing, and how many still are.
    Late(Option<(u64, u64)>),
    Gap(u64),
    /// The number does not say yet what happened.
    Open,
    /// Two numberings alternate.
    Alternates,
}

/// A note, and what the frame says of earlier gaps.
#[derive(Clone, Debug)]
pub(super) struct News {
    pub(super) note: Note,
    pub(super) settled: Vec<Growth>,
    /// An earlier row is that of a loss.
    pub(super) burst: Option<Growth>,
    /// The frame is not of the numbering that is followed.
    pub(super) is_aside: bool,
}

/// A frame that came.
#[derive(Clone, Copy, Debug)]
struct Seen {
    index: u64,
    mark: u64,
}

/// Frames that are missing.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// Index of the first.
    first: u64,
    len: u64,
    /// How many still are.
    left: u64,
    pos: u64,
}

/// A numbering. Frames have an index, which is their number without a wrap.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    mask: u64,
    /// The next number, if no frame needs a closer look; `None` = the next one does.
    plain: Option<u64>,
    /// Index of the next frame; `None` before the first.
    next: Option<u64>,
    /// The frame with an index is at its last digits.
    seen: Box<[Seen; HISTORY]>,
    gaps: VecDeque<Gap>,
    asides: Vec<Aside>,
    /// Index of the first frame that there may be.
    start: u64,
    /// Index with which this numbering began to be followed.
    since: u64,
    /// Index of the frame expected when the last one beside came.
    last_aside: u64,
    alternates: bool,
}

/// First and last bytes and length of a frame: with check sum and time stamp, they identify it.
#[inline]
fn mark_of(frame: &[u8]) -> u64 {
    let short = || frame.iter().fold(0, |n, &b| n << 8 | u64::from(b));
    let first = frame.first_chunk().map_or_else(short, |b| u64::from_le_bytes(*b));
    let last = frame.last_chunk().map_or_else(short, |b| u64::from_le_bytes(*b));
    (first.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ last).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ frame.len() as u64
}

impl Numbers {
    /// A numbering of so many bits.
    pub(super) fn new(bits: u32) -> Numbers {
        Numbers {
            mask: u64::MAX >> (64 - bits.clamp(1, 64)),
            plain: None,
            next: None,
            seen: Box::new([Seen { index: 0, mark: 0 }; HISTORY]),
            gaps: VecDeque::new(),
            asides: Vec::new(),
            start: 0,
            since: 0,
            last_aside: 0,
            alternates: false,
        }
    }

    /// The next number; `None` before the first frame.
    #[inline]
    pub(super) fn expected(&self) -> Option<u64> {
        self.next.map(|next| next & self.mask)
    }

    /// Whether a number is the next one, and nothing else is to be said of its frame.
    #[inline]
    pub(super) fn is_plain(&self, number: u64) -> bool {
        self.plain == Some(number)
    }

    /// Takes a frame of which [`Numbers::is_plain`] holds.
    #[inline]
    pub(super) fn take_plain(&mut self, number: u64, frame: &[u8]) {
        let Some(next) = self.next else { return };
        self.seen[next as usize % HISTORY] = Seen { index: next, mark: mark_of(frame) };
        self.next = Some(next.wrapping_add(1));
        self.plain = Some(number.wrapping_add(1) & self.mask);
    }

    /// The next frame needs a closer look.
    pub(super) fn watch(&mut self) {
        self.plain = None;
    }

    /// It does not any more.
    pub(super) fn unwatch(&mut self) {
        self.plain = self.expected();
    }

    /// What a frame is. Nothing is changed: a decoder may know better.
    pub(super) fn step(&self, number: u64, frame: &[u8], order: Order) -> Step {
        let Some(next) = self.next else { return Step::First };
        let number = number & self.mask;
        let (ahead, back) = (number.wrapping_sub(next) & self.mask, next.wrapping_sub(number) & self.mask);
        if ahead == 0 {
            return Step::Next;
        }
        if self.has_come(number, next, mark_of(frame)) {
            return Step::Again;
        }
        if self.is_late(next, (ahead, back), order) {
            return Step::Late;
        }
        if let Some(aside) = self.aside_of(number, next, ahead, order) {
            let followed = next.wrapping_sub(self.since);
            let decision = self.asides[aside].with(number, self.mask, next, order).decision(followed);
            let is_open = self.alternates || decision == Decision::Open;
            return if is_open { Step::Aside } else { Step::Decided(decision) };
        }
        let farthest = if self.mask > 0xFF { self.mask / 2 } else { self.window() };
        let goes_back =
            (back <= farthest && !self.is_before_start(next, back)) || (order == Order::Earlier && ahead > LATEST);
        if goes_back || self.alternates { Step::Aside } else { Step::Gap(ahead) }
    }

    /// Whether nothing can come from as far back.
    fn is_before_start(&self, next: u64, back: u64) -> bool {
        back > next.wrapping_sub(self.start)
    }

    /// Frames that a late one may be behind.
    fn window(&self) -> u64 {
        LATEST.min(self.mask / 2 + 1)
    }

    fn has_come(&self, number: u64, next: u64, mark: u64) -> bool {
        let seen = self.seen[number as usize % HISTORY];
        let distance = next.wrapping_sub(seen.index) as i64;
        seen.mark == mark && seen.index & self.mask == number && distance.unsigned_abs() <= HISTORY as u64
    }

    fn is_late(&self, next: u64, (ahead, back): (u64, u64), order: Order) -> bool {
        if order == Order::Later || back > HISTORY as u64 || self.is_before_start(next, back) {
            return false;
        }
        let index = next.wrapping_sub(back);
        let is_there = self.seen[index as usize % HISTORY].index == index;
        let is_nearer = back <= ahead || order == Order::Earlier;
        !is_there && is_nearer && (back <= self.window() || self.gap_of(index).is_some())
    }

    /// The gap from which a frame is missing.
    fn gap_of(&self, index: u64) -> Option<usize> {
        self.gaps.iter().position(|gap| index.wrapping_sub(gap.first) < gap.len && gap.left > 0)
    }

    fn aside_of(&self, number: u64, next: u64, ahead: u64, order: Order) -> Option<usize> {
        let followed = next.wrapping_sub(self.since);
        let may_have = |aside: &Aside| {
            let is_over = order != Order::Earlier && self.is_over(aside);
            !is_over && !aside.is_old(next) && aside.may_have(number, self.mask, ahead, followed, order)
        };
        let fits = |at: &usize| self.asides[*at].expected == number;
        let mut all = (0..self.asides.len()).filter(|at| may_have(&self.asides[*at]));
        all.clone().find(fits).or_else(|| all.next())
    }

    /// Of the numberings that were left, only the last can have been left for a wrong number. Others have that number next by
    /// chance.
    fn is_over(&self, aside: &Aside) -> bool {
        aside.was_main && aside.switches == 0 && aside.at != self.since
    }

    /// Takes a frame that is `step`, at position `pos`.
    pub(super) fn take(&mut self, step: Step, number: u64, frame: &[u8], (pos, order): (u64, Order)) -> News {
        let number = number & self.mask;
        let mut news = News { note: Note::Nothing, settled: Vec::new(), burst: None, is_aside: false };
        let Some(next) = self.next.filter(|_| step != Step::First) else {
            self.begin(number);
            // What was sent before may come late.
            self.start = self.start.wrapping_sub(LATEST);
            self.take_plain(number, frame);
            return news;
        };
        match step {
            Step::First | Step::Next | Step::Again => {}
            Step::Gap(missing) => self.gap(missing, next, pos, &mut news),
            Step::Late => self.late(number, next, frame, &mut news),
            Step::Aside => self.aside(number, next, frame, (pos, order), &mut news),
            Step::Decided(Decision::Alternates) => {
                self.aside(number, next, frame, (pos, order), &mut news);
                let began = self.asides.iter().find(|aside| aside.at == next).map_or(pos, |aside| aside.began);
                self.alternate(began, &mut news);
            }
            Step::Decided(decision) => self.decide(decision, number, next, (pos, order), &mut news),
        }
        if self.alternates && next.wrapping_sub(self.last_aside) > ALONE && !news.is_aside {
            self.alternates = false;
            self.asides.clear();
        }
        if !news.is_aside {
            self.take_plain(number, frame);
        }
        news
    }

    /// A numbering begins with this number; the one before may not be over.
    pub(super) fn begin(&mut self, number: u64) {
        let number = number & self.mask;
        // Late frames have a lower index.
        let index = if self.mask > u64::from(u32::MAX) { number } else { 1 << 40 | number };
        if let Some(before) = self.expected().filter(|before| *before != number) {
            self.leave(Aside::left(before, index, 0, 0));
        }
        self.seen.fill(Seen { index: index.wrapping_add(1 << 62), mark: 0 });
        self.gaps.clear();
        (self.next, self.start, self.since, self.plain) = (Some(index), index, index, Some(number));
    }

    /// A gap before the next frame.
    fn gap(&mut self, missing: u64, next: u64, pos: u64, news: &mut News) {
        let begins = next.wrapping_add(missing) & self.mask;
        let before =
            self.asides.iter().position(|aside| aside.was_main && aside.expected == begins && !self.is_over(aside));
        let before = before.map(|at| self.asides.remove(at));
        let (began, switches) = before.map_or((pos, 0), |aside| (aside.began.min(pos), aside.switches + 1));
        let lost = missing - self.came_beside(next, missing);
        self.add_gap(Gap { first: next, len: missing, left: lost, pos });
        self.leave(Aside::left(next & self.mask, next.wrapping_add(missing), began, switches));
        self.follow(next.wrapping_add(missing));
        news.note = Note::Gap(lost);
    }

    fn add_gap(&mut self, gap: Gap) {
        let is_old = |old: &Gap| gap.first.wrapping_sub(old.first.wrapping_add(old.len)) as i64 > HISTORY as i64;
        while self.gaps.front().is_some_and(is_old) || self.gaps.len() >= MOST_GAPS {
            self.gaps.pop_front();
        }
        self.gaps.push_back(gap);
    }

    /// Remembers a numbering that is not followed.
    fn leave(&mut self, aside: Aside) {
        if self.asides.len() >= MOST_ASIDES {
            self.asides.remove(0);
        }
        self.asides.push(aside);
    }

    /// The frame with this index is the next.
    fn follow(&mut self, index: u64) {
        (self.next, self.since) = (Some(index), index);
    }

    /// A frame that came after its successors.
    fn late(&mut self, number: u64, next: u64, frame: &[u8], news: &mut News) {
        let index = next.wrapping_sub(next.wrapping_sub(number) & self.mask);
        self.remember(index, frame);
        let gap = self.gap_of(index).map(|at| &mut self.gaps[at]);
        let filled = gap.map(|gap| {
            gap.left -= 1;
            news.settled.push(Growth {
                pos: gap.pos,
                more: 1,
                how: if gap.left == 0 { lost::NONE } else { lost::FEWER },
            });
            (gap.pos, gap.left)
        });
        (news.note, news.is_aside) = (Note::Late(filled), true);
        let mask = self.mask;
        if let Some(aside) = self.asides.iter_mut().find(|aside| aside.expected == number && !aside.is_old(next)) {
            *aside = aside.with(number, mask, next, Order::Earlier);
            let began = aside.began;
            if aside.decision(next) == Decision::Alternates && !self.alternates {
                self.alternate(began, news);
            }
        }
    }

    fn remember(&mut self, index: u64, frame: &[u8]) {
        self.seen[index as usize % HISTORY] = Seen { index, mark: mark_of(frame) };
    }

    /// A frame beside the numbering.
    fn aside(&mut self, number: u64, next: u64, frame: &[u8], (pos, order): (u64, Order), news: &mut News) {
        let ahead = number.wrapping_sub(next) & self.mask;
        news.is_aside = true;
        self.last_aside = next;
        match self.aside_of(number, next, ahead, order) {
            Some(at) => self.asides[at] = self.asides[at].with(number, self.mask, next, order),
            None => {
                self.leave(Aside::new(number, self.mask, pos).with(number, self.mask, next, order));
                news.note = if self.alternates { Note::Nothing } else { Note::Open };
            }
        }
        self.remember(next.wrapping_add(ahead), frame);
    }

    /// The frames beside come after a loss of nearly the whole range; `number` = that which follows the loss and those
    /// that came.
    fn burst(&mut self, pos: u64, number: u64, next: u64) -> Growth {
        let len = number.wrapping_sub(next) & self.mask;
        let lost = len - self.came_beside(next, len);
        self.add_gap(Gap { first: next, len, left: lost, pos });
        Growth { pos, more: lost, how: lost::AT_LEAST }
    }

    /// Frames that came beside since the last in order, of the next `len` ones.
    fn came_beside(&self, next: u64, len: u64) -> u64 {
        let is_here = |aside: &&Aside| !aside.was_main && aside.at == next && aside.run > 0;
        let is_before = |aside: &&Aside| aside.first.wrapping_sub(next) & self.mask < len;
        self.asides.iter().filter(is_here).filter(is_before).map(|aside| u64::from(aside.run)).sum::<u64>().min(len)
    }

    /// The target says that it dropped so many records of which no gap is known. If as many are missing before the frames
    /// beside, up to `damaged`, it is decided that they are.
    pub(super) fn prove(&mut self, dropped: u64, damaged: u64) -> Option<Growth> {
        let next = self.next?;
        let at = self.asides.iter().position(|aside| !aside.was_main && aside.at == next && aside.run > 0)?;
        let aside = self.asides[at];
        let len = aside.expected.wrapping_sub(next) & self.mask;
        let lost = len - self.came_beside(next, len);
        if dropped == 0 || lost.wrapping_sub(dropped) & self.mask > damaged {
            return None;
        }
        let growth = self.burst(aside.began, aside.expected, next);
        self.asides.remove(at);
        self.follow(next.wrapping_add(aside.expected.wrapping_sub(next) & self.mask));
        self.plain = Some(aside.expected);
        Some(growth)
    }

    /// Two numberings alternate: what seemed to be lost since they began to is not.
    fn alternate(&mut self, began: u64, news: &mut News) {
        self.take_back(began, news);
        self.alternates = true;
        self.last_aside = self.next.unwrap_or_default();
        news.note = Note::Alternates;
    }

    fn take_back(&mut self, since: u64, news: &mut News) {
        for gap in self.gaps.iter_mut().filter(|gap| gap.pos >= since && gap.left > 0) {
            news.settled.push(Growth { pos: gap.pos, more: gap.left, how: lost::NONE });
            gap.left = 0;
        }
    }

    /// It is decided what the frames beside are; their numbering is followed from here on.
    fn decide(&mut self, decision: Decision, number: u64, next: u64, (pos, order): (u64, Order), news: &mut News) {
        let ahead = number.wrapping_sub(next) & self.mask;
        let Some(at) = self.aside_of(number, next, ahead, order) else { return };
        let missing = number.wrapping_sub(self.asides[at].expected) & self.mask;
        let aside = self.asides[at].with(number, self.mask, next, order);
        let goes_on = next.wrapping_add(ahead);
        match decision {
            Decision::Burst => {
                news.burst = Some(self.burst(aside.began, number, next));
            }
            Decision::Return => {
                self.take_back(aside.began, news);
                if missing > 0 {
                    self.add_gap(Gap { first: goes_on.wrapping_sub(missing), len: missing, left: missing, pos });
                    news.note = Note::Gap(missing);
                }
            }
            Decision::Open | Decision::Alternates | Decision::Restart | Decision::Moved => {}
        }
        self.asides.remove(at);
        let was_wrong = decision == Decision::Return && next.wrapping_sub(self.since) <= 2;
        if !was_wrong {
            self.leave(Aside::left(next & self.mask, goes_on, aside.began, aside.switches));
        }
        self.follow(goes_on);
        self.since = goes_on.wrapping_sub(u64::from(aside.run) - 1);
    }
}
