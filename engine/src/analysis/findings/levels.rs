//! Queues and pools that were full or nearly full, queues that are never empty, and pools whose use keeps growing.

use spytui_plugin_api::{Activity, ActivityFlags as F, Class, Info, Verb as V};

use super::finding::{Cases, Detail, Evidence, FoundCase, Rule};
use crate::replay::{Change, Entities, Id, Moment, Seen, Slots};

/// Level changes without an empty queue after which it counts as never drained: a task that keeps up empties its queue
/// whenever it is idle, and a burst of 32 events exceeds most queues.
const STEADY: u64 = 64;
/// A queue or pool of at most this size is often full in normal use, so it is only reported when full, not when nearly
/// full.
const SMALL: u64 = 3;
/// Nearly full = one free element, or at most 1/SHARE free.
const SHARE: u64 = 10;

/// The fullest level seen.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extreme {
    level: Option<u64>,
    pub(super) evidence: Evidence,
}

impl Extreme {
    /// A level was entered; `beats` = it is worse than the worst so far.
    fn enter(&mut self, level: u64, here: Moment, beats: impl Fn(u64, u64) -> bool) {
        match self.level {
            Some(worst) if worst == level => self.evidence.add(here, 0),
            Some(worst) if !beats(level, worst) => {}
            _ => {
                *self = Extreme { level: Some(level), evidence: Evidence::default() };
                self.evidence.add(here, 0);
            }
        }
    }
}

/// Level changes by exactly one without an empty queue. A larger change means that a record is missing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Streak {
    level: Option<(u64, bool)>,
    steps: u64,
    /// Decreases by one.
    down: u64,
    first: Moment,
    /// Fullest level, as distance from empty.
    worst: (u64, Moment),
    latest: Moment,
}

impl Streak {
    pub(super) fn evidence(&self) -> Evidence {
        Evidence { count: self.steps, first: self.first, worst: self.worst.1, latest: self.latest, badness: 0 }
    }

    fn is_found(&self) -> bool {
        // A queue that only fills up will be reported as full.
        self.steps >= STEADY && self.down >= STEADY / 4
    }

    fn step(&mut self, level: u64, free: bool, here: Moment) {
        let before = self.level.replace((level, free));
        let follows = before.is_some_and(|(old, was)| was == free && old.abs_diff(level) == 1);
        if !follows {
            *self =
                Streak { level: self.level, first: here, worst: (fullness(level, free), here), ..Streak::default() };
            return;
        }
        self.steps += 1;
        let is_fuller = before.is_some_and(|(old, _)| (level < old) == free);
        self.down += u64::from(!is_fuller);
        if fullness(level, free) > self.worst.0 {
            self.worst = (fullness(level, free), here);
        }
        self.latest = here;
    }
}

