//! Flag and escape, and a frame without them.

use memchr::memchr;

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

/// Appends the un-stuffed bytes of `body` to `frame`. An escape at the end adds nothing; returns whether there is none.
pub fn unstuff(mut body: &[u8], frame: &mut Vec<u8>) -> bool {
    while let Some((plain, escaped)) = memchr(ESCAPE, body).and_then(|at| body.split_at_checked(at)) {
        frame.extend_from_slice(plain);
        let [_, byte, rest @ ..] = escaped else { return false };
        frame.push(byte ^ FLIP);
        body = rest;
    }
    frame.extend_from_slice(body);
    true
}

/// The un-stuffed bytes of `body`; an escape at the end adds nothing.
pub fn unstuffed(body: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut bytes = body.iter().copied();
    std::iter::from_fn(move || match bytes.next()? {
        ESCAPE => bytes.next().map(|byte| byte ^ FLIP),
        byte => Some(byte),
    })
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
            assert!(unstuffed(&body).eq(frame.iter().copied()));
            body.push(ESCAPE);
            plain.clear();
            assert!(!unstuff(&body, &mut plain));
            assert_eq!(plain, frame);
        }
    }
}
