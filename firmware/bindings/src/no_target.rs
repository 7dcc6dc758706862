//! In place of the target where no C compiler works.

use std::convert::Infallible;

use crate::{Faults, Proto, Totals};

/// A target, which this build does not have.
#[derive(Debug)]
pub struct Target(Infallible);

impl Target {
    /// There is none.
    pub fn new(_: Proto, _: &Faults, _: u32) -> Option<Target> {
        None
    }

    /// Lets a step pass.
    pub fn step(&mut self) {
        match self.0 {}
    }

    /// Appends what it has sent.
    pub fn read(&mut self, _: &mut Vec<u8>) {
        match self.0 {}
    }

    /// Gives it bytes of the host.
    pub fn feed(&mut self, _: &[u8]) {
        match self.0 {}
    }

    /// Stops the program of the target; the link goes on.
    pub fn halt(&mut self) {
        match self.0 {}
    }

    /// What was done so far.
    pub fn totals(&self) -> Totals {
        match self.0 {}
    }
}
