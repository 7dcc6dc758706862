//! The current trace buffer.

/// The current buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Buffers {
    /// Number of the last buffer, where all CPUs share them.
    pub(super) last: Option<u32>,
    /// Number and size of the current buffer, as it says itself; 0 = it does not.
    pub(super) current: Option<(u32, u32)>,
    /// Events since it began.
    pub(super) seen: u64,
    /// Buffer numbers went back: the time will tell whether the target restarted.
    pub(super) back: Option<(u32, u32)>,
}
