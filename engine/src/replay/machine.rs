//! State machines: the current state, events taken from a queue, and run-to-completion steps.

use spytui_plugin_api::{Activity, ActivityFlags as F, Info, NONE, Verb as V};

use super::{
    change::{Change, MachineStep},
    entity::{Id, Key, Slots},
    messages::Post,
};
use crate::decode::span::StepEnd;

#[derive(Debug, Default, Clone, Copy)]
struct Machine {
    /// The event taken but not yet dispatched: its signal and post.
    taken: Option<((u16, u64), Post)>,
    step: Option<MachineStep>,
    state: Option<Key>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Machines {
    all: Slots<Machine>,
    end: StepEnd,
}

impl Machines {
    pub(super) fn new(info: &Info) -> Machines {
        Machines { all: Slots::default(), end: StepEnd::new(info) }
    }

    /// After a reset, nothing is known but how steps end.
    pub(super) fn forget(&mut self) {
        self.all = Slots::default();
    }

    pub(crate) fn step(&self, machine: Id) -> Option<MachineStep> {
        self.all.get(machine)?.step
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = (Id, MachineStep)> {
        self.all.iter().filter_map(|(machine, of)| Some((machine, of.step?)))
    }

    /// The post of the event that a machine has taken but not yet dispatched.
    pub(crate) fn taken(&self, machine: Id) -> Option<Post> {
        self.all.get(machine)?.taken.map(|(_, post)| post)
    }

    /// A machine took an event from its queue.
    pub(super) fn takes(&mut self, activity: &Activity, machine: Id, post: Option<Post>) {
        self.all.of(machine).taken = post.map(|post| ((activity.item_space, activity.item), post));
    }

    /// A machine begins to handle an event. `step` has its post unless it was taken before.
    pub(super) fn dispatches(
        &mut self,
        activity: &Activity,
        machine: Id,
        step: MachineStep,
        now: u64,
        out: &mut Vec<Change>,
    ) {
        if self.step(machine).is_some_and(|before| before.has_moved && !before.begin.is_cut(&step.begin)) {
            self.end.is_missing();
        }
        self.end(machine, now, out);
        let of = self.all.of(machine);
        let post = match of.taken.take() {
            Some((taken, post)) => {
                let signal = (activity.item_space, activity.item);
                Some(post).filter(|_| activity.item_space == NONE || taken == signal)
            }
            None => step.post,
        };
        let step = MachineStep { post, ..step };
        of.step = Some(step);
        out.push(Change::StepBegins { machine, step });
    }

    /// An event was handled. This ends the step unless the target reports the end itself; an unhandled event has no other
    /// end.
    pub(super) fn handles(&mut self, activity: &Activity, machine: Id, now: u64, out: &mut Vec<Change>) {
        let verb = activity.verb;
        if verb == V::DONE {
            self.end.came();
        }
        let of = self.all.of(machine);
        if let Some(step) = &mut of.step {
            step.handled = Some(now);
            step.has_moved |= matches!(verb, V::TRAN | V::INTERNAL);
            let is_rejected = verb == V::UNHANDLED || activity.flags.contains(F::FAILED);
            let is_end = if self.end.is_apart() { verb == V::DONE || is_rejected } else { verb != V::UNHANDLED };
            if is_end {
                self.end(machine, now, out);
            }
        }
        if verb == V::TRAN {
            let state = Key { space: activity.second_space, key: activity.second, scope: 0 };
            self.all.of(machine).state = Some(state);
            out.push(Change::Rests { machine, state });
        }
    }

    /// A machine reports its state; a confirmed one is no change.
    pub(super) fn rests(&mut self, activity: &Activity, machine: Id, out: &mut Vec<Change>) {
        let state = Key { space: activity.item_space, key: activity.item, scope: 0 };
        if self.all.of(machine).state.replace(state) != Some(state) {
            out.push(Change::Rests { machine, state });
        }
    }

    /// Records may be missing here: no state is certain.
    pub(super) fn lost(&mut self, out: &mut Vec<Change>) {
        self.finish(out);
        self.all.iter_mut().for_each(|(_, of)| of.state = None);
    }

    /// Reports, at the end of what is known, steps whose event was handled as ended there.
    pub(super) fn finish(&mut self, out: &mut Vec<Change>) {
        for (machine, of) in self.all.iter_mut() {
            if let Some((step, at)) = of.step.and_then(|step| Some((step, step.handled?))) {
                out.push(Change::StepEnds { machine, step, at });
            }
        }
    }

    /// Ends the open step where its event was handled, otherwise now.
    pub(super) fn end(&mut self, machine: Id, now: u64, out: &mut Vec<Change>) {
        if let Some(step) = self.all.of(machine).step.take() {
            out.push(Change::StepEnds { machine, step, at: step.handled.unwrap_or(now) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Replay;

    fn changes(activities: &[(Activity, u64)]) -> Vec<Change> {
        let mut replay = Replay::new(&Info::default());
        let mut all = Vec::new();
        for (activity, now) in activities {
            let who = replay.entities.operands(activity);
            replay.apply(activity, None, who, *now, false);
            all.append(&mut replay.changes);
        }
        replay.finish();
        all.append(&mut replay.changes);
        all
    }

    fn ends(activities: &[(V, u64)]) -> Vec<u64> {
        let of_machine: Vec<_> = activities.iter().map(|(verb, now)| (Activity::new(*verb).sub(20, 3), *now)).collect();
        let at = |change: &Change| if let Change::StepEnds { at, .. } = change { Some(*at) } else { None };
        changes(&of_machine).iter().filter_map(at).collect()
    }

    #[test]
    fn a_step_ends_where_it_is_done() {
        let steps = [(V::DISPATCH, 10), (V::TRAN, 12), (V::DISPATCH, 13), (V::DONE, 15), (V::DISPATCH, 20)];
        assert_eq!(ends(&steps), [12, 15]);
        assert_eq!(ends(&[&steps[..], &[(V::TRAN, 22), (V::DONE, 25)]].concat()), [12, 15, 25]);
    }

    #[test]
    fn without_a_done_it_ends_where_its_event_was_handled() {
        let steps = [(V::DISPATCH, 10), (V::TRAN, 12), (V::GET, 90), (V::DISPATCH, 91), (V::IGNORED, 92)];
        assert_eq!(ends(&steps), [12, 92]);
        assert_eq!(ends(&[(V::DISPATCH, 10), (V::DISPATCH, 20)]), [20]);
        assert_eq!(ends(&[(V::DISPATCH, 10), (V::UNHANDLED, 11), (V::GET, 90)]), [11]);
        assert!(ends(&[(V::TRAN, 10), (V::DONE, 20)]).is_empty());
    }

    #[test]
    fn a_transition_leads_to_its_target() {
        let of = |verb| Activity::new(verb).sub(20, 3);
        let found = changes(&[
            (of(V::TRAN).obj(17, 1).second_key(17, 2), 5),
            (of(V::REST).item(17, 2), 6),
            (of(V::REST).item(18, 3), 6),
            (of(V::TRAN).obj(18, 3).second_key(18, 3), 7),
        ]);
        let state = |space, key| Change::Rests { machine: Id(0), state: Key { space, key, scope: 0 } };
        assert_eq!(found, [state(17, 2), state(18, 3), state(18, 3)]);
    }
}
