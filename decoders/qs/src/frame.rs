//! Frames: limits of the framing, and the location of a frame.

/// Sum of all bytes of a valid frame, checksum included.
pub(crate) const GOOD_SUM: u8 = 0xFF;
/// Length of the shortest frame: sequence number, record id, checksum.
pub(crate) const SHORTEST: usize = 3;
/// Maximum number of bytes without a flag; longer runs are skipped in pieces of this size.
pub(crate) const LONGEST: usize = 64 * 1024;

#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameLocation {
    pub(crate) pos: u64,
    pub(crate) len: usize,
    pub(crate) escaped: bool,
    /// Whether the payload fits its record exactly, if already checked.
    pub(crate) fits: Option<bool>,
}
