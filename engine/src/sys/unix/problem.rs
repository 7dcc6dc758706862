//! What system errors mean, where [`std::io::ErrorKind`] does not tell.

use std::io;

use rustix::io::Errno;

/// What a system error means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A connection is being made.
    Connecting,
    /// There is no such file.
    Missing,
    /// Somebody else uses it.
    Busy,
    /// It is no terminal.
    NoTerminal,
    /// The device behind the file is not there.
    NoDevice,
    /// The handle leads nowhere any more.
    Closed,
}

/// What an error means, if it is one of these.
pub(crate) fn problem(error: &io::Error) -> Option<Problem> {
    Some(match Errno::from_io_error(error)? {
        Errno::INPROGRESS => Problem::Connecting,
        Errno::NOENT => Problem::Missing,
        Errno::BUSY => Problem::Busy,
        Errno::NOTTY => Problem::NoTerminal,
        Errno::NXIO | Errno::NODEV | Errno::IO => Problem::NoDevice,
        Errno::PIPE | Errno::BADF => Problem::Closed,
        _ => return None,
    })
}
