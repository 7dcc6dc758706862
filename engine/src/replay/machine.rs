//! State machines: current state and run-to-completion steps.

use spytui_plugin_api::{Activity, Verb as V};

use super::{
    change::{Change, MachineState},
    entity::{Id, Slots},
};

#[derive(Debug, Default, Clone, Copy)]
struct Machine {
    /// A step is open.
    open: bool,
    /// When the event was handled; the step ends there unless a DONE follows.
    handled: Option<u64>,
    /// Current state.
    state: Option<MachineState>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Machines(Slots<Machine>);

impl Machines {
    /// Applies an activity of a machine.
    pub(super) fn apply(&mut self, activity: &Activity, machine: Id, now: u64, out: &mut Vec<Change>) {
        match activity.verb {
            V::DISPATCH => {
                self.end(machine, now, out);
                self.0.of(machine).open = true;
                out.push(Change::StepBegins { machine });
            }
            V::GET => self.end(machine, now, out),
            V::DONE => {
                self.0.of(machine).handled = None;
                self.end(machine, now, out);
            }
            V::INTERNAL | V::IGNORED => self.handled(machine, now),
            V::TRAN => {
                self.handled(machine, now);
                let state = MachineState { space: activity.second_space, key: activity.second };
                self.0.of(machine).state = Some(state);
                out.push(Change::Rests { machine, state });
            }
            V::REST => {
                let state = MachineState { space: activity.item_space, key: activity.item };
                // A confirmed state is not a change.
                if self.0.of(machine).state.replace(state) != Some(state) {
                    out.push(Change::Rests { machine, state });
                }
            }
            _ => {}
        }
    }

    /// Records may be missing: no state is certain.
    pub(super) fn lost(&mut self, out: &mut Vec<Change>) {
        self.finish(out);
        self.0.iter_mut().for_each(|(_, slot)| slot.state = None);
    }

    /// At the end of the input, ends open steps where their event was handled.
    pub(super) fn finish(&mut self, out: &mut Vec<Change>) {
        for (machine, slot) in self.0.iter_mut() {
            if let (true, Some(at)) = (slot.open, slot.handled) {
                (slot.open, slot.handled) = (false, None);
                out.push(Change::StepEnds { machine, at });
            }
        }
    }

    fn handled(&mut self, machine: Id, now: u64) {
        let slot = self.0.of(machine);
        slot.handled = slot.open.then_some(now);
    }

    /// Ends the open step where its event was handled, or now.
    fn end(&mut self, machine: Id, now: u64, out: &mut Vec<Change>) {
        let slot = self.0.of(machine);
        let (open, handled) = (std::mem::take(&mut slot.open), slot.handled.take());
        if open {
            out.push(Change::StepEnds { machine, at: handled.unwrap_or(now) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(activities: &[(V, u64)]) -> Vec<u64> {
        let (mut machines, mut out) = (Machines::default(), Vec::new());
        activities.iter().for_each(|&(verb, now)| machines.apply(&Activity::new(verb), Id(3), now, &mut out));
        machines.finish(&mut out);
        let at = |c: &Change| if let Change::StepEnds { at, .. } = c { Some(*at) } else { None };
        out.iter().filter_map(at).collect()
    }

    #[test]
    fn a_step_ends_where_it_is_done() {
        assert_eq!(ends(&[(V::DISPATCH, 10), (V::TRAN, 12), (V::DONE, 15), (V::DISPATCH, 20)]), [15]);
    }

    #[test]
    fn without_a_done_it_ends_where_its_event_was_handled() {
        assert_eq!(
            ends(&[(V::DISPATCH, 10), (V::TRAN, 12), (V::GET, 90), (V::DISPATCH, 91), (V::IGNORED, 92)]),
            [12, 92]
        );
        assert_eq!(ends(&[(V::DISPATCH, 10), (V::DISPATCH, 20)]), [20]);
        assert!(ends(&[(V::TRAN, 10), (V::DONE, 20)]).is_empty());
    }

    #[test]
    fn a_transition_leads_to_its_target() {
        let (mut machines, mut out) = (Machines::default(), Vec::new());
        machines.apply(&Activity::new(V::TRAN).obj(17, 1).second_key(17, 2), Id(0), 5, &mut out);
        machines.apply(&Activity::new(V::REST).item(17, 2), Id(0), 6, &mut out);
        machines.apply(&Activity::new(V::REST).item(18, 3), Id(0), 6, &mut out);
        machines.apply(&Activity::new(V::TRAN).obj(18, 3).second_key(18, 3), Id(0), 7, &mut out);
        let state = |space, key| Change::Rests { machine: Id(0), state: MachineState { space, key } };
        assert_eq!(out, [state(17, 2), state(18, 3), state(18, 3)]);
    }
}
