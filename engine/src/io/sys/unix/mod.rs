//! Unix.
//!
//! | module | what is in it |
//! |---|---|
//! | `crash` | what ends the program from within |
//! | `handle` | reads, writes and waits for descriptors |
//! | `problem` | classifies system errors |
//! | `special` | file types, fifos, owners of files |
//! | `tty` | serial lines |
//! | `watch` | file change notification |

mod crash;
mod handle;
mod problem;
mod special;
mod tty;
mod watch;

pub(crate) use crash::on_crash;
pub(crate) use handle::{
    AsHandle, Handle, Interest, LocalStream, OwnedHandle, PositionedIo, read, stdin, wait_any, write,
};
pub(crate) use problem::{Problem, problem};
pub use special::distrust;
pub(crate) use special::{
    FileKind, Ownership, distrust_of, free_space, identity, inode, kind_of, may_open, open_fifo, ordinary_permissions,
    ownership, without_end,
};
pub(crate) use tty::{open_tty, output_rate, read_pending_and_mark_errors};
pub(crate) use watch::FileWatch;
