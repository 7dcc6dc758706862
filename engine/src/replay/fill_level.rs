//! Fill levels of queues and pools, and lock owners.

use spytui_plugin_api::{Activity, ActivityFlags as F, Verb as V};

use super::{
    change::{Change, Holder},
    entity::{Id, Slots},
};

#[derive(Debug, Default, Clone, Copy)]
struct Level {
    free: bool,
    known: bool,
    /// Losses when the queue was known to be empty: without further ones, the next level reveals the capacity.
    empty: Option<u32>,
    /// Free elements when empty.
    capacity: Option<u64>,
}

/// How a semaphore is used, inferred from its records. A give names the task that it wakes, if any.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Use {
    #[default]
    Unknown,
    /// Given to a waiting task while it had no known holder.
    PerhapsSignal,
    /// Given by its holder, or while another task held it.
    Lock,
    /// The last taker waited for it.
    Signal,
}

#[derive(Debug, Default, Clone, Copy)]
struct Lock {
    used_as: Use,
    /// The last task that took it, unless given since.
    taker: Option<Id>,
    /// The last task that waited, unless it has taken it since.
    waits: Option<Id>,
    /// [`Levels::losses`] at its last use.
    losses: u32,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Levels {
    levels: Slots<Level>,
    locks: Slots<Lock>,
    /// Number of losses; each makes earlier holders and waiters unknown.
    pub(super) losses: u32,
}

impl Levels {
    /// Applies a level activity on `of` by `who`. A queue used as a lock is taken when empty.
    pub(super) fn apply(&mut self, activity: &Activity, of: Id, who: Option<Id>, lock: bool, out: &mut Vec<Change>) {
        let Some(change) = self.level(activity, of) else { return };
        match change {
            Change::Level { level, .. } if lock => {
                let holder = if level == 0 { Holder::Taken(who) } else { Holder::Nobody };
                out.push(Change::Lock { lock: of, holder });
            }
            change => out.push(change),
        }
    }

    pub(super) fn lock(&mut self, activity: &Activity, lock: Id, who: Option<Id>, out: &mut Vec<Change>) {
        if activity.flags.contains(F::FAILED) {
            return;
        }
        let slot = self.locks.of(lock);
        if slot.losses != self.losses {
            *slot = Lock { used_as: slot.used_as, losses: self.losses, ..Lock::default() };
        }
        let holder = match activity.verb {
            V::TAKE => {
                slot.waits = slot.waits.filter(|waits| Some(*waits) != who);
                slot.taker = who;
                Holder::Taken(who)
            }
            V::GIVE => {
                slot.used_as = slot.given(who);
                slot.taker = None;
                Holder::Nobody
            }
            V::BLOCK => {
                slot.waits = who;
                if slot.taker.is_none() || slot.taker != who {
                    return;
                }
                slot.used_as = Use::Signal;
                Holder::NoLock
            }
            _ => return,
        };
        let is_signal = matches!(slot.used_as, Use::PerhapsSignal | Use::Signal);
        out.push(Change::Lock { lock, holder: if is_signal { Holder::NoLock } else { holder } });
    }

    /// Elements in use after an activity on a queue, if the activity reports it.
    pub(super) fn used(&self, activity: &Activity, of: Id) -> Option<u64> {
        match activity.verb {
            V::EMPTY | V::CLEARED => Some(0),
            V::LEVEL if !activity.flags.contains(F::FREE) => Some(activity.val),
            V::LEVEL if !activity.flags.contains(F::FAILED) => self.levels.get(of)?.capacity?.checked_sub(activity.val),
            _ => None,
        }
    }

