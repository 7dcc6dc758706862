//! Replaces the target where no C compiler works.

use std::convert::Infallible;

use crate::{Faults, Proto, Totals};

/// A target. This build can't create one.
#[derive(Debug)]
pub struct Target(Infallible);

impl Target {
    pub fn new(_: Proto, _: &Faults, _: u32) -> Option<Target> {
        None
    }

    pub fn step(&mut self) {
        match self.0 {}
    }

    pub fn read(&mut self, _: &mut Vec<u8>) {
        match self.0 {}
    }

    pub fn feed(&mut self, _: &[u8]) {
        match self.0 {}
    }

    /// Stops the target's program; the link keeps running.
    pub fn halt(&mut self) {
        match self.0 {}
    }

    pub fn totals(&self) -> Totals {
        match self.0 {}
    }
}
