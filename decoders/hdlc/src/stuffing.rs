//! Flag and escape, and a frame without them.

use nom::{
    Parser,
    branch::alt,
    bytes::complete::{tag, take_till1},
    combinator::iterator,
    number::complete::u8,
    sequence::preceded,
};
use spytui_decoder_kit::value::Res;
use spytui_plugin_api::text::copy_short;
use wide::u8x16;

/// Ends a frame.
pub const FLAG: u8 = 0x7E;
/// The next byte is XORed with [`FLIP`].
pub const ESCAPE: u8 = 0x7D;
/// What an escaped byte is XORed with.
pub const FLIP: u8 = 0x20;

/// Appends a frame, checksum included, with its flags and escapes replaced, and the flag that ends it.
pub fn stuff(frame: &[u8], out: &mut Vec<u8>) {
    for &byte in frame {
        if byte == FLAG || byte == ESCAPE {
            out.push(ESCAPE);
            out.push(byte ^ FLIP);
        } else {
            out.push(byte);
        }
    }
    out.push(FLAG);
}

/// A stretch of a stuffed body.
enum Piece<'a> {
    Plain(&'a [u8]),
    Escaped(u8),
}

fn piece(body: &[u8]) -> Res<'_, Piece<'_>> {
    let escaped = preceded(tag(&[ESCAPE][..]), u8).map(|byte| Piece::Escaped(byte ^ FLIP));
    alt((take_till1(|byte| byte == ESCAPE).map(Piece::Plain), escaped)).parse(body)
}

/// Appends the un-stuffed bytes of `body` to `frame`. An escape at the end adds nothing.
pub fn unstuff(body: &[u8], frame: &mut Vec<u8>) {
    for piece in &mut iterator(body, piece) {
        match piece {
            Piece::Plain(bytes) => frame.extend_from_slice(bytes),
            Piece::Escaped(byte) => frame.push(byte),
        }
    }
}

/// Un-stuffs a whole body into `room`, which must not be shorter; returns the length of the frame. Bytes after the
/// frame may be overwritten. `None` if the last byte is an escape.
pub fn unstuff_whole(body: &[u8], room: &mut [u8]) -> Option<usize> {
    let (mut len, mut rest) = (0, body);
    let end = body.last_chunk::<PART>().map(|end| u128::from_le_bytes(*end));
    while !rest.is_empty() {
        let (part, size) = match (rest.first_chunk::<PART>(), end) {
            (Some(part), _) => (*part, PART),
            // The last bytes, moved to the front.
            (None, Some(end)) => ((end >> ((PART - rest.len()) * 8)).to_le_bytes(), rest.len()),
            (None, None) => (pad(rest), rest.len()),
        };
        let Some(place) = room.get_mut(len..).and_then(<[u8]>::first_chunk_mut) else {
            return by_bytes(rest, room, len);
        };
        *place = part;
        let escapes = u8x16::new(part).simd_eq(u8x16::splat(ESCAPE)).to_bitmask();
        let plain = size.min(escapes.trailing_zeros() as usize);
        (len, rest) = (len + plain, rest.get(plain..)?);
        if escapes != 0 {
            let [_, byte, tail @ ..] = rest else { return None };
            *room.get_mut(len)? = byte ^ FLIP;
            (len, rest) = (len + 1, tail);
        }
    }
    Some(len)
}

/// Number of bytes processed together. A buffer with this many spare bytes is as fast at its end as elsewhere.
pub const PART: usize = 16;

/// A short body, padded with zeros.
#[inline]
fn pad(rest: &[u8]) -> [u8; PART] {
    let mut part = [0; PART];
    if let Some(place) = part.get_mut(..rest.len()) {
        copy_short(place, rest);
    }
    part
}

/// The same byte by byte, at the end of a buffer without spare bytes; it already has `len` bytes.
fn by_bytes(mut rest: &[u8], room: &mut [u8], mut len: usize) -> Option<usize> {
    while let Some((&byte, tail)) = rest.split_first() {
        let (byte, tail) = if byte == ESCAPE { (tail.first()? ^ FLIP, tail.get(1..)?) } else { (byte, tail) };
        *room.get_mut(len)? = byte;
        (len, rest) = (len + 1, tail);
    }
    Some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_give_the_same_bytes() {
        let mut seed = 1u32;
        for round in 0..3000 {
            let mut byte = || {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if seed >> 29 == 0 { ESCAPE } else { (seed >> 16) as u8 }
            };
            let body: Vec<u8> = (0..round % 70).map(|_| byte()).filter(|&b| b != FLAG).collect();
            let (mut frame, mut room) = (Vec::new(), vec![0; body.len()]);
            unstuff(&body, &mut frame);
            let open = body.iter().rev().take_while(|&&b| b == ESCAPE).count() % 2 == 1;
            for slack in [0, 1, 20] {
                room.resize(body.len() + slack, 0);
                match unstuff_whole(&body, &mut room) {
                    Some(len) => assert_eq!((&room[..len], false), (&frame[..], open), "{body:x?}"),
                    None => assert!(open, "{body:x?}"),
                }
            }
        }
    }
}
