//! Reads, writes and waits for descriptors.

use std::{io, time::Duration};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

pub(crate) use std::os::{
    fd::{AsFd as AsHandle, BorrowedFd as Handle, OwnedFd as OwnedHandle},
    unix::{fs::FileExt as PositionedIo, net::UnixStream as LocalStream},
};

/// Event to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interest {
    /// Readable, or at its end.
    Read,
    /// Writable.
    Write,
}

/// Reads available bytes.
pub(crate) fn read(from: impl AsHandle, out: &mut [u8]) -> io::Result<usize> {
    rustix::io::read(from, out).map_err(io::Error::from)
}

/// Writes as many bytes as possible.
pub(crate) fn write(to: impl AsHandle, bytes: &[u8]) -> io::Result<usize> {
    rustix::io::write(to, bytes).map_err(io::Error::from)
}

/// Standard input.
pub(crate) fn stdin() -> Handle<'static> {
    rustix::stdio::stdin()
}

/// Waits until one of `handles` is ready or hung up, or the time is over; returns which ones are.
pub(crate) fn wait_any(handles: &[(Handle<'_>, Interest)], limit: Option<Duration>) -> io::Result<Vec<bool>> {
    let flags = |interest| match interest {
        Interest::Read => PollFlags::IN,
        Interest::Write => PollFlags::OUT,
    };
    let mut polled: Vec<PollFd<'_>> =
        handles.iter().map(|(handle, interest)| PollFd::from_borrowed_fd(*handle, flags(*interest))).collect();
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    match poll(&mut polled, limit.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(polled.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(error) => Err(error.into()),
    }
}
