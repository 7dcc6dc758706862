//! Sends commands to the target of a source, on a thread, and tracks each until it is acknowledged, refused or timed out.
//!
//! A command is parsed and encoded when typed, so that errors show at once. It is encoded again when sent, because
//! earlier commands may have changed its frames.

mod dispatcher;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, select};
use parking_lot::Mutex;
use spytui_plugin_api::{Answer, Dict, EncodeError, EncoderInstance, Frames, Want, info::AnswerStage};

pub use self::dispatcher::{CommandState, CommandStatus, Pending, TargetStatus};
use self::dispatcher::{Dispatcher, Pace};
use crate::{
    device::command::{CommandError, ParsedCommand, parse},
    io::{
        link::LinkSender,
        log::{LogEvent, RawLog, host_now, kind},
    },
    open::{Decoder, Options},
    store::{BlockNames, Counters, View},
    trace::{
        list::{RenderRequest, RowList, RowRenderer},
        session::{
            CurrentDecoding, Decoding,
            news::{News, NewsKind},
        },
    },
};

/// A parsed command, and what it would send now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    pub command: ParsedCommand,
    encoder: u32,
    pub bytes: Vec<u8>,
    pub frames: usize,
    /// Assumptions made.
    pub remarks: Vec<String>,
}

/// Sends commands to the target of a source. Dropping it cancels the active command.
#[derive(Debug)]
pub struct Control {
    shared: Arc<ControlShared>,
    /// Wakes the thread; closing it ends the thread.
    wake: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Control {
    /// `sender` = `None` if the link is read-only. `changed` is notified when a command makes progress.
    pub fn start(
        log: Arc<RawLog>,
        current: CurrentDecoding,
        sender: Option<LinkSender>,
        changed: Sender<()>,
    ) -> Control {
        let shared = Arc::new(ControlShared {
            log,
            current,
            sender,
            dispatcher: Mutex::default(),
            encodes: Mutex::default(),
            first: Mutex::default(),
            changes: AtomicU64::new(0),
            status: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let (wake, inbox) = bounded(1);
        let thread = shared.sender.is_some().then(|| {
            let worker = CommandWorker {
                shared: shared.clone(),
                changed,
                event: 0,
                reads: None,
                next_news: 0,
                seen_pos: 0,
                start: Start::default(),
                rate: Rate::default(),
                drops: RecentDrops::default(),
            };
            std::thread::Builder::new().name("commands".into()).spawn(move || worker.run(&inbox))
        });
        Control { shared, wake: Some(wake), thread: thread.and_then(Result::ok) }
    }

    /// Number of changes of [`Control::status`].
    pub fn changes(&self) -> u64 {
        self.shared.changes.load(Ordering::Acquire)
    }

    pub fn status(&self) -> Arc<TargetStatus> {
        let changes = self.changes();
        let mut kept = self.shared.status.lock();
        if kept.0 != changes {
            *kept = (changes, Arc::new(self.shared.dispatcher.lock().status()));
        }
        kept.1.clone()
    }

    /// Whether the link can send to the target at all, up or down.
    pub fn is_two_way(&self) -> bool {
        self.shared.sender.is_some()
    }

    /// Sends bytes past the commands; `None` if the link is read-only.
    pub fn sender(&self) -> Option<LinkSender> {
        self.shared.sender.clone()
    }

    pub fn cannot_send(&self) -> Option<String> {
        self.shared.cannot_send()
    }

    /// Parses a line (without `target`) and encodes it; nothing is sent.
    pub fn prepare(&self, line: &str) -> Result<Prepared, CommandError> {
        let decoding = self.shared.current.get();
        self.shared.follow_decoder(&decoding);
        let command = parse(line, &decoding.decoder.info, &decoding.read().dictionary)?;
        let (frames, _) = self.shared.encode(&command, &decoding)?;
        Ok(Prepared {
            command,
            encoder: self.shared.dispatcher.lock().replaced,
            bytes: frames.bytes.to_vec(),
            frames: frames.frames.len(),
            remarks: frames.remarks.iter().map(ToString::to_string).collect(),
        })
    }

    /// Queues a command; `origin` names where it came from. Returns its number.
    pub fn send(&self, prepared: Prepared, origin: &str) -> Result<u32, String> {
        if let Some(why) = self.shared.cannot_send() {
            return Err(why);
        }
        if self.thread.is_none() {
            return Err("can't start a thread for commands".to_owned());
        }
        self.shared.follow_decoder(&self.shared.current.get());
        let mut dispatcher = self.shared.dispatcher.lock();
        if prepared.encoder != dispatcher.replaced {
            return Err("not sent: the decoder was changed meanwhile".to_owned());
        }
        let full = || "64 commands are waiting already; the target does not answer".to_owned();
        let number = dispatcher.add(prepared.command, origin, self.shared.log.len()).ok_or_else(full)?;
        drop(dispatcher);
        self.shared.changed();
        self.wake();
        Ok(number)
    }

    /// Sets the command sent when the link first comes up. Errors at that time become its result.
    pub fn send_when_up(&self, line: &str) -> Result<(), String> {
        if self.shared.sender.is_none() {
            return Err(READ_ONLY.to_owned());
        }
        *self.shared.first.lock() = Some(line.to_owned());
        self.wake();
        Ok(())
    }

    fn wake(&self) {
        self.wake.iter().for_each(|wake| _ = wake.try_send(()));
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Relaxed);
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Origin of the command that waited for the link.
const AT_START: &str = "start";
/// How often to check for answers while a command is active.
const BUSY: Duration = Duration::from_millis(10);
const IDLE: Duration = Duration::from_millis(100);
/// How long to check after news: decoding and the state of the link follow them.
const ALERT: Duration = Duration::from_secs(1);

struct CommandWorker {
    shared: Arc<ControlShared>,
    changed: Sender<()>,
    /// Index of the next stream event to check.
    event: u64,
    /// The decoding whose news were read last, and the number of the next news.
    reads: Option<Arc<Decoding>>,
    next_news: u64,
    /// News before this position were read from an earlier decoding.
    seen_pos: u64,
    start: Start,
    rate: Rate,
    drops: RecentDrops,
}

impl CommandWorker {
    fn run(mut self, inbox: &Receiver<()>) {
        let news = self.shared.log.subscribe();
        let mut newest = Instant::now();
        while !self.shared.stopping.load(Ordering::Relaxed) {
            let is_busy = self.shared.dispatcher.lock().is_busy();
            let is_behind = self.shared.current.get().pos() < self.shared.log.len();
            let waits = is_busy || is_behind || self.shared.first.lock().is_some();
            let answer = if waits || newest.elapsed() < ALERT {
                inbox.recv_timeout(if is_busy { BUSY } else { IDLE })
            } else {
                self.rate.since = None;
                select! {
                    recv(inbox) -> sent => sent.map_err(|_| RecvTimeoutError::Disconnected),
                    recv(news) -> _ => Ok(()),
                }
            };
            match answer {
                Err(RecvTimeoutError::Disconnected) => return,
                Ok(()) => newest = Instant::now(),
                Err(RecvTimeoutError::Timeout) if news.try_recv().is_ok() => newest = Instant::now(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let (len, now) = (self.shared.log.len(), Instant::now());
            self.start.look(self.shared.cannot_send().is_none(), len, now);
            self.rate.look(len, now);
            self.observe();
            self.begin();
            self.advance();
            self.publish();
        }
    }

    fn observe(&mut self) {
        let decoding = self.shared.current.get();
        self.shared.follow_decoder(&decoding);
        self.drops.look(&decoding.read().counters, Instant::now());
        let mut events: Vec<LogEvent> = Vec::new();
        self.event = self.shared.log.events_from(self.event, u64::MAX, &mut events);
        if events.iter().any(|event| event.kind == kind::LINK_DOWN) {
            self.shared.dispatcher.lock().disconnected();
            self.rate = Rate::default();
            self.start = Start::default();
            self.shared.changed();
        }
        if self.reads.as_ref().is_none_or(|reads| !Arc::ptr_eq(reads, &decoding)) {
            (self.reads, self.next_news) = (Some(decoding.clone()), 0);
        }
        let (news, next) = decoding.read().news.since(self.next_news);
        self.next_news = next;
        // Re-decoding repeats everything.
        let seen = self.seen_pos;
        for news in news.into_iter().filter(|news| news.pos >= seen) {
            match news.kind {
                NewsKind::Answer(answer) => self.answer(&decoding, news, answer, false),
                NewsKind::AnswerToAny(answer) => self.answer(&decoding, news, answer, true),
                NewsKind::Reset => self.shared.dispatcher.lock().restarted(news.pos, Instant::now()),
            }
            self.seen_pos = news.pos + 1;
            self.shared.changed();
        }
    }

    fn answer(&self, decoding: &Arc<Decoding>, news: News, answer: Answer, is_to_any: bool) {
        // Rendered before the queue is locked: whoever encodes holds the rows while waiting for the queue.
        let text = if answer.stage == AnswerStage::DATA { row_text(decoding, news.row) } else { String::new() };
        self.shared.dispatcher.lock().answer(answer, is_to_any, news.pos, Instant::now(), text);
    }

    /// Queues the command that waits for the link, once it is up.
    fn begin(&self) {
        let mut first = self.shared.first.lock();
        let Some(line) = first.as_ref().filter(|_| self.shared.cannot_send().is_none()) else { return };
        let decoding = self.shared.current.get();
        let parsed = parse(line, &decoding.decoder.info, &decoding.read().dictionary);
        let pos = self.shared.log.len();
        if !self.start.is_due(parsed.as_ref().err(), pos, Instant::now()) {
            return;
        }
        let mut dispatcher = self.shared.dispatcher.lock();
        match parsed {
            Ok(parsed) => _ = dispatcher.add(parsed, AT_START, pos),
            Err(error) => {
                let number = dispatcher.add(ParsedCommand::unread(line), AT_START, pos);
                number.into_iter().for_each(|number| dispatcher.failed(number, &error.message));
            }
        }
        *first = None;
        self.shared.changed();
    }

    /// Encodes the next command once everything received before is decoded: a reset in there changes its frames.
    fn encode_next(&mut self) {
        let next = self.shared.dispatcher.lock().next().map(|(number, command)| (number, command.clone()));
        let Some((number, command)) = next else { return };
        let (decoding, now) = (self.shared.current.get(), Instant::now());
        if !self.start.is_ready(number, self.shared.log.len(), decoding.pos(), now) {
            return;
        }
        self.observe();
        let encoded = self.shared.encode(&command, &decoding);
        let mut dispatcher = self.shared.dispatcher.lock();
        match encoded {
            Ok((frames, _)) if frames.is_early && self.start.up_time(now) < START_TIME => {}
            Ok((frames, encoder)) => dispatcher.begin(number, frames, encoder),
            Err(error) => dispatcher.failed(number, &error.message),
        }
    }

    fn pace(&self, line_rate: Option<u64>) -> Pace {
        let is_full = self.rate.is_busy() || self.drops.last.is_some_and(|last| last.elapsed() < RECENT);
        Pace { rate: line_rate.unwrap_or(self.rate.most), line_rate, is_full }
    }

    fn advance(&mut self) {
        self.encode_next();
        let now = Instant::now();
        let bytes = self.shared.dispatcher.lock().next_write(self.rate.is_quiet(now), now);
        self.publish();
        let (Some(bytes), Some(sender)) = (bytes, &self.shared.sender) else { return };
        let pos = self.shared.log.len();
        let written = sender.write(&bytes);
        let pace = self.pace(sender.line_rate().map(u64::from));
        let mut dispatcher = self.shared.dispatcher.lock();
        match written {
            Ok(()) => {
                dispatcher.was_written(pos, pace, Instant::now());
                self.shared.changed();
            }
            Err(error) => dispatcher.was_not_written(&error),
        }
    }

    fn publish(&self) {
        let lines = std::mem::take(&mut self.shared.dispatcher.lock().log);
        if lines.is_empty() {
            return;
        }
        for line in lines {
            self.shared.log.add_event(line.kind, line.arg, &line.text, host_now());
        }
        self.shared.changed();
        let _ = self.changed.try_send(());
    }
}

fn row_text(decoding: &Arc<Decoding>, row: u64) -> String {
    let ask = RenderRequest { want: Want::TEXT, view: View::AsOf, short: true, before: None };
    let mut text = Vec::new();
    RowRenderer::default().views(&RowList::new(vec![decoding.clone()]), [row], ask, |_, item| {
        item.push_object(&mut text);
        if !text.is_empty() {
            text.push(b' ');
        }
        item.push_what(&mut text);
        false
    });
    String::from_utf8_lossy(&text).trim().to_owned()
}

/// Period for measuring the rate of a link.
const RATE_TIME: Duration = Duration::from_secs(1);

/// After this time without a byte, a target has nothing left to send before an answer.
const QUIET_TIME: Duration = Duration::from_millis(900);

/// The highest rate received since the link came up.
#[derive(Debug, Default)]
struct Rate {
    /// Bytes per second; 0 = unknown.
    most: u64,
    since: Option<(Instant, u64)>,
    /// Number of successive measurements near this rate.
    steady: u32,
    /// End of the log, and when it was first seen.
    end: Option<(u64, Instant)>,
}

/// Number of measurements at nearly the same rate that show the link to be always busy.
const STEADY: u32 = 4;

impl Rate {
    fn is_busy(&self) -> bool {
        self.steady >= STEADY
    }

    fn is_quiet(&self, now: Instant) -> bool {
        self.end.is_none_or(|(_, since)| now.saturating_duration_since(since) >= QUIET_TIME)
    }

    fn look(&mut self, len: u64, now: Instant) {
        if self.end.is_none_or(|(end, _)| end != len) {
            self.end = Some((len, now));
        }
        let (since, before) = *self.since.get_or_insert((now, len));
        let time = now.saturating_duration_since(since);
        if time >= RATE_TIME {
            let rate = len.saturating_sub(before) as u128 * 1000 / time.as_millis().max(1);
            let rate = u64::try_from(rate).unwrap_or(u64::MAX);
            self.most = self.most.max(rate);
            let is_near = rate > 0 && rate >= self.most - self.most / 10;
            self.steady = if is_near { self.steady + 1 } else { 0 };
            self.since = Some((now, len));
        }
    }
}

/// How long drops count as recent; targets only report them when there is room again.
const RECENT: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
struct RecentDrops {
    reported: u64,
    last: Option<Instant>,
}

impl RecentDrops {
    fn look(&mut self, counters: &Counters, now: Instant) {
        let reported = counters.rows.lost + counters.rows.dropped;
        if reported > self.reported {
            self.last = Some(now);
        }
        self.reported = reported;
    }
}

/// Why nothing can be sent to a file or a pipe.
pub const READ_ONLY: &str = "this link only reads: there is no target to send to";

/// With fewer records since the target's start, the kinds seen don't reveal its filter.
const FEW_RECORDS: u64 = 100;

#[derive(Debug)]
struct ControlShared {
    log: Arc<RawLog>,
    current: CurrentDecoding,
    sender: Option<LinkSender>,
    dispatcher: Mutex<Dispatcher>,
    /// Decoder and options of the encoder.
    encodes: Mutex<Option<(Arc<Decoder>, Options)>>,
    /// The line that is sent when the link comes up.
    first: Mutex<Option<String>>,
    changes: AtomicU64,
    /// The status at a number of changes.
    status: Mutex<(u64, Arc<TargetStatus>)>,
    stopping: AtomicBool,
}

impl ControlShared {
    fn changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    fn cannot_send(&self) -> Option<String> {
        match &self.sender {
            None => Some(READ_ONLY.to_owned()),
            Some(sender) if !sender.is_up() => Some("the link is down: nothing is sent".to_owned()),
            Some(_) => None,
        }
    }

    /// Opens another encoder if the decoder changed, and passes it changed options.
    fn follow_decoder(&self, decoding: &Decoding) {
        let mut encodes = self.encodes.lock();
        let is_same = encodes.as_ref().is_some_and(|(decoder, _)| Arc::ptr_eq(decoder, &decoding.decoder));
        if is_same && encodes.as_ref().is_some_and(|(_, options)| *options == decoding.options) {
            return;
        }
        let mut dispatcher = self.dispatcher.lock();
        if !is_same || !dispatcher.set_options(&decoding.options) {
            let encoder = decoding.decoder.table.open_encoder(&decoding.options.vals());
            dispatcher.set_encoder(encoder.ok().flatten());
        }
        drop(dispatcher);
        *encodes = Some((decoding.decoder.clone(), decoding.options.clone()));
        drop(encodes);
        self.changed();
    }

    /// The frames of a command, and the encoder after them.
    fn encode(&self, parsed: &ParsedCommand, decoding: &Decoding) -> Result<(Frames, EncoderInstance), CommandError> {
        let state = decoding.read();
        let is_new = state.news.records_seen(&state.rows.tables) < FEW_RECORDS;
        let seen = if is_new { Vec::new() } else { state.kinds_seen() };
        let command = parsed.command(state.configuration(), &seen);
        let at_start = |message: String| CommandError::new(0, message);
        let no_encoder = || at_start(format!("{} has no commands to the target", decoding.decoder.info.title));
        let mut encoder = self.dispatcher.lock().fork().ok_or_else(no_encoder)?;
        let mut frames = Frames::default();
        let names = BlockNames::newest(&state.dictionary, View::AsOf, false);
        match encoder.encode(&command, &Dict::new(&names), &mut frames) {
            Ok(()) => {
                if !parsed.remark.is_empty() {
                    frames.remarks.insert(0, parsed.remark.as_str().into());
                }
                Ok((frames, encoder))
            }
            Err(EncodeError::Refused(refusal)) => {
                Err(CommandError::new(parsed.column(refusal.arg), refusal.message.as_str()))
            }
            Err(EncodeError::Fault(fault)) => Err(at_start(format!("the decoder failed: {fault}"))),
        }
    }
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

/// Tracks the start of the link, which commands wait for.
#[derive(Debug, Default)]
struct Start {
    /// When the link came up, and the end of the log then.
    up: Option<(Instant, u64)>,
    /// The command whose turn it is, since when, and the end of the log then.
    turn: Option<(u32, Instant, u64)>,
}

impl Start {
    /// Updates the state of the link; the log ends at `len`.
    fn look(&mut self, is_up: bool, len: u64, now: Instant) {
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
    fn is_due(&self, error: Option<&CommandError>, len: u64, now: Instant) -> bool {
        let may_come = error.is_some_and(|error| error.is_unknown_name);
        self.has_begun(len, now) && (!may_come || self.up_time(now) >= NAMES_TIME)
    }

    /// Whether a command may be encoded: everything received before its turn is decoded, up to `decoded`.
    fn is_ready(&mut self, number: u32, len: u64, decoded: u64, now: Instant) -> bool {
        if !self.has_begun(len, now) {
            return false;
        }
        let turn = self.turn.filter(|turn| turn.0 == number).unwrap_or((number, now, len));
        self.turn = Some(turn);
        decoded >= turn.2 || now.saturating_duration_since(turn.1) >= BEHIND_TIME
    }
}
