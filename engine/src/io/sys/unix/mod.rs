//! Unix.
//!
//! | module | what is in it |
//! |---|---|
//! | `crash` | what ends the program from within |
//! | `handle` | reads, writes and waits for descriptors |
//! | `watch` | file change notification |

mod crash;
mod handle;
mod watch;

pub(crate) use crash::on_crash;
pub use handle::distrust;
pub(crate) use handle::{
    AsHandle, FileKind, Handle, Interest, LocalStream, OwnedHandle, Ownership, PositionedIo, Problem, distrust_of,
    free_space, identity, inode, kind_of, may_open, open_fifo, open_tty, ordinary_permissions, output_rate, ownership,
    problem, read, read_pending_and_mark_errors, stdin, wait_any, without_end, write,
};
pub(crate) use watch::FileWatch;
