//! The queue of commands. It does no input or output: the caller passes answers, resets and the current time, and takes
//! what is to be written and logged.

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use spytui_plugin_api::{
    Answer, EncoderEventKind, EncoderInstance, Fault, FilterState, Frame, Frames, Verdict, info::AnswerStage,
};

use super::status::{CommandState, CommandStatus, Pending, duration_text, no_answer};
use crate::{
    device::command::ParsedCommand,
    io::{link::WriteError, log::kind},
    open::Options,
};

/// Commands that may wait.
const QUEUE: usize = 64;
/// Ended commands that are kept.
const KEPT: usize = 200;
/// Commands without an answer in time whose late answers are taken.
const LATE: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogLine {
    pub(super) kind: u16,
    pub(super) arg: u32,
    pub(super) text: String,
}

/// The queue.
#[derive(Debug, Default)]
pub(super) struct Dispatcher {
    encoder: Option<EncoderInstance>,
    /// Number of encoders that were used before.
    pub(super) replaced: u32,
    flight: Option<Flight>,
    /// Commands without an answer in time, oldest first: one may still come.
    late: VecDeque<Flight>,
    /// End of the log when a frame was last written. What stands before it was sent by the target before.
    sent_pos: Option<u64>,
    /// All commands in order: ended, the one under way, those that wait.
    commands: VecDeque<CommandStatus>,
    last_number: u32,
    /// Those that are not over, each with the end of the log when it was given.
    given: BTreeMap<u32, (ParsedCommand, u64)>,
    log: Vec<LogLine>,
    /// What was known of the filter before the last answer to a reset.
    before_answer: Vec<FilterState>,
    /// What was known of the filter when the target forgot it.
    forgotten: Vec<FilterState>,
}

impl Dispatcher {
    /// Exchanges the encoder; what was under way or waits is given up.
    pub(super) fn set_encoder(&mut self, encoder: Option<EncoderInstance>) {
        self.give_up("the decoder was changed");
        self.late.clear();
        self.forgotten.clear();
        self.encoder = encoder;
        self.replaced += 1;
    }

    /// Gives the encoder other options. What is known of the target stays, as the target goes on; `false` if there is no
    /// encoder that takes them.
    pub(super) fn set_options(&mut self, options: &Options) -> bool {
        let vals = options.vals();
        let waiting = self.flight.as_mut().and_then(|flight| flight.encoder.as_mut());
        let mut encoders = self.encoder.iter_mut().chain(waiting).peekable();
        encoders.peek().is_some() && encoders.all(|encoder| encoder.set_options(&vals).is_ok())
    }

    /// A copy of the encoder, to encode with.
    pub(super) fn fork(&self) -> Option<EncoderInstance> {
        self.encoder.as_ref()?.fork().ok()
    }

    /// All commands that are kept, oldest first.
    pub(super) fn commands(&self) -> impl Iterator<Item = &CommandStatus> {
        self.commands.iter()
    }

    /// What is known of the target's filter.
    pub(super) fn filter(&mut self) -> Vec<FilterState> {
        let states = self.encoder.as_mut().and_then(|encoder| encoder.filter().ok());
        states.map_or_else(Vec::new, |states| states.into_iter().collect())
    }

    /// What was acknowledged before the target was reset, of the tables of which nothing is acknowledged since.
    pub(super) fn forgotten(&mut self) -> Vec<FilterState> {
        let now = self.filter();
        self.forgotten.iter().filter(|state| !is_known(&now, state.table)).copied().collect()
    }

    /// The target forgets its filter. Its encoder may have forgotten it already, with an answer.
    fn forget_filter(&mut self) {
        let before = std::mem::take(&mut self.before_answer);
        for known in [before, self.filter()] {
            self.forgotten.retain(|state| !is_known(&known, state.table));
            self.forgotten.extend(known.iter().filter(|state| is_known(&known, state.table)));
        }
    }

