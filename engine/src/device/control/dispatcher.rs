//! The queue of commands and what became of each, without input or output: the caller passes answers, resets and the current time, and fetches
//! bytes to write and lines to log.

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use spytui_plugin_api::{
    Answer, EncoderEventKind, EncoderInstance, Fault, FilterState, Frame, Frames, Verdict, info::AnswerStage,
};

use crate::{
    device::command::ParsedCommand,
    io::{
        link::WriteError,
        log::{LogEvent, format::seconds_text, kind, result},
    },
    open::Options,
};

const QUEUE: usize = 64;
const KEPT: usize = 200;
/// Maximum number of timed-out commands whose late answers are accepted.
const LATE: usize = 8;

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
    /// States acknowledged before a reset or a lost link, in tables where nothing was acknowledged since.
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

    fn result(&self) -> Option<u32> {
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
fn duration_text(time: Duration) -> String {
    match time.as_millis() {
        ms @ ..1000 => format!("{ms} ms"),
        _ => seconds_text(time + Duration::from_millis(50)),
    }
}

/// Message for a command without an answer. `place` = number of the unanswered frame, and of all frames.
fn no_answer(name: &str, tries: u32, place: (usize, usize), time: Duration, has_answered: bool) -> String {
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

#[derive(Debug, Default)]
pub(super) struct Dispatcher {
    encoder: Option<EncoderInstance>,
    /// Number of earlier encoders.
    pub(super) replaced: u32,
    flight: Option<Flight>,
    /// Timed-out commands, oldest first, which may still be answered.
    late: VecDeque<Flight>,
    /// End of the log when a frame was last written. The target sent earlier bytes before it.
    sent_pos: Option<u64>,
    /// Completed, active and waiting commands, in order.
    commands: VecDeque<CommandStatus>,
    last_number: u32,
    /// Commands not completed, each with the end of the log when it was given.
    given: BTreeMap<u32, (ParsedCommand, u64)>,
    /// Not logged yet; without position and time.
    pub(super) log: Vec<LogEvent>,
    /// Known filter state before the last answer to a reset.
    before_answer: Vec<FilterState>,
    /// Known filter state when the target forgot it.
    forgotten: Vec<FilterState>,
}

impl Dispatcher {
    /// Replaces the encoder; active and waiting commands are cancelled.
    pub(super) fn set_encoder(&mut self, encoder: Option<EncoderInstance>) {
        self.drop_late("the decoder was changed");
        self.give_up("the decoder was changed");
        self.forgotten.clear();
        self.encoder = encoder;
        self.replaced += 1;
    }

    /// Passes new options to the encoder, which keeps what it knows; `false` if no encoder accepts them.
    pub(super) fn set_options(&mut self, options: &Options) -> bool {
        let vals = options.vals();
        let waiting = self.flight.as_mut().and_then(|flight| flight.encoder.as_mut());
        let mut encoders = self.encoder.iter_mut().chain(waiting).peekable();
        encoders.peek().is_some() && encoders.all(|encoder| encoder.set_options(&vals).is_ok())
    }

    pub(super) fn fork(&self) -> Option<EncoderInstance> {
        self.encoder.as_ref()?.fork().ok()
    }

    pub(super) fn status(&mut self) -> TargetStatus {
        let filter = self.filter();
        let forgotten = self.forgotten.iter().filter(|state| !is_known(&filter, state.table)).copied().collect();
        TargetStatus { commands: self.commands.iter().cloned().collect(), filter, forgotten }
    }

    fn filter(&mut self) -> Vec<FilterState> {
        let states = self.encoder.as_mut().and_then(|encoder| encoder.filter().ok());
        states.map_or_else(Vec::new, |states| states.into_iter().collect())
    }

    /// The target forgets its filter. Its encoder may have forgotten it already because of an answer.
    fn forget_filter(&mut self) {
        let before = std::mem::take(&mut self.before_answer);
        for known in [before, self.filter()] {
            self.forgotten.retain(|state| !is_known(&known, state.table));
            self.forgotten.extend(known.iter().filter(|state| is_known(&known, state.table)));
        }
    }

    /// Adds a command when the log ends at `pos`; returns its number, or `None` if too many are waiting.
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

    pub(super) fn is_busy(&self) -> bool {
        self.flight.is_some() || self.next().is_some()
    }

    /// The command to encode now, with its number.
    pub(super) fn next(&self) -> Option<(u32, &ParsedCommand)> {
        let is_in_flight = |number: u32| self.flight.iter().chain(&self.late).any(|flight| flight.number == number);
        let (number, (command, _)) = self.given.iter().find(|(number, _)| !is_in_flight(**number))?;
        let is_free = self.flight.as_ref().is_none_or(Flight::lets_others_pass);
        is_free.then_some((*number, command))
    }

    pub(super) fn begin(&mut self, number: u32, frames: Frames, encoder: EncoderInstance) {
        let Some(command) = self.commands.iter_mut().find(|command| command.number == number) else { return };
        command.state = CommandState::Sent;
        let mut text = format!("#{number} target {} · {} · {} B", command.line, command.origin, frames.bytes.len());
        frames.remarks.iter().for_each(|remark| text.extend([" · ", remark.as_str()]));
        let name = command.name.clone();
        self.log.push(LogEvent { kind: kind::COMMAND, arg: number, text: text.into_bytes(), ..LogEvent::default() });
        let is_relayed = self.given.get(&number).is_some_and(|(command, _)| command.is_relayed);
        let awaits_reset = name == "reset";
        let flight = Flight { number, name, frames, awaits_reset, is_relayed, ..Flight::default() };
        if let Some(passed) = self.flight.replace(Flight { encoder: Some(encoder), ..flight }) {
            self.set_late(passed);
        }
    }

    /// Fails a command that can't be encoded or sent.
    pub(super) fn failed(&mut self, number: u32, why: &str) {
        self.end(number, CommandState::Failed(format!("not sent: {why}")));
    }

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

    /// Some or all bytes were not written. A partially sent frame has used up its number.
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

    /// An answer in a row at `pos`; one to any frame ignores the token. `text` = the row's text, if it brings data.
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

    /// Handles an answer to an earlier command with the same token, if the target can't have received the active one
    /// yet. The active command decides the filter's state.
    fn is_for_earlier(&mut self, answer: &Answer, now: Instant) -> bool {
        let is_equal = |late: &Flight| late.token() == answer.token;
        let is_too_early = self.flight.as_ref().is_some_and(|flight| flight.is_too_early(now));
        let at = self.late.iter().position(is_equal).filter(|_| is_too_early);
        let Some(late) = at.and_then(|at| self.late.remove(at)) else { return false };
        let when = late.when(now);
        let state = match answer.stage {
            AnswerStage::REFUSED => CommandState::Refused(format!("refused {when}")),
            _ => CommandState::Done(format!("acknowledged {when}")),
        };
        self.end(late.number, state);
        true
    }

    /// A late answer to a timed-out command: its filter state applies. Without a token it may answer any of several.
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
        let when = late.when(now);
        let state = match late.answered(&verdict) {
            FlightStep::Done => CommandState::Done(format!("acknowledged {when}{}", late.said())),
            FlightStep::Refused(why) => CommandState::Refused(format!("refused {when}: {why}")),
            _ if verdict.stage == AnswerStage::PROGRESS => return self.late.push_back(late),
            _ if late.place().0 > place => {
                let rest = format!("frame {place} of {total} acknowledged {when}; the others were not sent");
                CommandState::TimedOut(rest)
            }
            _ => return self.late.push_back(late),
        };
        self.end(late.number, state);
    }

    /// The target restarted, in a row at `pos`. Commands given after that was received are not concerned. A restart
    /// before the last frame sent changes nothing, as the target received that frame afterwards.
    pub(super) fn restarted(&mut self, pos: u64, now: Instant) {
        if self.sent_pos.is_some_and(|sent| pos < sent) {
            return;
        }
        let is_asked_for =
            self.flight.as_ref().is_some_and(|flight| flight.awaits_reset() && flight.is_sent_before(pos));
        self.drop_late("the target was reset");
        // If no earlier command was sent, nothing can be lost: the target only reports its start.
        let is_news = self.sent_pos.is_some();
        if is_news && !is_asked_for && self.flight.as_ref().is_none_or(|flight| flight.is_sent_before(pos)) {
            self.give_up_those("the target was reset", |given| given <= pos);
        }
        self.forget_filter();
        self.report(EncoderEventKind::RESET, 0);
        if let Some(flight) = self.flight.as_mut().filter(|_| is_asked_for) {
            let step = flight.restarted();
            self.follow(step, now);
        }
    }

    /// The link went down. It may come up with another target, which knows nothing of earlier commands.
    pub(super) fn disconnected(&mut self) {
        self.drop_late("the link went down");
        if !self.flight.as_ref().is_some_and(Flight::awaits_reset) {
            self.give_up("the link went down");
        }
        self.forget_filter();
        self.sent_pos = None;
        self.report(EncoderEventKind::CONNECTED, 0);
    }

    fn follow(&mut self, step: FlightStep, now: Instant) {
        let state = match (&step, &self.flight) {
            (FlightStep::Goes, _) | (_, None) => return,
            (FlightStep::Done, Some(flight)) => CommandState::Done(done(flight, flight.took(now))),
            (FlightStep::Refused(why), _) if why.is_empty() => {
                CommandState::Refused("refused by the target".to_owned())
            }
            (FlightStep::Refused(why), _) => CommandState::Refused(format!("refused by the target: {why}")),
            (FlightStep::TimedOut(time), Some(flight)) => CommandState::TimedOut(no_answer(
                &flight.name,
                flight.tries,
                flight.place(),
                *time,
                self.has_answered(),
            )),
        };
        let Some(flight) = self.flight.take() else { return };
        let number = flight.number;
        if let FlightStep::TimedOut(_) = step {
            self.report(EncoderEventKind::TIMED_OUT, flight.token());
            self.set_late(flight);
        }
        self.end(number, state);
        if step == FlightStep::Done
            && let Some(command) = self.commands.iter_mut().find(|command| command.number == number)
        {
            command.done_at = Some(now);
        }
    }

    /// Keeps a command whose answer may still come.
    fn set_late(&mut self, flight: Flight) {
        let oldest = if self.late.len() == LATE { self.late.pop_front() } else { None };
        if let Some(oldest) = oldest.filter(|oldest| self.given.contains_key(&oldest.number)) {
            self.end(oldest.number, CommandState::TimedOut("sent, no answer".to_owned()));
        }
        self.late.push_back(flight);
    }

    /// Forgets commands whose answers may still come; those that have not ended yet end here.
    fn drop_late(&mut self, why: &str) {
        for flight in std::mem::take(&mut self.late) {
            if self.given.contains_key(&flight.number) {
                self.end(flight.number, CommandState::Failed(format!("sent, but {why} before an answer came")));
            }
        }
    }

    fn has_answered(&self) -> bool {
        let is_answer = |state: &CommandState| matches!(state, CommandState::Done(_) | CommandState::Refused(_));
        self.commands.iter().any(|command| is_answer(&command.state))
    }

    fn give_up(&mut self, why: &str) {
        self.give_up_those(why, |_| true);
    }

    /// Cancels the active command, and waiting ones given at an end of the log that is concerned.
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
        let (text, arg) = (command.text().into_bytes(), command.state.result());
        self.log.extend(arg.map(|arg| LogEvent { kind: kind::RESULT, arg, text, ..LogEvent::default() }));
    }

    /// A fault of the encoder shows at its next use.
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

/// The encoder's verdict on an answer; for an answer with data, the text of its row.
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

/// Maximum time that a target takes to start after a reset.
const START_TIME: Duration = Duration::from_secs(5);
/// Maximum delay of an answer by a slow link.
const MOST_DELAY: Duration = Duration::from_secs(5);
/// The maximum if the target drops records: its whole buffer is sent before the answer.
const MOST_DELAY_FULL: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Bytes per second; 0 = unknown.
    pub(super) rate: u64,
    /// Capacity of the line, bytes per second, if known.
    pub(super) line_rate: Option<u64>,
    /// The target produces at least that much.
    pub(super) is_full: bool,
}

