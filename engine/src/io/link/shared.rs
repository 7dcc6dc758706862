//! State, counters and facts of a link, shared by its threads, their wake-up, and the outputs for bytes.

use std::{
    collections::VecDeque,
    io::{self, PipeReader, PipeWriter, Read, Write},
    net::{SocketAddr, UdpSocket},
    sync::{
        Arc,
        atomic::{
            AtomicBool, AtomicU64, AtomicUsize,
            Ordering::{self, Relaxed},
        },
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, bounded, select};
use parking_lot::Mutex;

use super::spec::{LinkOptions, LinkSpec};
use crate::io::{
    log::{RawLog, host_now, kind},
    sys::{self, AsHandle, Handle, OwnedHandle, PollFlags, wait_any},
};

pub const QUIET_AFTER: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkState {
    /// Not connected yet; the text says what it waits for.
    Waiting(String),
    Live,
    /// Connected, but silent for this long.
    Quiet(Duration),
    /// Not connected; retries by itself.
    NoLink {
        /// Number of the next attempt, from 1.
        retry: u32,
        /// The reason and the next step.
        text: String,
    },
    /// The input has ended and was received completely.
    Ended,
    /// Given up; the text says why and what to do.
    Failed(String),
    /// A file changed after it was completely received; the text says how and what to do.
    Changed(String),
}

impl LinkState {
    /// Short text for the header: `live`, `quiet 6 s`, `no link, retry 3`.
    pub fn words(&self) -> String {
        match self {
            LinkState::Waiting(_) => "waiting".into(),
            LinkState::Live => "live".into(),
            LinkState::Quiet(time) => format!("quiet {} s", time.as_secs()),
            LinkState::NoLink { retry, .. } => format!("no link, retry {retry}"),
            LinkState::Ended => "ended".into(),
            LinkState::Failed(_) => "failed".into(),
            LinkState::Changed(_) => "changed".into(),
        }
    }

    /// The explanation, if any.
    pub fn text(&self) -> Option<&str> {
        match self {
            LinkState::Waiting(text)
            | LinkState::NoLink { text, .. }
            | LinkState::Failed(text)
            | LinkState::Changed(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_over(&self) -> bool {
        matches!(self, LinkState::Ended | LinkState::Failed(_) | LinkState::Changed(_))
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkCounters {
    pub bytes: u64,
    pub sent: u64,
    /// Datagrams received (UDP).
    pub datagrams: u64,
    /// Bytes with a parity or framing error (serial).
    pub line_errors: u64,
    /// Break conditions (serial).
    pub breaks: u64,
    /// Datagrams dropped by the host's kernel because they arrived faster than they were read, if known.
    pub kernel_drops: Option<u64>,
    /// Datagrams of senders beyond the limit, or clients of a listener beyond the first.
    pub refused: u64,
    /// Datagrams of senders that have not sent a frame yet.
    pub frameless: u64,
    pub connects: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkFacts {
    /// Listening address, with the actual port if 0 was requested.
    pub local: Option<SocketAddr>,
    /// Actual rate of a serial line, bits per second.
    pub baud: Option<u32>,
    /// Capacity of the line, bytes per second.
    pub line_rate: Option<u32>,
}

/// A source: one byte stream of a link with its log.
#[derive(Debug, Clone)]
pub struct LinkSource {
    /// Number within the link, from 0.
    pub index: usize,
    pub name: String,
    pub log: Arc<RawLog>,
    /// Core of its bytes, if the link specifies one.
    pub core: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkEvent {
    State(LinkState),
    /// A source was added, with its index.
    Source(usize),
    Note(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("there is no link to send on")]
    NoLink,
    #[error("sending failed: {0}")]
    Failed(String),
    /// Only the beginning was sent; the next bytes would be appended to it.
    #[error("sent in part: {0}")]
    InPart(String),
}

/// A request to the reader of a serial line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineCommand {
    /// Changes the rate; the link facts then contain the actual one.
    Baud(u32),
    /// `None` = to its other state; a line that was left alone is on.
    Dtr(Option<bool>),
    /// As for `Dtr`.
    Rts(Option<bool>),
    /// Begins or ends a break.
    Break(bool),
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) spec: LinkSpec,
    pub(super) options: LinkOptions,
    waker: Waker,
    sources: Mutex<Vec<LinkSource>>,
    sinks: Mutex<Vec<Option<ByteSink>>>,
    /// Held while bytes are sent, so that commands don't mix.
    pub(super) writing: Mutex<()>,
    /// As set by the reader, which does not notice that a live link is quiet.
    state: Mutex<LinkState>,
    facts: Mutex<LinkFacts>,
    counters: Mutex<LinkCounters>,
    /// Host time of the latest byte, or since when the link is live.
    newest_ns: AtomicU64,
    events: Sender<LinkEvent>,
    /// The last `LinkState::Waiting` text sent as an event.
    waiting_said: Mutex<Option<String>>,
    commands: Mutex<VecDeque<LineCommand>>,
    /// The sender is dropped to stop the link.
    pub(super) stop: (Mutex<Option<Sender<()>>>, Receiver<()>),
}

impl Shared {
    pub(super) fn new(spec: LinkSpec, options: LinkOptions) -> Result<(Arc<Shared>, Receiver<LinkEvent>), String> {
        let waker = Waker::new().map_err(|e| format!("{spec}: no pipe for waking its reader: {e}"))?;
        let (events, receiver) = bounded(1024);
        let (stop, stopped) = bounded(1);
        let shared = Shared {
            spec,
            options,
            waker,
            sources: Mutex::default(),
            sinks: Mutex::default(),
            writing: Mutex::default(),
            state: Mutex::new(LinkState::Waiting("opening".into())),
            facts: Mutex::default(),
            counters: Mutex::default(),
            newest_ns: AtomicU64::new(0),
            events,
            waiting_said: Mutex::default(),
            commands: Mutex::default(),
            stop: (Mutex::new(Some(stop)), stopped),
        };
        Ok((Arc::new(shared), receiver))
    }

    pub(super) fn add_source(&self, name: String, log: Arc<RawLog>) -> usize {
        let mut sources = self.sources.lock();
        let index = sources.len();
        sources.push(LinkSource { index, name, log, core: self.spec.core });
        drop(sources);
        self.report(LinkEvent::Source(index));
        index
    }

    pub(super) fn rename_source(&self, index: usize, name: String) {
        if let Some(source) = self.sources.lock().get_mut(index) {
            source.name = name;
        }
        self.report(LinkEvent::Source(index));
    }

    pub(super) fn sources(&self) -> Vec<LinkSource> {
        self.sources.lock().clone()
    }

    pub(super) fn new_log(&self) -> Arc<RawLog> {
        RawLog::new(&self.options.log)
    }

    pub(super) fn set_sink(&self, index: usize, sink: Option<ByteSink>) {
        let mut sinks = self.sinks.lock();
        if sinks.len() <= index {
            sinks.resize_with(index + 1, || None);
        }
        if let Some(place) = sinks.get_mut(index) {
            *place = sink;
        }
    }

    pub(super) fn sink(&self, index: usize) -> Option<ByteSink> {
        self.sinks.lock().get(index).cloned().flatten()
    }

    pub(super) fn received(&self, log: &RawLog, bytes: &[u8]) {
        let now = host_now();
        self.count(|counters| counters.bytes += bytes.len() as u64);
        self.newest_ns.store(now, Relaxed);
        log.append(bytes, now);
        if let Some(problem) = log.take_problem() {
            self.note(problem);
        }
    }

    pub(super) fn grown(&self, log: &RawLog, len: u64) {
        let now = host_now();
        self.count(|counters| counters.bytes += len.saturating_sub(log.len()));
        self.newest_ns.store(now, Relaxed);
        log.grown(len, now);
    }

    pub(super) fn datagram(&self, log: &RawLog, bytes: &[u8]) {
        self.count(|counters| counters.datagrams += 1);
        log.add_event(kind::DATAGRAM, 0, &[], host_now());
        self.received(log, bytes);
    }

    pub(super) fn count<T>(&self, with: impl FnOnce(&mut LinkCounters) -> T) -> T {
        with(&mut self.counters.lock())
    }

    /// Link up: adds a stream event to the log, and sets the state.
    pub(super) fn up(&self, log: &RawLog, text: &str) {
        let now = host_now();
        self.count(|counters| counters.connects += 1);
        log.add_event(kind::LINK_UP, 0, text.as_bytes(), now);
        self.set_live(now);
    }

    /// Link down: adds a stream event to the log; the caller sets the next state.
    pub(super) fn down(&self, log: &RawLog, why: &str) {
        log.add_event(kind::LINK_DOWN, 0, why.as_bytes(), host_now());
    }

    /// Live without a stream event, as files and pipes have no connection.
    pub(super) fn set_live(&self, since_ns: u64) {
        self.newest_ns.store(since_ns, Relaxed);
        self.set_state(LinkState::Live);
    }

    pub(super) fn set_state(&self, state: LinkState) {
        *self.state.lock() = state.clone();
        // How to connect is reported once, not after every connection.
        if let LinkState::Waiting(text) = &state
            && self.waiting_said.lock().replace(text.clone()).as_ref() == Some(text)
        {
            return;
        }
        self.report(LinkEvent::State(state));
    }

    pub(super) fn state(&self) -> LinkState {
        let state = self.state.lock().clone();
        if state != LinkState::Live {
            return state;
        }
        let quiet = Duration::from_nanos(host_now().saturating_sub(self.newest_ns.load(Relaxed)));
        if quiet < QUIET_AFTER { state } else { LinkState::Quiet(quiet) }
    }

    pub(super) fn counters(&self) -> LinkCounters {
        *self.counters.lock()
    }

    pub(super) fn facts<T>(&self, with: impl FnOnce(&mut LinkFacts) -> T) -> T {
        with(&mut self.facts.lock())
    }

    pub(super) fn note(&self, text: impl Into<String>) {
        self.report(LinkEvent::Note(text.into()));
    }

    fn report(&self, event: LinkEvent) {
        let _ = self.events.try_send(event); // nobody listens, or too slowly; state and sources can be queried
    }

    pub(super) fn command(&self, command: LineCommand) {
        self.commands.lock().push_back(command);
        self.waker.wake();
    }

    /// Waits until one of `handles` is ready, a request arrives or the time is over; returns which handles are ready,
    /// and passes the requests to `react`.
    pub(super) fn wait(
        &self,
        handles: &[(Handle<'_>, PollFlags)],
        limit: Option<Duration>,
        react: impl FnMut(LineCommand),
    ) -> io::Result<Vec<bool>> {
        let watched = [&[(self.waker.reader.as_fd(), PollFlags::IN)], handles].concat();
        let mut ready = wait_any(&watched, limit)?;
        if ready.remove(0) {
            self.waker.taken();
            std::iter::from_fn(|| self.next_command()).for_each(react);
        }
        Ok(ready)
    }

    pub(super) fn next_command(&self) -> Option<LineCommand> {
        self.commands.lock().pop_front()
    }

    pub(super) fn stop(&self) {
        self.stop.0.lock().take();
        self.waker.wake();
    }

    pub(super) fn stopping(&self) -> bool {
        self.stop.0.lock().is_none()
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
}

/// A pipe that wakes a waiting reader from another thread.
#[derive(Debug)]
struct Waker {
    reader: PipeReader,
    writer: PipeWriter,
    /// The pipe contains a byte; never more than one, so that writing never blocks.
    pending: AtomicBool,
}

impl Waker {
    fn new() -> io::Result<Waker> {
        let (reader, writer) = io::pipe()?;
        Ok(Waker { reader, writer, pending: AtomicBool::new(false) })
    }

    pub(super) fn wake(&self) {
        if !self.pending.swap(true, Ordering::AcqRel) {
            let _ = (&self.writer).write(&[1]);
        }
    }

    /// Consumes the wake-up; call only when the pipe is readable.
    pub(super) fn taken(&self) {
        let _ = (&self.reader).read(&mut [0]);
        self.pending.store(false, Ordering::Release);
    }
}

/// Growing pauses: 0.1 s, then doubled up to a limit.
#[derive(Debug, Default)]
pub(super) struct BackOff {
    pub(super) retry: u32,
}

const LONGEST: Duration = Duration::from_secs(5);
/// The longest pause while a device does not exist; checking its name is cheap.
const LONGEST_MISSING: Duration = Duration::from_millis(500);

impl BackOff {
    /// Number of the next attempt and the pause before it.
    pub(super) fn next(&mut self, missing: bool) -> (u32, Duration) {
        let pause = Duration::from_millis(100) * 2u32.pow(self.retry.min(6));
        self.retry = self.retry.saturating_add(1);
        (self.retry, pause.min(if missing { LONGEST_MISSING } else { LONGEST }))
    }
}

/// Outputs for bytes; none of them blocks.
#[derive(Debug, Clone)]
pub(super) enum ByteSink {
    /// A serial line or a connection.
    Stream(Arc<OwnedHandle>),
    Udp(Arc<UdpSocket>, SocketAddr),
    /// A target in this program that accepts at most this many more bytes; `None` = no limit.
    InProcess(Sender<Vec<u8>>, Option<Arc<AtomicUsize>>),
}

impl ByteSink {
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            ByteSink::Stream(stream) => sys::write(stream, bytes),
            ByteSink::Udp(socket, peer) => socket.send_to(bytes, peer),
            ByteSink::InProcess(inbox, room) => feed(inbox, room.as_deref(), bytes),
        }
    }

    /// Waits up to `time` until it accepts bytes again.
    pub(super) fn wait(&self, time: Duration) {
        let handle = match self {
            ByteSink::Stream(stream) => stream.as_fd(),
            ByteSink::Udp(socket, _) => socket.as_fd(),
            ByteSink::InProcess(..) => return std::thread::sleep(time),
        };
        // If waiting fails, the next write fails with the reason.
        let _ = wait_any(&[(handle, PollFlags::OUT)], Some(time));
    }
}

/// Sends as many bytes as the target accepts.
fn feed(inbox: &Sender<Vec<u8>>, room: Option<&AtomicUsize>, bytes: &[u8]) -> io::Result<usize> {
    let taken = room.map_or(bytes.len(), |room| room.load(Relaxed).min(bytes.len()));
    if taken == 0 && !bytes.is_empty() {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    room.into_iter().for_each(|room| _ = room.fetch_sub(taken, Relaxed));
    // The receiver is gone, as on a closed connection.
    Ok(inbox.send(bytes[..taken].to_vec()).map_or(0, |()| taken))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::log::format::seconds_text;

    #[test]
    fn pauses_grow_from_a_tenth_to_five_seconds() {
        let mut back_off = BackOff::default();
        let pauses: Vec<u128> = (0..9).map(|_| back_off.next(false).1.as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
        back_off.retry = 0;
        let pauses: Vec<(u32, u128)> = (0..5).map(|_| back_off.next(true)).map(|(n, p)| (n, p.as_millis())).collect();
        assert_eq!(pauses, [(1, 100), (2, 200), (3, 400), (4, 500), (5, 500)]);
        assert_eq!((seconds_text(Duration::from_millis(400)), seconds_text(LONGEST)), ("0.4 s".into(), "5 s".into()));
    }

    #[test]
    fn waking_twice_leaves_one_byte() {
        let waker = Waker::new().unwrap();
        let ready =
            |waker: &Waker| wait_any(&[(waker.reader.as_fd(), PollFlags::IN)], Some(Duration::ZERO)).unwrap()[0];
        waker.wake();
        waker.wake();
        assert!(ready(&waker));
        waker.taken();
        assert!(!ready(&waker));
        waker.wake();
        assert!(ready(&waker));
    }
}