    /// Adds a command when the log ends at `pos`; returns its number, or `None` if too many wait.
    pub(super) fn add(&mut self, command: ParsedCommand, origin: &str, pos: u64) -> Option<u32> {
        if self.commands.iter().filter(|command| !command.state.is_over()).count() >= QUEUE {
            return None;
        }
        self.last_number += 1;
        self.commands.push_back(CommandStatus {
            number: self.last_number,
            line: command.line.clone(),
            name: command.name.clone(),
            origin: origin.to_owned(),
            state: CommandState::Queued,
            pending: None,
            done_at: None,
        });
        self.given.insert(self.last_number, (command, pos));
        while self.commands.len() > KEPT && self.commands.front().is_some_and(|first| first.state.is_over()) {
            self.commands.pop_front();
        }
        Some(self.last_number)
    }

    /// Whether a command is under way.
    pub(super) fn is_busy(&self) -> bool {
        self.flight.is_some() || self.next().is_some()
    }

    /// The command that is to be encoded now, with its number.
    pub(super) fn next(&self) -> Option<(u32, &ParsedCommand)> {
        let (number, (command, _)) = self.given.first_key_value().filter(|_| self.flight.is_none())?;
        Some((*number, command))
    }

    /// It was encoded.
    pub(super) fn begin(&mut self, number: u32, frames: Frames, encoder: EncoderInstance) {
        let Some(command) = self.commands.iter_mut().find(|command| command.number == number) else { return };
        command.state = CommandState::Sent;
        let mut text = format!("#{number} target {} · {} · {} B", command.line, command.origin, frames.bytes.len());
        frames.remarks.iter().for_each(|remark| text.extend([" · ", remark.as_str()]));
        let name = command.name.clone();
        self.log.push(LogLine { kind: kind::COMMAND, arg: number, text });
        self.flight = Some(Flight::new(number, &name, frames, encoder));
    }

    /// It can't be encoded or sent.
    pub(super) fn failed(&mut self, number: u32, why: &str) {
        self.end(number, CommandState::Failed(format!("not sent: {why}")));
    }

    /// Bytes that are to be written now.
    pub(super) fn next_write(&mut self, is_quiet: bool, now: Instant) -> Option<Vec<u8>> {
        if let Some(step) = self.flight.as_mut().map(|flight| flight.wait_on(is_quiet, now)) {
            self.follow(step, now);
        }
        let flight = self.flight.as_ref().filter(|flight| flight.written.is_none())?;
        Some(flight.frame()?.bytes.of(&flight.frames.bytes).to_vec())
    }

    pub(super) fn was_written(&mut self, pos: u64, pace: Pace, now: Instant) {
        let Some(flight) = &mut self.flight else { return };
        if let Some(encoder) = flight.encoder.take() {
            self.encoder = Some(encoder);
        }
        let step = flight.was_written(pos, pace, now);
        let (number, pending) = (flight.number, flight.pending());
        self.sent_pos = Some(pos);
        if let Some(command) = self.commands.iter_mut().find(|command| command.number == number) {
            command.pending = pending;
        }
        self.follow(step, now);
    }

    /// They were not, or not all. A frame that was sent in part has used its number up.
    pub(super) fn was_not_written(&mut self, error: &WriteError) {
        let Some(mut flight) = self.flight.take() else { return };
        let is_part = matches!(error, WriteError::InPart(_));
        let was_sent = flight.tries > 0 || flight.encoder.is_none();
        if let Some(encoder) = flight.encoder.take_if(|_| is_part) {
            self.encoder = Some(encoder);
        }
        if is_part {
            self.report(EncoderEventKind::SENT_IN_PART, flight.token());
        } else if was_sent {
            self.report(EncoderEventKind::TIMED_OUT, flight.token());
        }
        let text = if is_part { error.to_string() } else { format!("not sent: {error}") };
        self.end(flight.number, CommandState::Failed(text));
    }

    /// An answer in a row at `pos`; with a token that says nothing it is for whatever waits. `text` is
    /// what the row says, if it brings data.
    pub(super) fn answer(&mut self, mut answer: Answer, is_to_any: bool, pos: u64, now: Instant, text: String) {
        let is_of = |flight: &Flight| flight.is_sent_before(pos) && (is_to_any || answer.token == flight.token());
        if !self.flight.as_ref().is_some_and(is_of) {
            return self.late_answer(answer, is_to_any, pos, now, text);
        }
        if self.is_for_earlier(&answer, now) {
            return;
        }
        let (Some(flight), Some(encoder)) = (&mut self.flight, &mut self.encoder) else { return };
        answer.token = flight.token();
        if flight.awaits_reset() {
            self.before_answer = encoder.filter().map_or_else(|_| Vec::new(), |states| states.into_iter().collect());
        }
        match judge(encoder, &answer, text) {
            Ok(verdict) => {
                let step = flight.answered(&verdict);
                self.follow(step, now);
            }
            Err(fault) => self.give_up(&format!("the decoder failed: {fault}")),
        }
    }

