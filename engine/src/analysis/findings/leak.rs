//! Pools of which more and more is in use: the best level of each stretch is worse than that of the one before.

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::{Entities, Id, Moment, Slots};

/// Changes of a level in a stretch: long enough that what is in use for a while is given back in it.
const STRETCH: u32 = 32;
/// Stretches in a row that are each worse than the one before, without one that is better: by chance one in 2^6.
const WORSE: u64 = 6;

#[derive(Debug, Clone, Copy, Default)]
struct Pool {
    changes: u32,
    free: bool,
    /// Best level of the stretch, as elements in use or less than none free.
    best: Option<(i128, Moment)>,
    before: Option<i128>,
    /// Stretches that were worse, the level before them, and their rows.
    worse: u64,
    from: i128,
    evidence: Evidence,
    /// The longest such run that is over.
    found: Option<(u64, i128, i128, Evidence)>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Leaks(Slots<Pool>);

impl Leaks {
    /// A level was reported.
    pub(super) fn level(&mut self, of: Id, level: u64, free: bool, here: Moment) {
        let pool = self.0.of(of);
        pool.free = free;
        let used = if free { -i128::from(level) } else { i128::from(level) };
        if pool.best.is_none_or(|(best, _)| used <= best) {
            pool.best = Some((used, here));
        }
        pool.changes += 1;
        if pool.changes == STRETCH {
            pool.stretch();
        }
    }

    /// What was found among those that are no queues.
    pub(super) fn found(&self, entities: &Entities, is_queue: impl Fn(Id) -> bool, out: &mut Vec<Found>) {
        for (id, pool) in self.0.iter().filter(|(id, _)| !is_queue(*id)) {
            let Some((_, before, after, evidence)) = pool.longest() else { continue };
            let size = |level: i128| level.unsigned_abs() as u64;
            let detail = Detail::Leak { counts_free: pool.free, before: size(before), after: size(after) };
            out.push(Found::new(Rule::Leak, Some(entities.key(id)), evidence, detail));
        }
    }
}

impl Pool {
    fn stretch(&mut self) {
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
