//! The un-stuffed frame of a row, from its raw bytes.

use crate::frame::{ESCAPE, FLAG, FLIP, unstuff};

const SMALL: usize = 320;

/// Room for un-stuffing, so that the usual frame needs no allocation.
#[expect(clippy::large_enum_variant, reason = "it lives on the stack while one row is rendered")]
pub(crate) enum Room {
    Unused,
    Small([u8; SMALL], usize),
    Large(Vec<u8>),
}

/// Sequence number, record id, payload, check value of the frame in `raw`. Flags in front and the one at the end are
/// left off. `escaped` = escapes are among the bytes.
#[inline]
pub(crate) fn frame<'a>(raw: &'a [u8], escaped: bool, room: &'a mut Room) -> &'a [u8] {
    let body = body(raw);
    if escaped { unstuffed(body, room) } else { body }
}

/// The stuffed bytes between the flags.
#[inline]
pub(crate) fn body(raw: &[u8]) -> &[u8] {
    let body = raw.strip_suffix(&[FLAG]).unwrap_or(raw);
    match body {
        [FLAG, ..] => {
            let lead = body.iter().take_while(|&&b| b == FLAG).count();
            body.get(lead..).unwrap_or(&[])
        }
        _ => body,
    }
}

fn unstuffed<'a>(body: &[u8], room: &'a mut Room) -> &'a [u8] {
    if body.len() > SMALL {
        let mut bytes = Vec::with_capacity(body.len());
        unstuff(body, &mut bytes);
        *room = Room::Large(bytes);
    } else {
        let mut bytes = [0; SMALL];
        let len = unstuff_small(body, &mut bytes);
        *room = Room::Small(bytes, len);
    }
    match room {
        Room::Unused => &[],
        Room::Small(bytes, len) => bytes.get(..*len).unwrap_or(&[]),
        Room::Large(bytes) => bytes,
    }
}

/// Un-stuffs a body that is not longer than the room; the length of the frame.
fn unstuff_small(body: &[u8], room: &mut [u8; SMALL]) -> usize {
    let (mut len, mut flip) = (0, 0);
    for &byte in body {
        // An escape is overwritten by what follows it.
        if let Some(place) = room.get_mut(len) {
            *place = byte ^ flip;
        }
        let escape = byte == ESCAPE && flip == 0;
        len += usize::from(!escape);
        flip = if escape { FLIP } else { 0 };
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_un_stuffing_agree() {
        let mut seed = 9u32;
        for len in 0..SMALL {
            let body: Vec<u8> = (0..len)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if seed >> 29 == 0 { ESCAPE } else { (seed >> 16) as u8 }
                })
                .collect();
            let (mut slow, mut quick) = (Vec::new(), [0; SMALL]);
            unstuff(&body, &mut slow);
            let len = unstuff_small(&body, &mut quick);
            assert_eq!(quick[..len], slow);
        }
    }
}
