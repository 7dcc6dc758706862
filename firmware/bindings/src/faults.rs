//! Fault switches.

/// How the link damages the bytes of a target; all 0 by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Faults {
    /// Bytes per million with an inverted bit.
    pub flip: u32,
    /// Bytes per million that are dropped.
    pub loss: u32,
    /// Bytes per million preceded by a random byte.
    pub noise: u32,
    /// Bytes per million that are sent twice.
    pub dup: u32,
    /// Number of records sent at once after a second.
    pub burst: u32,
    /// Capacity of the link in bytes per second; 0 = unlimited.
    pub link_rate: u32,
    /// Seconds between resets; 0 = never.
    pub reset_every: u32,
    /// Number of random bytes at the start.
    pub garbage: u32,
    pub seed: u32,
}
