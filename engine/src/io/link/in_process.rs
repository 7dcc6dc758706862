//! A target that runs inside this program. The thread that reads other links is the target here.

use std::{
    sync::{Arc, atomic::AtomicUsize},
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;

use super::{
    shared::{Next, Shared},
    state::LinkState,
};
use crate::io::log::{RawLog, host_now};

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
