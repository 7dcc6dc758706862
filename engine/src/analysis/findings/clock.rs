//! Time stamps that stand still, jump or go back.

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::Moment;

/// Records in a row with the same time stamp: more than a target sends in one tick of a typical clock.
const STILL: u64 = 1024;
/// A step this many times longer than any other is not the program's own rhythm.
const JUMP: u64 = 1000;
/// Steps required before and after a jump; excludes the pause after start-up.
const STEPS: u64 = 256;

#[derive(Debug, Clone, Copy, Default)]
struct Step {
    ticks: u64,
    ns: Option<u64>,
    at: Moment,
    before: u64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stamps {
    last: Option<(u64, Option<u64>)>,
    same: u64,
    from: Moment,
    still: Evidence,
    longest_still: u64,
    back: Evidence,
    steps: u64,
    longest: Step,
    second: u64,
    pub(super) seen: u64,
}

impl Stamps {
    /// Adds a record's own time stamp, in ticks, and in ns if the unit is known.
    pub(super) fn stamp(&mut self, here: Moment, time: u64, ns: Option<u64>) {
        self.seen += 1;
        let before = self.last.replace((time, ns));
        match before {
            Some((before, _)) if before == time => self.stands(here),
            Some((before, before_ns)) => {
                self.same = 0;
                self.from = here;
                let ns = ns.zip(before_ns).map(|(now, before)| now.saturating_sub(before));
                self.step(time.saturating_sub(before), ns, here);
            }
            None => (self.same, self.from) = (0, here),
        }
    }

    fn stands(&mut self, here: Moment) {
        self.same += 1;
        self.longest_still = self.longest_still.max(self.same + 1);
        if self.same == STILL {
            self.still.add_from(self.from, here, 0);
        } else if self.same > STILL {
            self.still.latest = here;
        }
    }

    fn step(&mut self, ticks: u64, ns: Option<u64>, here: Moment) {
        if ticks > self.longest.ticks {
            self.second = self.longest.ticks;
            self.longest = Step { ticks, ns, at: here, before: self.steps };
        } else {
            self.second = self.second.max(ticks);
        }
        self.steps += 1;
    }

    pub(super) fn back(&mut self, here: Moment) {
        self.back.add(here, 0);
        self.last = None;
    }

    /// Records are missing or the target was reset, so the next step is not measured.
    pub(super) fn lost(&mut self) {
        self.last = None;
    }

    pub(super) fn found(&self, out: &mut Vec<Found>) {
        if self.still.count > 0 {
            out.push(Found::new(Rule::TimeStands, None, self.still, Detail::Same(self.longest_still)));
        }
        if self.back.count > 0 {
            out.push(Found::new(Rule::TimeBack, None, self.back, Detail::Nothing));
        }
        let step = self.longest;
        let is_known = step.before >= STEPS && self.steps - step.before > STEPS;
        if is_known && step.ticks / JUMP >= self.second.max(1) {
            let mut evidence = Evidence::default();
            evidence.add(step.at, step.ticks);
            out.push(Found::new(Rule::TimeJump, None, evidence, Detail::Step { ticks: step.ticks, ns: step.ns }));
        }
    }
}
