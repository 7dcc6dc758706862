//! The command that is sent when the link is up for the first time.

use std::time::{Duration, Instant};

use crate::command::CommandError;

/// How long a name that is not known yet is waited for: targets tell their names soon after they start.
pub const NAMES_TIME: Duration = Duration::from_secs(2);

/// How long the first bytes are waited for: a target that has just started tells that first, and forgets what it got
/// before. One that is silent gets its command all the same.
pub const BYTES_TIME: Duration = Duration::from_millis(300);

/// A command that waits for the link.
#[derive(Debug)]
pub(super) struct FirstCommand {
    pub(super) line: String,
    pub(super) origin: String,
    /// Since when the link is up.
    up_since: Option<Instant>,
}

impl FirstCommand {
    pub(super) fn new(line: &str, origin: &str) -> FirstCommand {
        FirstCommand { line: line.to_owned(), origin: origin.to_owned(), up_since: None }
    }

    /// Whether its time has come on a link that is up, where encoding it failed with `error` if it did.
    pub(super) fn is_due(&mut self, error: Option<&CommandError>, has_bytes: bool, now: Instant) -> bool {
        let up = now.saturating_duration_since(*self.up_since.get_or_insert(now));
        let may_come = error.is_some_and(|error| error.is_unknown_name);
        (has_bytes || up >= BYTES_TIME) && (!may_come || up >= NAMES_TIME)
    }
}
