//! Sends commands to the target of a source, and follows each to its end: acknowledged, refused or timed out.
//!
//! | module | what is in it |
//! |---|---|
//! | `status` | what became of a command, in words |
//! | `first` | when the next command is sent: what the target reports at its start, and the command that waits for the link |
//! | `flight` | the command that waits for its answers |
//! | `dispatcher` | the queue, without input and output |
//! | `rate` | how long an answer may take |
//! | `shared` | what handle and thread share: link, log, decoding, queue, encoder |
//! | `worker` | the thread: what is sent, and what is heard of it |
//! | `handle` | what may be asked from anywhere |
//!
//! A command is parsed once, when it is typed, and encoded then, so that a mistake shows at once. It is encoded again when
//! it is sent: what was sent before it may have changed what its frames must be.

mod dispatcher;
mod first;
mod flight;
mod handle;
mod rate;
mod shared;
mod status;
mod worker;

pub use first::{BYTES_TIME, NAMES_TIME, START_TIME};
pub use handle::{Control, Prepared};
pub use shared::READ_ONLY;
pub use status::{CommandState, CommandStatus, Pending, TargetStatus};
