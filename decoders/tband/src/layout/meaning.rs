//! The activity of an event, as columns of the table.

use spytui_plugin_api::{ActivityFlags, TaskState, Verb};

/// Keys of space `REASONS`.
pub(crate) mod reason {
    pub(crate) const DELAY: u64 = 1;
    pub(crate) const UNTIL: u64 = 2;
    pub(crate) const RECEIVE: u64 = 3;
    pub(crate) const SEND: u64 = 4;
    pub(crate) const PEEK: u64 = 5;
}

/// Names of the reasons, from key 1.
pub(crate) const REASONS: [&str; 5] = ["delay", "delay until", "receive", "send", "peek"];

/// Operand of an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Nothing,
    /// Subject.
    Sub,
    /// Object.
    Obj,
    Val,
    Second,
}

/// The activity of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meaning {
    pub(crate) verb: Verb,
    pub(crate) flags: ActivityFlags,
    /// Operand of the first field.
    pub(crate) first: Operand,
    /// Operand of the second field.
    pub(crate) second: Operand,
    /// Operand of the running task, if known.
    pub(crate) task: Operand,
    /// New state of the task; 0 = none.
    pub(crate) state: TaskState,
    /// Reason of waiting; 0 = none.
    pub(crate) reason: u64,
}

impl Meaning {
    /// A verb whose subject is the key in the first field.
    pub(super) const fn of(verb: Verb) -> Meaning {
        Meaning {
            verb,
            flags: ActivityFlags::empty(),
            first: Operand::Sub,
            second: Operand::Nothing,
            task: Operand::Nothing,
            state: TaskState(0),
            reason: 0,
        }
    }

    /// The task in the first field enters a state.
    pub(super) const fn becomes(state: TaskState) -> Meaning {
        Meaning { state, ..Meaning::of(Verb::STATE) }
    }

    /// The running task will be blocked when it is switched out.
    pub(super) const fn blocks(reason: u64, first: Operand, second: Operand) -> Meaning {
        let meaning = Meaning { reason, first, second, ..Meaning::becomes(TaskState::BLOCKED) };
        meaning.by_current().with(ActivityFlags::WHEN_OUT)
    }

    /// A verb whose object is the key in the first field.
    pub(super) const fn to(verb: Verb) -> Meaning {
        Meaning { first: Operand::Obj, ..Meaning::of(verb) }
    }

    /// The second field is the value.
    pub(super) const fn val(self) -> Meaning {
        Meaning { second: Operand::Val, ..self }
    }

    /// The second field is a signed value.
    pub(super) const fn signed(self) -> Meaning {
        self.val().with(ActivityFlags::SIGNED)
    }

    /// The subject is the running task, which may be unknown.
    pub(super) const fn by_current(self) -> Meaning {
        Meaning { task: Operand::Sub, ..self }.with(ActivityFlags::CURRENT)
    }

    /// The object is the running task, if known.
    pub(super) const fn of_task(self) -> Meaning {
        Meaning { task: Operand::Obj, ..self }
    }

    /// Further flags.
    pub(super) const fn with(self, flags: ActivityFlags) -> Meaning {
        Meaning { flags: self.flags.union(flags), ..self }
    }
}
