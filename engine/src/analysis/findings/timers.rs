//! Timers armed while already running, and events of a periodic timer not taken before the timer fired again: a
//! deadline that the target itself sets.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Activity, NONE, Verb as V};

use super::finding::{Cases, Detail, Rule};
use crate::replay::{Change, Id, Moment, Seen, Slots};

#[derive(Debug, Clone, Default)]
pub(super) struct Timers {
    /// Losses before each timer was armed: after another one, its end may be missing.
    losses: Slots<u32>,
    pub(super) armed: u64,
    pub(super) ends: bool,
}

impl Timers {
    /// Applies an activity of a timer with its changes.
    pub(super) fn apply(&mut self, seen: &Seen<'_>, timer: Id, cases: &mut Cases) {
        if seen.activity.verb != V::ARM {
            self.ends = true;
            return;
        }
        self.armed += 1;
        let losses = std::mem::replace(self.losses.of(timer), seen.stamp.losses);
        let was_armed = seen.changes.iter().any(|change| matches!(change, Change::Disarmed { .. }));
        if was_armed && self.ends && losses == seen.stamp.losses {
            cases.of(Rule::ArmedTwice, Some(timer), Detail::Nothing).add(*seen.here, 0);
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
}

#[derive(Debug, Clone, Default)]
pub(super) struct Deadlines {
    timers: FxHashMap<Id, Periodic>,
    /// Events of periodic timers that were taken, or were late.
    pub(super) seen: u64,
}

impl Deadlines {
    /// A timer was armed, disarmed or fired for a receiver.
    pub(super) fn timer(&mut self, seen: &Seen<'_>, timer: Id, receiver: Option<Id>, cases: &mut Cases) {
        let Seen { activity, here: &here, .. } = *seen;
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
                    cases.of(Rule::Deadline, Some(timer), Detail::Nothing).add_from(since, here, late);
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
}
