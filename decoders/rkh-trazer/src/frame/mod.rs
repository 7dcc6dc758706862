//! Frames: their location in the stream, and runs too long to be one (`overlong`).

mod overlong;

pub(crate) use overlong::overlong;

use spytui_plugin_api::RowFlags;

use crate::layout::private_flag;

/// Longest run of bytes without a flag that is collected: longer ones are skipped in pieces of this size.
pub(crate) const LONGEST: usize = 64 * 1024;

/// Where the raw bytes of a frame lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameLocation {
    pub(crate) pos: u64,
    pub(crate) len: usize,
    /// Flags of the row that tell of them.
    pub(crate) flags: RowFlags,
}

impl FrameLocation {
    /// Of a frame that came escaped, or not.
    pub(crate) fn new(pos: u64, len: usize, escaped: bool) -> FrameLocation {
        FrameLocation { pos, len, flags: if escaped { private_flag::ESCAPED } else { RowFlags::empty() } }
    }
}