    fn level(&mut self, activity: &Activity, of: Id) -> Option<Change> {
        let (losses, slot) = (self.losses, self.levels.of(of));
        let free = activity.flags.contains(F::FREE);
        match activity.verb {
            V::LEVEL => {
                if slot.empty.take() == Some(losses) && free && !activity.flags.contains(F::FAILED) {
                    // Exactly one element is queued now.
                    slot.capacity = activity.val.checked_add(1);
                }
                (slot.free, slot.known) = (free, true);
                Some(Change::Level { of, level: activity.val, free })
            }
            V::EMPTY | V::CLEARED => {
                slot.empty = slot.free.then_some(losses);
                let known = slot.known || activity.verb == V::CLEARED;
                let level = if slot.free { slot.capacity } else { known.then_some(0) };
                level.map(|level| Change::Level { of, level, free: slot.free })
            }
            _ => None,
        }
    }
}

impl Lock {
    /// The use of a semaphore given by this task, or to a waiting one.
    fn given(&self, who: Option<Id>) -> Use {
        let is_waited_for = who.is_some() && self.waits == who;
        match (self.used_as, self.taker) {
            (Use::Signal, _) => Use::Signal,
            (_, Some(taker)) if is_waited_for && Some(taker) != who => Use::Lock,
            (Use::Unknown, None) if is_waited_for => Use::PerhapsSignal,
            (Use::Unknown, Some(taker)) if Some(taker) == who => Use::Lock,
            (before, _) => before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(activities: &[Activity], lock: bool) -> Vec<Change> {
        let (mut levels, mut out) = (Levels::default(), Vec::new());
        activities.iter().for_each(|activity| levels.apply(activity, Id(4), Some(Id(9)), lock, &mut out));
        out
    }

    fn level(level: u64, free: bool) -> Change {
        Change::Level { of: Id(4), level, free }
    }

    #[test]
    fn a_count_falls_to_nothing() {
        let activity = |verb, val| Activity::new(verb).val(val);
        let activities = [activity(V::LEVEL, 2), activity(V::EMPTY, 0), activity(V::LEVEL, 1), activity(V::CLEARED, 0)];
        assert_eq!(levels(&activities, false), [level(2, false), level(0, false), level(1, false), level(0, false)]);
    }

    #[test]
    fn what_is_free_of_an_empty_queue_shows_with_its_first_element() {
        let free = |val| Activity::new(V::LEVEL).val(val).with(F::FREE);
        let empty = Activity::new(V::EMPTY);
        let activities = [empty, free(3), empty, free(5), empty];
        assert_eq!(levels(&activities, false), [level(3, true), level(5, true), level(6, true)]);
    }

    /// The holder of a lock after each activity of a task that changes it.
    fn holders(levels: &mut Levels, activities: &[(V, u32)]) -> Vec<Option<Holder>> {
        let apply = |(verb, task): &(V, u32)| {
            let mut out = Vec::new();
            levels.lock(&Activity::new(*verb), Id(4), Some(Id(*task)), &mut out);
            out.pop().map(|change| match change {
                Change::Lock { holder, .. } => holder,
                other => panic!("{other:?}"),
            })
        };
        activities.iter().map(apply).collect()
    }

    #[test]
    fn what_others_give_to_its_taker_is_no_lock() {
        let (no_lock, held) = (Some(Holder::NoLock), |task| Some(Holder::Taken(Some(Id(task)))));
        let signal = [(V::BLOCK, 7), (V::GIVE, 7), (V::TAKE, 7), (V::BLOCK, 7), (V::GIVE, 7), (V::TAKE, 7)];
        let mut levels = Levels::default();
        assert_eq!(holders(&mut levels, &signal), [None, no_lock, no_lock, no_lock, no_lock, no_lock]);
        // Given while its taker is not waiting.
        assert_eq!(holders(&mut levels, &[(V::GIVE, 7), (V::TAKE, 7)]), [no_lock, no_lock]);
        // Without the beginning, the holder is seen to wait for it.
        let late = [(V::TAKE, 7), (V::GIVE, 7), (V::TAKE, 7), (V::BLOCK, 7), (V::GIVE, 7), (V::TAKE, 7)];
        let found = holders(&mut Levels::default(), &late);
        assert_eq!(found, [held(7), Some(Holder::Nobody), held(7), no_lock, no_lock, no_lock]);
    }

    #[test]
    fn what_its_taker_gives_is_a_lock_whoever_waits() {
        let (free, held) = (Some(Holder::Nobody), |task| Some(Holder::Taken(Some(Id(task)))));
        let mut levels = Levels::default();
        let mutex = [(V::TAKE, 1), (V::BLOCK, 2), (V::GIVE, 1), (V::TAKE, 2), (V::GIVE, 2)];
        assert_eq!(holders(&mut levels, &mutex), [held(1), None, free, held(2), free]);
        // Giving a semaphore names the waiting task.
        let mut levels = Levels::default();
        let semaphore = [(V::TAKE, 1), (V::BLOCK, 2), (V::GIVE, 2), (V::TAKE, 2), (V::GIVE, 2)];
        assert_eq!(holders(&mut levels, &semaphore), [held(1), None, free, held(2), free]);
        // A hold whose end may be lost proves nothing.
        levels.losses += 1;
        assert_eq!(holders(&mut levels, &[(V::TAKE, 1)]), [held(1)]);
        levels.losses += 1;
        assert_eq!(holders(&mut levels, &[(V::BLOCK, 1), (V::TAKE, 1)]), [None, held(1)]);
    }

    #[test]
    fn after_a_loss_the_next_element_need_not_be_the_first() {
        let (mut levels, mut out) = (Levels::default(), Vec::new());
        let free = |val| Activity::new(V::LEVEL).val(val).with(F::FREE);
        let empty = Activity::new(V::EMPTY);
        [free(3), empty].iter().for_each(|activity| levels.apply(activity, Id(4), None, false, &mut out));
        levels.losses += 1;
        [free(1), empty].iter().for_each(|activity| levels.apply(activity, Id(4), None, false, &mut out));
        assert_eq!(out, [level(3, true), level(1, true)]);
    }

    #[test]
    fn an_empty_lock_is_taken() {
        let activities = [Activity::new(V::LEVEL).val(0), Activity::new(V::LEVEL).val(1)];
        let lock = |holder| Change::Lock { lock: Id(4), holder };
        assert_eq!(levels(&activities, true), [lock(Holder::Taken(Some(Id(9)))), lock(Holder::Nobody)]);
    }
}
