//! Timers armed while already running.

use spytui_plugin_api::Verb as V;

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::{Change, Entities, Id, Moment, Slots};

#[derive(Debug, Clone, Copy, Default)]
struct Timer {
    evidence: Evidence,
    /// Losses before it was armed: after another one, its end may be missing.
    losses: u32,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Timers {
    timers: Slots<Timer>,
    pub(super) armed: u64,
    pub(super) ends: bool,
}

impl Timers {
    /// Applies an activity of a timer with its changes.
    pub(super) fn apply(&mut self, verb: V, timer: Id, changes: &[Change], (losses, here): (u32, Moment)) {
        if verb != V::ARM {
            self.ends = true;
            return;
        }
        self.armed += 1;
        let slot = self.timers.of(timer);
        let was_armed = changes.iter().any(|change| matches!(change, Change::Disarmed { .. }));
        if was_armed && self.ends && slot.losses == losses {
            slot.evidence.add(here, 0);
        }
        slot.losses = losses;
    }

    pub(super) fn found(&self, entities: &Entities, out: &mut Vec<Found>) {
        for (id, timer) in self.timers.iter().filter(|(_, timer)| timer.evidence.count > 0) {
            out.push(Found::new(Rule::ArmedTwice, Some(entities.key(id)), timer.evidence, Detail::Nothing));
        }
    }
}
