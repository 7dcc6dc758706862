//! A target that runs inside this program. The thread that reads other links is the target here.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender};

use super::{
    shared::{Next, Shared},
    state::LinkState,
};
use crate::log::{RawLog, host_now};

/// After a longer pause, as when the program was stopped, the target does not catch up.
const CATCH_UP: Duration = Duration::from_secs(1);

/// A target that is a part of this program.
pub trait InProcessTarget: Send {
    /// What the link up row says.
    fn up_text(&self) -> String;

    /// How much time passes in a step.
    fn step_time(&self) -> Duration;

    /// Lets the time of a step pass.
    fn step(&mut self);

    /// Appends what the target has sent.
    fn read(&mut self, to: &mut Vec<u8>);

    /// Whether it takes bytes of the host.
    fn can_feed(&self) -> bool;

    /// Gives it bytes of the host.
    fn feed(&mut self, bytes: &[u8]);

    /// How many more bytes it takes, as on a line with flow control; `None` = any number.
    fn room(&self) -> Option<Arc<AtomicUsize>> {
        None
    }
}

/// The way to the target.
#[derive(Debug, Clone)]
pub(super) struct Inbox {
    bytes: Sender<Vec<u8>>,
    room: Option<Arc<AtomicUsize>>,
}

impl Inbox {
    pub(super) fn new(bytes: Sender<Vec<u8>>, target: &dyn InProcessTarget) -> Inbox {
        Inbox { bytes, room: target.room() }
    }

    /// Sends as many bytes as the target takes.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let taken = match &self.room {
            None => bytes.len(),
            Some(room) => {
                let before = room.load(Ordering::Relaxed);
                let taken = bytes.len().min(before);
                room.store(before - taken, Ordering::Relaxed);
                taken
            }
        };
        if taken == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        // The other side is gone, as on a closed connection.
        let (sent, _) = bytes.split_at(taken);
        Ok(self.bytes.send(sent.to_vec()).map_or(0, |()| taken))
    }
}

/// Runs a target in real time until the link is stopped.
pub(super) fn run(shared: &Shared, log: &RawLog, mut target: Box<dyn InProcessTarget>, inbox: &Receiver<Vec<u8>>) {
    shared.up(log, &target.up_text());
    let mut sent = Vec::new();
    let mut due = Instant::now();
    loop {
        target.read(&mut sent);
        if !sent.is_empty() {
            shared.received(log, &sent);
            sent.clear();
        }
        match shared.next(inbox, due.saturating_duration_since(Instant::now())) {
            Next::Received(bytes) => target.feed(&bytes),
            Next::TimedOut => {
                target.step();
                due += target.step_time();
                if due.elapsed() > CATCH_UP {
                    due = Instant::now();
                }
            }
            Next::Stopped => break,
        }
    }
    shared.set_sink(0, None);
    log.end(host_now());
    shared.set_state(LinkState::Ended);
}
