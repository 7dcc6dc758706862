//! The un-stuffed frame of a row, from its raw bytes.

use crate::frame::{FLAG, unstuff_into};

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
        *room = Room::Large(Vec::with_capacity(body.len()));
        if let Room::Large(bytes) = room {
            unstuff_into(body, |b| bytes.push(b));
        }
    } else {
        let (mut bytes, mut len) = ([0; SMALL], 0);
        unstuff_into(body, |b| {
            if let Some(place) = bytes.get_mut(len) {
                *place = b;
                len += 1;
            }
        });
        *room = Room::Small(bytes, len);
    }
    match room {
        Room::Unused => &[],
        Room::Small(bytes, len) => bytes.get(..*len).unwrap_or(&[]),
        Room::Large(bytes) => bytes,
    }
}
