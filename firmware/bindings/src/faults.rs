//! Fault switches.

/// How the bytes of a target are damaged on their way, all 0 at first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Faults {
    /// Bytes in a million with a bit inverted.
    pub flip: u32,
    /// Bytes in a million that are left out.
    pub loss: u32,
    /// Bytes in a million with a random byte before them.
    pub noise: u32,
    /// Bytes in a million that are sent twice.
    pub dup: u32,
    /// Records sent at once, after a second.
    pub burst: u32,
    /// Bytes a second that the link carries; 0: no limit.
    pub link_rate: u32,
    /// Seconds between resets; 0: never.
    pub reset_every: u32,
    /// Random bytes at the start.
    pub garbage: u32,
    /// Seed of the faults.
    pub seed: u32,
}
