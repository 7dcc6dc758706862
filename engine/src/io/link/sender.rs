//! The sending side of a link. It may block, so that only threads of commands use it.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{byte_sink::ByteSink, shared::Shared, state::WriteError};
use crate::io::log::{format::grouped, host_now, kind};

/// How long a write may block.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a blocked write checks whether the link is being stopped.
const LOOK: Duration = Duration::from_millis(100);

/// Sends bytes to the target of a source, from any thread. It does not keep the link open.
#[derive(Debug, Clone)]
pub struct LinkSender {
    pub(super) shared: Arc<Shared>,
    pub(super) source: usize,
}

impl LinkSender {
    /// Sends bytes; returns when they are sent.
    ///
    /// # Errors
    /// If the link is down, or the bytes, or some of them, were not sent.
    pub fn write(&self, bytes: &[u8]) -> Result<(), WriteError> {
        let sink = self.shared.sink(self.source).filter(|_| self.is_up()).ok_or(WriteError::NoLink)?;
        let turn = self.shared.writing.lock();
        let (sent, result) = write_all(&self.shared, &sink, bytes);
        drop(turn);
        self.shared.count(|counters| counters.sent += sent as u64);
        if let Some(source) = self.shared.sources().get(self.source).filter(|_| sent > 0) {
            source.log.add_event(kind::SENT, 0, bytes.get(..sent).unwrap_or_default(), host_now());
        }
        match result {
            Err(error) if sent > 0 => Err(in_part(sent, bytes.len(), error)),
            result => result,
        }
    }

    /// Whether there is somebody to send to now.
    pub fn is_up(&self) -> bool {
        !self.shared.stopping() && self.shared.sink(self.source).is_some()
    }

    /// Capacity of the line, bytes per second, if it is known.
    pub fn line_rate(&self) -> Option<u32> {
        self.shared.facts(|facts| facts.line_rate)
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
