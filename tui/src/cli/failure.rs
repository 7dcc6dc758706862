//! Exit codes and messages.

use std::{
    fmt::Display,
    io::{self, Write},
};

use spytui_engine::{open::Decoder, present::sanitise::sanitise_lines};
use spytui_plugin_api::Fault;

/// Exit codes, and what they mean.
pub const EXIT_CODES: [(&str, &str); 6] = [
    ("0", "good"),
    ("1", "a line of `--exec` failed, such as an `expect`"),
    ("2", "the command line or the configuration is wrong"),
    ("3", "a link, an input or a recording failed"),
    ("4", "a decoder or a plugin failed"),
    ("128+N", "ended by signal N"),
];

/// The exit code when a decoder or a plugin failed.
pub const PLUGIN_FAILED: u8 = 4;

/// Why a command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Failure {
    /// Exit code.
    pub code: u8,
    /// Message: what failed and what to do about it.
    pub text: String,
}

impl Failure {
    /// Usage or configuration.
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

    /// Link or input.
    pub fn input(text: impl ToString) -> Failure {
        Failure { code: 3, text: text.to_string() }
    }

    /// Decoder or plugin.
    pub fn decoder(text: impl ToString) -> Failure {
        Failure { code: PLUGIN_FAILED, text: text.to_string() }
    }

    /// A decoder failed while it decoded.
    pub fn fault(decoder: &Decoder, fault: &Fault) -> Failure {
        Failure::decoder(format!("{} failed: {fault}", decoder.called()))
    }

    /// Writes the message to stderr, ignoring errors; the exit code.
    #[allow(clippy::needless_pass_by_value)] // it is used up
    pub fn report(self) -> u8 {
        say(&self.text);
        self.code
    }
}

/// Writes a message to standard error.
pub fn say(text: &(impl Display + ?Sized)) {
    say_words(&format!("spytui: {text}\n"));
}

/// Writes lines to standard error; one that is closed is the caller's wish.
pub fn say_words(lines: &str) {
    let _ = io::stderr().write_all(safe(lines).as_bytes());
}

/// Lines for a terminal: names of files, arguments and lines of scripts may hold what it would obey.
pub fn safe(lines: &str) -> String {
    let mut safe = Vec::with_capacity(lines.len());
    sanitise_lines(lines.as_bytes(), &mut safe);
    String::from_utf8_lossy(&safe).into_owned()
}
