//! States of objects, as activities report them.

use spytui_plugin_api::{ActivityFlags, RowKind};

use crate::replay::{Doing, Key};

/// State of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum State {
    /// No record has said.
    #[default]
    Unknown,
    /// Scheduling state of a task.
    Task(TaskNow),
    /// A machine rests in this state.
    Machine(Key),
    /// A lock is taken, by this task if known.
    Held(Option<Key>),
    /// A lock is free.
    Free,
    /// A timer is armed.
    Armed {
        /// It fires once.
        once: bool,
    },
    /// A timer is not armed.
    Disarmed,
    /// An interrupt handler runs on this core.
    Inside(u16),
    /// An interrupt handler does not run.
    Outside,
    /// A span is open.
    Begun,
    /// A span is closed.
    Ended,
    /// The value of a track.
    Value {
        bits: u64,
        /// Whether they are signed or a double.
        flags: ActivityFlags,
    },
    /// The fill level of a queue or pool that has no other state: used or free elements.
    Level(u64),
    /// A core runs this task.
    Runs(Key),
    /// A core is idle.
    Idle,
}

/// What a task does, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskNow {
    /// The scheduling state.
    pub doing: Doing,
    /// The core on which it runs, or ran last.
    pub core: u16,
    /// The reason that the record gave.
    pub why: Option<Key>,
    /// What it waits for.
    pub on: Option<Key>,
    /// The kind of the record that said so; `None` if no record did.
    pub said_by: Option<RowKind>,
}

/// Identifies a state for the account of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StateTag {
    pub(super) what: u8,
    pub(super) space: u16,
    pub(super) key: u64,
}

impl State {
    /// The state for the account of time; `None` if time in it means nothing.
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

    /// A value as a number.
    pub(crate) fn number(bits: u64, flags: ActivityFlags) -> f64 {
        if flags.contains(ActivityFlags::FLOAT) {
            f64::from_bits(bits)
        } else if flags.contains(ActivityFlags::SIGNED) {
            bits as i64 as f64
        } else {
            bits as f64
        }
    }

    /// Whether it is the same state, however it was reported.
    pub(super) fn is_same(&self, other: &State) -> bool {
        match (self.tag(), other.tag()) {
            // Who holds a lock or runs on a core makes a difference.
            (Some(_), Some(_)) if matches!(self, State::Held(_) | State::Runs(_)) => self == other,
            (Some(tag), Some(other)) => tag == other,
            _ => self == other,
        }
    }
}
