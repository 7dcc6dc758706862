//! Events of a periodic timer that were not taken before the timer fired again: the deadline that a target states itself.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, NONE, Verb as V};

use super::finding::{Detail, Evidence, Found, Rule};
use crate::replay::{Entities, Id, Moment};

/// Timers that are followed, so that noise does not exhaust memory.
const MOST: usize = 1024;

#[derive(Debug, Clone, Copy, Default)]
struct Periodic {
    /// It fires again and again.
    repeats: bool,
    /// Who gets its event, and which.
    event: Option<(Id, (u16, u64))>,
    /// It fired there, and its event was not taken yet.
    waits: Option<Moment>,
    /// Its events were seen taken, so that those records are not hidden.
    taken: bool,
    evidence: Evidence,
}

/// All periodic timers.
#[derive(Debug, Clone, Default)]
pub(super) struct Deadlines {
    timers: FxHashMap<Id, Periodic>,
    /// Events of periodic timers that were taken or late.
    pub(super) seen: u64,
}

impl Deadlines {
    /// A timer was armed, was disarmed or fired for a receiver.
    pub(super) fn timer(&mut self, activity: &Activity, timer: Id, receiver: Option<Id>, here: Moment) {
        if self.timers.len() >= MOST && !self.timers.contains_key(&timer) {
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

    /// A receiver took an event.
    pub(super) fn taken(&mut self, activity: &Activity, by: Id) {
        let event = (by, (activity.item_space, activity.item));
        for timer in self.timers.values_mut().filter(|timer| timer.event == Some(event)) {
            self.seen += u64::from(timer.waits.take().is_some());
            timer.taken = true;
        }
    }

    /// Records are missing: what waits may have been taken.
    pub(super) fn lost(&mut self) {
        self.timers.values_mut().for_each(|timer| timer.waits = None);
    }

    pub(super) fn found(&self, entities: &Entities, out: &mut Vec<Found>) {
        for (id, timer) in self.timers.iter().filter(|(_, timer)| timer.evidence.count > 0) {
            out.push(Found::new(Rule::Deadline, Some(entities.key(*id)), timer.evidence, Detail::Nothing));
        }
    }
}