    /// Takes an answer to an earlier command of the same token, if the one under way can't have reached the target yet.
    /// What the target's filter is, the one under way decides.
    fn is_for_earlier(&mut self, answer: &Answer, now: Instant) -> bool {
        let is_equal = |late: &Flight| late.token() == answer.token;
        let is_too_early = self.flight.as_ref().is_some_and(|flight| flight.is_too_early(now));
        let at = self.late.iter().position(is_equal).filter(|_| is_too_early);
        let Some(late) = at.and_then(|at| self.late.remove(at)) else { return false };
        let took = duration_text(late.took(now));
        let state = match answer.stage {
            AnswerStage::REFUSED => CommandState::Refused(format!("refused late, after {took}")),
            _ => CommandState::Done(format!("acknowledged late, after {took}")),
        };
        self.end(late.number, state);
        true
    }

    /// An answer to a command that had none in time: what it says of the target's filter holds. Without a token it may
    /// be for any of several.
    fn late_answer(&mut self, mut answer: Answer, is_to_any: bool, pos: u64, now: Instant, text: String) {
        let of_token = |flight: &Flight| flight.is_sent_before(pos) && flight.token() == answer.token;
        let at = match is_to_any {
            true => (self.flight.is_none() && self.late.len() == 1).then_some(0),
            false => self.late.iter().rposition(of_token),
        };
        let (Some(mut late), Some(encoder)) = (at.and_then(|at| self.late.remove(at)), &mut self.encoder) else {
            return;
        };
        answer.token = late.token();
        let Ok(verdict) = judge(encoder, &answer, text) else { return };
        let (place, total) = late.place();
        let took = duration_text(late.took(now));
        let state = match late.answered(&verdict) {
            Step::Done => CommandState::Done(format!("acknowledged late, after {took}{}", late.said())),
            Step::Refused(why) => CommandState::Refused(format!("refused late, after {took}: {why}")),
            _ if verdict.stage == AnswerStage::PROGRESS => return self.late.push_back(late),
            _ if late.place().0 > place => {
                let rest =
                    format!("frame {place} of {total} acknowledged late, after {took}; the others were not sent");
                CommandState::TimedOut(rest)
            }
            _ => return self.late.push_back(late),
        };
        self.end(late.number, state);
    }

    /// The target has started again, in a row at `pos`. Commands given when that was received already are not concerned,
    /// and what stands before the last frame that was sent changes nothing: the target had started when it got that.
    pub(super) fn restarted(&mut self, pos: u64, now: Instant) {
        if self.sent_pos.is_some_and(|sent| pos < sent) {
            return;
        }
        let is_asked_for =
            self.flight.as_ref().is_some_and(|flight| flight.awaits_reset() && flight.is_sent_before(pos));
        // Nothing waits for what an earlier command has done if none was sent: the target only reports that it starts.
        let is_news = self.sent_pos.is_some();
        if is_news && !is_asked_for && self.flight.as_ref().is_none_or(|flight| flight.is_sent_before(pos)) {
            self.give_up_those("the target was reset", |given| given <= pos);
        }
        self.forget_filter();
        self.late.clear();
        self.report(EncoderEventKind::RESET, 0);
        if let Some(flight) = self.flight.as_mut().filter(|_| is_asked_for) {
            let step = flight.restarted();
            self.follow(step, now);
        }
    }

    /// The link went down. What comes up again may be another target, which knows nothing of what was sent.
    pub(super) fn disconnected(&mut self) {
        if !self.flight.as_ref().is_some_and(Flight::awaits_reset) {
            self.give_up("the link went down");
        }
        self.forget_filter();
        self.late.clear();
        self.sent_pos = None;
        self.report(EncoderEventKind::CONNECTED, 0);
    }

