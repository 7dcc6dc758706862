//! Dispatches each activity to the module responsible for it.

use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Verb as V, activity::TaskState};

use super::{
    change::Change,
    entity::{Entities, Id, Operands},
    fill_level::Levels,
    machine::Machines,
    pairing::Pairing,
    scheduler::Scheduler,
    spans::Nesting,
};

/// The state of a target, updated by activities.
#[derive(Debug, Clone)]
pub(crate) struct Reducer {
    /// The entities seen so far.
    pub(crate) entities: Entities,
    scheduler: Scheduler,
    machines: Machines,
    pairing: Pairing,
    levels: Levels,
    nesting: Nesting,
}

impl Reducer {
    /// Empty state.
    #[must_use]
    pub(crate) fn new(info: &Info) -> Reducer {
        Reducer {
            entities: Entities::new(info),
            scheduler: Scheduler::default(),
            machines: Machines::default(),
            pairing: Pairing::default(),
            levels: Levels::default(),
            nesting: Nesting::default(),
        }
    }

    /// The task that runs on a core, if that is certain.
    #[must_use]
    pub(crate) fn current(&self, core: u16) -> Option<Id> {
        self.scheduler.current(core)
    }

    /// Fills in the running task where an activity leaves it to the host: one with the flag `CURRENT`, or a marker of
    /// an owned space without an owner. Returns `false` if no task is known to run.
    pub(crate) fn resolve(&self, activity: &mut Activity) -> bool {
        let marks = matches!(activity.verb, V::BEGIN | V::END | V::INSTANT | V::VALUE);
        let asked = activity.flags.contains(F::CURRENT) || marks && self.entities.is_owned(activity.sub_space);
        let absent = if marks { activity.obj_space == NONE } else { activity.sub_space == NONE };
        if !(asked && absent) {
            return true;
        }
        let Some(current) = self.current(activity.core) else {
            // Fill levels change regardless of the task.
            return matches!(activity.verb, V::LEVEL | V::CLEARED | V::EMPTY | V::FULL);
        };
        let task = self.entities.key(current);
        if marks {
            (activity.obj_space, activity.obj) = (task.space, task.key);
        } else {
            (activity.sub_space, activity.sub) = (task.space, task.key);
        }
        true
    }

    /// Applies a resolved activity with entities `who` at time `now`; `lock`: its object is a lock.
    #[inline]
    pub(crate) fn apply(&mut self, activity: &Activity, who: Operands, now: u64, lock: bool, out: &mut Vec<Change>) {
        match (activity.verb, who.sub, who.obj) {
            (verb, Some(machine), _) if verb.is_of_machine() => self.machines.apply(activity, machine, now, out),
            (V::POST, _, to) => out.push(Change::Sent { flow: self.pairing.sent(activity, to) }),
            // Matched by number only: there is no queue.
            (V::SEND | V::PULSE | V::SIGNAL, ..) => out.push(Change::Sent { flow: self.pairing.sent(activity, None) }),
            (V::GET, by, queue) => {
                if let Some(machine) = by {
                    self.machines.apply(activity, machine, now, out);
                }
                out.push(Change::Got { flow: self.pairing.got(activity, queue.or(by)) });
            }
            (V::RECEIVE, by, _) => out.push(Change::Got { flow: self.pairing.got(activity, by) }),
            (V::LEVEL | V::EMPTY | V::CLEARED, who, Some(of)) => self.levels.apply(activity, of, who, lock, out),
            (V::ARM | V::DISARM | V::FIRE, Some(timer), _) => self.nesting.timer(activity, timer, out),
            (V::RUN, Some(task), _) => self.scheduler.run(activity, task, out),
            (V::STATE | V::DELETE, Some(task), _) => self.scheduler.state(activity, task, out),
            // A task that waits for a lock is switched out next.
            (V::BLOCK, Some(task), lock) if !activity.flags.contains(F::FAILED) => {
                if let Some(lock) = lock {
                    self.levels.lock(activity, lock, who.sub, out);
                }
                let waits = Activity { verb: V::STATE, val: TaskState::BLOCKED.0, ..*activity }.with(F::WHEN_OUT);
                self.scheduler.state(&waits, task, out);
            }
            (V::IDLE, ..) => self.scheduler.idle(activity.core, out),
            (V::TAKE | V::GIVE, who, Some(lock)) => self.levels.lock(activity, lock, who, out),
            (V::ISR_IN | V::ISR_OUT | V::CRIT_IN | V::CRIT_OUT | V::SCHED_LOCK | V::SCHED_UNLOCK, isr, _) => {
                self.nesting.section(activity, isr, out);
            }
            (V::RESET, ..) => self.forget(out),
            _ => {}
        }
    }

