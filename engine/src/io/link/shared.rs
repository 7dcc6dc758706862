//! State shared by a link's handle, reader and writer.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, select};

use super::{
    byte_sink::ByteSink,
    options::LinkOptions,
    spec::LinkSpec,
    state::{LinkCounters, LinkError, LinkEvent, LinkFacts, LinkSource, LinkState, QUIET_AFTER},
    wake::Waker,
};
use crate::{
    io::log::{RawLog, host_now, kind},
    io::sys::{AsHandle, Handle},
};

/// A request of the handle to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Baud(u32),
    Dtr(bool),
    Rts(bool),
}

/// Phase as set by the reader; the public state adds whether the link is quiet.
#[derive(Debug, Clone)]
enum Phase {
    Up { since_ns: u64 },
    Other(LinkState),
}

#[derive(Debug, Default)]
struct Figures {
    bytes: AtomicU64,
    sent: AtomicU64,
    datagrams: AtomicU64,
    line_errors: AtomicU64,
    breaks: AtomicU64,
    kernel_drops: AtomicU64,
    refused: AtomicU64,
    frameless: AtomicU64,
    connects: AtomicU64,
    /// Host time of the latest byte.
    newest_ns: AtomicU64,
}

/// What came first.
pub(super) enum Next<T> {
    Received(T),
    TimedOut,
    /// The link is being stopped.
    Stopped,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) spec: LinkSpec,
    pub(super) options: LinkOptions,
    pub(super) waker: Waker,
    pub(super) kernel_drops_known: AtomicBool,
    sources: Mutex<Vec<LinkSource>>,
    sinks: Mutex<Vec<Option<ByteSink>>>,
    phase: Mutex<Phase>,
    facts: Mutex<LinkFacts>,
    figures: Figures,
    events: Sender<LinkEvent>,
    /// The latest text of `LinkState::Waiting` that was sent as an event.
    waiting_said: Mutex<Option<String>>,
    commands: Mutex<VecDeque<Command>>,
    stopping: AtomicBool,
    /// The sender is dropped when the link is stopped.
    stop: (Mutex<Option<Sender<()>>>, Receiver<()>),
}

impl Shared {
    pub(super) fn new(spec: LinkSpec, options: LinkOptions) -> Result<(Arc<Shared>, Receiver<LinkEvent>), LinkError> {
        let waker = Waker::new().map_err(|e| LinkError(format!("{spec}: no pipe for waking its reader: {e}")))?;
        let (events, receiver) = bounded(1024);
        let (stop, stopped) = bounded(1);
        let shared = Shared {
            spec,
            options,
            waker,
            kernel_drops_known: AtomicBool::new(false),
            sources: Mutex::default(),
            sinks: Mutex::default(),
            phase: Mutex::new(Phase::Other(LinkState::Waiting("opening".into()))),
            facts: Mutex::default(),
            figures: Figures::default(),
            events,
            waiting_said: Mutex::default(),
            commands: Mutex::default(),
            stopping: AtomicBool::new(false),
            stop: (Mutex::new(Some(stop)), stopped),
        };
        Ok((Arc::new(shared), receiver))
    }

    /// Adds a source and announces it.
    pub(super) fn add_source(&self, name: String, log: Arc<RawLog>) -> usize {
        let mut sources = lock(&self.sources);
        let index = sources.len();
        sources.push(LinkSource { index, name, log, core: self.spec.core });
        drop(sources);
        self.report(LinkEvent::Source(index));
        index
    }

    pub(super) fn rename_source(&self, index: usize, name: String) {
        if let Some(source) = lock(&self.sources).get_mut(index) {
            source.name = name;
        }
        self.report(LinkEvent::Source(index));
    }

    pub(super) fn sources(&self) -> Vec<LinkSource> {
        lock(&self.sources).clone()
    }

    /// A new log with the link's options.
    pub(super) fn new_log(&self) -> Arc<RawLog> {
        RawLog::new(&self.options.log)
    }

    pub(super) fn set_sink(&self, index: usize, sink: Option<ByteSink>) {
        let mut sinks = lock(&self.sinks);
        if sinks.len() <= index {
            sinks.resize_with(index + 1, || None);
        }
        if let Some(place) = sinks.get_mut(index) {
            *place = sink;
        }
    }

    pub(super) fn sink(&self, index: usize) -> Option<ByteSink> {
        lock(&self.sinks).get(index).cloned().flatten()
    }

    /// Appends received bytes to a log.
    pub(super) fn received(&self, log: &RawLog, bytes: &[u8]) {
        let now = host_now();
        self.figures.bytes.fetch_add(bytes.len() as u64, Relaxed);
        self.figures.newest_ns.store(now, Relaxed);
        log.append(bytes, now);
        self.pass_on_problem(log);
    }

    /// A file read in place has grown.
    pub(super) fn grown(&self, log: &RawLog, len: u64) {
        let now = host_now();
        self.figures.bytes.fetch_add(len.saturating_sub(log.len()), Relaxed);
        self.figures.newest_ns.store(now, Relaxed);
        log.grown(len, now);
    }

    /// Appends a datagram to a log.
    pub(super) fn datagram(&self, log: &RawLog, bytes: &[u8]) {
        self.figures.datagrams.fetch_add(1, Relaxed);
        log.add_event(kind::DATAGRAM, 0, &[], host_now());
        self.received(log, bytes);
    }

    pub(super) fn pass_on_problem(&self, log: &RawLog) {
        if let Some(problem) = log.take_problem() {
            self.note(problem);
        }
    }

