//! When the next command is sent: after the target has had time to report its start, and when all of that was decoded.

use std::time::{Duration, Instant};

use crate::device::command::CommandError;

/// How long a name that is not known yet is waited for: targets report their names soon after they start.
pub const NAMES_TIME: Duration = Duration::from_secs(2);

/// How long the first bytes are waited for: a target that has just started reports that first, and forgets what it
/// received before. One that is silent gets its command all the same.
pub const BYTES_TIME: Duration = Duration::from_millis(300);

/// How long after the link came up something is waited for that targets report when they start, such as their version.
pub const START_TIME: Duration = Duration::from_secs(2);

/// How long decoding may be behind the log, before a command is encoded by what is known then.
const BEHIND_TIME: Duration = Duration::from_secs(10);

/// A command that waits for the link.
#[derive(Debug)]
pub(super) struct FirstCommand {
    pub(super) line: String,
    pub(super) origin: String,
}

/// What commands wait for.
#[derive(Debug, Default)]
pub(super) struct Start {
    /// Since when the link is up, and the end of the log then.
    up: Option<(Instant, u64)>,
    /// The command whose turn it is, since when, and the end of the log then.
    turn: Option<(u32, Instant, u64)>,
}

impl Start {
    /// The link is up or down, and the log ends at `len`.
    pub(super) fn look(&mut self, is_up: bool, len: u64, now: Instant) {
        match is_up {
            true => _ = self.up.get_or_insert((now, len)),
            false => *self = Start::default(),
        }
    }

    /// For how long the link has been up.
    fn up_time(&self, now: Instant) -> Duration {
        self.up.map_or(Duration::ZERO, |(since, _)| now.saturating_duration_since(since))
    }

    /// Whether the target has sent something, or is silent.
    fn has_begun(&self, len: u64, now: Instant) -> bool {
        self.up.is_some_and(|(_, before)| len > before) || self.up_time(now) >= BYTES_TIME
    }

    /// Whether the command that waits for the link may be queued, where encoding it failed with `error` if it did.
    pub(super) fn is_due(&self, error: Option<&CommandError>, len: u64, now: Instant) -> bool {
        let may_come = error.is_some_and(|error| error.is_unknown_name);
        self.has_begun(len, now) && (!may_come || self.up_time(now) >= NAMES_TIME)
    }

    /// Whether a command may be encoded: all that was received before its turn came is decoded, up to `decoded`.
    pub(super) fn is_ready(&mut self, number: u32, len: u64, decoded: u64, now: Instant) -> bool {
        if !self.has_begun(len, now) {
            return false;
        }
        let turn = self.turn.filter(|turn| turn.0 == number).unwrap_or((number, now, len));
        self.turn = Some(turn);
        decoded >= turn.2 || now.saturating_duration_since(turn.1) >= BEHIND_TIME
    }

    /// Whether what targets report when they start may still come.
    pub(super) fn may_report(&self, now: Instant) -> bool {
        self.up_time(now) < START_TIME
    }
}
