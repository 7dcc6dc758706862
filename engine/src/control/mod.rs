//! Sends commands to the target of a source, and follows each to its end: acknowledged, refused or timed out.
//!
//! | module | what is in it |
//! |---|---|
//! | `status` | what became of a command, in words |
//! | `first` | the command that waits for the link to come up |
//! | `flight` | the command that waits for its answers |
//! | `dispatcher` | the queue, without input and output |
//! | `thread` | what is sent, and what is heard of it |
//!
//! A command is parsed and encoded once when it is given, so that a mistake is told at once, and again when it is sent:
//! what was sent before it may have changed what its frames must be.

mod dispatcher;
mod first;
mod flight;
mod status;
mod thread;

pub use first::{BYTES_TIME, NAMES_TIME};
pub use status::{CommandState, CommandStatus};
pub use thread::{Control, Preview, READ_ONLY, SendError, TargetStatus};
