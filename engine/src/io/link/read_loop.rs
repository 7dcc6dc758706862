//! The read loop of all links.

use std::io;

use super::shared::{Command, Shared};
use crate::{
    io::log::RawLog,
    io::sys::{self, Handle, Interest},
};

/// Bytes read at once.
const FRAGMENT: usize = 64 << 10;

/// Why the loop ended.
#[derive(Debug)]
pub(super) enum Leave {
    /// The link is being stopped.
    Stopped,
    /// The peer closed.
    Closed,
    /// Read error.
    Failed(io::Error),
    /// The handler gave up the connection, with the reason.
    Dropped(String),
}

/// The part of the loop that differs between kinds of links.
pub(super) trait InputHandler {
    /// Handles received bytes.
    fn bytes(&mut self, shared: &Shared, log: &RawLog, bytes: &[u8]) {
        shared.received(log, bytes);
    }

    /// Reason to stop reading.
    fn broken(&self) -> Option<String> {
        None
    }

    /// Handles a request of the link's handle.
    fn command(&mut self, _shared: &Shared, _command: Command) {}

    /// A second handle to wait for.
    fn other(&self) -> Option<Handle<'_>> {
        None
    }

    /// The second handle is ready; a returned text gives up the connection.
    fn other_ready(&mut self, _shared: &Shared) -> Option<String> {
        None
    }
}

/// A handler with the default behaviour.
pub(super) struct Plain;

impl InputHandler for Plain {}

/// Reads until the end, an error, or a stop. `throttled`: the sender can wait for the decoder.
pub(super) fn read_loop(
    shared: &Shared,
    log: &RawLog,
    fd: Handle<'_>,
    throttled: bool,
    handler: &mut dyn InputHandler,
) -> Leave {
    let mut piece = vec![0; FRAGMENT];
    loop {
        if throttled {
            shared.throttle(log);
        }
        if shared.stopping() {
            return Leave::Stopped;
        }
        let mut commands = Vec::new();
        let watched: Vec<_> = [fd].into_iter().chain(handler.other()).map(|handle| (handle, Interest::Read)).collect();
        let ready = match shared.wait(&watched, None, |command| commands.push(command)) {
            Ok(ready) => ready,
            Err(error) => return Leave::Failed(error),
        };
        commands.into_iter().for_each(|command| handler.command(shared, command));
        if ready.first() == Some(&true)
            && let Some(leave) = take(shared, log, fd, &mut piece, handler)
        {
            return leave;
        }
        if ready.get(1) == Some(&true)
            && let Some(why) = handler.other_ready(shared)
        {
            return Leave::Dropped(why);
        }
    }
}

fn take(
    shared: &Shared,
    log: &RawLog,
    fd: Handle<'_>,
    piece: &mut [u8],
    handler: &mut dyn InputHandler,
) -> Option<Leave> {
    match sys::read(fd, piece) {
        Ok(0) => Some(Leave::Closed),
        Ok(n) => {
            handler.bytes(shared, log, piece.get(..n).unwrap_or_default());
            handler.broken().map(Leave::Dropped)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => None,
        Err(error) => Some(Leave::Failed(error)),
    }
}
