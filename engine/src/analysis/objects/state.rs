use std::hash::{Hash, Hasher};

use spytui_plugin_api::{ActivityFlags, NONE, RowKind};

use crate::replay::{Doing, Key};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum State {
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

/// What a task does, and why.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::analysis) struct StateKey {
    what: u8,
    /// Who holds or runs, or the state of a machine.
    who: Option<Key>,
    number: u64,
}

impl Hash for StateKey {
    /// Hashes in few steps, as every record causes a lookup.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.what) | self.number << 8);
        self.who.unwrap_or(Key { space: NONE, key: 0, scope: 0 }).hash(state);
    }
}

impl State {
    /// `None` for states whose duration is meaningless.
    pub(in crate::analysis) fn key(&self) -> Option<StateKey> {
        let (what, who, number) = match *self {
            State::Unknown | State::Value { .. } => return None,
            State::Task(task) => (0, None, task.doing.number()),
            State::Machine(state) => (1, Some(state), 0),
            State::Held(by) => (2, by, 0),
            State::Free => (3, None, 0),
            State::Armed { .. } => (4, None, 0),
            State::Disarmed => (5, None, 0),
            State::Inside(_) => (6, None, 0),
            State::Outside => (7, None, 0),
            State::Begun => (8, None, 0),
            State::Ended => (9, None, 0),
            State::Runs(task) => (10, Some(task), 0),
            State::Idle => (11, None, 0),
            State::Level(count) => (12, None, count),
        };
        Some(StateKey { what, who, number })
    }

    /// The key for adding up time: a lock is held, whoever holds it.
    pub(super) fn timed(&self) -> Option<StateKey> {
        let is_held = matches!(self, State::Held(_));
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
    pub(super) fn is_same(&self, other: &State) -> bool {
        self.key().map_or(self == other, |key| Some(key) == other.key())
    }
}
