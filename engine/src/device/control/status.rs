//! Results of commands as text, and when the next one is sent.

use std::time::{Duration, Instant};

use spytui_plugin_api::FilterState;

use crate::{device::command::CommandError, io::log::result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandStatus {
    /// Number of the command, from 1.
    pub number: u32,
    /// The line without `target`.
    pub line: String,
    /// Such as `test probe`.
    pub name: String,
    /// Origin of the command: `typed`, `script`.
    pub origin: String,
    pub state: CommandState,
    /// The expected answer, if sent and not completed.
    pub pending: Option<Pending>,
    pub done_at: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    pub since: Instant,
    /// The answer may come after this log position, because of the target's buffer.
    pub upto: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetStatus {
    /// The latest commands, oldest first.
    pub commands: Vec<CommandStatus>,
    pub filter: Vec<FilterState>,
    /// States acknowledged before the target was reset or its link went down, in tables where nothing was acknowledged
    /// since.
    pub forgotten: Vec<FilterState>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandState {
    Queued,
    Sent,
    /// Text such as `acknowledged after 12 ms`.
    Done(String),
    Refused(String),
    TimedOut(String),
    /// Not sent, or cancelled before its answer; with a text.
    Failed(String),
}

impl CommandState {
    pub fn is_over(&self) -> bool {
        !matches!(self, CommandState::Queued | CommandState::Sent)
    }

    pub fn is_done(&self) -> bool {
        matches!(self, CommandState::Done(_))
    }

    pub fn text(&self) -> &str {
        match self {
            CommandState::Queued => "waits for the commands before it",
            CommandState::Sent => "sent, no answer yet",
            CommandState::Done(text)
            | CommandState::Refused(text)
            | CommandState::TimedOut(text)
            | CommandState::Failed(text) => text,
        }
    }

    pub(super) fn result(&self) -> Option<u32> {
        match self {
            CommandState::Queued | CommandState::Sent => None,
            CommandState::Done(_) => Some(result::DONE),
            CommandState::Refused(_) => Some(result::REFUSED),
            CommandState::TimedOut(_) => Some(result::TIMED_OUT),
            CommandState::Failed(_) => Some(result::FAILED),
        }
    }
}

impl CommandStatus {
    /// `#7 filter acknowledged after 12 ms`.
    pub fn text(&self) -> String {
        format!("#{} {} {}", self.number, self.name, self.state.text())
    }
}

/// `12 ms`, `1.4 s`.
pub(super) fn duration_text(time: Duration) -> String {
    let ms = time.as_millis();
    let tenths = (ms + 50) / 100;
    match (ms, tenths % 10) {
        (..1000, _) => format!("{ms} ms"),
        (_, 0) => format!("{} s", tenths / 10),
        (_, tenth) => format!("{}.{tenth} s", tenths / 10),
    }
}

/// Message for a command without an answer, to a target that answered others or never did. `place` = number of the
/// unanswered frame, and of all frames.
pub(super) fn no_answer(name: &str, tries: u32, place: (usize, usize), time: Duration, has_answered: bool) -> String {
    let which = match place {
        (_, 0 | 1) => String::new(),
        (at, total) => format!("frame {at} of {total} "),
    };
    let sent = match tries {
        0 | 1 => format!("{which}sent"),
        n => format!("{which}sent {n} times"),
    };
    let rest = if place.0 < place.1 { "; the frames after it were not sent" } else { "" };
    let filter = match name {
        "filter" | "local" => " Filter is unknown; use :filter.",
        _ => "",
    };
    let why = match has_answered {
        true => "It answered before: is it stopped, or busy?",
        false => "No receive part in this target?",
    };
    format!("{sent}, no answer for {}{rest}. {why}{filter}", duration_text(time))
}

/// How long to wait for an unknown name: targets report their names soon after they start.
pub const NAMES_TIME: Duration = Duration::from_secs(2);

/// How long to wait for the first bytes: a target that has just started reports it first, and forgets earlier commands.
/// A silent target gets its command anyway.
pub const BYTES_TIME: Duration = Duration::from_millis(300);

/// How long after link up to wait for something that targets report at their start, such as their version.
pub const START_TIME: Duration = Duration::from_secs(2);

/// How long decoding may lag behind the log before a command is encoded with what is known.
const BEHIND_TIME: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct FirstCommand {
    pub(super) line: String,
    pub(super) origin: String,
}

/// Tracks the start of the link, which commands wait for.
#[derive(Debug, Default)]
pub(super) struct Start {
    /// When the link came up, and the end of the log then.
    up: Option<(Instant, u64)>,
    /// The command whose turn it is, since when, and the end of the log then.
    turn: Option<(u32, Instant, u64)>,
}

impl Start {
    /// Updates the state of the link; the log ends at `len`.
    pub(super) fn look(&mut self, is_up: bool, len: u64, now: Instant) {
        match is_up {
            true => _ = self.up.get_or_insert((now, len)),
            false => *self = Start::default(),
        }
    }

    fn up_time(&self, now: Instant) -> Duration {
        self.up.map_or(Duration::ZERO, |(since, _)| now.saturating_duration_since(since))
    }

    /// Whether the target has sent something, or is silent.
    fn has_begun(&self, len: u64, now: Instant) -> bool {
        self.up.is_some_and(|(_, before)| len > before) || self.up_time(now) >= BYTES_TIME
    }

    /// Whether the command that waits for the link may be queued; `error` = why encoding failed, if it did.
    pub(super) fn is_due(&self, error: Option<&CommandError>, len: u64, now: Instant) -> bool {
        let may_come = error.is_some_and(|error| error.is_unknown_name);
        self.has_begun(len, now) && (!may_come || self.up_time(now) >= NAMES_TIME)
    }

    /// Whether a command may be encoded: everything received before its turn is decoded, up to `decoded`.
    pub(super) fn is_ready(&mut self, number: u32, len: u64, decoded: u64, now: Instant) -> bool {
        if !self.has_begun(len, now) {
            return false;
        }
        let turn = self.turn.filter(|turn| turn.0 == number).unwrap_or((number, now, len));
        self.turn = Some(turn);
        decoded >= turn.2 || now.saturating_duration_since(turn.1) >= BEHIND_TIME
    }

    /// Whether reports from the target's start may still arrive.
    pub(super) fn may_report(&self, now: Instant) -> bool {
        self.up_time(now) < START_TIME
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let of = |ms| duration_text(Duration::from_millis(ms));
        assert_eq!([of(12), of(999), of(1000), of(1020), of(1430)], ["12 ms", "999 ms", "1 s", "1 s", "1.4 s"]);
        assert_eq!([of(1070), of(1960), of(12_340)], ["1.1 s", "2 s", "12.3 s"]);
    }

    #[test]
    fn a_filter_without_an_answer_is_unknown() {
        let text = no_answer("filter", 1, (1, 1), Duration::from_secs(1), false);
        assert_eq!(text, "sent, no answer for 1 s. No receive part in this target? Filter is unknown; use :filter.");
        let text = no_answer("info", 4, (1, 1), Duration::from_secs(1), true);
        assert_eq!(text, "sent 4 times, no answer for 1 s. It answered before: is it stopped, or busy?");
        let text = no_answer("info", 4, (1, 2), Duration::from_secs(1), true);
        let first = "frame 1 of 2 sent 4 times, no answer for 1 s; the frames after it were not sent.";
        assert_eq!(text, format!("{first} It answered before: is it stopped, or busy?"));
    }
}
