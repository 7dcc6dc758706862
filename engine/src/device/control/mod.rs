//! Sends commands to the target of a source, and tracks each until it is acknowledged, refused or timed out.
//!
//! | module | what is in it |
//! |---|---|
//! | `dispatcher` | the queue, the active command and the results, without input and output |
//! | `handle` | the sending thread and its handle |
//!
//! A command is parsed and encoded when typed, so that errors show at once. It is encoded again when sent, because
//! earlier commands may have changed its frames.

mod dispatcher;
mod handle;

pub use dispatcher::{CommandState, CommandStatus, Pending, TargetStatus};
pub use handle::{BYTES_TIME, Control, NAMES_TIME, Prepared, READ_ONLY, START_TIME};
