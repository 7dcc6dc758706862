//! What is sent, and what is heard of it: links commands with the link, the log and the decoding of a source.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, bounded};
use spytui_plugin_api::{DictView, EncodeError, EncoderInstance, FilterState, Frames};

use super::{dispatcher::Dispatcher, first::FirstCommand, flight::Pace, status::CommandStatus};
use crate::{
    command::{CommandError, find, parse},
    link::LinkSender,
    log::{LogEvent, RawLog, host_now, kind},
    plugin::{Decoder, Options},
    session::{CurrentDecoding, Decoding, news::NewsKind},
    store::{Counters, Names, View},
};

/// How often answers are looked for while a command waits.
const BUSY: Duration = Duration::from_millis(10);
/// How often else.
const IDLE: Duration = Duration::from_millis(100);
/// Over this time the rate of a link is measured.
const RATE_TIME: Duration = Duration::from_secs(1);

/// Why nothing can be sent to a file or a pipe.
pub const READ_ONLY: &str = "this link only reads: there is no target to send to";

/// What would be sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// The bytes of all frames.
    pub bytes: Vec<u8>,
    /// Number of frames.
    pub frames: usize,
    /// What was assumed.
    pub remarks: Vec<String>,
    /// The user must be asked before it is sent.
    pub confirm: bool,
}

/// Why a command was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The line is wrong.
    #[error("{0}")]
    Line(CommandError),
    /// The link can't send.
    #[error("{0}")]
    Link(String),
}

/// Commands to a target, and what is known of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetStatus {
    /// The latest commands, oldest first.
    pub commands: Vec<CommandStatus>,
    /// What is known of its filter.
    pub filter: Vec<FilterState>,
    /// What was acknowledged before the target was reset, or its link went down, of the tables of which nothing is
    /// acknowledged since.
    pub forgotten: Vec<FilterState>,
}

/// Sends commands to the target of a source. Dropping it gives up what is under way.
#[derive(Debug)]
pub struct Control {
    shared: Arc<Shared>,
    /// Wakes the thread; closing it ends the thread.
    wake: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    log: Arc<RawLog>,
    current: CurrentDecoding,
    sender: Option<LinkSender>,
    dispatcher: Mutex<Dispatcher>,
    /// Decoder and options of the encoder.
    encodes: Mutex<Option<(Arc<Decoder>, Options)>>,
    /// Waits for the link.
    first: Mutex<Option<FirstCommand>>,
    changes: AtomicU64,
    /// The status as of a number of changes.
    status: Mutex<(u64, Arc<TargetStatus>)>,
    stopping: AtomicBool,
}

impl Control {
    /// For a source with this log and decoding; `sender` = `None` if its link only reads. `changed` is notified when a
    /// command goes on.
    #[must_use]
    pub fn start(
        log: Arc<RawLog>,
        current: CurrentDecoding,
        sender: Option<LinkSender>,
        changed: Sender<()>,
    ) -> Control {
        let shared = Arc::new(Shared {
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
            let worker = Worker::new(shared.clone(), changed);
            std::thread::Builder::new().name("commands".into()).spawn(move || worker.run(&inbox))
        });
        Control { shared, wake: Some(wake), thread: thread.and_then(Result::ok) }
    }

