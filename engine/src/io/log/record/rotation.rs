//! When a recording goes on in a new file.

use std::time::{Duration, Instant};

/// The most that a file of a recording holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// Bytes.
    Size(u64),
    Time(Duration),
}

impl Rotation {
    /// Whether a file of `bytes`, begun at `since`, takes no more.
    pub(super) fn is_due(self, bytes: u64, since: Instant) -> bool {
        match self {
            Rotation::Size(most) => bytes >= most.max(1),
            // Nothing is gained from an empty file.
            Rotation::Time(most) => bytes > 0 && since.elapsed() >= most,
        }
    }

    /// Bytes that a file of `bytes` still takes.
    pub(super) fn room(self, bytes: u64) -> u64 {
        match self {
            Rotation::Size(most) => most.max(1).saturating_sub(bytes),
            Rotation::Time(_) => u64::MAX,
        }
    }
}
