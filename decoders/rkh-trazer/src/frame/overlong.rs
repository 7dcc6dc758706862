//! Runs of bytes without a flag, which no target sends. They are skipped piece by piece.

use spytui_hdlc::Segment;
use spytui_plugin_api::row::RowKind;

use super::LONGEST;

/// Deals with segments that have no end yet, or had none for too long; `skip` gets kind, position and length of what
/// is given up. The bytes dealt with; `None` = the segment is a frame. `so_far` = the present run was too long
/// already.
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
        // A flag in front: what follows is a frame of its own.
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
        // The flag, if it came, stands in front of the next frame.
        return Some(segment.raw.len() - left - flag);
    }
    skip(RowKind::RESYNC, pos, left + 1);
    *so_far = false;
    Some(segment.raw.len())
}
