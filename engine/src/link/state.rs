//! How a link stands, in figures and in words.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::log::RawLog;

/// A link that sent nothing for so long is called quiet.
pub const QUIET_AFTER: Duration = Duration::from_secs(2);

/// How a link stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkState {
    /// Nothing is connected yet; the text says what it waits for.
    Waiting(String),
    /// Bytes come.
    Live,
    /// Connected, but nothing came for so long.
    Quiet(Duration),
    /// Not connected; it tries again by itself.
    NoLink {
        /// Which attempt comes next, from 1.
        retry: u32,
        /// Why, and what happens next.
        text: String,
    },
    /// The input ended; all of it was received.
    Ended,
    /// It can't go on by itself; the text says why and what to do.
    Failed(String),
}

impl LinkState {
    /// The few words of the header: `live`, `quiet 6 s`, `no link, retry 3`.
    pub fn words(&self) -> String {
        match self {
            LinkState::Waiting(_) => "waiting".into(),
            LinkState::Live => "live".into(),
            LinkState::Quiet(time) => format!("quiet {} s", time.as_secs()),
            LinkState::NoLink { retry, .. } => format!("no link, retry {retry}"),
            LinkState::Ended => "ended".into(),
            LinkState::Failed(_) => "failed".into(),
        }
    }

    /// The sentence behind the words, where there is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            LinkState::Waiting(text) | LinkState::NoLink { text, .. } | LinkState::Failed(text) => Some(text),
            _ => None,
        }
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        matches!(self, LinkState::Ended | LinkState::Failed(_))
    }
}

/// Counters of a link since it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Bytes received.
    pub bytes: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Datagrams received (UDP).
    pub datagrams: u64,
    /// Bytes that came with a parity or framing error (serial).
    pub line_errors: u64,
    /// Break conditions (serial).
    pub breaks: u64,
    /// Datagrams this host's kernel dropped because they came faster than they were read; `None` = can't be told.
    pub kernel_drops: Option<u64>,
    /// Datagrams of senders beyond the limit, not taken.
    pub refused: u64,
    /// How often the link came up.
    pub connects: u64,
}

/// What is known of a link beside its state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkFacts {
    /// Where it listens; tells the port when 0 was asked for.
    pub local: Option<SocketAddr>,
    /// Who is connected.
    pub peer: Option<String>,
    /// The stable name of a serial port (`/dev/serial/by-id/…`), if it has one.
    pub by_id: Option<String>,
    /// Rate of a serial line as the driver has it, bits per second.
    pub baud: Option<u32>,
    /// Bytes a second that the line can carry.
    pub line_rate: Option<u32>,
}

/// A stream of bytes that a link delivers: one log.
#[derive(Debug, Clone)]
pub struct LinkSource {
    /// Number within the link, from 0.
    pub index: usize,
    /// Name for the user.
    pub name: String,
    /// The bytes.
    pub log: Arc<RawLog>,
    /// Core (core) its bytes belong to, if the link says so.
    pub core: Option<u16>,
}

/// What a link tells while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkEvent {
    /// The state changed.
    State(LinkState),
    /// A source of this index was added.
    Source(usize),
    /// A message for the log pane.
    Note(String),
}

/// Why a link could not be opened at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LinkError(pub String);

/// Why bytes were not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// Files, stdin and fifos can't be written to.
    #[error("this link only reads")]
    ReadOnly,
    /// Not connected.
    #[error("there is no link to send on")]
    NoLink,
    /// Too much waits to be sent.
    #[error("the target does not take what was sent before; nothing more is queued")]
    Full,
    /// The system refused.
    #[error("sending failed: {0}")]
    Failed(String),
}
