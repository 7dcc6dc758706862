//! Runs of bytes without a flag, which no target sends: they are given up in pieces.

use spytui_hdlc::Stretch;
use spytui_plugin_api::row::RowKind;

use super::LONGEST;

/// Deals with stretches that have no end yet, or had none for too long; `skip` gets kind, position and length of what
/// is given up. The bytes dealt with; `None` = the stretch is a frame. `so_far` = the present run was too long
/// already.
#[inline]
pub(crate) fn overlong(
    stretch: Stretch<'_>,
    so_far: &mut bool,
    skip: impl FnMut(RowKind, u64, usize),
) -> Option<usize> {
    let len = stretch.body().len();
    if len < LONGEST && !stretch.ended {
        return Some(0);
    }
    if len < LONGEST && !std::mem::take(so_far) {
        return None;
    }
    give_up(stretch, len, so_far, skip)
}

#[cold]
fn give_up(
    stretch: Stretch<'_>,
    len: usize,
    so_far: &mut bool,
    mut skip: impl FnMut(RowKind, u64, usize),
) -> Option<usize> {
    if len < LONGEST {
        // A flag in front: what follows is a frame of its own.
        if stretch.lead > 0 {
            return None;
        }
        skip(RowKind::RESYNC, stretch.pos, stretch.raw.len());
        return Some(stretch.raw.len());
    }
    *so_far &= stretch.lead == 0;
    let (mut pos, mut left, mut lead) = (stretch.pos, len, stretch.lead);
    while left >= LONGEST {
        skip(if *so_far { RowKind::RESYNC } else { RowKind::TOO_LONG }, pos, lead + LONGEST);
        (pos, left, lead) = (pos + (lead + LONGEST) as u64, left - LONGEST, 0);
        *so_far = true;
    }
    let flag = usize::from(stretch.ended);
    if flag == 0 || left == 0 {
        // The flag, if it came, stands in front of the next frame.
        return Some(stretch.raw.len() - left - flag);
    }
    skip(RowKind::RESYNC, pos, left + 1);
    *so_far = false;
    Some(stretch.raw.len())
}
