//! State changes caused by activities: the output of the reducers.

use spytui_plugin_api::{Activity, activity::TaskState as Number};

use super::{entity::Id, messages::Post, row::Stamp};

/// Scheduling state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It runs on a core.
    Running,
    /// It is ready to run.
    Ready,
    /// It waits for something.
    Blocked,
    /// It was suspended.
    Suspended,
    /// It was stopped, for instance by a debugger.
    Stopped,
    /// It was deleted.
    Dead,
    /// A number unknown to this host.
    Other(u64),
}

impl Doing {
    /// Converts the contract's number.
    pub(crate) fn new(number: u64) -> Doing {
        match Number(number) {
            Number::RUNNING => Doing::Running,
            Number::READY => Doing::Ready,
            Number::BLOCKED => Doing::Blocked,
            Number::SUSPENDED => Doing::Suspended,
            Number::STOPPED => Doing::Stopped,
            Number::DEAD => Doing::Dead,
            Number(other) => Doing::Other(other),
        }
    }

    /// The contract's number.
    pub(crate) fn number(self) -> u64 {
        match self {
            Doing::Running => 1,
            Doing::Ready => 2,
            Doing::Blocked => 3,
            Doing::Suspended => 4,
            Doing::Stopped => 5,
            Doing::Dead => 6,
            Doing::Other(other) => other,
        }
    }
}

/// A task state with the activity that caused it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TaskState {
    /// The scheduling state.
    pub(crate) doing: Doing,
    /// The activity that caused it; `None` if the task was only switched out.
    pub(crate) cause: Option<Activity>,
}

/// State of a state machine, as a dictionary key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MachineState {
    /// Dictionary space.
    pub(crate) space: u16,
    /// Key in the space.
    pub(crate) key: u64,
}

/// Owner of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// The lock is free.
    Nobody,
    /// The lock is taken; the owner may be unknown.
    Taken(Option<Id>),
    /// It is no lock, but a signal: whoever takes it does not give it back.
    NoLock,
}

/// A section of code that a core enters and leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Section {
    /// An interrupt handler.
    Isr(Id),
    /// Interrupts disabled.
    Critical,
    /// Scheduler locked.
    Locked,
}

/// One state change; an activity may cause several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Change {
    /// A task enters a state, which ends the previous one even if both are equal.
    Task {
        task: Id,
        state: TaskState,
        /// The state was reported while the task was still running, so the cause is older than the change.
        late: bool,
    },
    /// A task starts running on a core.
    Runs {
        task: Id,
        core: u16,
    },
    /// A task stops running on a core.
    Stops {
        task: Id,
        core: u16,
    },
    /// A machine enters a state.
    Rests {
        machine: Id,
        state: MachineState,
    },
    /// A run-to-completion step begins.
    StepBegins {
        machine: Id,
    },
    /// A run-to-completion step ended.
    StepEnds {
        machine: Id,
        /// End time in ticks; may be before the current activity.
        at: u64,
    },
    /// A message was sent.
    Sent {
        /// Its number, that of the matching [`Change::Got`]; `None` if it was not delivered or can't be matched.
        flow: Option<u64>,
    },
    /// A message was received, or an event taken: from its queue, or with what handles it.
    Got {
        /// The message; `None` if unknown.
        post: Option<Post>,
    },
    /// A message answers a call.
    Replied {
        /// Where the call was sent.
        call: Stamp,
    },
    /// Fill level of a queue or pool.
    Level {
        /// Queue or pool.
        of: Id,
        /// Used or free elements.
        level: u64,
        /// `level` counts free elements.
        free: bool,
    },
    /// A lock was taken or released.
    Lock {
        lock: Id,
        /// The new owner.
        holder: Holder,
    },
    Enters {
        section: Section,
        core: u16,
    },
    Leaves {
        section: Section,
        core: u16,
    },
    /// A timer was armed.
    Armed {
        timer: Id,
    },
    /// A timer was disarmed.
    Disarmed {
        timer: Id,
    },
    /// The target was reset; all state is unknown.
    Forgotten,
}

/// The message that was received or taken, if it is known.
pub(crate) fn got(changes: &[Change]) -> Option<Post> {
    changes.iter().find_map(|change| if let Change::Got { post } = change { *post } else { None })
}
