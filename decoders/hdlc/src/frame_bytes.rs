//! The un-stuffed frame of a row, from its raw bytes.

use crate::stuffing::{ESCAPE, FLAG, unstuff, unstuff_whole};

const SMALL: usize = 320;

/// Room for un-stuffing, so that the usual frame needs no allocation.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "it lives on the stack while one row is rendered")]
pub enum Room {
    /// Nothing yet.
    Unused,
    /// On the stack.
    Small([u8; SMALL]),
    /// On the heap.
    Large(Vec<u8>),
}

/// The frame in `raw`, its check value included. Flags in front and the one at the end are
/// left off. `escaped` = escapes are among the bytes.
#[inline]
pub fn frame<'a>(raw: &'a [u8], escaped: bool, room: &'a mut Room) -> &'a [u8] {
    let body = body(raw);
    if escaped { unstuffed(body, room) } else { body }
}

/// The stuffed bytes between the flags.
#[inline]
pub fn body(raw: &[u8]) -> &[u8] {
    let body = raw.strip_suffix(&[FLAG]).unwrap_or(raw);
    match body {
        [FLAG, ..] => {
            let lead = body.iter().take_while(|&&b| b == FLAG).count();
            body.get(lead..).unwrap_or(&[])
        }
        _ => body,
    }
}

#[inline(never)]
fn unstuffed<'a>(body: &[u8], room: &'a mut Room) -> &'a [u8] {
    if body.len() <= SMALL {
        *room = Room::Small([0; SMALL]);
    }
    if let Room::Small(bytes) = room {
        let len = unstuff_whole(body, bytes);
        // An escape at the very end gives nothing.
        let len = len.or_else(|| unstuff_whole(body.strip_suffix(&[ESCAPE])?, bytes)).unwrap_or(0);
        return bytes.get(..len).unwrap_or(&[]);
    }
    let mut bytes = Vec::with_capacity(body.len());
    unstuff(body, &mut bytes);
    *room = Room::Large(bytes);
    match room {
        Room::Large(bytes) => bytes,
        _ => &[],
    }
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
            let (mut slow, mut room) = (Vec::new(), Room::Unused);
            unstuff(&body, &mut slow);
            assert_eq!(unstuffed(&body, &mut room), slow);
        }
    }
}
