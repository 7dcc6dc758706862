//! Location of frames in the stream, and overlong runs without a flag, which no target sends.

use spytui_hdlc::Segment;
use spytui_plugin_api::{RowFlags, row::RowKind};

use crate::layout::private_flag;

/// Maximum number of bytes without a flag; longer runs are skipped in pieces of this size.
pub(crate) const LONGEST: usize = 64 * 1024;

#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameLocation {
    pub(crate) pos: u64,
    pub(crate) len: usize,
    pub(crate) flags: RowFlags,
}

impl FrameLocation {
    /// The location of a frame with or without escapes.
    pub(crate) fn new(pos: u64, len: usize, escaped: bool) -> FrameLocation {
        FrameLocation { pos, len, flags: if escaped { private_flag::ESCAPED } else { RowFlags::empty() } }
    }
}

/// Handles incomplete and overlong segments; `skip` receives skipped bytes and their kind. Returns the number of bytes
/// consumed, `None` if the segment is a frame. `so_far` = the run is already overlong.
#[inline]
pub(crate) fn overlong(
    segment: Segment<'_>,
    so_far: &mut bool,
    skip: impl FnMut(RowKind, Segment<'_>),
) -> Option<usize> {
    let len = segment.body().len();
    if len < LONGEST && !segment.ended {
        return Some(0);
    }
    if len < LONGEST && !std::mem::take(so_far) {
        return None;
    }
    give_up(segment, so_far, skip)
}

#[cold]
fn give_up(segment: Segment<'_>, so_far: &mut bool, mut skip: impl FnMut(RowKind, Segment<'_>)) -> Option<usize> {
    let len = segment.body().len();
    if len < LONGEST {
        // A new frame begins after a flag.
        if segment.leading_flags > 0 {
            return None;
        }
        skip(RowKind::RESYNC, segment);
        return Some(segment.raw.len());
    }
    *so_far &= segment.leading_flags == 0;
    let (mut done, mut left, mut lead) = (0, len, segment.leading_flags);
    let piece = |start: usize, end: usize, leading_flags: usize, ended: bool| {
        let raw = segment.raw.get(start..end).unwrap_or(&[]);
        Segment { pos: segment.pos + start as u64, raw, leading_flags, ended, ..segment }
    };
    while left >= LONGEST {
        let end = done + lead + LONGEST;
        skip(if *so_far { RowKind::RESYNC } else { RowKind::TOO_LONG }, piece(done, end, lead, false));
        (done, lead) = (end, 0);
        left -= LONGEST;
        *so_far = true;
    }
    if !segment.ended || left == 0 {
        // The flag, if any, leads the next frame.
        return Some(done);
    }
    skip(RowKind::RESYNC, piece(done, segment.raw.len(), 0, true));
    *so_far = false;
    Some(segment.raw.len())
}
