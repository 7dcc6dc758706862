//! Classifies system errors that have no [`std::io::ErrorKind`].

use std::io;

use rustix::io::Errno;

/// Classes of system errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A connection is in progress.
    Connecting,
    /// No such file.
    Missing,
    /// In use.
    Busy,
    /// Not a terminal.
    NoTerminal,
    /// The device does not exist.
    NoDevice,
    /// The other end is closed.
    Closed,
}

/// The class of an error, if it is one of these.
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
