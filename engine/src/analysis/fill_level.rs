//! Levels of queues and pools, and who has a lock.

use spytui_plugin_api::{Act, ActFlags as F, Verb as V};

use super::{
    change::{Change, Holder},
    entity::{Id, Slots},
};

#[derive(Debug, Default, Clone, Copy)]
struct Level {
    /// Its levels count what is free.
    free: bool,
    /// A level came.
    known: bool,
    /// Known to be empty: the next level shows how much it holds.
    empty: bool,
    /// How much is free when it is empty.
    capacity: Option<u64>,
}

/// Queues, pools and locks.
#[derive(Debug, Default)]
pub struct Levels(Slots<Level>);

impl Levels {
    /// An activity about the level of `of`; `who` made it. A queue that is a lock is taken when it is empty.
    pub(super) fn apply(&mut self, act: &Act, of: Id, who: Option<Id>, lock: bool, out: &mut Vec<Change>) {
        let Some(change) = self.level(act, of) else { return };
        match change {
            Change::Level { level, .. } if lock => {
                let holder = if level == 0 { Holder::Taken(who) } else { Holder::Nobody };
                out.push(Change::Lock { lock: of, holder });
            }
            change => out.push(change),
        }
    }

    /// A lock was taken or given, or somebody waits for it.
    pub(super) fn lock(act: &Act, lock: Id, who: Option<Id>, out: &mut Vec<Change>) {
        if act.flags & F::FAILED != 0 {
            return;
        }
        match act.verb {
            V::TAKE => out.push(Change::Lock { lock, holder: Holder::Taken(who) }),
            V::GIVE => out.push(Change::Lock { lock, holder: Holder::Nobody }),
            _ => {}
        }
    }

    fn level(&mut self, act: &Act, of: Id) -> Option<Change> {
        let slot = self.0.of(of);
        let free = act.flags & F::FREE != 0;
        match act.verb {
            V::LEVEL => {
                if std::mem::take(&mut slot.empty) && free && act.flags & F::FAILED == 0 {
                    // One element is in it.
                    slot.capacity = act.val.checked_add(1);
                }
                (slot.free, slot.known) = (free, true);
                Some(Change::Level { of, level: act.val, free })
            }
            V::EMPTY | V::CLEARED => {
                slot.empty = slot.free;
                let known = slot.known || act.verb == V::CLEARED;
                let level = if slot.free { slot.capacity } else { known.then_some(0) };
                level.map(|level| Change::Level { of, level, free: slot.free })
            }
            _ => None,
        }
    }

    pub(super) fn forget(&mut self) {
        self.0 = Slots::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(acts: &[Act], lock: bool) -> Vec<Change> {
        let (mut levels, mut out) = (Levels::default(), Vec::new());
        acts.iter().for_each(|act| levels.apply(act, Id(4), Some(Id(9)), lock, &mut out));
        out
    }

    fn level(level: u64, free: bool) -> Change {
        Change::Level { of: Id(4), level, free }
    }

    #[test]
    fn a_count_falls_to_nothing() {
        let act = |verb, val| Act::new(verb).val(val);
        let acts = [act(V::LEVEL, 2), act(V::EMPTY, 0), act(V::LEVEL, 1), act(V::CLEARED, 0)];
        assert_eq!(levels(&acts, false), [level(2, false), level(0, false), level(1, false), level(0, false)]);
    }

    #[test]
    fn what_is_free_of_an_empty_queue_shows_with_its_first_element() {
        let free = |val| Act::new(V::LEVEL).val(val).with(F::FREE);
        let empty = Act::new(V::EMPTY);
        let acts = [empty, free(3), empty, free(5), empty];
        assert_eq!(levels(&acts, false), [level(3, true), level(5, true), level(6, true)]);
    }

    #[test]
    fn an_empty_lock_is_taken() {
        let acts = [Act::new(V::LEVEL).val(0), Act::new(V::LEVEL).val(1)];
        let lock = |holder| Change::Lock { lock: Id(4), holder };
        assert_eq!(levels(&acts, true), [lock(Holder::Taken(Some(Id(9)))), lock(Holder::Nobody)]);
    }
}