impl Pace {
    fn delay(self, bytes: u32) -> Duration {
        let most = if self.is_full { MOST_DELAY_FULL } else { MOST_DELAY };
        // It may be a slow link.
        if self.rate == 0 {
            return MOST_DELAY;
        }
        Duration::from_millis(u64::from(bytes) * 1000 / self.rate).min(most)
    }
}

#[derive(Debug, Default)]
struct Flight {
    pub(super) number: u32,
    /// Word of the command.
    pub(super) name: String,
    frames: Frames,
    at: usize,
    /// The encoder after this command, until the first frame was written.
    pub(super) encoder: Option<EncoderInstance>,
    began: Option<Instant>,
    /// When the current frame was last written; `None` = not yet.
    written: Option<Instant>,
    pub(super) tries: u32,
    /// End of the log when it was first written; answers come after it.
    sent_pos: u64,
    /// Earliest time when the target can have received the whole frame, if the rate of the line is known.
    earliest: Option<Instant>,
    reached: u8,
    /// The command ends with a restart of the target.
    awaits_reset: bool,
    /// Of a front end, which waits for the answer itself.
    is_relayed: bool,
    said: String,
    /// How long to wait for an answer: without delays, and behind a full buffer.
    waits: [Duration; 2],
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum FlightStep {
    Goes,
    Done,
    Refused(String),
    /// No answer within this time.
    TimedOut(Duration),
}

impl Flight {
    fn frame(&self) -> Option<&Frame> {
        self.frames.frames.get(self.at)
    }

