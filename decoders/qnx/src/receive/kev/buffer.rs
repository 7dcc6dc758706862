//! The current trace buffer, and what buffers of a release are like.

/// The release from which on each CPU has buffers of its own.
pub(super) const OWN_BUFFERS: u8 = 8;
/// The end of a buffer in release 8.
const COOKIE: [u8; 8] = [0xE6; 8];

/// Whether an event has the words that end a buffer.
pub(super) fn is_buffer_end(raw: &[u8]) -> bool {
    raw.ends_with(&COOKIE)
}

/// The current buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Buffers {
    /// Number of the last buffer, where all CPUs share them.
    pub(super) last: Option<u32>,
    /// Number of the buffer before the last one.
    pub(super) earlier: Option<u32>,
    /// Number and size of the current buffer, as it says itself; 0 = it does not.
    pub(super) current: Option<(u32, u32)>,
    /// Events since it began.
    pub(super) seen: u64,
    /// Buffer numbers went back: the time will show whether the target restarted.
    pub(super) back: Option<(u32, u32)>,
}