    /// Number of changes of [`Control::status`].
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.shared.changes.load(Ordering::Acquire)
    }

    /// Commands and filter as of now.
    #[must_use]
    pub fn status(&self) -> Arc<TargetStatus> {
        let changes = self.changes();
        let mut kept = self.shared.status.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.0 != changes {
            let mut dispatcher = self.shared.dispatcher();
            let commands = dispatcher.commands().cloned().collect();
            let (filter, forgotten) = (dispatcher.filter(), dispatcher.forgotten());
            *kept = (changes, Arc::new(TargetStatus { commands, filter, forgotten }));
        }
        kept.1.clone()
    }

    /// Whether the link has a way to the target at all, up or down.
    #[must_use]
    pub fn is_two_way(&self) -> bool {
        self.shared.sender.is_some()
    }

    /// Why nothing can be sent now.
    #[must_use]
    pub fn cannot_send(&self) -> Option<String> {
        self.shared.cannot_send()
    }

    /// What a line (without `target`) would send now; nothing is sent.
    ///
    /// # Errors
    /// What is wrong with the line, with its column.
    pub fn preview(&self, line: &str) -> Result<Preview, CommandError> {
        let decoding = self.shared.current.get();
        self.shared.follow_decoder(&decoding);
        let (frames, confirm, _) = self.shared.encode(line, &decoding)?;
        Ok(Preview {
            bytes: frames.bytes.to_vec(),
            frames: frames.frames.len(),
            remarks: frames.remarks.iter().map(ToString::to_string).collect(),
            confirm,
        })
    }

    /// Takes a command: `line` without `target`, `origin` in a word. Returns its number.
    ///
    /// # Errors
    /// What is wrong with the line, or why nothing can be sent; nothing is sent then.
    pub fn send(&self, line: &str, origin: &str) -> Result<u32, SendError> {
        self.preview(line).map_err(SendError::Line)?;
        if let Some(why) = self.shared.cannot_send() {
            return Err(SendError::Link(why));
        }
        if self.thread.is_none() {
            return Err(SendError::Link("there is no thread left for commands".to_owned()));
        }
        let full = || SendError::Link("64 commands wait already; the target does not answer".to_owned());
        let name = name_of(line, &self.shared.current.get());
        let number = self.shared.dispatcher().add(line, &name, origin, self.shared.log.len()).ok_or_else(full)?;
        self.shared.changed();
        if let Some(wake) = &self.wake {
            let _ = wake.try_send(());
        }
        Ok(number)
    }

    /// Takes the command that is sent when the link is up for the first time, in place of an earlier one. What is wrong
    /// with it then is its result.
    ///
    /// # Errors
    /// The link only reads.
    pub fn send_when_up(&self, line: &str, origin: &str) -> Result<(), SendError> {
        if self.shared.sender.is_none() {
            return Err(SendError::Link(READ_ONLY.to_owned()));
        }
        *self.shared.first() = Some(FirstCommand::new(line, origin));
        Ok(())
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

impl Shared {
    fn dispatcher(&self) -> MutexGuard<'_, Dispatcher> {
        self.dispatcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn first(&self) -> MutexGuard<'_, Option<FirstCommand>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }

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

    /// Opens another encoder if the decoder or its options changed.
    fn follow_decoder(&self, decoding: &Decoding) {
        let mut encodes = self.encodes.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |(decoder, options): &(Arc<Decoder>, Options)| {
            Arc::ptr_eq(decoder, &decoding.decoder) && *options == decoding.options
        };
        if encodes.as_ref().is_some_and(is_same) {
            return;
        }
        let encoder = decoding.decoder.table.open_encoder(&decoding.options.vals());
        self.dispatcher().set_encoder(encoder.ok().flatten());
        *encodes = Some((decoding.decoder.clone(), decoding.options.clone()));
        drop(encodes);
        self.changed();
    }

    /// Frames of a line, whether to ask before they are sent, and the encoder after them.
    fn encode(&self, line: &str, decoding: &Decoding) -> Result<(Frames, bool, EncoderInstance), CommandError> {
        let state = decoding.read();
        let info = &decoding.decoder.info;
        let parsed = parse(line, info, &state.dictionary)?;
        let seen = state.kinds_seen();
        let command = parsed.command(state.configuration(), &seen);
        let at_start = |message: String| CommandError::new(0, message);
        let no_encoder = || at_start(format!("{} has no commands to the target", info.title));
        let mut encoder = self.dispatcher().fork().ok_or_else(no_encoder)?;
        let mut frames = Frames::default();
        let (view, dictionary) = (View::AsOf, &state.dictionary);
        let names = Names { dictionary, others: &[], first: u64::MAX, fixed: true, view, short: false };
        match encoder.encode(&command, &DictView::new(&names), &mut frames) {
            Ok(()) => Ok((frames, parsed.confirm, encoder)),
            Err(EncodeError::Refused(refusal)) => {
                Err(CommandError::new(parsed.column(refusal.arg), refusal.message.as_str()))
            }
            Err(EncodeError::Fault(fault)) => Err(at_start(format!("the decoder failed: {fault}"))),
        }
    }
}

/// Name of the command of a line.
fn name_of(line: &str, decoding: &Decoding) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    find(&decoding.decoder.info.commands, &words).map_or_else(String::new, |(command, _)| command.name.to_string())
}

/// The thread.
struct Worker {
    shared: Arc<Shared>,
    changed: Sender<()>,
    /// Number of the next stream event to look at.
    event: u64,
    /// The decoding whose news were read last, and the number of the next.
    reads: Option<Arc<Decoding>>,
    next_news: u64,
    /// News before this position were read from an earlier decoding.
    seen_pos: u64,
    rate: Rate,
    drops: Drops,
}

impl Worker {
    fn new(shared: Arc<Shared>, changed: Sender<()>) -> Worker {
        Worker {
            shared,
            changed,
            event: 0,
            reads: None,
            next_news: 0,
            seen_pos: 0,
            rate: Rate::default(),
            drops: Drops::default(),
        }
    }

    fn run(mut self, inbox: &Receiver<()>) {
        while !self.shared.stopping.load(Ordering::Relaxed) {
            let wait = if self.shared.dispatcher().is_busy() { BUSY } else { IDLE };
            if inbox.recv_timeout(wait) == Err(crossbeam_channel::RecvTimeoutError::Disconnected) {
                return;
            }
            self.rate.look(self.shared.log.len(), Instant::now());
            self.observe();
            self.begin();
            self.advance();
            self.publish();
        }
    }

