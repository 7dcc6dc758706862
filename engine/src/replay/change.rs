//! State changes caused by activities.

use spytui_plugin_api::{Activity, TaskState as Doing};

use super::{
    entity::{Id, Key},
    messages::Post,
    row::Stamp,
};

/// A task state with the activity that caused it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TaskState {
    pub(crate) doing: Doing,
    /// The activity that caused it; `None` if the task was only switched out.
    pub(crate) cause: Option<Activity>,
}

/// A run-to-completion step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MachineStep {
    pub(crate) begin: Stamp,
    /// The signal of its event.
    pub(crate) signal: Option<Key>,
    /// The post of its event.
    pub(crate) post: Option<Post>,
    /// Last time at which its event was handled.
    pub(super) handled: Option<u64>,
    /// A transition took place.
    pub(super) has_moved: bool,
}

impl MachineStep {
    /// The post of its event, if it is known which one that is.
    pub(crate) fn known_post(&self) -> Option<Post> {
        self.post.filter(|post| post.is_known_at(&self.begin))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    Nobody,
    /// The lock is taken; the owner may be unknown.
    Taken(Option<Id>),
    /// Not a lock but a signal: whoever takes it does not give it back.
    NoLock,
}

/// A section of code that a core or task enters and leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Section {
    Isr(Id),
    /// Interrupts disabled.
    Critical,
    Locked,
    Held(Id),
    /// A marker or kernel call.
    Span(Id),
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
    Runs {
        task: Id,
        core: u16,
    },
    Stops {
        task: Id,
        core: u16,
    },
    Rests {
        machine: Id,
        /// Without its scope.
        state: Key,
    },
    StepBegins {
        machine: Id,
        step: MachineStep,
    },
    StepEnds {
        machine: Id,
        step: MachineStep,
        /// End time in ticks; may be before the current activity.
        at: u64,
    },
    Sent {
        /// The number shared with the matching [`Change::Got`]; `None` if not delivered or not matchable.
        flow: Option<u64>,
    },
    /// A message was received, or an event taken: from its queue, or when dispatched.
    Got {
        /// `None` if unknown.
        post: Option<Post>,
    },
    /// A message answers a call.
    Replied {
        call: Stamp,
    },
    Level {
        of: Id,
        level: u64,
        free: bool,
    },
    Lock {
        lock: Id,
        holder: Holder,
    },
    Enters {
        section: Section,
        core: u16,
        /// It is open already, or its end was not seen.
        is_nested: bool,
    },
    Leaves {
        section: Section,
        core: u16,
        begin: Stamp,
        /// An outer one is still open.
        is_nested: bool,
    },
    Armed {
        timer: Id,
    },
    Disarmed {
        timer: Id,
    },
    /// The target was reset; all state is unknown.
    Forgotten,
}

/// The message received or taken, if known.
pub(crate) fn got(changes: &[Change]) -> Option<Post> {
    changes.iter().find_map(|change| if let Change::Got { post } = change { *post } else { None })
}
