//! The command that was sent and waits for its answers. Its frames go out one by one, each when the one before it was
//! acknowledged.

use std::time::{Duration, Instant};

use spytui_plugin_api::{EncoderInstance, Frame, Frames, Verdict, info::AnswerStage};

use super::status::Pending;

/// How long a target may take to start after a reset.
const START_TIME: Duration = Duration::from_secs(5);
/// A slow link delays an answer by no more than this.
const MOST_DELAY: Duration = Duration::from_secs(5);
/// The same, if the target drops records: its buffer is full, and all of it comes before the answer.
const MOST_DELAY_FULL: Duration = Duration::from_secs(60);

/// How fast a link is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Bytes per second; 0 = unknown.
    pub(super) rate: u64,
    /// The same of the line itself, if it is known.
    pub(super) line_rate: Option<u64>,
    /// The target makes more than that, or just so much.
    pub(super) is_full: bool,
}

impl Pace {
    /// The time that so many bytes take.
    fn delay(self, bytes: u32) -> Duration {
        let most = if self.is_full { MOST_DELAY_FULL } else { MOST_DELAY };
        // It may be a slow link.
        if self.rate == 0 {
            return MOST_DELAY;
        }
        Duration::from_millis(u64::from(bytes) * 1000 / self.rate).min(most)
    }
}

/// A command on its way.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) number: u32,
    /// Word of the command.
    pub(super) name: String,
    frames: Frames,
    /// Index of the frame on its way.
    at: usize,
    /// The encoder after this command, until the first frame was written.
    pub(super) encoder: Option<EncoderInstance>,
    /// When the first frame was written.
    began: Option<Instant>,
    /// When the frame on its way was last written; `None` = it is to be written.
    written: Option<Instant>,
    /// How often.
    pub(super) tries: u32,
    /// End of the log when it was first written: answers stand behind it.
    sent_pos: u64,
    /// Before this the target can't have had the whole frame, if the rate of the line is known.
    earliest: Option<Instant>,
    /// Stages reached.
    reached: u8,
    /// It ends when the target has started again.
    awaits_reset: bool,
    /// What an answer said.
    said: String,
    /// How long to wait for an answer, if it stands behind nothing else, and if it stands behind a full buffer.
    waits: [Duration; 2],
}

/// What follows from something that happened.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It goes on.
    Goes,
    Done,
    /// Refused, and why.
    Refused(String),
    /// No answer for so long.
    TimedOut(Duration),
}

impl Flight {
    pub(super) fn new(number: u32, name: &str, frames: Frames, encoder: EncoderInstance) -> Flight {
        Flight {
            number,
            name: name.to_owned(),
            frames,
            at: 0,
            encoder: Some(encoder),
            began: None,
            written: None,
            tries: 0,
            sent_pos: 0,
            earliest: None,
            reached: 0,
            awaits_reset: name == "reset",
            said: String::new(),
            waits: [Duration::ZERO; 2],
        }
    }

    fn frame(&self) -> Option<&Frame> {
        self.frames.frames.get(self.at)
    }

    /// Token of the frame on its way.
    pub(super) fn token(&self) -> u64 {
        self.frame().map_or(0, |frame| frame.token)
    }

    /// Whether a row at `pos` of the log can be an answer.
    pub(super) fn is_sent_before(&self, pos: u64) -> bool {
        self.tries > 0 && self.sent_pos <= pos
    }

    /// Whether an answer that was received by `now` is too early to be one to the frame on its way.
    pub(super) fn is_too_early(&self, now: Instant) -> bool {
        self.earliest.is_some_and(|earliest| now < earliest)
    }

