//! What activities change: the language between the reducers and whoever shows states.

use spytui_plugin_api::{Activity, info::space};

use super::entity::Id;

/// What a task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// It has a processor.
    Running,
    /// It could run.
    Ready,
    /// It waits.
    Blocked,
    /// It was told to wait.
    Suspended,
    /// It was stopped, as by a debugger.
    Stopped,
    /// It exists no more.
    Dead,
    /// A number that this host does not know.
    Other(u64),
}

impl Doing {
    /// From the number of the contract.
    #[must_use]
    pub fn new(number: u64) -> Doing {
        match number {
            1 => Doing::Running,
            2 => Doing::Ready,
            3 => Doing::Blocked,
            4 => Doing::Suspended,
            5 => Doing::Stopped,
            6 => Doing::Dead,
            other => Doing::Other(other),
        }
    }
}

/// A state of a task, with the activity that brought it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskState {
    /// What it does.
    pub doing: Doing,
    /// Who or what made it so; `None` = it was just switched out.
    pub cause: Option<Activity>,
}

/// A state of a machine: space and key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Dictionary space.
    pub space: u16,
    /// Key in it.
    pub key: u64,
}

/// Who has a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// Nobody.
    Nobody,
    /// Somebody, known or not.
    Taken(Option<Id>),
}

/// Stretches that a core is in or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// An interrupt.
    Isr(Id),
    /// Interrupts are locked.
    Critical,
    /// The scheduler is locked.
    Locked,
}

/// One change; several may come of one activity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// A state of a task begins and ends the one before, also when it is the same.
    Task {
        /// The task.
        task: Id,
        /// Its state.
        state: TaskState,
        /// It was announced while the task ran: the cause is older than the change.
        late: bool,
    },
    /// A task gets a processor.
    Runs {
        /// The task.
        task: Id,
        /// The processor.
        core: u16,
    },
    /// A task loses its processor.
    Stops {
        /// The task.
        task: Id,
        /// The processor.
        core: u16,
    },
    /// "Who runs here" did something, and nobody is known to run.
    NobodyRuns,
    /// A machine rests in a state.
    Rests {
        /// The machine.
        machine: Id,
        /// Its state.
        state: State,
    },
    /// A run-to-completion step begins.
    StepBegins {
        /// The machine.
        machine: Id,
    },
    /// A run-to-completion step ended.
    StepEnds {
        /// The machine.
        machine: Id,
        /// When; may be before now.
        at: u64,
    },
    /// A message was sent.
    Sent {
        /// Number that its receipt will have; `None` = there will be none, or it can't be told.
        flow: Option<u64>,
    },
    /// A message was taken.
    Got {
        /// Number of the sending; `None` = not known.
        flow: Option<u64>,
    },
    /// The level of a queue or pool.
    Level {
        /// Queue or pool.
        of: Id,
        /// Elements in it, or free ones.
        level: u64,
        /// `level` counts what is free.
        free: bool,
    },
    /// A lock was taken or given.
    Lock {
        /// The lock.
        lock: Id,
        /// Who has it.
        holder: Holder,
    },
    /// A stretch of a core begins.
    Enters {
        /// Which.
        section: Section,
        /// The core.
        core: u16,
    },
    /// A stretch of a core ends.
    Leaves {
        /// Which.
        section: Section,
        /// The core.
        core: u16,
    },
    /// A timer runs.
    Armed {
        /// The timer.
        timer: Id,
    },
    /// A timer rests.
    Disarmed {
        /// The timer.
        timer: Id,
    },
    /// Nothing is known any more: the target was reset.
    Forgotten,
}

/// Whether a space is that of record kinds: the record itself is the mark.
#[must_use]
pub fn is_record_kind(of: u16) -> bool {
    of == space::KINDS
}
