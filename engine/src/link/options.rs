//! Settings of a link that are not part of its name.

use super::text::TextForm;
use crate::log::LogOptions;

/// How a link behaves.
#[derive(Debug, Clone)]
pub struct LinkOptions {
    /// For scripts: no second attempt. What is not there is an error, what goes away is the end.
    pub once: bool,
    /// Go on reading a file that grows.
    pub follow: bool,
    /// Bytes a file, pipe or TCP source may be ahead of its decoder; `None` = no limit (nothing decodes).
    /// Serial ports and UDP are never held back. Default 64 MB.
    pub throttle: Option<u64>,
    /// UDP senders that get a stream of their own. Default 16.
    pub peers: usize,
    /// Files, pipes and stdin hold text that stands for the bytes; no other link does.
    pub input: Option<TextForm>,
    /// Where the logs of the link keep their bytes.
    pub log: LogOptions,
}

impl Default for LinkOptions {
    fn default() -> Self {
        LinkOptions {
            once: false,
            follow: false,
            throttle: Some(64_000_000),
            peers: 16,
            input: None,
            log: LogOptions::default(),
        }
    }
}