    /// What is to be logged.
    pub(super) fn take_log(&mut self) -> Vec<LogLine> {
        std::mem::take(&mut self.log)
    }

    fn follow(&mut self, step: Step, now: Instant) {
        let state = match (&step, &self.flight) {
            (Step::Goes, _) | (_, None) => return,
            (Step::Done, Some(flight)) => CommandState::Done(done(flight, flight.took(now))),
            (Step::Refused(why), _) if why.is_empty() => CommandState::Refused("refused by the target".to_owned()),
            (Step::Refused(why), _) => CommandState::Refused(format!("refused by the target: {why}")),
            (Step::TimedOut(time), Some(flight)) => CommandState::TimedOut(no_answer(
                &flight.name,
                flight.tries,
                flight.place(),
                *time,
                self.has_answered(),
            )),
        };
        let Some(flight) = self.flight.take() else { return };
        let number = flight.number;
        if let Step::TimedOut(_) = step {
            self.report(EncoderEventKind::TIMED_OUT, flight.token());
            if self.late.len() == LATE {
                self.late.pop_front();
            }
            self.late.push_back(flight);
        }
        self.end(number, state);
        if step == Step::Done
            && let Some(command) = self.commands.iter_mut().find(|command| command.number == number)
        {
            command.done_at = Some(now);
        }
    }

    /// Whether the target has answered one of the commands that are kept.
    fn has_answered(&self) -> bool {
        let is_answer = |state: &CommandState| matches!(state, CommandState::Done(_) | CommandState::Refused(_));
        self.commands.iter().any(|command| is_answer(&command.state))
    }

    /// Gives up all commands.
    fn give_up(&mut self, why: &str) {
        self.give_up_those(why, |_| true);
    }

    /// Gives up the command under way, and those that wait and were given at such an end of the log.
    fn give_up_those(&mut self, why: &str, is_concerned: impl Fn(u64) -> bool) {
        if let Some(flight) = self.flight.take() {
            self.end(flight.number, CommandState::Failed(format!("sent, but {why} before an answer came")));
        }
        let waiting = self.given.iter().filter(|(_, (_, given))| is_concerned(*given));
        let waiting: Vec<u32> = waiting.map(|(number, _)| *number).collect();
        waiting.into_iter().for_each(|number| self.failed(number, why));
    }

    fn end(&mut self, number: u32, state: CommandState) {
        let Some(command) = self.commands.iter_mut().find(|command| command.number == number) else { return };
        command.state = state;
        command.pending = None;
        self.given.remove(&number);
        let (text, arg) = (command.text(), command.state.result());
        self.log.extend(arg.map(|arg| LogLine { kind: kind::RESULT, arg, text }));
    }

    /// A fault of the encoder shows when it is used next.
    fn report(&mut self, kind: EncoderEventKind, token: u64) {
        if let Some(encoder) = &mut self.encoder {
            let _ = encoder.event(kind, token);
        }
    }
}

/// Whether the target has acknowledged anything of a table.
fn is_known(states: &[FilterState], table: u16) -> bool {
    states.iter().any(|state| state.table == table && state.is_known)
}

/// What the encoder says of an answer; of one that brings data, what its row says.
fn judge(encoder: &mut EncoderInstance, answer: &Answer, text: String) -> Result<Verdict, Fault> {
    let mut verdict = encoder.answer(answer)?;
    if verdict.stage == AnswerStage::DATA && verdict.reason.is_empty() {
        verdict.reason = text.into();
    }
    Ok(verdict)
}

/// `acknowledged after 12 ms`.
fn done(flight: &Flight, took: Duration) -> String {
    let said = flight.said();
    match flight.name.as_str() {
        "reset" => format!("done, the target was reset after {}{said}", duration_text(took)),
        _ => format!("acknowledged after {}{said}", duration_text(took)),
    }
}

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
struct Flight {
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
    fn is_sent_before(&self, pos: u64) -> bool {
        self.tries > 0 && self.sent_pos <= pos
    }

    /// Whether an answer that was received by `now` is too early to be one to the frame on its way.
    fn is_too_early(&self, now: Instant) -> bool {
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
    fn awaits_reset(&self) -> bool {
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
    fn wait_on(&mut self, is_quiet: bool, now: Instant) -> Step {
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
