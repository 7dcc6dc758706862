//! The present state and history of one object.

use spytui_plugin_api::{Activity, ActivityFlags as F, Class, RowKind};

use super::{level::Level, shares::Shares, state::State};
use crate::replay::{Key, Moment};

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

/// What records revealed about an object; a space of objects may contain several sorts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Signs(u16);

impl Signs {
    pub(super) const MACHINE: Signs = Signs(1);
    pub(super) const TASK: Signs = Signs(2);
    pub(super) const INTERRUPT: Signs = Signs(4);
    pub(super) const TIMER: Signs = Signs(8);
    pub(super) const LOCK: Signs = Signs(16);
    pub(super) const POSTED: Signs = Signs(32);
    pub(super) const LEVEL: Signs = Signs(64);
    pub(super) const SPAN: Signs = Signs(128);
    pub(super) const VALUE: Signs = Signs(256);
    pub(super) const CORE: Signs = Signs(512);
    /// It was only given a name.
    pub(super) const SEEN: Signs = Signs(1024);

    pub(super) fn has(self, other: Signs) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn add(&mut self, other: Signs) {
        self.0 |= other.0;
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
pub struct Object {
    pub state: State,
    /// When the state began.
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

impl Object {
    /// Enters a state; `sure` = the record itself reports it.
    pub(super) fn enter(&mut self, state: State, here: Moment, losses: u32, sure: bool) {
        let is_whole = self.said == losses;
        if sure || self.state == State::Unknown {
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
        (self.state != State::Unknown).then_some(self.since.row)
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
        *self = Object { changes: self.changes, priority: self.priority, ..Object::default() };
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
            _ => by_signs.iter().find(|sign| self.signs.has(sign.0)).map_or(ObjectKind::Object, |sign| sign.1),
        }
    }
}
