//! Timers armed while already running, and events of a periodic timer not taken before the timer fired again: a
//! deadline that the target itself sets.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, NONE, Verb as V};

use super::finding::{Detail, Evidence, FoundCase, Rule};
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

    pub(super) fn found(&self, entities: &Entities, out: &mut Vec<FoundCase>) {
        for (id, timer) in self.timers.iter().filter(|(_, timer)| timer.evidence.count > 0) {
            out.push(FoundCase::new(Rule::ArmedTwice, Some(entities.key(id)), timer.evidence, Detail::Nothing));
        }
    }
}

/// Maximum number of timers tracked; bounds memory on noisy input.
const MOST_TIMERS: usize = 1024;

#[derive(Debug, Clone, Copy, Default)]
struct Periodic {
    repeats: bool,
    /// Receiver and signal of its event.
    event: Option<(Id, (u16, u64))>,
    /// When it fired, if its event has not been taken yet.
    waits: Option<Moment>,
    /// Some of its events were seen taken, so such records are not filtered out.
    taken: bool,
    evidence: Evidence,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Deadlines {
    timers: FxHashMap<Id, Periodic>,
    /// Events of periodic timers that were taken, or were late.
    pub(super) seen: u64,
}

impl Deadlines {
    /// A timer was armed, disarmed or fired for a receiver.
    pub(super) fn timer(&mut self, activity: &Activity, timer: Id, receiver: Option<Id>, here: Moment) {
        if self.timers.len() >= MOST_TIMERS && !self.timers.contains_key(&timer) {
            return;
        }
        let slot = self.timers.entry(timer).or_default();
        match activity.verb {
            V::ARM => (slot.repeats, slot.waits) = (activity.second > 0, None),
            V::FIRE if slot.repeats && activity.item_space != NONE => {
                if let Some(since) = slot.waits.replace(here)
                    && slot.taken
                {
                    self.seen += 1;
                    let late = since.time.zip(here.time).map_or(0, |(since, now)| now.saturating_sub(since));
                    slot.evidence.add_from(since, here, late);
                }
                slot.event = receiver.map(|receiver| (receiver, (activity.item_space, activity.item)));
            }
            V::FIRE => {}
            _ => (slot.repeats, slot.waits) = (false, None),
        }
    }

    pub(super) fn taken(&mut self, activity: &Activity, by: Id) {
        let event = (by, (activity.item_space, activity.item));
        for timer in self.timers.values_mut().filter(|timer| timer.event == Some(event)) {
            self.seen += u64::from(timer.waits.take().is_some());
            timer.taken = true;
        }
    }

    /// Records are missing: waiting events may have been taken.
    pub(super) fn lost(&mut self) {
        self.timers.values_mut().for_each(|timer| timer.waits = None);
    }

    pub(super) fn found(&self, entities: &Entities, out: &mut Vec<FoundCase>) {
        for (id, timer) in self.timers.iter().filter(|(_, timer)| timer.evidence.count > 0) {
            out.push(FoundCase::new(Rule::Deadline, Some(entities.key(*id)), timer.evidence, Detail::Nothing));
        }
    }
}