    pub(super) fn count_sent(&self, bytes: usize) {
        self.figures.sent.fetch_add(bytes as u64, Relaxed);
    }

    pub(super) fn count_line_errors(&self, errors: u64, breaks: u64) {
        self.figures.line_errors.fetch_add(errors, Relaxed);
        self.figures.breaks.fetch_add(breaks, Relaxed);
    }

    pub(super) fn count_kernel_drops(&self, total: u64) -> u64 {
        self.kernel_drops_known.store(true, Relaxed);
        total.saturating_sub(self.figures.kernel_drops.swap(total, Relaxed))
    }

    pub(super) fn count_refused(&self) -> u64 {
        self.figures.refused.fetch_add(1, Relaxed) + 1
    }

    pub(super) fn count_frameless(&self) {
        self.figures.frameless.fetch_add(1, Relaxed);
    }

    /// So many datagrams counted as frameless were the beginning of a stream.
    pub(super) fn uncount_frameless(&self, datagrams: u64) {
        self.figures.frameless.fetch_sub(datagrams, Relaxed);
    }

    /// Link up: sets the state, adds a stream event to the log, sends a message.
    pub(super) fn up(&self, log: &RawLog, text: &str) {
        let now = host_now();
        self.figures.connects.fetch_add(1, Relaxed);
        log.add_event(kind::LINK_UP, 0, text.as_bytes(), now);
        self.set_phase(Phase::Up { since_ns: now });
    }

    /// Link down: adds a stream event to the log and sends a message; the caller sets the next state.
    pub(super) fn down(&self, log: &RawLog, why: &str) {
        log.add_event(kind::LINK_DOWN, 0, why.as_bytes(), host_now());
        self.facts(|facts| facts.peer = None);
    }

    /// Sets the state of a link that is not up.
    pub(super) fn set_state(&self, state: LinkState) {
        self.set_phase(Phase::Other(state));
    }

    /// Live without a stream event: files and pipes have no connection.
    pub(super) fn flows(&self) {
        if !matches!(*lock(&self.phase), Phase::Up { .. }) {
            self.set_phase(Phase::Up { since_ns: host_now() });
        }
    }

    fn set_phase(&self, phase: Phase) {
        *lock(&self.phase) = phase;
        let state = self.state();
        // How to connect is said once, not after every connection.
        if let LinkState::Waiting(text) = &state
            && lock(&self.waiting_said).replace(text.clone()).as_ref() == Some(text)
        {
            return;
        }
        self.report(LinkEvent::State(state));
    }

    pub(super) fn state(&self) -> LinkState {
        let since = match &*lock(&self.phase) {
            Phase::Up { since_ns } => *since_ns,
            Phase::Other(state) => return state.clone(),
        };
        let newest = self.figures.newest_ns.load(Relaxed).max(since);
        let quiet = Duration::from_nanos(host_now().saturating_sub(newest));
        if quiet < QUIET_AFTER { LinkState::Live } else { LinkState::Quiet(quiet) }
    }

    pub(super) fn counters(&self) -> LinkCounters {
        let f = &self.figures;
        let known = self.kernel_drops_known.load(Relaxed);
        LinkCounters {
            bytes: f.bytes.load(Relaxed),
            sent: f.sent.load(Relaxed),
            datagrams: f.datagrams.load(Relaxed),
            line_errors: f.line_errors.load(Relaxed),
            breaks: f.breaks.load(Relaxed),
            kernel_drops: known.then(|| f.kernel_drops.load(Relaxed)),
            refused: f.refused.load(Relaxed),
            frameless: f.frameless.load(Relaxed),
            connects: f.connects.load(Relaxed),
        }
    }

    /// Accesses the facts.
    pub(super) fn facts<T>(&self, with: impl FnOnce(&mut LinkFacts) -> T) -> T {
        with(&mut lock(&self.facts))
    }

    pub(super) fn note(&self, text: impl Into<String>) {
        self.report(LinkEvent::Note(text.into()));
    }

    fn report(&self, event: LinkEvent) {
        let _ = self.events.try_send(event); // nobody listens, or far too slowly: state and sources can be asked for
    }

    /// Sends a request to the reader.
    pub(super) fn command(&self, command: Command) {
        lock(&self.commands).push_back(command);
        self.waker.wake();
    }

    pub(super) fn next_command(&self) -> Option<Command> {
        lock(&self.commands).pop_front()
    }

    pub(super) fn stop(&self) {
        self.stopping.store(true, Relaxed);
        lock(&self.stop.0).take();
        self.waker.wake();
    }

    pub(super) fn stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }

    /// Blocks the reader while the decoder is too far behind; only for senders that can wait.
    pub(super) fn throttle(&self, log: &RawLog) {
        let Some(window) = self.options.throttle else { return };
        while log.backlog() > window && !self.stopping() {
            select! {
                recv(log.progress()) -> _ => {}
                recv(self.stop.1) -> _ => return,
            }
        }
    }

    /// Sleeps; returns `false` if the link is being stopped.
    pub(super) fn sleep(&self, time: Duration) -> bool {
        let _ = self.stop.1.recv_timeout(time);
        !self.stopping()
    }

    /// Waits for a message, for some time.
    pub(super) fn next<T>(&self, messages: &Receiver<T>, time: Duration) -> Next<T> {
        select! {
            recv(self.stop.1) -> _ => Next::Stopped,
            recv(messages) -> message => message.map_or(Next::Stopped, Next::Received),
            default(time) => if self.stopping() { Next::Stopped } else { Next::TimedOut },
        }
    }

    pub(super) fn wake_fd(&self) -> Handle<'_> {
        self.waker.as_fd()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
