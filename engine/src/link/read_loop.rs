//! The one loop that takes bytes from a descriptor into a log.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::event::PollFlags;
use rustix::io::Errno;

use super::{
    shared::{Command, Shared},
    wake::wait_any,
};
use crate::log::RawLog;

/// Bytes taken at once.
const FRAGMENT: usize = 64 << 10;

/// Why the loop ended.
#[derive(Debug)]
pub(super) enum Leave {
    /// The link is being stopped.
    Stopped,
    /// The other side closed.
    Closed,
    /// The system reports that it is gone, or anything else.
    Failed(io::Error),
    /// The owner of the loop gave this connection up, and why.
    Dropped(String),
}

/// What is particular to a kind of link.
pub(super) trait InputHandler {
    /// Takes received bytes.
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) {
        shared.received(log, bytes);
    }

    /// What makes it useless to read on.
    fn broken(&self) -> Option<String> {
        None
    }

    /// Carries out what the handle asks.
    fn command(&mut self, _shared: &Shared, _log: &RawLog, _command: Command) {}

    /// A second descriptor to watch.
    fn other(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// The second descriptor has something; a text gives this connection up.
    fn other_ready(&mut self, _shared: &Shared) -> Option<String> {
        None
    }
}

/// An inlet without anything particular.
pub(super) struct Plain;

impl InputHandler for Plain {}

/// Reads until the end, an error, or the stop. `throttled`: the sender can wait for the decoder.
pub(super) fn pump(
    shared: &Shared,
    log: &RawLog,
    fd: BorrowedFd<'_>,
    throttled: bool,
    inlet: &mut dyn InputHandler,
) -> Leave {
    let mut piece = vec![0; FRAGMENT];
    loop {
        if throttled {
            shared.throttle(log);
        }
        if shared.stopping() {
            return Leave::Stopped;
        }
        let mut watched = vec![(shared.wake_fd(), PollFlags::IN), (fd, PollFlags::IN)];
        watched.extend(inlet.other().map(|other| (other, PollFlags::IN)));
        let ready = match wait_any(&watched, None) {
            Ok(ready) => ready,
            Err(error) => return Leave::Failed(error),
        };
        let is = |n: usize| ready.get(n).copied().unwrap_or(false);
        if is(0) {
            shared.waker.taken();
            while let Some(command) = shared.next_command() {
                inlet.command(shared, log, command);
            }
        }
        if is(1)
            && let Some(leave) = take(shared, log, fd, &mut piece, inlet)
        {
            return leave;
        }
        if is(2)
            && let Some(why) = inlet.other_ready(shared)
        {
            return Leave::Dropped(why);
        }
    }
}

fn take(
    shared: &Shared,
    log: &RawLog,
    fd: BorrowedFd<'_>,
    piece: &mut [u8],
    inlet: &mut dyn InputHandler,
) -> Option<Leave> {
    match rustix::io::read(fd, &mut *piece) {
        Ok(0) => Some(Leave::Closed),
        Ok(n) => {
            inlet.bytes(shared, log, piece.get(..n).unwrap_or_default());
            inlet.broken().map(Leave::Dropped)
        }
        Err(Errno::INTR | Errno::AGAIN) => None,
        Err(error) => Some(Leave::Failed(error.into())),
    }
}
