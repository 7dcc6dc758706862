//! Sends commands to the target of a source, and tracks each until it is acknowledged, refused or timed out.
//!
//! | module | what is in it |
//! |---|---|
//! | `status` | results of commands as text; when the next one is sent |
//! | `dispatcher` | the queue and the active command, without input and output |
//! | `handle` | the sending thread and its handle |
//!
//! A command is parsed and encoded when typed, so that errors show at once. It is encoded again when sent, because
//! earlier commands may have changed its frames.

mod dispatcher;
mod handle;
mod status;

pub use handle::{Control, Prepared, READ_ONLY};
pub use status::{BYTES_TIME, CommandState, CommandStatus, NAMES_TIME, Pending, START_TIME, TargetStatus};
