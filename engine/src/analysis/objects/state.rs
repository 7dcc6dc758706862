use spytui_plugin_api::{ActivityFlags, RowKind};

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

/// Identifies a state when adding up time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StateTag {
    pub(super) what: u8,
    pub(super) space: u16,
    pub(super) key: u64,
}

impl State {
    /// The tag for adding up time; `None` for states whose duration is meaningless.
    pub(super) fn tag(&self) -> Option<StateTag> {
        let (what, space, key) = match *self {
            State::Unknown | State::Value { .. } => return None,
            State::Task(task) => (1, 0, task.doing.number()),
            State::Machine(state) => (2, state.space, state.key),
            State::Held(_) => (3, 0, 1),
            State::Free => (3, 0, 0),
            State::Armed { .. } => (4, 0, 1),
            State::Disarmed => (4, 0, 0),
            State::Inside(_) => (5, 0, 1),
            State::Outside => (5, 0, 0),
            State::Begun => (6, 0, 1),
            State::Ended => (6, 0, 0),
            State::Level(count) => (7, 0, count),
            State::Runs(task) => (8, task.space, task.key),
            State::Idle => (9, 0, 0),
        };
        Some(StateTag { what, space, key })
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
        match (self.tag(), other.tag()) {
            // States that differ in the holder of a lock or the task of a core are different.
            (Some(_), Some(_)) if matches!(self, State::Held(_) | State::Runs(_)) => self == other,
            (Some(tag), Some(other)) => tag == other,
            _ => self == other,
        }
    }
}
