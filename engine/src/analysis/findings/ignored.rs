//! Events that a machine ignores in every state in which they arrive.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, ActivityFlags as F, NONE, Verb as V};

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::{Entities, Id, Key, Moment};

/// Times an event must have been ignored; once or twice may be a matter of timing.
const OFTEN: u64 = 3;
/// States in which it must have been ignored: an event seen in one state only may be handled in others.
const STATES: usize = 2;
/// Maximum number of states kept per pair; more make no difference.
const MOST_STATES: usize = 8;
/// Maximum number of machine and event pairs; bounds memory on noisy input.
const MOST: usize = 4096;

type Item = (u16, u64);

#[derive(Debug, Clone, Default)]
struct Outcome {
    handled: bool,
    states: Vec<Item>,
    evidence: Evidence,
    key: Option<Key>,
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
    outcomes: FxHashMap<(Id, Item), Outcome>,
    steps: FxHashMap<Id, Step>,
    /// Number of outcomes seen.
    pub(super) seen: u64,
}

impl Ignored {
    pub(super) fn apply(&mut self, entities: &Entities, activity: &Activity, machine: Id, here: Moment) {
        match activity.verb {
            V::DISPATCH => {
                self.end(entities, machine);
                let state = (activity.obj_space, activity.obj);
                let step = Step { item: (activity.item_space, activity.item), state, unhandled: None };
                if self.steps.len() < MOST || self.steps.contains_key(&machine) {
                    self.steps.insert(machine, step);
                }
            }
            V::UNHANDLED => {
                if let Some(step) = self.steps.get_mut(&machine) {
                    step.unhandled = Some(here);
                }
            }
            V::DONE => self.end(entities, machine),
            // A false guard does not end the step.
            V::IGNORED if activity.flags.contains(F::FAILED) => {}
            V::IGNORED => {
                let state = (activity.obj_space, activity.obj);
                self.settle(entities, machine, item_of(activity), Some((state, here)));
            }
            V::TRAN | V::INTERNAL => self.settle(entities, machine, item_of(activity), None),
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

    fn end(&mut self, entities: &Entities, machine: Id) {
        if let Some(step) = self.steps.remove(&machine)
            && let Some(at) = step.unhandled
        {
            self.add(entities, machine, step.item, Some((step.state, at)));
        }
    }

    /// Records that the event of the record or of the step was handled, or ignored in a state.
    fn settle(&mut self, entities: &Entities, machine: Id, own: Option<Item>, ignored: Option<(Item, Moment)>) {
        let step = self.steps.remove(&machine);
        let Some(item) = own.or(step.map(|step| step.item)).filter(|item| item.0 != NONE) else { return };
        let state = |own: Item| if own.0 == NONE { step.map_or(own, |step| step.state) } else { own };
        self.add(entities, machine, item, ignored.map(|(own, at)| (state(own), at)));
    }

    fn add(&mut self, entities: &Entities, machine: Id, item: Item, ignored: Option<(Item, Moment)>) {
        self.seen += 1;
        if self.outcomes.len() >= MOST && !self.outcomes.contains_key(&(machine, item)) {
            return;
        }
        let outcome = self.outcomes.entry((machine, item)).or_default();
        let Some((state, at)) = ignored else {
            outcome.handled = true;
            return;
        };
        if outcome.key.is_none() {
            let owner = entities.key(machine);
            let named = Activity::new(V::IGNORED).sub(owner.space, owner.key).item(item.0, item.1);
            outcome.key = Some(entities.named(&named, item.0, item.1));
        }
        outcome.evidence.add(at, 0);
        if outcome.states.len() < MOST_STATES && !outcome.states.contains(&state) {
            outcome.states.push(state);
        }
    }

    pub(super) fn found(&self, entities: &Entities, out: &mut Vec<Found>) {
        for ((machine, _), outcome) in &self.outcomes {
            if !outcome.handled && outcome.evidence.count >= OFTEN && outcome.states.len() >= STATES {
                let detail = Detail::States(outcome.states.len() as u64);
                let found = Found::new(Rule::Ignored, Some(entities.key(*machine)), outcome.evidence, detail);
                out.push(Found { item: outcome.key, ..found });
            }
        }
    }
}

fn item_of(activity: &Activity) -> Option<Item> {
    (activity.item_space != NONE).then_some((activity.item_space, activity.item))
}
