//! Signals for commands without a screen: stop reading, finish what was received, exit with 128 + the signal.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Set by the first INT, TERM or HUP; a second one ends the program at once.
#[derive(Debug, Clone)]
pub struct Stop {
    /// Whether to stop.
    pub flag: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Stop {
    /// Takes the signals over.
    ///
    /// # Errors
    /// What the system said.
    pub fn install() -> std::io::Result<Stop> {
        let stop = Stop { flag: Arc::default(), signal: Arc::default() };
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, stop.flag.clone())?;
            signal_hook::flag::register(signal, stop.flag.clone())?;
            signal_hook::flag::register_usize(signal, stop.signal.clone(), signal as usize)?;
        }
        Ok(stop)
    }

    /// The exit code: 0, or 128 + the signal that came.
    #[must_use]
    pub fn code(&self) -> u8 {
        match self.signal.load(Ordering::Relaxed) {
            0 => 0,
            signal => 128 + signal as u8,
        }
    }
}
