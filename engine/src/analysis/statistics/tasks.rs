//! What tasks and cores do.

use spytui_plugin_api::Verb as V;

use super::{
    measure::Measure as M,
    tally::{Book, Here, IDLE, OpenInterval},
};
use crate::replay::{Change, Doing, Entities, Id, Seen, Slots, Stamp};

#[derive(Debug, Clone, Copy, Default)]
struct Task {
    state: Option<(Doing, Stamp)>,
    /// When it last became active.
    active: Option<Stamp>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Tasks(Slots<Task>);

impl Tasks {
    /// Applies the changes caused by a scheduler activity.
    pub(super) fn changed(&mut self, seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
        let Seen { activity, changes, .. } = *seen;
        for change in changes {
            let Change::Task { task, state, late } = *change else { continue };
            let is_implied = activity.verb == V::RUN && state.doing == Doing::READY && state.cause.is_none() && !late;
            // A task that keeps running is switched in again.
            if is_implied && changes.iter().any(|other| is_run_of(other, task)) {
                continue;
            }
            let slot = self.0.of(task);
            let is_known = slot.state.is_some_and(|(_, begin)| !begin.is_cut(&here.stamp));
            // It may have changed since its state was reported.
            if (late || state.cause.is_none()) && !is_known {
                continue;
            }
            if activity.verb == V::IDLE && slot.state.is_some_and(|(before, _)| before == Doing::READY) {
                // It only seemed ready; when it blocked is unknown.
                *slot = Task::default();
                continue;
            }
            self.enters(task, state.doing, here, activity.core, entities, book);
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

    fn enters(&mut self, task: Id, doing: Doing, here: &Here, core: u16, entities: &Entities, book: &mut Book) {
        let slot = self.0.of(task);
        let subject = here.subject(Some(entities.key(task)), None, core);
        if let Some((before, begin)) = slot.state {
            if before == doing && (doing != Doing::RUNNING || !begin.is_cut(&here.stamp)) {
                return;
            }
            if let Some(measure) = measure(before) {
                book.ends(measure, begin, here, &subject);
            }
        }
        // After a loss, it may already have been in that state, or have run.
        let cut = slot.state.map(|(_, before)| before).filter(|before| before.is_cut(&here.stamp));
        let begin = cut.filter(|_| doing != Doing::RUNNING).unwrap_or(here.stamp);
        slot.state = Some((doing, begin));
        if let Some(measure) = measure(doing) {
            book.count(measure).begun += 1;
        }
        match doing {
            Doing::READY if slot.active.is_none() => {
                slot.active = Some(begin);
                book.count(M::Activation).begun += 1;
            }
            Doing::RUNNING if cut.is_some() => slot.active = slot.active.or(cut),
            Doing::READY | Doing::RUNNING => {}
            _ => {
                if let Some(begin) = slot.active.take() {
                    book.ends(M::Activation, begin, here, &subject);
                }
            }
        }
    }
}

fn is_run_of(change: &Change, of: Id) -> bool {
    matches!(change, Change::Task { task, state, .. } if *task == of && state.doing == Doing::RUNNING)
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
pub(super) struct CoreUse {
    /// The core's activity apart from interrupts.
    task: CoreActivity,
    interrupt: Option<Id>,
    /// Start of what it does now.
    since: Option<Stamp>,
    /// Ticks in which its activity was known.
    pub(super) known: u64,
    pub(super) unknown: u64,
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
    pub(super) fn cores(&self) -> impl Iterator<Item = (u16, &CoreUse)> {
        (0..).zip(&self.cores)
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
    pub(super) fn activity(&mut self, seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
        let Seen { activity, who, changes, sections, .. } = *seen;
        let mut apply = |core, effect: &dyn Fn(&mut CoreUse)| self.apply(core, effect, here, entities, book);
        match (activity.verb, who.sub) {
            (V::ISR_IN | V::ISR_OUT, Some(_)) => {
                apply(activity.core, &|core| core.interrupt = sections.interrupt(activity.core));
            }
            (V::IDLE, _) => apply(activity.core, &|core| core.task = CoreActivity::Idle),
            _ => {
                for change in changes {
                    match *change {
                        Change::Stops { core, .. } if !runs_again(changes, core) => {
                            apply(core, &|of| of.task = CoreActivity::Unknown);
                        }
                        Change::Runs { task, core } => apply(core, &|of| of.task = CoreActivity::Runs(task)),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Switches a core to something else and sums up what it did until now.
    fn apply(&mut self, core: u16, effect: &dyn Fn(&mut CoreUse), here: &Here, entities: &Entities, book: &mut Book) {
        let Some(of) = self.core(core) else { return };
        let before = of.doing();
        effect(of);
        if of.doing() == before && of.since.is_some() {
            return;
        }
        let Some(since) = of.since.replace(here.stamp) else { return };
        let ticks = since.until(&here.stamp).unwrap_or(0);
        if before == CoreActivity::Unknown || since.is_cut(&here.stamp) {
            of.unknown = of.unknown.saturating_add(ticks);
            return;
        }
        of.known = of.known.saturating_add(ticks);
        let object = match before {
            CoreActivity::Runs(id) => entities.key(id),
            _ => IDLE,
        };
        book.ends(M::Cpu, since, here, &here.subject(Some(object), None, core));
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

/// Whether a core resumes a task in the same row.
fn runs_again(changes: &[Change], on: u16) -> bool {
    changes.iter().any(|change| matches!(change, Change::Runs { core, .. } if *core == on))
}
