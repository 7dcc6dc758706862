//! Pools whose use keeps growing: the best level of each stretch is worse than that of the previous one.

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::{Entities, Id, Moment, Slots};

/// Level changes per stretch: long enough for temporary use to be given back.
const STRETCH: u32 = 32;
/// Successive stretches that must each be worse than the previous one; the chance of that is 1 in 2^6.
const WORSE: u64 = 6;

#[derive(Debug, Clone, Copy, Default)]
struct Pool {
    changes: u32,
    free: bool,
    /// Best level of the stretch: used elements, or free elements negated.
    best: Option<(i128, Moment)>,
    before: Option<i128>,
    /// Number of worse stretches in a row.
    worse: u64,
    from: i128,
    evidence: Evidence,
    /// The longest completed run of them.
    found: Option<(u64, i128, i128, Evidence)>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Leaks(Slots<Pool>);

impl Leaks {
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

    /// Reports all leaks except in queues.
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
