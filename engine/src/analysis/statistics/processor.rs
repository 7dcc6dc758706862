//! What each core does: the task or interrupt it runs, or idle.

use spytui_plugin_api::Verb as V;

use super::{
    measure::Measure as M,
    moments::{Book, Here},
    tally::IDLE,
};
use crate::replay::{Change, Entities, Id, Seen, Stamp};

/// Maximum number of cores tracked; noise may name any of 65 536.
const MOST_CORES: usize = 256;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Doing {
    #[default]
    Unknown,
    Idle,
    Runs(Id),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Core {
    /// The core's activity apart from interrupts.
    task: Doing,
    interrupt: Option<Id>,
    /// Start of what it does now.
    since: Option<Stamp>,
    /// Ticks in which its activity was known.
    pub(super) known: u64,
    pub(super) unknown: u64,
}

impl Core {
    fn doing(&self) -> Doing {
        self.interrupt.map_or(self.task, Doing::Runs)
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Processor {
    cores: Vec<Core>,
}

impl Processor {
    pub(super) fn cores(&self) -> impl Iterator<Item = (u16, &Core)> {
        (0..).zip(&self.cores)
    }

    /// Records are missing: what cores do is unknown until reported.
    pub(super) fn lost(&mut self) {
        for core in &mut self.cores {
            (core.task, core.interrupt) = (Doing::Unknown, None);
        }
    }

    pub(super) fn forget(&mut self) {
        self.lost();
        self.cores.iter_mut().for_each(|core| core.since = None);
    }

    /// Applies an activity of the scheduler or of an interrupt.
    pub(super) fn activity(&mut self, seen: &Seen<'_>, here: &Here, entities: &Entities, book: &mut Book) {
        let Seen { activity, who, changes, sections, .. } = *seen;
        let mut apply = |core, effect: &dyn Fn(&mut Core)| self.apply(core, effect, here, entities, book);
        match (activity.verb, who.sub) {
            (V::ISR_IN | V::ISR_OUT, Some(_)) => {
                apply(activity.core, &|core| core.interrupt = sections.interrupt(activity.core));
            }
            (V::IDLE, _) => apply(activity.core, &|core| core.task = Doing::Idle),
            _ => {
                for change in changes {
                    match *change {
                        Change::Stops { core, .. } if !runs_again(changes, core) => {
                            apply(core, &|of| of.task = Doing::Unknown);
                        }
                        Change::Runs { task, core } => apply(core, &|of| of.task = Doing::Runs(task)),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Switches a core to something else and sums up what it did until now.
    fn apply(&mut self, core: u16, effect: &dyn Fn(&mut Core), here: &Here, entities: &Entities, book: &mut Book) {
        let Some(of) = self.core(core) else { return };
        let before = of.doing();
        effect(of);
        if of.doing() == before && of.since.is_some() {
            return;
        }
        let Some(since) = of.since.replace(here.stamp) else { return };
        let ticks = since.until(&here.stamp).unwrap_or(0);
        if before == Doing::Unknown || since.is_cut(&here.stamp) {
            of.unknown = of.unknown.saturating_add(ticks);
            return;
        }
        of.known = of.known.saturating_add(ticks);
        let object = match before {
            Doing::Runs(id) => entities.key(id),
            _ => IDLE,
        };
        book.ends(M::Cpu, since, here, &here.subject(Some(object), None, core));
    }

    fn core(&mut self, core: u16) -> Option<&mut Core> {
        let at = usize::from(core);
        if at >= self.cores.len() {
            if at >= MOST_CORES {
                return None;
            }
            self.cores.resize_with(at + 1, Core::default);
        }
        self.cores.get_mut(at)
    }
}

/// Whether a core resumes a task in the same row.
fn runs_again(changes: &[Change], on: u16) -> bool {
    changes.iter().any(|change| matches!(change, Change::Runs { core, .. } if *core == on))
}