    /// Takes what was received.
    fn observe(&mut self) {
        let decoding = self.shared.current.get();
        self.shared.follow_decoder(&decoding);
        self.drops.look(&decoding.read().counters, Instant::now());
        if self.went_down() {
            self.shared.dispatcher().disconnected();
            self.rate = Rate::default();
            self.shared.changed();
        }
        if self.reads.as_ref().is_none_or(|reads| !Arc::ptr_eq(reads, &decoding)) {
            (self.reads, self.next_news) = (Some(decoding.clone()), 0);
        }
        let (news, next) = decoding.read().news.since(self.next_news);
        self.next_news = next;
        let mut dispatcher = self.shared.dispatcher();
        // Decoding again tells everything again.
        let seen = self.seen_pos;
        for news in news.into_iter().filter(|news| news.pos >= seen) {
            let now = Instant::now();
            match news.kind {
                NewsKind::Answer(answer) => dispatcher.answer(answer, false, news.pos, now),
                NewsKind::AnswerToAny(answer) => dispatcher.answer(answer, true, news.pos, now),
                NewsKind::Reset => dispatcher.restarted(news.pos, now),
            }
            self.seen_pos = news.pos + 1;
            self.shared.changed();
        }
    }

    /// Whether the link went down since the last look.
    fn went_down(&mut self) -> bool {
        let mut events: Vec<LogEvent> = Vec::new();
        self.event = self.shared.log.events_from(self.event, u64::MAX, &mut events);
        events.iter().any(|event| event.kind == kind::LINK_DOWN)
    }

    /// Queues the command that waits for the link, when it is up.
    fn begin(&self) {
        let mut first = self.shared.first();
        let Some(command) = first.as_mut().filter(|_| self.shared.cannot_send().is_none()) else { return };
        let encoded = self.shared.encode(&command.line, &self.shared.current.get());
        if command.is_due(encoded.err().as_ref(), !self.shared.log.is_empty(), Instant::now())
            && let Some(command) = first.take()
        {
            let name = name_of(&command.line, &self.shared.current.get());
            let _ = self.shared.dispatcher().add(&command.line, &name, &command.origin, self.shared.log.len());
            self.shared.changed();
        }
    }

    /// Sends what is to be sent.
    fn advance(&mut self) {
        let next = self.shared.dispatcher().next().map(|next| (next.number, next.line.clone()));
        if let Some((number, line)) = next {
            let encoded = self.shared.encode(&line, &self.shared.current.get());
            let mut dispatcher = self.shared.dispatcher();
            match encoded {
                Ok((frames, _, encoder)) => dispatcher.begin(number, frames, encoder),
                Err(error) => dispatcher.failed(number, &error.message),
            }
        }
        let bytes = self.shared.dispatcher().next_write(Instant::now());
        self.publish();
        let (Some(bytes), Some(sender)) = (bytes, &self.shared.sender) else { return };
        let pos = self.shared.log.len();
        let written = sender.write(&bytes).and_then(|sent| sent.wait());
        let rate = sender.line_rate().map_or(self.rate.most, u64::from);
        let pace = Pace { rate, is_full: self.drops.are_recent(Instant::now()) };
        let mut dispatcher = self.shared.dispatcher();
        match written {
            Ok(()) => dispatcher.was_written(pos, pace, Instant::now()),
            Err(error) => dispatcher.was_not_written(&error.to_string()),
        }
    }

    /// Logs what happened, which makes rows of it.
    fn publish(&self) {
        let lines = self.shared.dispatcher().take_log();
        if lines.is_empty() {
            return;
        }
        for line in lines {
            self.shared.log.add_event(line.kind, line.arg, line.text.as_bytes(), host_now());
        }
        self.shared.changed();
        let _ = self.changed.try_send(());
    }
}

/// The greatest rate at which bytes came since the link is up.
#[derive(Debug, Default)]
struct Rate {
    /// Bytes per second; 0 = unknown.
    most: u64,
    since: Option<(Instant, u64)>,
}

impl Rate {
    fn look(&mut self, len: u64, now: Instant) {
        let (since, before) = *self.since.get_or_insert((now, len));
        let time = now.saturating_duration_since(since);
        if time >= RATE_TIME {
            let rate = len.saturating_sub(before) as u128 * 1000 / time.as_millis().max(1);
            self.most = self.most.max(u64::try_from(rate).unwrap_or(u64::MAX));
            self.since = Some((now, len));
        }
    }
}

/// Drops are told when there is room again.
const RECENT: Duration = Duration::from_secs(30);

/// Whether records are lost.
#[derive(Debug, Default)]
struct Drops {
    told: u64,
    last: Option<Instant>,
}

impl Drops {
    fn look(&mut self, counters: &Counters, now: Instant) {
        let told = counters.rows.lost + counters.rows.dropped;
        if told > self.told {
            self.last = Some(now);
        }
        self.told = told;
    }

    fn are_recent(&self, now: Instant) -> bool {
        self.last.is_some_and(|last| now.saturating_duration_since(last) < RECENT)
    }
}
