//! The present state and history of one object.

use std::mem::{self, Discriminant};

use spytui_plugin_api::{Activity, ActivityFlags, ActivityFlags as F, Class, RowKind, Verb as V};

use crate::replay::{Doing, Key, Moment};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastEvent {
    pub at: Moment,
    pub kind: RowKind,
    /// Whether it was a warning or an error.
    pub warns: bool,
    /// The signal, or another item.
    pub item: Option<Key>,
}

/// Sorts of objects, in the order of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    Machine,
    Task,
    Core,
    Interrupt,
    Queue,
    Pool,
    Lock,
    Timer,
    Marker,
    Value,
    /// No record says what it is.
    Object,
}

impl ObjectKind {
    pub fn word(self) -> &'static str {
        match self {
            ObjectKind::Machine => "machine",
            ObjectKind::Task => "task",
            ObjectKind::Core => "core",
            ObjectKind::Interrupt => "interrupt",
            ObjectKind::Queue => "queue",
            ObjectKind::Pool => "pool",
            ObjectKind::Lock => "lock",
            ObjectKind::Timer => "timer",
            ObjectKind::Marker => "marker",
            ObjectKind::Value => "value",
            ObjectKind::Object => "object",
        }
    }
}

bitflags::bitflags! {
    /// What records revealed about an object; a space of objects may contain several sorts.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub(super) struct Signs: u16 {
        const MACHINE = 1;
        const TASK = 2;
        const INTERRUPT = 4;
        const TIMER = 8;
        const LOCK = 16;
        const POSTED = 32;
        const LEVEL = 64;
        const SPAN = 128;
        const VALUE = 256;
        const CORE = 512;
        /// It was only given a name.
        const SEEN = 1024;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Priority {
    /// The lower rank runs first.
    pub(super) rank: u64,
    /// The next record replaces it, even if that priority is temporary.
    pub(super) is_outdated: bool,
}

impl Priority {
    pub(super) fn of(activity: &Activity) -> Priority {
        let sign = if activity.flags.contains(F::SIGNED) { 1 << 63 } else { 0 };
        let rank = activity.val ^ sign;
        Priority { rank: if activity.flags.contains(F::LOWER_FIRST) { rank } else { !rank }, is_outdated: false }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrackedObject {
    pub state: ObjectState,
    pub since: Moment,
    /// Level of its queue, or its own.
    pub level: Option<Level>,
    pub last: Option<LastEvent>,
    pub events: u64,
    /// Number of states entered, including before the last reset.
    pub(in crate::analysis) changes: u64,
    pub(super) signs: Signs,
    /// Losses before the state was reported.
    pub(super) said: u32,
    /// State of a machine before a transition that may still fail.
    pub(super) before: Option<Key>,
    /// Start of the time not yet accounted for.
    pub(super) from: Option<u64>,
    pub(super) shares: Shares,
    /// Kind of the record that announced a task's next state.
    pub(super) announced: Option<RowKind>,
    /// The task's own priority, without temporary changes; survives resets.
    pub(super) priority: Option<Priority>,
}

impl TrackedObject {
    /// Enters a state; `sure` = the record itself reports it.
    pub(super) fn enter(&mut self, state: ObjectState, here: Moment, losses: u32, sure: bool) {
        let is_whole = self.said == losses;
        if sure || self.state == ObjectState::Unknown {
            self.said = losses;
        }
        if self.state.is_same(&state) {
            self.state = state;
            // It may have been in another state meanwhile.
            if sure && !is_whole {
                self.from = here.time;
            }
            return;
        }
        if is_whole {
            self.account(here.time);
        }
        self.changes += 1;
        (self.state, self.since, self.from) = (state, here, here.time);
    }

    /// The row where its state began, if known.
    pub fn began(&self) -> Option<u64> {
        (self.state != ObjectState::Unknown).then_some(self.since.row)
    }

    /// Rank by urgency: the lower number runs first. `None` if no priority was reported.
    pub fn urgency(&self) -> Option<u64> {
        self.priority.map(|priority| priority.rank)
    }

    /// Applies a reported priority; returns whether it changed.
    pub(super) fn prioritize(&mut self, activity: &Activity) -> bool {
        if activity.flags.contains(F::FOR_NOW) && self.priority.is_some_and(|priority| !priority.is_outdated) {
            return false;
        }
        let before = self.urgency();
        self.priority = Some(Priority::of(activity));
        self.urgency() != before
    }

    /// Its priority may change from here on; until a record reports it, the old one applies.
    pub(super) fn outdate_priority(&mut self) {
        if let Some(priority) = &mut self.priority {
            priority.is_outdated = true;
        }
    }

    /// Resets its state after a reset of the target.
    pub(super) fn forget(&mut self) {
        self.outdate_priority();
        *self = TrackedObject { changes: self.changes, priority: self.priority, ..TrackedObject::default() };
    }

    /// Adds the time spent in the state to its shares.
    fn account(&mut self, now: Option<u64>) {
        if let (Some(key), Some(from), Some(now)) = (self.state.timed(), self.from, now) {
            self.shares.add(key, now.saturating_sub(from));
        }
    }

    /// Share of the time since its first state that it spent in the present one, per mille; `None` without time or with
    /// too many states.
    pub(super) fn permille(&self, now: Option<u64>) -> Option<u16> {
        let open = now?.saturating_sub(self.from?);
        self.shares.permille(self.state.timed()?, open)
    }

    /// The sort of the object, from the class of its space and the signs seen.
    pub(super) fn kind(&self, class: Class) -> ObjectKind {
        let by_signs = [
            (Signs::CORE, ObjectKind::Core),
            (Signs::MACHINE, ObjectKind::Machine),
            (Signs::TASK, ObjectKind::Task),
            (Signs::INTERRUPT, ObjectKind::Interrupt),
            (Signs::TIMER, ObjectKind::Timer),
            (Signs::LOCK, ObjectKind::Lock),
            (Signs::POSTED, ObjectKind::Queue),
            (Signs::LEVEL, ObjectKind::Pool),
            (Signs::VALUE, ObjectKind::Value),
            (Signs::SPAN, ObjectKind::Marker),
        ];
        match class {
            Class::TASK => ObjectKind::Task,
            Class::ISR => ObjectKind::Interrupt,
            Class::QUEUE => ObjectKind::Queue,
            Class::POOL => ObjectKind::Pool,
            Class::LOCK => ObjectKind::Lock,
            Class::TIMER => ObjectKind::Timer,
            _ => by_signs.iter().find(|sign| self.signs.contains(sign.0)).map_or(ObjectKind::Object, |sign| sign.1),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ObjectState {
    #[default]
    Unknown,
    Task(TaskNow),
    /// A machine rests in a state.
    Machine(Key),
    /// A lock is taken, by this task if known.
    Held(Option<Key>),
    Free,
    Armed {
        once: bool,
    },
    Disarmed,
    /// An interrupt handler runs on this core.
    Inside(u16),
    Outside,
    Begun,
    Ended,
    Value {
        bits: u64,
        /// Whether the bits are signed or a double.
        flags: ActivityFlags,
    },
    /// The level of a queue or pool without another state: used or free elements.
    Level(u64),
    Runs(Key),
    Idle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskNow {
    pub doing: Doing,
    /// The core it runs on, or last ran on.
    pub core: u16,
    /// The reason given by the record.
    pub why: Option<Key>,
    /// The object that the task waits for.
    pub on: Option<Key>,
    /// Kind of the record that reported it; `None` if inferred.
    pub said_by: Option<RowKind>,
}

/// The properties that distinguish states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::analysis) struct StateKey {
    what: Discriminant<ObjectState>,
    /// Who holds or runs, or the state of a machine.
    who: Option<Key>,
    number: u64,
}

impl ObjectState {
    /// `None` for states whose duration is meaningless.
    pub(in crate::analysis) fn key(&self) -> Option<StateKey> {
        let (who, number) = match *self {
            ObjectState::Unknown | ObjectState::Value { .. } => return None,
            ObjectState::Task(task) => (None, task.doing.0),
            ObjectState::Machine(key) | ObjectState::Runs(key) => (Some(key), 0),
            ObjectState::Held(by) => (by, 0),
            ObjectState::Level(count) => (None, count),
            _ => (None, 0),
        };
        Some(StateKey { what: mem::discriminant(self), who, number })
    }

    /// The key for adding up time: a lock is held, whoever holds it.
    pub(super) fn timed(&self) -> Option<StateKey> {
        let is_held = matches!(self, ObjectState::Held(_));
        self.key().map(|key| StateKey { who: key.who.filter(|_| !is_held), ..key })
    }

    pub(crate) fn number(bits: u64, flags: ActivityFlags) -> f64 {
        if flags.contains(ActivityFlags::FLOAT) {
            f64::from_bits(bits)
        } else if flags.contains(ActivityFlags::SIGNED) {
            bits as i64 as f64
        } else {
            bits as f64
        }
    }

    /// Whether both are the same state, however reported.
    pub(super) fn is_same(&self, other: &ObjectState) -> bool {
        self.key().map_or(self == other, |key| Some(key) == other.key())
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Level {
    pub fill: FillState,
    pub counts_free: bool,
    /// Fewest free elements, reported by the target or seen.
    pub fewest_free: Option<u64>,
    pub most_used: Option<u64>,
    /// Free elements when empty, as far as seen.
    pub capacity: Option<u64>,
    /// Who last changed it, if known.
    pub by: Option<Key>,
    /// Losses before the level was reported.
    pub(super) said: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FillState {
    /// Number of used or free elements.
    Count(u64),
    /// It has no elements; the capacity may be unknown.
    #[default]
    Empty,
    Full,
}

impl Level {
    /// The level after an activity; `None` if the activity has no level.
    pub(super) fn after(before: Option<Level>, activity: &Activity, by: Option<Key>, said: u32) -> Option<Level> {
        let mut level = before.unwrap_or_default();
        match activity.verb {
            V::LEVEL => {
                // The first element of an empty queue shows how many it holds, if the record of no other is masked.
                let was_empty = level.counts_free && level.fill == FillState::Empty && level.said == said;
                if was_empty && activity.flags & (F::FREE | F::FAILED) == F::FREE {
                    level.capacity = level.capacity.max(activity.val.checked_add(1));
                }
                level.count(activity);
            }
            V::EMPTY | V::CLEARED => level.fill = FillState::Empty,
            V::FULL => {
                level.fill = FillState::Full;
                level.fewest_free = Some(0);
            }
            _ => return None,
        }
        (level.by, level.said) = (by, said);
        Some(level)
    }

    fn count(&mut self, activity: &Activity) {
        self.counts_free = activity.flags.contains(F::FREE);
        let count = activity.val;
        self.fill = if count == 0 && !self.counts_free { FillState::Empty } else { FillState::Count(count) };
        // In a refused request the second value is the margin; 0 means no low-water mark.
        let reported = Some(activity.second).filter(|&low| low > 0 && !activity.flags.contains(F::FAILED));
        let least = |low: Option<u64>, more: Option<u64>| low.into_iter().chain(more).min();
        self.fewest_free = least(self.fewest_free, reported);
        if self.counts_free {
            self.fewest_free = least(self.fewest_free, Some(count));
        } else {
            self.most_used = self.most_used.max(Some(count));
        }
    }

    /// Used elements; `None` if the target counts free ones.
    pub fn used(&self) -> Option<u64> {
        match self.fill {
            FillState::Empty => Some(0),
            FillState::Count(count) if !self.counts_free => Some(count),
            FillState::Count(_) | FillState::Full => None,
        }
    }

    pub fn free(&self) -> Option<u64> {
        match self.fill {
            FillState::Full => Some(0),
            FillState::Count(count) if self.counts_free => Some(count),
            FillState::Count(_) | FillState::Empty => None,
        }
    }

    /// Used or free elements; `None` = without limit.
    pub(in crate::analysis) fn number(&self) -> Option<u64> {
        if self.counts_free { self.free() } else { self.used() }
    }
}

/// Maximum number of states timed per object; bounds memory on noisy input.
const MOST_TIMED: usize = 32;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shares {
    by_state: Vec<(StateKey, u64)>,
    /// Ticks in states beyond `MOST_TIMED`.
    beyond: u64,
}

impl Shares {
    pub(super) fn add(&mut self, key: StateKey, ticks: u64) {
        if ticks == 0 {
            return;
        }
        if let Some((_, sum)) = self.by_state.iter_mut().find(|state| state.0 == key) {
            *sum = sum.saturating_add(ticks);
        } else if self.by_state.len() < MOST_TIMED {
            self.by_state.push((key, ticks));
        } else {
            self.beyond = self.beyond.saturating_add(ticks);
        }
    }

    /// Share of a state per mille, with the object in it for `open` more ticks; `None` without time, or if the state is
    /// not timed.
    pub(super) fn permille(&self, key: StateKey, open: u64) -> Option<u16> {
        let kept = self.by_state.iter().find(|state| state.0 == key).map(|state| state.1);
        if kept.is_none() && self.by_state.len() >= MOST_TIMED {
            return None;
        }
        let sum = |ticks: u64| u128::from(ticks);
        let all = self.by_state.iter().map(|state| sum(state.1)).sum::<u128>() + sum(self.beyond) + sum(open);
        let here = sum(kept.unwrap_or(0)) + sum(open);
        u16::try_from((here * 1000 + all / 2).checked_div(all)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(activities: &[Activity]) -> Level {
        let levels = activities.iter().fold(None, |level, activity| Level::after(level, activity, None, 0));
        levels.expect("no level")
    }

    #[test]
    fn the_fewest_free_elements_are_reported_or_seen() {
        let free = |val, second| Activity::new(V::LEVEL).val(val).second(second).with(F::FREE);
        let level = after(&[free(7, 0), free(3, 0), free(5, 0)]);
        assert_eq!((level.fill, level.fewest_free), (FillState::Count(5), Some(3)));
        assert_eq!(after(&[free(7, 2), free(6, 0), Activity::new(V::EMPTY)]).fewest_free, Some(2));
        // The margin of a refused request is no low-water mark.
        assert_eq!(after(&[free(7, 1).with(F::FAILED)]).fewest_free, Some(7));
    }

    #[test]
    fn the_first_element_of_an_empty_queue_shows_its_size() {
        let free = |val| Activity::new(V::LEVEL).val(val).with(F::FREE);
        let empty = Activity::new(V::EMPTY);
        assert_eq!(after(&[free(3), empty, free(6), free(5)]).capacity, Some(7));
        assert_eq!(after(&[free(3), free(6)]).capacity, None);
        let later = Level::after(Some(after(&[free(3), empty])), &free(6), None, 1);
        assert_eq!(later.and_then(|level| level.capacity), None, "records were lost in between");
    }

    #[test]
    fn used_elements_have_a_maximum() {
        let used = |val| Activity::new(V::LEVEL).val(val);
        let level = after(&[used(2), used(4), used(0)]);
        assert_eq!((level.fill, level.most_used, level.fewest_free), (FillState::Empty, Some(4), None));
        let full = after(&[used(2), Activity::new(V::FULL)]);
        assert_eq!((full.fill, full.fewest_free), (FillState::Full, Some(0)));
        assert_eq!(Level::after(None, &Activity::new(V::POST), None, 0), None);
    }

    #[test]
    fn the_time_since_the_last_change_counts() {
        let mut shares = Shares::default();
        let key = |count| ObjectState::Level(count).timed().unwrap();
        assert_eq!(shares.permille(key(1), 0), None);
        shares.add(key(1), 30);
        shares.add(key(2), 10);
        shares.add(key(1), 20);
        assert_eq!((shares.permille(key(1), 40), shares.permille(key(2), 0)), (Some(900), Some(167)));
        assert_eq!(shares.permille(key(3), 60), Some(500));
    }

    #[test]
    fn of_many_states_the_first_ones_are_kept() {
        let mut shares = Shares::default();
        let key = |count| ObjectState::Level(count).timed().unwrap();
        (0..100).for_each(|count| shares.add(key(count), 10));
        assert_eq!(shares.by_state.len(), MOST_TIMED);
        assert_eq!((shares.permille(key(5), 0), shares.permille(key(99), 5)), (Some(10), None));
    }
}