    pub(super) fn token(&self) -> u64 {
        self.frame().map_or(0, |frame| frame.token)
    }

    /// Whether it was sent before the row at log position `pos`, which may then be an answer.
    fn is_sent_before(&self, pos: u64) -> bool {
        self.tries > 0 && self.sent_pos <= pos
    }

    /// Whether the next command may be sent before the answer: this one is a front end's, and was written.
    fn lets_others_pass(&self) -> bool {
        self.is_relayed && self.tries > 0 && self.at + 1 >= self.frames.frames.len()
    }

    /// Whether an answer received by `now` is too early for the current frame.
    fn is_too_early(&self, now: Instant) -> bool {
        self.earliest.is_some_and(|earliest| now < earliest)
    }

    /// Number of the current frame, from 1, and number of frames.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.at + 1, self.frames.frames.len())
    }

    /// Start of the wait, and the end of the log up to which the answer is expected; `None` before sending.
    pub(super) fn pending(&self) -> Option<Pending> {
        let behind = self.frame().map_or(0, |frame| frame.behind);
        Some(Pending { since: self.began?, upto: self.sent_pos + u64::from(behind) })
    }

    fn awaits_reset(&self) -> bool {
        self.awaits_reset && self.tries > 0
    }

    pub(super) fn took(&self, now: Instant) -> Duration {
        self.began.map_or(Duration::ZERO, |began| now.saturating_duration_since(began))
    }

