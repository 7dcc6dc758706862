//! What an event does besides its row.

use spytui_plugin_api::TaskState;

/// Effect of an event; its activity follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// The upper half of a CPU's time.
    Time,
    /// A trace buffer begins.
    Buffer,
    /// The kernel dropped events.
    Dropped,
    /// A kernel call begins.
    Enter,
    /// It returns.
    Leave,
    /// A thread enters a state.
    State(TaskState),
    ThreadCreate,
    ThreadDestroy,
    ThreadName,
    ProcessCreate,
    ProcessDestroy,
    IsrIn,
    /// A handler of a process runs.
    HandlerIn,
    IsrOut,
    /// A message, reply, pulse or signal.
    Send,
    Receive,
    Reply,
    Pulse,
    ReceivePulse,
    Signal,
    /// A system log entry: its severity is that of the row.
    Slog,
    /// An event of the application.
    User,
}
