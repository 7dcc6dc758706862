//! Sends commands to the target of a source, and follows each to its end: acknowledged, refused or timed out.
//!
//! | module | what is in it |
//! |---|---|
//! | `status` | what became of a command, in words; when the next one is sent |
//! | `dispatcher` | the queue and the command under way, without input and output |
//! | `handle` | the thread that sends, and what may be asked from anywhere |
//!
//! A command is parsed once, when it is typed, and encoded then, so that a mistake shows at once. It is encoded again when
//! it is sent: what was sent before it may have changed what its frames must be.

mod dispatcher;
mod handle;
mod status;

pub use handle::{Control, Prepared, READ_ONLY};
pub use status::{BYTES_TIME, CommandState, CommandStatus, NAMES_TIME, Pending, START_TIME, TargetStatus};
