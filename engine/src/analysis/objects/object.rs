//! What is known of one object.

use spytui_plugin_api::{Activity, ActivityFlags as F, Class, RowKind};

use super::{level::Level, shares::Shares, state::State};
use crate::replay::{Key, Moment};

/// The last record about an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastEvent {
    /// Where it is.
    pub at: Moment,
    pub kind: RowKind,
    /// It is one to look at: a warning or an error.
    pub warns: bool,
    /// Its signal or other item.
    pub item: Option<Key>,
}

/// What sort of thing an object is, in the order of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// A state machine.
    Machine,
    /// A task or thread.
    Task,
    Core,
    Interrupt,
    Queue,
    Pool,
    Lock,
    Timer,
    Marker,
    Value,
    /// Of this object no record said more.
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

/// What records said of an object: in the space of a protocol's objects may be things of several kinds.
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
    /// It was named, and nothing more.
    pub(super) const SEEN: Signs = Signs(1024);

    pub(super) fn has(self, other: Signs) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn add(&mut self, other: Signs) {
        self.0 |= other.0;
    }
}

/// How urgent an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Priority {
    /// Of two, the lower number runs first.
    pub(super) rank: u64,
    /// The next record about it is to be believed, even if it may hold for a while only.
    pub(super) is_outdated: bool,
}

impl Priority {
    /// What an activity reports.
    pub(super) fn of(activity: &Activity) -> Priority {
        let sign = if activity.flags.contains(F::SIGNED) { 1 << 63 } else { 0 };
        let rank = activity.val ^ sign;
        Priority { rank: if activity.flags.contains(F::LOWER_FIRST) { rank } else { !rank }, is_outdated: false }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object {
    pub state: State,
    /// The row with which the state began.
    pub since: Moment,
    /// Its queue, or its own level.
    pub level: Option<Level>,
    /// The last record about it.
    pub last: Option<LastEvent>,
    /// Number of records about it.
    pub events: u64,
    /// How often it entered a state, also before the last reset.
    pub(in crate::analysis) changes: u64,
    pub(super) signs: Signs,
    /// Losses before the state was reported.
    pub(super) said: u32,
    /// The state of a machine before a transition that may still not take place.
    pub(super) before: Option<Key>,
    /// Time from which on the state is not accounted for yet.
    pub(super) from: Option<u64>,
    pub(super) shares: Shares,
    /// Kind of the record that announced the next state of a task.
    pub(super) announced: Option<RowKind>,
    /// Its priority, without what holds for a while only; also from before the last reset.
    pub(super) priority: Option<Priority>,
}

impl Object {
    /// Enters a state at a row; `sure` = the record says so itself.
    pub(super) fn enter(&mut self, state: State, here: Moment, losses: u32, sure: bool) {
        let is_whole = self.said == losses;
        if sure || self.state == State::Unknown {
            self.said = losses;
        }
        if self.state.is_same(&state) {
            self.state = state;
            // It may have been in another one in between.
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

    /// The row with which its state began; `None` if it is not known.
    pub fn began(&self) -> Option<u64> {
        (self.state != State::Unknown).then_some(self.since.row)
    }

    /// How urgent it is: of two, the lower number runs first. `None` if no record reported a priority.
    pub fn urgency(&self) -> Option<u64> {
        self.priority.map(|priority| priority.rank)
    }

    /// A record reports its priority; returns whether that is another one now.
    pub(super) fn prioritize(&mut self, activity: &Activity) -> bool {
        if activity.flags.contains(F::FOR_NOW) && self.priority.is_some_and(|priority| !priority.is_outdated) {
            return false;
        }
        let before = self.urgency();
        self.priority = Some(Priority::of(activity));
        self.urgency() != before
    }

    /// It may have another priority from here on; until a record reports it, it counts as urgent as it was.
    pub(super) fn outdate_priority(&mut self) {
        if let Some(priority) = &mut self.priority {
            priority.is_outdated = true;
        }
    }

    /// It, after a reset of the target.
    pub(super) fn forget(&mut self) {
        self.outdate_priority();
        *self = Object { changes: self.changes, priority: self.priority, ..Object::default() };
    }

    /// Adds the time in the state to its account.
    fn account(&mut self, now: Option<u64>) {
        if let (Some(tag), Some(from), Some(now)) = (self.state.tag(), self.from, now) {
            self.shares.add(tag, now.saturating_sub(from));
        }
    }

    /// Share of the time since its first state in which it was in its present one, in per mille; `None` if no time has
    /// passed, or it has too many states.
    pub(super) fn permille(&self, now: Option<u64>) -> Option<u16> {
        let open = now?.saturating_sub(self.from?);
        self.shares.permille(self.state.tag()?, open)
    }

    /// What sort of thing it is, by the class of its space and by what was said of it.
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
