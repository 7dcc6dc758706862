//! Frames: limits of their framing, and where the bytes of one lie.

/// Sum of all bytes of a good frame, its check value included.
pub(crate) const GOOD_SUM: u8 = 0xFF;
/// Sequence number, record id, check value.
pub(crate) const SHORTEST: usize = 3;
/// Longest run of bytes without a flag that is collected: longer ones are skipped in pieces of this size.
pub(crate) const LONGEST: usize = 64 * 1024;

/// Where the raw bytes of a frame lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameLocation {
    pub(crate) pos: u64,
    pub(crate) len: usize,
    /// Whether escapes are among them.
    pub(crate) escaped: bool,
    /// Whether the payload has exactly the bytes that its record needs, where that was asked before.
    pub(crate) fits: Option<bool>,
}

impl FrameLocation {
    /// Bytes of which nothing more is known.
    #[inline]
    pub(crate) fn new(pos: u64, len: usize, escaped: bool) -> FrameLocation {
        FrameLocation { pos, len, escaped, fits: None }
    }
}
