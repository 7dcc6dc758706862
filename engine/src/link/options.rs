//! Link settings that are not part of its name.

use std::time::Duration;

use super::{strangers::FrameTest, text::TextForm};
use crate::log::LogOptions;

/// Settings of a link.
#[derive(Debug, Clone)]
pub struct LinkOptions {
    /// For scripts: no reconnecting. A missing device is an error, a lost connection is the end.
    pub once: bool,
    /// Keep reading a file as it grows, also after it was cut or replaced.
    pub follow: bool,
    /// Say when a file that is not followed changes after it was read: its rows are still looked at.
    pub watch: bool,
    /// Bytes that a file, pipe or TCP source may be ahead of its decoder; `None` = unlimited (nothing decodes).
    /// Serial ports and UDP are never throttled. Default 64 MB.
    pub throttle: Option<u64>,
    /// Maximum number of active UDP senders, each with a stream of its own. Default 16.
    pub peers: usize,
    /// Silence after which the stream of a UDP sender may end to make room for another one. Default 10 s.
    pub makes_room_after: Duration,
    /// A UDP sender gets a stream when it has sent a frame; `None`: with its first datagram.
    pub frames: Option<FrameTest>,
    /// Encoding of files, pipes and stdin as text; `None` = raw bytes.
    pub input: Option<TextForm>,
    /// Storage of the link's logs.
    pub log: LogOptions,
}

impl Default for LinkOptions {
    fn default() -> Self {
        LinkOptions {
            once: false,
            follow: false,
            watch: false,
            throttle: Some(64_000_000),
            peers: 16,
            makes_room_after: Duration::from_secs(10),
            frames: None,
            input: None,
            log: LogOptions::default(),
        }
    }
}