    /// The frame on its way, from 1, and how many there are.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.at + 1, self.frames.frames.len())
    }

    /// Since when, and at which end of the log the answer is expected at the latest; `None` before it was sent.
    pub(super) fn pending(&self) -> Option<Pending> {
        let behind = self.frame().map_or(0, |frame| frame.behind);
        Some(Pending { since: self.began?, upto: self.sent_pos + u64::from(behind) })
    }

    /// Whether the target's reset is what it waits for.
    pub(super) fn awaits_reset(&self) -> bool {
        self.awaits_reset && self.tries > 0
    }

    /// How long it has been under way.
    pub(super) fn took(&self, now: Instant) -> Duration {
        self.began.map_or(Duration::ZERO, |began| now.saturating_duration_since(began))
    }

    /// What an answer said, behind what became of the command; empty if it said nothing.
    pub(super) fn said(&self) -> String {
        if self.said.is_empty() { String::new() } else { format!("; {}", self.said) }
    }

    /// Bytes that are to be written now.
    pub(super) fn to_write(&self) -> Option<Vec<u8>> {
        let frame = self.frame().filter(|_| self.written.is_none())?;
        Some(frame.bytes.of(&self.frames.bytes).to_vec())
    }

    /// They were written, when the log had `pos` bytes.
    pub(super) fn was_written(&mut self, pos: u64, pace: Pace, now: Instant) -> Step {
        let len = self.frame().map_or(0, |frame| u64::from(frame.bytes.len));
        let on_line = pace.line_rate.map(|rate| Duration::from_millis(len * 1000 / rate.max(1)));
        if self.tries == 0 {
            self.sent_pos = pos;
            self.earliest = on_line.map(|on_line| now + on_line);
        }
        self.tries += 1;
        self.began.get_or_insert(now);
        self.written = Some(now);
        let Some(frame) = self.frame() else { return Step::Done };
        let timeout = Duration::from_millis(frame.timeout_ms.into());
        let least = if self.awaits_reset { timeout.max(START_TIME) } else { timeout };
        let on_line = on_line.unwrap_or_default();
        self.waits = [least, least.max(timeout + pace.delay(frame.behind))].map(|wait| wait + on_line);
        self.next_if_complete()
    }

    /// An answer to the frame on its way.
    pub(super) fn answered(&mut self, verdict: &Verdict) -> Step {
        if verdict.stage == AnswerStage::REFUSED {
            return Step::Refused(verdict.reason.to_string());
        }
        if !verdict.reason.is_empty() {
            self.said = verdict.reason.to_string();
        }
        if verdict.stage != AnswerStage::PROGRESS && verdict.stage.0 < 8 {
            self.reached |= verdict.stage.bit();
        }
        self.next_if_complete()
    }

    /// The target has started again.
    pub(super) fn restarted(&mut self) -> Step {
        self.awaits_reset = false;
        self.next_if_complete()
    }

    /// Time goes by: the same bytes are written again, or it is given up. On a link that has been quiet for a while,
    /// nothing stands before the answer.
    pub(super) fn wait_on(&mut self, is_quiet: bool, now: Instant) -> Step {
        let (Some(written), Some(frame)) = (self.written, self.frame()) else { return Step::Goes };
        let wait = self.waits[usize::from(!is_quiet)];
        if now.saturating_duration_since(written) < wait {
            return Step::Goes;
        }
        if self.tries <= u32::from(frame.retries) {
            self.written = None;
            return Step::Goes;
        }
        Step::TimedOut(wait * self.tries)
    }

    fn next_if_complete(&mut self) -> Step {
        let Some(frame) = self.frame() else { return Step::Done };
        let is_last = self.at + 1 == self.frames.frames.len();
        if self.reached & frame.awaited != frame.awaited || self.awaits_reset && is_last {
            return Step::Goes;
        }
        if is_last {
            return Step::Done;
        }
        self.at += 1;
        (self.written, self.tries, self.reached) = (None, 0, 0);
        Step::Goes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_behind_a_full_buffer_may_take_long() {
        let delay = |rate, is_full| Pace { rate, line_rate: None, is_full }.delay(4096).as_secs();
        assert_eq!([delay(0, true), delay(0, false), delay(1024, false), delay(1024, true)], [5, 5, 4, 4]);
        assert_eq!([delay(215, false), delay(215, true), delay(1, true)], [5, 19, 60]);
    }
}
