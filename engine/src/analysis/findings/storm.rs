//! Machines with a storm of transitions: many without a clock tick between them.

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::{Entities, Id, Moment, Slots};

/// Transitions of a machine between two ticks, or within [`WINDOW`]: external events don't sustain such a rate.
const MANY: u64 = 32;
/// Time for that many transitions if the unit is known, ns: 3 200 per second.
const WINDOW: u64 = 10_000_000;

#[derive(Debug, Clone, Copy, Default)]
struct Run {
    count: u64,
    from: Moment,
    from_ns: Option<u64>,
    tick: u64,
    is_storm: bool,
}

#[derive(Debug, Clone, Default)]
struct Machine {
    run: Run,
    evidence: Evidence,
    most: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Storms {
    machines: Slots<Machine>,
    /// Clock ticks so far.
    ticks: u64,
    /// Transitions whose rate could be judged.
    pub(super) seen: u64,
}

impl Storms {
    pub(super) fn tick(&mut self) {
        self.ticks += 1;
    }

    pub(super) fn transition(&mut self, machine: Id, here: Moment, ns: Option<u64>) {
        let ticks = self.ticks;
        let slot = self.machines.of(machine);
        let goes_on = match (ns, slot.run.from_ns) {
            _ if slot.run.count == 0 => false,
            // Counts from window to window.
            (Some(now), Some(from)) => now.saturating_sub(from) <= WINDOW,
            // Only the second tick shows that ticks are recorded.
            _ => ticks > 1 && slot.run.tick == ticks,
        };
        if !goes_on {
            slot.run = Run { from: here, from_ns: ns, tick: ticks, ..Run::default() };
        }
        self.seen += u64::from(ns.is_some() || ticks > 1);
        slot.run.count += 1;
        slot.most = slot.most.max(if slot.run.count >= MANY { slot.run.count } else { 0 });
        if slot.run.count == MANY {
            slot.evidence.add_from(slot.run.from, here, 0);
            slot.run.is_storm = true;
        } else if slot.run.is_storm {
            slot.evidence.latest = here;
        }
    }

    /// Records are missing, possibly ticks.
    pub(super) fn lost(&mut self) {
        self.machines.iter_mut().for_each(|(_, machine)| machine.run = Run::default());
    }

    pub(super) fn found(&self, entities: &Entities, out: &mut Vec<Found>) {
        for (id, machine) in self.machines.iter().filter(|(_, machine)| machine.evidence.count > 0) {
            let detail = Detail::Transitions(machine.most);
            out.push(Found::new(Rule::TransitionStorm, Some(entities.key(id)), machine.evidence, detail));
        }
    }
}
