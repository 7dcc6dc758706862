//! Fill levels of queues and pools, and lock owners.

use spytui_plugin_api::{Activity, ActivityFlags as F, Verb as V};

use super::{
    change::{Change, Holder},
    entity::{Id, Slots},
};

#[derive(Debug, Default, Clone, Copy)]
struct Level {
    /// Levels count free elements.
    free: bool,
    /// A level was reported.
    known: bool,
    /// Known to be empty, so the next level reveals the capacity.
    empty: bool,
    /// Free elements when empty.
    capacity: Option<u64>,
}

/// Queues, pools and locks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Levels(Slots<Level>);

impl Levels {
    /// Applies a level activity on `of` by `who`. A queue that acts as a lock is taken when it is empty.
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

    /// Applies a lock activity: taken, released, or waited for.
    pub(super) fn lock(activity: &Activity, lock: Id, who: Option<Id>, out: &mut Vec<Change>) {
        if activity.flags.contains(F::FAILED) {
            return;
        }
        match activity.verb {
            V::TAKE => out.push(Change::Lock { lock, holder: Holder::Taken(who) }),
            V::GIVE => out.push(Change::Lock { lock, holder: Holder::Nobody }),
            _ => {}
        }
    }

    fn level(&mut self, activity: &Activity, of: Id) -> Option<Change> {
        let slot = self.0.of(of);
        let free = activity.flags.contains(F::FREE);
        match activity.verb {
            V::LEVEL => {
                if std::mem::take(&mut slot.empty) && free && !activity.flags.contains(F::FAILED) {
                    // Exactly one element is queued now.
                    slot.capacity = activity.val.checked_add(1);
                }
                (slot.free, slot.known) = (free, true);
                Some(Change::Level { of, level: activity.val, free })
            }
            V::EMPTY | V::CLEARED => {
                slot.empty = slot.free;
                let known = slot.known || activity.verb == V::CLEARED;
                let level = if slot.free { slot.capacity } else { known.then_some(0) };
                level.map(|level| Change::Level { of, level, free: slot.free })
            }
            _ => None,
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

    #[test]
    fn an_empty_lock_is_taken() {
        let activities = [Activity::new(V::LEVEL).val(0), Activity::new(V::LEVEL).val(1)];
        let lock = |holder| Change::Lock { lock: Id(4), holder };
        assert_eq!(levels(&activities, true), [lock(Holder::Taken(Some(Id(9)))), lock(Holder::Nobody)]);
    }
}
