//! What machines, tasks and cores do.

use spytui_plugin_api::Verb as V;

use super::{
    measure::Measure as M,
    tally::{IDLE, OpenInterval, Subject, TalliedActivity},
};
use crate::replay::{Change, Doing, Id, Key, Seen, Slots, Stamp};

#[derive(Debug, Clone, Copy, Default)]
struct Task {
    state: Option<(Doing, Stamp)>,
    /// When it last became active.
    active: Option<Stamp>,
}

/// The state of each machine.
#[derive(Debug, Clone, Default)]
pub(super) struct MachineStates(Slots<Option<StateNow>>);

#[derive(Debug, Clone, Copy)]
struct StateNow {
    state: Key,
    said: Stamp,
    /// When it was entered, if a record shows that; others only say that the machine is in it.
    begin: Option<Stamp>,
}

impl MachineStates {
    pub(super) fn changed(&mut self, of: &mut TalliedActivity<'_>) {
        let here = *of.seen.stamp;
        for change in of.seen.changes {
            let Change::Rests { machine, state } = *change else { continue };
            let slot = self.0.of(machine);
            let known = slot.filter(|before| !before.said.is_cut(&here));
            if known.is_some_and(|before| before.state == state) {
                continue;
            }
            if let Some(StateNow { state: before, begin: Some(begin), .. }) = *slot {
                of.ends(M::State, begin, machine, Some(before));
            }
            let is_entered = known.is_some() || of.seen.activity.verb == V::TRAN;
            *slot = Some(StateNow { state, said: here, begin: is_entered.then_some(here) });
            of.tally.count(M::State).begun += u64::from(is_entered);
        }
    }

