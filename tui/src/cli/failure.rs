//! Exit codes and messages: 0 ok, 1 expectation failed, 2 usage or configuration, 3 link or input, 4 decoder
//! or plugin, 128+n signal.

use std::{io::Write, process::ExitCode};

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

    /// Link or input.
    pub fn input(text: impl ToString) -> Failure {
        Failure { code: 3, text: text.to_string() }
    }

    /// Decoder or plugin.
    pub fn decoder(text: impl ToString) -> Failure {
        Failure { code: 4, text: text.to_string() }
    }

    /// Writes the message to stderr, ignoring errors.
    #[must_use]
    pub fn report(&self) -> ExitCode {
        let _ = writeln!(std::io::stderr(), "spytui: {}", self.text);
        ExitCode::from(self.code)
    }
}
