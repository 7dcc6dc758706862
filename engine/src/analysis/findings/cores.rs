//! Tasks that are ready but get no core, and interrupts that take most of a core.

use rustc_hash::FxHashMap;
use spytui_plugin_api::Verb as V;

use super::finding::{Detail, Evidence, FoundCase, Rule};
use crate::{
    analysis::objects::Wording,
    replay::{Change, Doing, Entities, Id, Moment, Replay, Seen, Slots, TaskState},
};

/// Shortest wait for a core that is reported, ns: noticeable to a user, and ten times a usual time slice.
const LONG: u64 = 100_000_000;
/// The same as a number of switches to other tasks, if the unit of time is unknown.
const SWITCHES: u64 = 256;

/// Maximum number of tasks tracked that were never seen to block: the idle tasks of the cores and few others.
const MOST_TIRELESS: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Wait {
    since: Moment,
    ns: Option<u64>,
    /// Number of switches before it.
    switches: u64,
}

/// Long waits, and the longest one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Waits {
    pub(super) evidence: Evidence,
    longest: Detail,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Task {
    waits: Option<Wait>,
    /// It was reported as blocked. A task that never blocks may be an idle task, which is ready whenever others run.
    blocks: bool,
    ran: bool,
    /// Waits under tasks that do block.
    pub(super) sure: Waits,
    /// Waits under a task never seen to block; not a problem if that is an idle task.
    pub(super) doubtful: Waits,
    instead: Vec<Id>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Starved {
    pub(super) tasks: Slots<Task>,
    switches: u64,
    /// Number of the last switch to a core's idle state.
    idle: u64,
    /// Tasks never seen to block, with the number of the last switch to each.
    tireless: Vec<(Id, u64)>,
    /// Number of waits for a core.
    pub(super) seen: u64,
}

impl Starved {
    /// A core is idle, so no task was really ready.
    pub(super) fn idle(&mut self) {
        self.switches += 1;
        self.idle = self.switches;
    }

    pub(super) fn apply(&mut self, change: &Change, here: Moment, ns: Option<u64>) {
        match *change {
            Change::Runs { task, .. } => self.runs(task),
            Change::Task { task, state, .. } => self.state(task, state, here, ns),
            _ => {}
        }
    }

    fn runs(&mut self, task: Id) {
        self.switches += 1;
        if self.tasks.of(task).blocks {
            return;
        }
        if let Some((_, last)) = self.tireless.iter_mut().find(|(known, _)| *known == task) {
            *last = self.switches;
        } else if self.tireless.len() < MOST_TIRELESS {
            self.tireless.push((task, self.switches));
        }
    }

    fn state(&mut self, task: Id, state: TaskState, here: Moment, ns: Option<u64>) {
        let switches = self.switches;
        let reported = state.cause.is_some();
        if state.doing == Doing::READY {
            let slot = self.tasks.of(task);
            // If blocking is not recorded, a task switched out need not be ready.
            if reported || slot.blocks {
                self.seen += 1;
                slot.waits.get_or_insert(Wait { since: here, ns, switches });
            }
            return;
        }
        if let Some(wait) = self.tasks.of(task).waits.take() {
            self.settle(task, wait, here, ns);
        }
        let slot = self.tasks.of(task);
        slot.ran |= state.doing == Doing::RUNNING;
        slot.blocks |= reported && state.doing != Doing::RUNNING;
        if slot.blocks {
            self.tireless.retain(|(known, _)| *known != task);
        }
    }

    fn settle(&mut self, task: Id, wait: Wait, here: Moment, ns: Option<u64>) {
        let Some(waits) = wait.long(here, ns, self.switches).filter(|_| self.idle <= wait.switches) else { return };
        let instead = self.tireless.iter().filter(|(other, last)| *other != task && *last > wait.switches);
        let instead: Vec<Id> = instead.map(|(other, _)| *other).collect();
        let slot = self.tasks.of(task);
        let known = if instead.is_empty() { &mut slot.sure } else { &mut slot.doubtful };
        known.add(&waits);
        for other in instead {
            if !slot.instead.contains(&other) {
                slot.instead.push(other);
            }
        }
    }

    /// Records are missing: a waiting task may have run.
    pub(super) fn lost(&mut self) {
        self.tasks.iter_mut().for_each(|(_, task)| task.waits = None);
    }

    /// Reports what was found up to the last row.
    pub(super) fn found(&self, replay: &Replay, wording: &Wording<'_>, out: &mut Vec<FoundCase>) {
        let is_idle = |id| wording.is_idle(replay.entities.key(id));
        let mut all = self.clone();
        let waiting: Vec<(Id, Wait)> = self.tasks.iter().filter_map(|(id, task)| Some((id, task.waits?))).collect();
        // Includes unfinished waits.
        waiting.into_iter().for_each(|(id, wait)| all.settle(id, wait, replay.last, replay.ns));
        for (id, task) in all.tasks.iter() {
            let may_idle = is_idle(id) || (task.ran && !task.blocks);
            let idled = task.instead.iter().any(|other| is_idle(*other));
            let mut waits = task.sure;
            if !idled && task.doubtful.evidence.count > 0 {
                waits.add(&task.doubtful);
            }
            if waits.evidence.count > 0 && !may_idle {
                out.push(FoundCase::new(Rule::Starved, Some(replay.entities.key(id)), waits.evidence, waits.longest));
            }
        }
    }
}

impl Wait {
    /// This wait as evidence, if long enough.
    fn long(&self, here: Moment, ns: Option<u64>, switches: u64) -> Option<Waits> {
        let took = ns.zip(self.ns).map(|(now, since)| now.saturating_sub(since));
        let others = switches - self.switches;
        let is_long = match took {
            // Perhaps nothing else ran at all.
            Some(took) => took >= LONG && others > 0,
            None => others >= SWITCHES,
        };
        let ticks = here.time.zip(self.since.time).map(|(now, since)| now.saturating_sub(since));
        let mut evidence = Evidence::default();
        // The row where it became ready shows what runs instead.
        evidence.add(self.since, took.unwrap_or(others));
        is_long.then_some(Waits { evidence, longest: Detail::Wait { ticks, ns: took, switches: others } })
    }
}

impl Waits {
    fn add(&mut self, more: &Waits) {
        if self.evidence.count == 0 || more.evidence.badness > self.evidence.badness {
            self.longest = more.longest;
        }
        self.evidence.join(&more.evidence);
    }
}

/// Entries per window; fewer may be a burst that a driver is designed for.
const WINDOW: u64 = 64;
/// Minimum share of time in the handler, per mille.
const SHARE: u64 = 500;
/// Maximum number of interrupts tracked; bounds memory on noisy input.
const MOST_INTERRUPTS: usize = 4096;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line {
    entries: u64,
    from: Moment,
    inside: u64,
    pub(super) evidence: Evidence,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Interrupts {
    pub(super) lines: FxHashMap<(Id, u16), Line>,
    /// Number of measured handler runs.
    pub(super) seen: u64,
}

impl Interrupts {
    pub(super) fn apply(&mut self, isr: Id, seen: &Seen<'_>) {
        let (core, here) = (seen.activity.core, *seen.here);
        let Some(now) = here.time else { return };
        if self.lines.len() >= MOST_INTERRUPTS && !self.lines.contains_key(&(isr, core)) {
            return;
        }
        let line = self.lines.entry((isr, core)).or_default();
        if seen.activity.verb == V::ISR_OUT {
            if let [Change::Leaves { begin, .. }] = seen.changes
                && !begin.is_cut(seen.stamp)
                && let Some(inside) = begin.until(seen.stamp)
            {
                line.inside = line.inside.saturating_add(inside);
                self.seen += 1;
            }
            return;
        }
        if line.entries == 0 {
            line.from = here;
        }
        if line.entries == WINDOW {
            line.window(here, now);
        }
        line.entries += 1;
    }

    /// Records are missing: handlers may have ended.
    pub(super) fn lost(&mut self) {
        for line in self.lines.values_mut() {
            *line = Line { evidence: line.evidence, ..Line::default() };
        }
    }

    pub(super) fn found(&self, entities: &Entities, out: &mut Vec<FoundCase>) {
        for ((isr, _), line) in self.lines.iter().filter(|(_, line)| line.evidence.count > 0) {
            let detail = Detail::Share(line.evidence.badness);
            out.push(FoundCase::new(Rule::InterruptStorm, Some(entities.key(*isr)), line.evidence, detail));
        }
    }
}

impl Line {
    fn window(&mut self, here: Moment, now: u64) {
        let duration = now.saturating_sub(self.from.time.unwrap_or(now));
        let share = (u128::from(self.inside) * 1000).checked_div(u128::from(duration)).unwrap_or(0).min(1000) as u64;
        if share >= SHARE {
            self.evidence.add_from(self.from, here, share);
        }
        (self.entries, self.inside, self.from) = (0, 0, here);
    }
}
