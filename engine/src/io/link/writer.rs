//! The sending side of a link: a bounded queue and a thread, so that nobody waits for a slow line.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use super::{byte_sink::ByteSink, shared::Shared, state::WriteError};
use crate::io::log::{format::grouped, host_now, kind};

/// Maximum number of queued commands.
const QUEUE: usize = 64;
/// How long a write may block.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a blocked write checks whether the link is being stopped.
const LOOK: Duration = Duration::from_millis(100);

/// Completion of a queued write.
#[derive(Debug)]
pub struct Sent(Receiver<Result<(), WriteError>>);

impl Sent {
    /// Waits until the bytes are sent.
    ///
    /// # Errors
    /// If the bytes, or some of them, were not sent.
    pub fn wait(&self) -> Result<(), WriteError> {
        self.0.recv().unwrap_or(Err(WriteError::NoLink))
    }

    /// The result, if the write has completed.
    pub fn poll(&self) -> Option<Result<(), WriteError>> {
        match self.0.try_recv() {
            Ok(result) => Some(result),
            Err(crossbeam_channel::TryRecvError::Empty) => None,
            Err(crossbeam_channel::TryRecvError::Disconnected) => Some(Err(WriteError::NoLink)),
        }
    }
}

#[derive(Debug)]
struct Job {
    source: usize,
    bytes: Vec<u8>,
    done: Sender<Result<(), WriteError>>,
}

/// The handle's side of the queue.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: Sender<Job>,
}

impl Writer {
    pub(super) fn start(shared: Arc<Shared>) -> io::Result<Writer> {
        let (jobs, queue) = bounded::<Job>(QUEUE);
        std::thread::Builder::new().name("link-tx".into()).spawn(move || {
            for job in queue {
                let result = carry_out(&shared, &job);
                let _ = job.done.send(result);
            }
        })?;
        Ok(Writer { jobs })
    }

    pub(super) fn sender(&self, shared: &Arc<Shared>, source: usize) -> LinkSender {
        LinkSender { shared: shared.clone(), jobs: self.jobs.clone(), source }
    }
}

/// Sends bytes to the target of a source, from any thread. It does not keep the link open.
#[derive(Debug, Clone)]
pub struct LinkSender {
    shared: Arc<Shared>,
    jobs: Sender<Job>,
    source: usize,
}

impl LinkSender {
    /// Queues bytes; the result tracks completion.
    ///
    /// # Errors
    /// If the link is down, or the queue is full.
    pub fn write(&self, bytes: &[u8]) -> Result<Sent, WriteError> {
        if !self.is_up() {
            return Err(WriteError::NoLink);
        }
        let (done, outcome) = bounded(1);
        match self.jobs.try_send(Job { source: self.source, bytes: bytes.to_vec(), done }) {
            Ok(()) => Ok(Sent(outcome)),
            Err(TrySendError::Full(_)) => Err(WriteError::Full),
            Err(TrySendError::Disconnected(_)) => Err(WriteError::NoLink),
        }
    }

    /// Whether there is somebody to send to now.
    #[must_use]
    pub fn is_up(&self) -> bool {
        !self.shared.stopping() && self.shared.sink(self.source).is_some()
    }

    /// Capacity of the line, bytes per second, if it is known.
    #[must_use]
    pub fn line_rate(&self) -> Option<u32> {
        self.shared.facts(|facts| facts.line_rate)
    }
}

fn carry_out(shared: &Shared, job: &Job) -> Result<(), WriteError> {
    let sink = shared.sink(job.source).ok_or(WriteError::NoLink)?;
    let (sent, result) = write_all(shared, &sink, &job.bytes);
    shared.count(|counters| counters.sent += sent as u64);
    if let Some(source) = shared.sources().get(job.source).filter(|_| sent > 0) {
        source.log.add_event(kind::SENT, 0, job.bytes.get(..sent).unwrap_or_default(), host_now());
    }
    match result {
        Err(error) if sent > 0 => Err(in_part(sent, job.bytes.len(), error)),
        result => result,
    }
}

/// Why only the first bytes were sent.
fn in_part(sent: usize, of: usize, error: WriteError) -> WriteError {
    let why = match error {
        WriteError::Failed(why) => why,
        error => error.to_string(),
    };
    WriteError::InPart(format!("the line took {} of {} bytes: {why}", grouped(sent as u64), grouped(of as u64)))
}

/// Writes all bytes; also returns how many were written in case of an error.
fn write_all(shared: &Shared, sink: &ByteSink, bytes: &[u8]) -> (usize, Result<(), WriteError>) {
    let deadline = Instant::now() + PATIENCE;
    let mut sent = 0;
    while let Some(rest) = bytes.get(sent..).filter(|rest| !rest.is_empty()) {
        match sink.write(rest) {
            Ok(0) => return (sent, Err(WriteError::NoLink)),
            Ok(n) => sent += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                if shared.stopping() {
                    return (sent, Err(WriteError::NoLink));
                }
                if Instant::now() >= deadline {
                    let text = format!("nothing more for {} s; is it held by flow control?", PATIENCE.as_secs());
                    return (sent, Err(WriteError::Failed(text)));
                }
                sink.wait(LOOK);
            }
            Err(e) => return (sent, Err(WriteError::Failed(e.to_string()))),
        }
    }
    (sent, Ok(()))
}
