//! State, counters and facts of a link.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::io::log::RawLog;

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
    pub peer: Option<String>,
    /// Stable name of a serial port (`/dev/serial/by-id/…`), if any.
    pub by_id: Option<String>,
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
#[error("{0}")]
pub struct LinkError(pub String);

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
