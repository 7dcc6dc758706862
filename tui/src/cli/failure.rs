//! Exit codes, messages, and signals that end commands without a screen.

use std::{
    collections::BTreeSet,
    fmt::Display,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use spytui_engine::{open::Decoder, present::sanitise::sanitise_lines};
use spytui_plugin_api::Fault;

use crate::sys;

pub const EXIT_CODES: [(&str, &str); 6] = [
    ("0", "good"),
    ("1", "a line of `--exec` or an expectation of `check` failed; `compare`: the captures differ"),
    ("2", "the command line or the configuration is wrong"),
    ("3", "a link, an input or a recording failed, or was not delivered"),
    ("4", "a decoder or a plugin failed"),
    ("128+N", "ended by signal N"),
];

/// Exit code when a decoder or plugin failed.
pub const PLUGIN_FAILED: u8 = 4;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Failure {
    pub code: u8,
    /// What failed and what to do about it.
    pub text: String,
}

impl Failure {
    pub fn usage(text: impl ToString) -> Failure {
        Failure { code: 2, text: text.to_string() }
    }

    /// A decoder refused its options: `-o kprof=zz: must be 64 hex digits`.
    pub fn options(fault: Fault) -> Failure {
        if fault.panicked {
            return Failure::decoder(fault);
        }
        let is_key = |key: &str| key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let names_option = fault.text.split_once('=').is_some_and(|(key, _)| is_key(key));
        Failure::usage(format!("{}{fault}", if names_option { "-o " } else { "" }))
    }

    pub fn input(text: impl ToString) -> Failure {
        Failure { code: 3, text: text.to_string() }
    }

    pub fn decoder(text: impl ToString) -> Failure {
        Failure { code: PLUGIN_FAILED, text: text.to_string() }
    }

    pub fn fault(decoder: &Decoder, fault: &Fault) -> Failure {
        Failure::decoder(format!("{} failed: {fault}", decoder.called()))
    }

    /// Writes the message to stderr, ignoring errors; returns the exit code.
    #[allow(clippy::needless_pass_by_value)] // consumed on purpose
    pub fn report(self) -> u8 {
        say(&self.text);
        self.code
    }
}

/// Writes a message to standard error.
pub fn say(text: &(impl Display + ?Sized)) {
    say_words(&format!("spytui: {text}\n"));
}

/// The same of decoders and format files, which are read again for each recording of many: each message once.
pub fn say_once(text: &(impl Display + ?Sized)) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let text = text.to_string();
    if SAID.lock().insert(text.clone()) {
        say(&text);
    }
}

/// Writes lines to standard error; ignores that it may be closed.
pub fn say_words(lines: &str) {
    let _ = io::stderr().write_all(safe(lines).as_bytes());
}

/// Lines escaped for a terminal: file names, arguments and script lines may contain control bytes.
pub fn safe(lines: &str) -> String {
    let mut safe = Vec::with_capacity(lines.len());
    sanitise_lines(lines.as_bytes(), &mut safe);
    String::from_utf8_lossy(&safe).into_owned()
}

/// Set by the first INT, TERM or HUP, if handlers are installed; a second one ends the program at once.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    pub flag: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Stop {
    pub fn install() -> std::io::Result<Stop> {
        let stop = Stop::default();
        sys::stop_on_signals(&stop.flag, &stop.signal)?;
        Ok(stop)
    }

    /// The result of a command whose decoder may have failed to decode or render.
    pub fn outcome(&self, decoder: &Decoder, fault: Option<&Fault>) -> Result<u8, Failure> {
        if let Some(fault) = fault {
            return Err(Failure::fault(decoder, fault));
        }
        decoder.faults.said().map_or(Ok(self.code()), |said| Err(Failure::decoder(said)))
    }

    /// The exit code: 0, or 128 + the signal received.
    pub fn code(&self) -> u8 {
        match self.signal.load(Ordering::Relaxed) {
            0 => 0,
            signal => 128 + signal as u8,
        }
    }
}
