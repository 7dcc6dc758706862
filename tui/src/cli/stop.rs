//! Signals for commands without a screen: stop reading, finish what was received, exit with 128 + the signal.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use spytui_engine::open::Decoder;
use spytui_plugin_api::Fault;

use super::failure::Failure;
use crate::sys;

/// Set by the first INT, TERM or HUP, if it was installed; a second one ends the program at once.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    /// Set when the command must stop.
    pub flag: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// Takes the signals over.
    pub fn install() -> std::io::Result<Stop> {
        let stop = Stop::default();
        sys::stop_on_signals(&stop.flag, &stop.signal)?;
        Ok(stop)
    }

    /// The result of a command whose decoder may have failed, as it decoded or as it rendered.
    pub fn outcome(&self, decoder: &Decoder, fault: Option<&Fault>) -> Result<u8, Failure> {
        if let Some(fault) = fault {
            return Err(Failure::fault(decoder, fault));
        }
        decoder.faults.said().map_or(Ok(self.code()), |said| Err(Failure::decoder(said)))
    }

    /// The exit code: 0, or 128 + the signal that came.
    pub fn code(&self) -> u8 {
        match self.signal.load(Ordering::Relaxed) {
            0 => 0,
            signal => 128 + signal as u8,
        }
    }
}
