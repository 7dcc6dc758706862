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

/// Appends the un-stuffed bytes of `body` to `frame`. An escape at the end adds nothing; returns whether there is none.
pub fn unstuff(body: &[u8], frame: &mut Vec<u8>) -> bool {
    let mut pieces = iterator(body, piece);
    for piece in &mut pieces {
        match piece {
            Piece::Plain(bytes) => frame.extend_from_slice(bytes),
            Piece::Escaped(byte) => frame.push(byte),
        }
    }
    pieces.finish().is_ok_and(|(rest, ())| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn un_stuffing_undoes_stuffing() {
        let mut seed = 1u32;
        for round in 0..3000 {
            let mut byte = || {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                [FLAG, ESCAPE, (seed >> 16) as u8][(seed >> 29) as usize % 3]
            };
            let frame: Vec<u8> = (0..round % 70).map(|_| byte()).collect();
            let (mut body, mut plain) = (Vec::new(), Vec::new());
            stuff(&frame, &mut body);
            assert_eq!(body.pop(), Some(FLAG));
            assert!(unstuff(&body, &mut plain));
            assert_eq!(plain, frame);
            body.push(ESCAPE);
            plain.clear();
            assert!(!unstuff(&body, &mut plain));
            assert_eq!(plain, frame);
        }
    }
}
