//! Tasks and cores: which task runs where, and the states of the others.

use spytui_plugin_api::{Activity, ActivityFlags as F, TaskState as Doing, Verb as V};

use super::{
    change::{Change, TaskState},
    entity::{Id, Slots},
};

#[derive(Debug, Clone, Default)]
struct Task {
    on: Option<u16>,
    /// The state it enters when it is switched out.
    when_out: Option<Box<TaskState>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Core {
    /// The task switched in last.
    task: Option<Id>,
    /// Losses before it was switched in.
    said: u32,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Scheduler {
    tasks: Slots<Task>,
    cores: Vec<Core>,
    losses: u32,
    /// Tasks assumed ready because another one was switched in on their core.
    preempted: Vec<(u16, Id)>,
}

/// Limit of that list; bounds memory on noisy input.
const MOST_PREEMPTED: usize = 64;

const READY: TaskState = TaskState { doing: Doing::READY, cause: None };

impl Scheduler {
    /// The task running on a core, if certain.
    pub(crate) fn current(&self, core: u16) -> Option<Id> {
        let core = self.core(core);
        core.task.filter(|_| core.said == self.losses)
    }

    fn core(&self, core: u16) -> Core {
        self.cores.get(usize::from(core)).copied().unwrap_or_default()
    }

    /// Records may be missing: other tasks may run.
    pub(super) fn lost(&mut self) {
        self.losses += 1;
    }

    /// A task starts running on a core; the previous one is switched out.
    pub(super) fn run(&mut self, activity: &Activity, task: Id, out: &mut Vec<Change>) {
        let core = activity.core;
        self.switch_out(core, READY, out);
        self.preempted.retain(|(_, preempted)| *preempted != task);
        let slot = self.tasks.of(task);
        if let Some(core) = slot.on.replace(core) {
            out.push(Change::Stops { task, core });
        }
        slot.when_out = None;
        self.set_current(core, Some(task));
        out.push(Change::Runs { task, core });
        let state = TaskState { doing: Doing::RUNNING, cause: Some(*activity) };
        out.push(Change::Task { task, state, late: false });
    }

    /// A core is idle: its task is blocked, and so are tasks that only seemed ready there.
    pub(super) fn idle(&mut self, core: u16, out: &mut Vec<Change>) {
        let state = TaskState { doing: Doing::BLOCKED, cause: None };
        self.switch_out(core, state, out);
        self.set_current(core, None);
        self.preempted.retain(|(of, task)| {
            if *of == core {
                out.push(Change::Task { task: *task, state, late: false });
            }
            *of != core
        });
    }

    /// A task enters a state now, or when it is switched out.
    pub(super) fn state(&mut self, activity: &Activity, task: Id, out: &mut Vec<Change>) {
        let doing = if activity.verb == V::DELETE { Doing::DEAD } else { Doing(activity.val) };
        if doing == Doing::RUNNING {
            return self.run(activity, task, out);
        }
        let state = TaskState { doing, cause: Some(*activity) };
        let may_run = self.core(activity.core).said != self.losses;
        self.preempted.retain(|(_, preempted)| *preempted != task);
        let slot = self.tasks.of(task);
        match slot.on {
            Some(_) if activity.flags.contains(F::UNLESS_RUNNING) => return,
            Some(_) if activity.flags.contains(F::WHEN_OUT) => {
                slot.when_out = Some(Box::new(state));
                return;
            }
            Some(core) => {
                slot.on = None;
                out.push(Change::Stops { task, core });
            }
            None => {}
        }
        // If it runs, perhaps by a missing record, it enters the state later.
        let late = may_run && activity.flags.contains(F::WHEN_OUT);
        out.push(Change::Task { task, state, late });
    }

    fn switch_out(&mut self, core: u16, otherwise: TaskState, out: &mut Vec<Change>) {
        let Some(former) = self.core(core).task else { return };
        let slot = self.tasks.of(former);
        if slot.on != Some(core) {
            return;
        }
        slot.on = None;
        out.push(Change::Stops { task: former, core });
        let (state, late) = slot.when_out.take().map_or((otherwise, false), |state| (*state, true));
        if state == READY && self.preempted.len() < MOST_PREEMPTED {
            self.preempted.push((core, former));
        }
        out.push(Change::Task { task: former, state, late });
    }

    fn set_current(&mut self, core: u16, task: Option<Id>) {
        let at = usize::from(core);
        if at >= self.cores.len() {
            self.cores.resize(at + 1, Core::default());
        }
        self.cores[at] = Core { task, said: self.losses };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies activities as (verb, task, core, state, flags) and prints the changes briefly.
    fn changes(activities: &[(V, u32, u16, u64, F)]) -> Vec<String> {
        let mut scheduler = Scheduler::default();
        let mut out = Vec::new();
        for &(verb, task, core, val, flags) in activities {
            let activity = Activity { core, ..Activity::new(verb).sub(16, task.into()).val(val).with(flags) };
            match verb {
                V::RUN => scheduler.run(&activity, Id(task), &mut out),
                V::IDLE => scheduler.idle(core, &mut out),
                _ => scheduler.state(&activity, Id(task), &mut out),
            }
        }
        out.iter().filter_map(short).collect()
    }

    fn short(change: &Change) -> Option<String> {
        match change {
            Change::Task { task, state, late } => {
                Some(format!("{}:{:?}{}", task.0, state.doing, if *late { "!" } else { "" }))
            }
            _ => None,
        }
    }

    #[test]
    fn the_former_task_gets_what_was_announced_or_is_ready() {
        let blocks = (V::STATE, 1, 0, 3, F::WHEN_OUT);
        assert_eq!(
            changes(&[
                (V::RUN, 1, 0, 0, F::empty()),
                blocks,
                (V::RUN, 2, 0, 0, F::empty()),
                (V::RUN, 1, 0, 0, F::empty())
            ]),
            ["1:RUNNING", "1:BLOCKED!", "2:RUNNING", "2:READY", "1:RUNNING"]
        );
    }

    #[test]
    fn nothing_is_ready_on_an_idle_core() {
        let (run, idle) = (|task, core| (V::RUN, task, core, 0, F::empty()), (V::IDLE, 0, 0, 0, F::empty()));
        let said = (V::STATE, 3, 0, 2, F::empty());
        assert_eq!(
            changes(&[run(1, 0), run(2, 0), run(4, 1), run(5, 1), said, idle]),
            [
                "1:RUNNING",
                "1:READY",
                "2:RUNNING",
                "4:RUNNING",
                "4:READY",
                "5:RUNNING",
                "3:READY",
                "2:BLOCKED",
                "1:BLOCKED"
            ]
        );
        // A task that ran again since is not blocked twice.
        assert_eq!(
            changes(&[run(1, 0), run(2, 0), run(1, 0), idle, idle]),
            ["1:RUNNING", "1:READY", "2:RUNNING", "2:READY", "1:RUNNING", "1:BLOCKED", "2:BLOCKED"]
        );
    }

    #[test]
    fn the_same_task_again_is_ready_in_between() {
        assert_eq!(
            changes(&[(V::RUN, 1, 0, 0, F::empty()), (V::RUN, 1, 0, 0, F::empty())]),
            ["1:RUNNING", "1:READY", "1:RUNNING"]
        );
    }

    #[test]
    fn a_task_that_runs_is_not_made_ready_but_may_be_taken_off() {
        let run = (V::RUN, 1, 0, 0, F::empty());
        assert_eq!(changes(&[run, (V::STATE, 1, 0, 2, F::UNLESS_RUNNING)]), ["1:RUNNING"]);
        assert_eq!(changes(&[(V::STATE, 1, 0, 2, F::UNLESS_RUNNING)]), ["1:READY"]);
        // Removed at once, it is not switched out a second time.
        assert_eq!(
            changes(&[run, (V::STATE, 1, 0, 3, F::empty()), (V::RUN, 2, 0, 0, F::empty())]),
            ["1:RUNNING", "1:BLOCKED", "2:RUNNING"]
        );
    }

    #[test]
    fn a_task_leaves_its_other_lane() {
        let mut scheduler = Scheduler::default();
        let mut out = Vec::new();
        let run = |core| Activity { core, ..Activity::new(V::RUN) };
        scheduler.run(&run(0), Id(1), &mut out);
        out.clear();
        scheduler.run(&run(1), Id(1), &mut out);
        assert_eq!(out[0], Change::Stops { task: Id(1), core: 0 });
        assert_eq!(out[1], Change::Runs { task: Id(1), core: 1 });
        out.clear();
        // The task that it left is not switched out again.
        scheduler.run(&run(0), Id(2), &mut out);
        assert_eq!(out[0], Change::Runs { task: Id(2), core: 0 });
        assert_eq!(
            (scheduler.current(0), scheduler.current(1), scheduler.current(9)),
            (Some(Id(2)), Some(Id(1)), None)
        );
    }

    #[test]
    fn who_runs_is_not_known_after_a_loss() {
        let (mut scheduler, mut out) = (Scheduler::default(), Vec::new());
        let run = |core| Activity { core, ..Activity::new(V::RUN) };
        scheduler.run(&run(0), Id(1), &mut out);
        scheduler.run(&run(1), Id(2), &mut out);
        scheduler.lost();
        assert_eq!([0, 1].map(|core| scheduler.current(core)), [None, None]);
        out.clear();
        scheduler.run(&run(0), Id(3), &mut out);
        assert_eq!([0, 1].map(|core| scheduler.current(core)), [Some(Id(3)), None]);
        assert_eq!(out[0], Change::Stops { task: Id(1), core: 0 });
    }

    #[test]
    fn a_deleted_task_that_runs_is_dead_when_it_is_switched_out() {
        let delete = (V::DELETE, 1, 0, 0, F::WHEN_OUT);
        assert_eq!(
            changes(&[(V::RUN, 1, 0, 0, F::empty()), delete, (V::IDLE, 0, 0, 0, F::empty())]),
            ["1:RUNNING", "1:DEAD!"]
        );
        assert_eq!(changes(&[delete]), ["1:DEAD"]);
        assert_eq!(
            changes(&[(V::RUN, 1, 0, 0, F::empty()), (V::IDLE, 0, 0, 0, F::empty())]),
            ["1:RUNNING", "1:BLOCKED"]
        );
    }
}