    pub(super) fn open(&self) -> impl Iterator<Item = OpenInterval> {
        self.0.iter().filter_map(|(id, now)| {
            let StateNow { state, begin, .. } = (*now)?;
            Some(OpenInterval { measure: M::State, object: Some(id), signal: Some(state), core: None, begin: begin? })
        })
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Tasks(Slots<Task>);

impl Tasks {
    /// Applies the changes caused by a scheduler activity.
    pub(super) fn changed(&mut self, of: &mut TalliedActivity<'_>) {
        let Seen { activity, changes, stamp: here, .. } = *of.seen;
        for change in changes {
            let Change::Task { task, state, late } = *change else { continue };
            let is_implied = activity.verb == V::RUN && state.doing == Doing::READY && state.cause.is_none() && !late;
            let runs = |other: &Change| matches!(other, Change::Task { task: of, state, .. } if *of == task && state.doing == Doing::RUNNING);
            // A task that keeps running is switched in again.
            if is_implied && changes.iter().any(runs) {
                continue;
            }
            let slot = self.0.of(task);
            let is_known = slot.state.is_some_and(|(_, begin)| !begin.is_cut(here));
            // It may have changed since its state was reported.
            if (late || state.cause.is_none()) && !is_known {
                continue;
            }
            if activity.verb == V::IDLE && slot.state.is_some_and(|(before, _)| before == Doing::READY) {
                // It only seemed ready; when it blocked is unknown.
                *slot = Task::default();
                continue;
            }
            self.enters(task, state.doing, of);
        }
    }

    pub(super) fn open(&self) -> impl Iterator<Item = OpenInterval> {
        self.0.iter().flat_map(|(id, task)| {
            let state = task.state.and_then(|(doing, begin)| Some((measure(doing)?, begin)));
            let active = task.active.map(|begin| (M::Activation, begin));
            let open =
                move |(measure, begin)| OpenInterval { measure, object: Some(id), signal: None, core: None, begin };
            state.into_iter().chain(active).map(open)
        })
    }

    fn enters(&mut self, task: Id, doing: Doing, of: &mut TalliedActivity<'_>) {
        let (slot, here) = (self.0.of(task), *of.seen.stamp);
        if let Some((before, begin)) = slot.state {
            if before == doing && (doing != Doing::RUNNING || !begin.is_cut(&here)) {
                return;
            }
            if let Some(measure) = measure(before) {
                of.ends(measure, begin, task, None);
            }
        }
        // After a loss, it may already have been in that state, or have run.
        let cut = slot.state.map(|(_, before)| before).filter(|before| before.is_cut(&here));
        let begin = cut.filter(|_| doing != Doing::RUNNING).unwrap_or(here);
        slot.state = Some((doing, begin));
        if let Some(measure) = measure(doing) {
            of.tally.count(measure).begun += 1;
        }
        match doing {
            Doing::READY if slot.active.is_none() => {
                slot.active = Some(begin);
                of.tally.count(M::Activation).begun += 1;
            }
            Doing::RUNNING if cut.is_some() => slot.active = slot.active.or(cut),
            Doing::READY | Doing::RUNNING => {}
            _ => {
                if let Some(begin) = slot.active.take() {
                    of.ends(M::Activation, begin, task, None);
                }
            }
        }
    }
}

fn measure(doing: Doing) -> Option<M> {
    match doing {
        Doing::RUNNING => Some(M::Run),
        Doing::READY => Some(M::Ready),
        Doing::BLOCKED => Some(M::Blocked),
        _ => None,
    }
}

/// Maximum number of cores tracked; noise may name any of 65 536.
const MOST_CORES: usize = 256;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CoreActivity {
    #[default]
    Unknown,
    Idle,
    Runs(Id),
}

#[derive(Debug, Clone, Default)]
struct CoreUse {
    /// The core's activity apart from interrupts.
    task: CoreActivity,
    interrupt: Option<Id>,
    /// Start of what it does now.
    since: Option<Stamp>,
    /// Ticks in which its activity was known.
    known: u64,
    unknown: u64,
}

impl CoreUse {
    fn doing(&self) -> CoreActivity {
        self.interrupt.map_or(self.task, CoreActivity::Runs)
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Processor {
    cores: Vec<CoreUse>,
}

impl Processor {
    /// Ticks in which each core's activity is known, and in which it is not.
    pub(super) fn cores(&self) -> impl Iterator<Item = (u16, u64, u64)> {
        let cores = (0..).zip(&self.cores).map(|(number, core)| (number, core.known, core.unknown));
        cores.filter(|(_, known, unknown)| known + unknown > 0)
    }

    /// Records are missing: what cores do is unknown until reported.
    pub(super) fn lost(&mut self) {
        for core in &mut self.cores {
            (core.task, core.interrupt) = (CoreActivity::Unknown, None);
        }
    }

    pub(super) fn forget(&mut self) {
        self.lost();
        self.cores.iter_mut().for_each(|core| core.since = None);
    }

    /// Applies an activity of the scheduler or of an interrupt.
    pub(super) fn activity(&mut self, of: &mut TalliedActivity<'_>) {
        let Seen { activity, who, changes, sections, .. } = *of.seen;
        match (activity.verb, who.sub) {
            (V::ISR_IN | V::ISR_OUT, Some(_)) => {
                self.apply(activity.core, |core| core.interrupt = sections.interrupt(activity.core), of);
            }
            (V::IDLE, _) => self.apply(activity.core, |core| core.task = CoreActivity::Idle, of),
            _ => {
                // A core may resume a task in the same row.
                let resumes =
                    |on| changes.iter().any(|change| matches!(change, Change::Runs { core, .. } if *core == on));
                for change in changes {
                    let (core, task) = match *change {
                        Change::Stops { core, .. } if !resumes(core) => (core, CoreActivity::Unknown),
                        Change::Runs { task, core } => (core, CoreActivity::Runs(task)),
                        _ => continue,
                    };
                    self.apply(core, |core| core.task = task, of);
                }
            }
        }
    }

    /// Switches a core to something else and sums up what it did until now.
    fn apply(&mut self, number: u16, effect: impl FnOnce(&mut CoreUse), of: &mut TalliedActivity<'_>) {
        let Some(core) = self.core(number) else { return };
        let before = core.doing();
        effect(core);
        if core.doing() == before && core.since.is_some() {
            return;
        }
        let here = of.seen.stamp;
        let Some(since) = core.since.replace(*here) else { return };
        let ticks = since.until(here).unwrap_or(0);
        if before == CoreActivity::Unknown || since.is_cut(here) {
            core.unknown = core.unknown.saturating_add(ticks);
            return;
        }
        core.known = core.known.saturating_add(ticks);
        let object = match before {
            CoreActivity::Runs(id) => of.entities.key(id),
            _ => IDLE,
        };
        let subject = Subject { core: number, ..of.subject(Some(object), None) };
        of.ends_of(M::Cpu, since, &subject);
    }

    fn core(&mut self, core: u16) -> Option<&mut CoreUse> {
        let at = usize::from(core);
        if at >= self.cores.len() {
            if at >= MOST_CORES {
                return None;
            }
            self.cores.resize_with(at + 1, CoreUse::default);
        }
        self.cores.get_mut(at)
    }
}
