//! Events that a machine ignores in every state in which they arrive, and machines with many transitions without a clock
//! tick between them.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, NONE, Verb as V};

use super::finding::{Cases, Detail, Evidence, FoundCase, Rule};
use crate::replay::{Entities, Id, Moment, Slots};

/// Times an event must have been ignored; once or twice may be a matter of timing.
const OFTEN: u64 = 3;
/// States in which it must have been ignored: an event seen in one state only may be handled in others.
const STATES: usize = 2;
/// Maximum number of states kept per pair; more make no difference.
const MOST_STATES: usize = 8;
/// Maximum number of machine and event pairs; bounds memory on noisy input.
const MOST_PAIRS: usize = 4096;

type Item = (u16, u64);

#[derive(Debug, Clone, Default)]
pub(super) struct Outcome {
    handled: bool,
    states: Vec<Item>,
    pub(super) evidence: Evidence,
}

/// The event that a machine is about to handle.
#[derive(Debug, Clone, Copy)]
struct Step {
    item: Item,
    state: Item,
    /// Row of the event while no state has handled it.
    unhandled: Option<Moment>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Ignored {
    pub(super) outcomes: FxHashMap<(Id, Item), Outcome>,
    steps: FxHashMap<Id, Step>,
    pub(super) seen: u64,
}

impl Ignored {
    pub(super) fn apply(&mut self, activity: &Activity, machine: Id, here: Moment) {
        match activity.verb {
            V::DISPATCH => {
                self.end(machine);
                let state = (activity.obj_space, activity.obj);
                let step = Step { item: (activity.item_space, activity.item), state, unhandled: None };
                if self.steps.len() < MOST_PAIRS || self.steps.contains_key(&machine) {
                    self.steps.insert(machine, step);
                }
            }
            V::UNHANDLED => {
                if let Some(step) = self.steps.get_mut(&machine) {
                    step.unhandled = Some(here);
                }
            }
            V::DONE => self.end(machine),
            // A false guard does not end the step.
            V::IGNORED if activity.flags.contains(F::FAILED) => {}
            V::IGNORED => {
                let state = (activity.obj_space, activity.obj);
                self.settle(machine, item_of(activity), Some((state, here)));
            }
            V::TRAN | V::INTERNAL => self.settle(machine, item_of(activity), None),
            V::ACTION => {
                if let Some(step) = self.steps.get_mut(&machine) {
                    step.unhandled = None;
                }
            }
            _ => {}
        }
    }

    /// Records are missing, so the outcome of open steps is unknown.
    pub(super) fn lost(&mut self) {
        self.steps.clear();
    }

    fn end(&mut self, machine: Id) {
        if let Some(step) = self.steps.remove(&machine)
            && let Some(at) = step.unhandled
        {
            self.add(machine, step.item, Some((step.state, at)));
        }
    }

    /// Records that the event of the record or of the step was handled, or ignored in a state.
    fn settle(&mut self, machine: Id, own: Option<Item>, ignored: Option<(Item, Moment)>) {
        let step = self.steps.remove(&machine);
        let Some(item) = own.or(step.map(|step| step.item)).filter(|item| item.0 != NONE) else { return };
        let state = |own: Item| if own.0 == NONE { step.map_or(own, |step| step.state) } else { own };
        self.add(machine, item, ignored.map(|(own, at)| (state(own), at)));
    }

    fn add(&mut self, machine: Id, item: Item, ignored: Option<(Item, Moment)>) {
        self.seen += 1;
        if self.outcomes.len() >= MOST_PAIRS && !self.outcomes.contains_key(&(machine, item)) {
            return;
        }
        let outcome = self.outcomes.entry((machine, item)).or_default();
        let Some((state, at)) = ignored else {
            outcome.handled = true;
            return;
        };
        outcome.evidence.add(at, 0);
        if outcome.states.len() < MOST_STATES && !outcome.states.contains(&state) {
            outcome.states.push(state);
        }
    }

    pub(super) fn found(&self, entities: &Entities, out: &mut Vec<FoundCase>) {
        for (&(machine, (space, item)), outcome) in &self.outcomes {
            if !outcome.handled && outcome.evidence.count >= OFTEN && outcome.states.len() >= STATES {
                let (machine, detail) = (entities.key(machine), Detail::States(outcome.states.len() as u64));
                let ignored = Activity::new(V::IGNORED).sub(machine.space, machine.key).item(space, item);
                let found = FoundCase::new(Rule::Ignored, Some(machine), outcome.evidence, detail);
                out.push(FoundCase { item: entities.item(&ignored), ..found });
            }
        }
    }
}

fn item_of(activity: &Activity) -> Option<Item> {
    (activity.item_space != NONE).then_some((activity.item_space, activity.item))
}

/// Transitions of a machine between two ticks, or within [`WINDOW`]: external events don't sustain such a rate.
const MANY_TRANSITIONS: u64 = 32;
/// Time for that many transitions if the unit is known, ns: 3 200 per second.
const WINDOW: u64 = 10_000_000;

#[derive(Debug, Clone, Copy, Default)]
struct Run {
    count: u64,
    from: Moment,
    from_ns: Option<u64>,
    tick: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Storms {
    runs: Slots<Run>,
    ticks: u64,
    /// Transitions whose rate could be judged.
    pub(super) seen: u64,
}

impl Storms {
    pub(super) fn tick(&mut self) {
        self.ticks += 1;
    }

    pub(super) fn transition(&mut self, machine: Id, here: Moment, ns: Option<u64>, cases: &mut Cases) {
        let ticks = self.ticks;
        let run = self.runs.of(machine);
        let goes_on = match (ns, run.from_ns) {
            _ if run.count == 0 => false,
            // Counts from window to window.
            (Some(now), Some(from)) => now.saturating_sub(from) <= WINDOW,
            // Only the second tick shows that ticks are recorded.
            _ => ticks > 1 && run.tick == ticks,
        };
        if !goes_on {
            *run = Run { count: 0, from: here, from_ns: ns, tick: ticks };
        }
        self.seen += u64::from(ns.is_some() || ticks > 1);
        run.count += 1;
        if run.count >= MANY_TRANSITIONS {
            let detail = Detail::Transitions(run.count);
            let evidence = cases.of(Rule::TransitionStorm, Some(machine), detail);
            evidence.extend(run.from, here, run.count == MANY_TRANSITIONS);
        }
    }

    /// Records are missing, possibly ticks.
    pub(super) fn lost(&mut self) {
        self.runs = Slots::default();
    }
}
