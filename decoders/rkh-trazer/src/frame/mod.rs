//! Frames: their location in the stream, and runs too long to be one (`overlong`).

mod overlong;

pub(crate) use overlong::overlong;

use spytui_plugin_api::RowFlags;

use crate::layout::private_flag;

/// Maximum number of bytes without a flag; longer runs are skipped in pieces of this size.
pub(crate) const LONGEST: usize = 64 * 1024;

/// Where the raw bytes of a frame lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameLocation {
    pub(crate) pos: u64,
    pub(crate) len: usize,
    /// Row flags for these bytes.
    pub(crate) flags: RowFlags,
}

impl FrameLocation {
    /// The location of a frame with or without escapes.
    pub(crate) fn new(pos: u64, len: usize, escaped: bool) -> FrameLocation {
        FrameLocation { pos, len, flags: if escaped { private_flag::ESCAPED } else { RowFlags::empty() } }
    }
}
