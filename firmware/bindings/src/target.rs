//! A running target.

use crate::{Faults, Proto, Totals, ffi::Instance};

/// Most bytes taken at once.
const PIECE: usize = 4096;

/// A target with a virtual clock. Nothing happens by itself: its time passes with [`Target::step`], and what it sends
/// meanwhile waits in its ring until [`Target::read`].
#[derive(Debug)]
pub struct Target {
    instance: Instance,
}

impl Target {
    /// A target that has just been switched on; `seed` is that of its story. `None`: this build has none.
    pub fn new(proto: Proto, faults: &Faults, seed: u32) -> Option<Target> {
        Instance::new(proto as u32, faults, seed).map(|instance| Target { instance })
    }

    /// Lets [`STEP`](crate::STEP) pass.
    pub fn step(&mut self) {
        self.instance.step();
    }

    /// Appends what the link carries away in this step.
    pub fn read(&mut self, to: &mut Vec<u8>) {
        let mut piece = [0; PIECE];
        loop {
            let bytes = self.instance.read(&mut piece);
            to.extend_from_slice(bytes);
            if bytes.is_empty() {
                return;
            }
        }
    }

    /// Gives it bytes of the host. Answers come with the next [`Target::read`].
    pub fn feed(&mut self, bytes: &[u8]) {
        self.instance.feed(bytes);
    }

    /// Stops the program of the target: steps only let the link go on, until all is sent.
    pub fn halt(&mut self) {
        self.instance.halt();
    }

    /// What was done so far.
    pub fn totals(&self) -> Totals {
        self.instance.totals()
    }
}