    /// When a late answer came; commands of front ends are never late.
    fn when(&self, now: Instant) -> String {
        let late = if self.is_relayed { "" } else { "late, " };
        format!("{late}after {}", duration_text(self.took(now)))
    }

    /// Text of an answer, to append to the result; may be empty.
    pub(super) fn said(&self) -> String {
        if self.said.is_empty() { String::new() } else { format!("; {}", self.said) }
    }

    /// The bytes were written, when the log had `pos` bytes.
    pub(super) fn was_written(&mut self, pos: u64, pace: Pace, now: Instant) -> FlightStep {
        let len = self.frame().map_or(0, |frame| u64::from(frame.bytes.len));
        let on_line = pace.line_rate.map(|rate| Duration::from_millis(len * 1000 / rate.max(1)));
        if self.tries == 0 {
            self.sent_pos = pos;
            self.earliest = on_line.map(|on_line| now + on_line);
        }
        self.tries += 1;
        self.began.get_or_insert(now);
        self.written = Some(now);
        let Some(frame) = self.frame() else { return FlightStep::Done };
        let timeout = Duration::from_millis(frame.timeout_ms.into());
        let least = if self.awaits_reset { timeout.max(START_TIME) } else { timeout };
        let on_line = on_line.unwrap_or_default();
        self.waits = [least, least.max(timeout + pace.delay(frame.behind))].map(|wait| wait + on_line);
        self.next_if_complete()
    }

    pub(super) fn answered(&mut self, verdict: &Verdict) -> FlightStep {
        if verdict.stage == AnswerStage::REFUSED {
            return FlightStep::Refused(verdict.reason.to_string());
        }
        if !verdict.reason.is_empty() {
            self.said = verdict.reason.to_string();
        }
        if verdict.stage != AnswerStage::PROGRESS && verdict.stage.0 < 8 {
            self.reached |= verdict.stage.bit();
        }
        self.next_if_complete()
    }

    pub(super) fn restarted(&mut self) -> FlightStep {
        self.awaits_reset = false;
        self.next_if_complete()
    }

    /// Checks the time: writes the same bytes again, or times out. On a quiet link, nothing delays the answer.
    fn wait_on(&mut self, is_quiet: bool, now: Instant) -> FlightStep {
        let (Some(written), Some(frame)) = (self.written, self.frame()) else { return FlightStep::Goes };
        let wait = self.waits[usize::from(!is_quiet)];
        if now.saturating_duration_since(written) < wait {
            return FlightStep::Goes;
        }
        if self.tries <= u32::from(frame.retries) {
            self.written = None;
            return FlightStep::Goes;
        }
        FlightStep::TimedOut(wait * self.tries)
    }

    fn next_if_complete(&mut self) -> FlightStep {
        let Some(frame) = self.frame() else { return FlightStep::Done };
        let is_last = self.at + 1 == self.frames.frames.len();
        if self.reached & frame.awaited != frame.awaited || self.awaits_reset && is_last {
            return FlightStep::Goes;
        }
        if is_last {
            return FlightStep::Done;
        }
        self.at += 1;
        (self.written, self.tries, self.reached) = (None, 0, 0);
        FlightStep::Goes
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