fn fullness(level: u64, free: bool) -> u64 {
    if free { u64::MAX - level } else { level }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Watched {
    posted: bool,
    free: bool,
    level: Option<u64>,
    capacity: Option<u64>,
    pub(super) extreme: Extreme,
    pub(super) streak: Streak,
    longest: Streak,
    pub(super) stretches: Stretches,
    seen: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Fills(pub(super) Slots<Watched>);

impl Fills {
    /// Applies an activity on a queue or pool with its changes.
    pub(super) fn apply(&mut self, seen: &Seen<'_>, of: Id, cases: &mut Cases) {
        let Seen { activity, here: &here, .. } = *seen;
        let watched = self.0.of(of);
        let failed = activity.flags.contains(F::FAILED);
        match activity.verb {
            V::POST | V::GET => watched.posted = true,
            _ => watched.seen += 1,
        }
        if activity.verb == V::FULL || (failed && matches!(activity.verb, V::POST | V::LEVEL)) {
            cases.of(Rule::Refused, Some(of), Detail::Nothing).add_once(here);
        }
        if matches!(activity.verb, V::EMPTY | V::CLEARED) {
            watched.drained();
        }
        if activity.verb == V::LEVEL && !failed {
            watched.reported_low(activity, here);
        }
        for change in seen.changes {
            let Change::Level { level, free, .. } = *change else { continue };
            if !failed {
                watched.enter(level, free, matches!(activity.verb, V::EMPTY | V::CLEARED), here);
            }
            watched.stretches.level(level, free, here);
        }
    }

    /// Records are missing: a queue may have been empty meanwhile.
    pub(super) fn lost(&mut self) {
        self.0.iter_mut().for_each(|(_, watched)| watched.drained());
    }

    /// Each queue and pool with the number of its levels, and whether they count free elements.
    pub(super) fn seen(&self) -> impl Iterator<Item = (Id, u64, bool)> {
        let all = self.0.iter().filter(|(_, watched)| watched.seen > 0);
        all.map(|(id, watched)| (id, watched.seen, watched.free))
    }

    pub(super) fn found(&self, entities: &Entities, info: &Info, out: &mut Vec<FoundCase>) {
        for (id, watched) in self.0.iter() {
            let key = entities.key(id);
            let is_queue = watched.posted || info.space(key.space).is_some_and(|spec| spec.class == Class::QUEUE);
            let key = Some(key);
            out.extend(
                watched.fullest().map(|(rule, detail)| FoundCase::new(rule, key, watched.extreme.evidence, detail)),
            );
            let streak = if watched.streak.steps > watched.longest.steps { watched.streak } else { watched.longest };
            if streak.is_found() && is_queue {
                out.push(FoundCase::new(Rule::NeverEmpty, key, streak.evidence(), Detail::Changes(streak.steps)));
            }
            if let Some((_, before, after, evidence)) = watched.stretches.longest().filter(|_| !is_queue) {
                let size = |level: i128| level.unsigned_abs() as u64;
                let counts_free = watched.stretches.free;
                let detail = Detail::Leak { counts_free, before: size(before), after: size(after) };
                out.push(FoundCase::new(Rule::Leak, key, evidence, detail));
            }
        }
    }
}

impl Watched {
    fn drained(&mut self) {
        if self.streak.is_found() && self.streak.steps > self.longest.steps {
            self.longest = self.streak;
        }
        self.streak = Streak::default();
    }

    /// The low-water mark that the target reports.
    fn reported_low(&mut self, activity: &Activity, here: Moment) {
        let low = activity.second;
        // 0 means no low-water mark.
        if low > 0 && activity.flags.contains(F::FREE) && self.extreme.level.is_none_or(|level| low < level) {
            self.extreme.enter(low, here, |new, old| new < old);
        }
    }

    fn enter(&mut self, level: u64, free: bool, drains: bool, here: Moment) {
        self.free = free;
        if drains {
            self.capacity = if free { Some(level) } else { self.capacity };
        } else if level == 0 && !free {
            self.drained();
        } else {
            let longer = self.streak;
            self.streak.step(level, free, here);
            if self.streak.steps == 0 && longer.is_found() && longer.steps > self.longest.steps {
                self.longest = longer;
            }
        }
        if self.level != Some(level) {
            let beats = |new: u64, old: u64| if free { new < old } else { new > old };
            self.extreme.enter(level, here, beats);
        }
        self.level = Some(level);
    }

    fn fullest(&self) -> Option<(Rule, Detail)> {
        let level = self.extreme.level?;
        if !self.free {
            // Fullness depends on the capacity, which a dictionary may contain.
            return Some((Rule::NearlyFull, Detail::Used(level)));
        }
        let rule = fill_rule(level, self.capacity)?;
        Some((rule, Detail::Free(level, self.capacity)))
    }
}

/// The rule that applies to this many free elements, if any.
pub(super) fn fill_rule(free: u64, capacity: Option<u64>) -> Option<Rule> {
    match capacity {
        Some(0 | 1) => None,
        _ if free == 0 => Some(Rule::Full),
        Some(capacity) if capacity <= SMALL => None,
        Some(capacity) if free == 1 || free * SHARE <= capacity => Some(Rule::NearlyFull),
        None if free == 1 => Some(Rule::NearlyFull),
        _ => None,
    }
}

/// Level changes per stretch: long enough for temporary use to be given back.
const STRETCH: u32 = 32;
/// Successive stretches that must each be worse than the previous one; the chance of that is 1 in 2^6.
const WORSE: u64 = 6;

/// The best levels of successive stretches: in a pool that leaks, each is worse than the one before.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stretches {
    changes: u32,
    free: bool,
    /// Best level of the stretch: used elements, or free elements negated.
    best: Option<(i128, Moment)>,
    before: Option<i128>,
    /// Number of worse stretches in a row.
    worse: u64,
    from: i128,
    pub(super) evidence: Evidence,
    /// The longest completed run of them.
    found: Option<(u64, i128, i128, Evidence)>,
}

impl Stretches {
    fn level(&mut self, level: u64, free: bool, here: Moment) {
        self.free = free;
        let used = if free { -i128::from(level) } else { i128::from(level) };
        if self.best.is_none_or(|(best, _)| used <= best) {
            self.best = Some((used, here));
        }
        self.changes += 1;
        if self.changes < STRETCH {
            return;
        }
        self.changes = 0;
        let Some((best, at)) = self.best.take() else { return };
        match self.before.replace(best) {
            Some(before) if best > before => {
                if self.worse == 0 {
                    (self.from, self.evidence) = (before, Evidence::default());
                }
                self.worse += 1;
                self.evidence.add(at, self.worse);
            }
            _ => {
                self.found = self.longest();
                self.worse = 0;
            }
        }
    }

    fn longest(&self) -> Option<(u64, i128, i128, Evidence)> {
        let now = (self.worse >= WORSE).then_some((self.worse, self.from, self.before?, self.evidence));
        [now, self.found].into_iter().flatten().max_by_key(|run| run.0)
    }
}
