//! Runs of bytes without a flag, which no target sends. They are skipped piece by piece.

use spytui_hdlc::Segment;
use spytui_plugin_api::row::RowKind;

use super::LONGEST;

/// Handles segments that are incomplete or overlong; `skip` gets kind, position and length of skipped bytes. Returns
/// the number of bytes consumed, `None` if the segment is a frame. `so_far` = the run is already overlong.
#[inline]
pub(crate) fn overlong(
    segment: Segment<'_>,
    so_far: &mut bool,
    skip: impl FnMut(RowKind, u64, usize),
) -> Option<usize> {
    let len = segment.body().len();
    if len < LONGEST && !segment.ended {
        return Some(0);
    }
    if len < LONGEST && !std::mem::take(so_far) {
        return None;
    }
    give_up(segment, len, so_far, skip)
}

#[cold]
fn give_up(
    segment: Segment<'_>,
    len: usize,
    so_far: &mut bool,
    mut skip: impl FnMut(RowKind, u64, usize),
) -> Option<usize> {
    if len < LONGEST {
        // After a flag comes a frame of its own.
        if segment.leading_flags > 0 {
            return None;
        }
        skip(RowKind::RESYNC, segment.pos, segment.raw.len());
        return Some(segment.raw.len());
    }
    *so_far &= segment.leading_flags == 0;
    let (mut pos, mut left, mut lead) = (segment.pos, len, segment.leading_flags);
    while left >= LONGEST {
        skip(if *so_far { RowKind::RESYNC } else { RowKind::TOO_LONG }, pos, lead + LONGEST);
        pos += (lead + LONGEST) as u64;
        left -= LONGEST;
        lead = 0;
        *so_far = true;
    }
    let flag = usize::from(segment.ended);
    if flag == 0 || left == 0 {
        // The flag, if there is one, becomes the leading flag of the next frame.
        return Some(segment.raw.len() - left - flag);
    }
    skip(RowKind::RESYNC, pos, left + 1);
    *so_far = false;
    Some(segment.raw.len())
}