    /// Records may be missing here: what was open may have ended, and another task may run.
    pub(crate) fn lost(&mut self, out: &mut Vec<Change>) {
        self.pairing.lost();
        self.scheduler.lost();
        self.machines.lost(out);
        self.levels.lost();
        self.nesting.lost();
    }

    /// The target was reset.
    pub(crate) fn forget(&mut self, out: &mut Vec<Change>) {
        self.finish(out);
        self.scheduler = Scheduler::default();
        self.machines = Machines::default();
        self.pairing.lost();
        self.levels = Levels::default();
        self.nesting = Nesting::default();
        out.push(Change::Forgotten);
    }

    /// End of the stream.
    pub(crate) fn finish(&mut self, out: &mut Vec<Change>) {
        self.machines.finish(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: u16 = 20;
    const MARKERS: u16 = 21;

    /// The changes; `None` if nobody is known to run.
    fn apply(reducer: &mut Reducer, activity: Activity) -> Option<Vec<Change>> {
        let (mut activity, mut out) = (activity, Vec::new());
        reducer.resolve(&mut activity).then(|| {
            let who = reducer.entities.operands(&activity);
            reducer.apply(&activity, who, 0, false, &mut out);
            out
        })
    }

    #[test]
    fn whoever_runs_is_known_by_its_lane() {
        let mut reducer = Reducer::new(&Info::default());
        let blocks = Activity::new(V::STATE).val(3).with(F::CURRENT | F::WHEN_OUT);
        assert_eq!(apply(&mut reducer, blocks), None);
        apply(&mut reducer, Activity::new(V::RUN).sub(TASKS, 5));
        assert_eq!(apply(&mut reducer, blocks), Some(vec![]));
        let changes = apply(&mut reducer, Activity::new(V::RUN).sub(TASKS, 6)).unwrap();
        assert!(matches!(changes[1], Change::Task { late: true, .. }), "{changes:?}");

        let mut mark = Activity::new(V::BEGIN).sub(MARKERS, 1).with(F::CURRENT);
        assert!(reducer.resolve(&mut mark));
        assert_eq!((mark.obj_space, mark.obj), (TASKS, 6));
        let mut elsewhere = Activity { core: 1, ..Activity::new(V::BEGIN).sub(MARKERS, 1).with(F::CURRENT) };
        assert!(!reducer.resolve(&mut elsewhere));
        let mut level = Activity { core: 1, ..Activity::new(V::LEVEL).obj(22, 1).with(F::CURRENT) };
        assert!(reducer.resolve(&mut level));
    }

    #[test]
    fn after_a_reset_nothing_is_known() {
        let mut reducer = Reducer::new(&Info::default());
        apply(&mut reducer, Activity::new(V::RUN).sub(TASKS, 5));
        apply(&mut reducer, Activity::new(V::ISR_IN).sub(23, 1));
        assert_eq!(apply(&mut reducer, Activity::new(V::RESET)), Some(vec![Change::Forgotten]));
        assert_eq!(reducer.current(0), None);
        assert_eq!(apply(&mut reducer, Activity::new(V::ISR_OUT).sub(23, 1)), Some(vec![]));
    }
}
