//! Flag and escape, stuffing and unstuffing.

use memchr::memchr;

/// Ends a frame.
pub const FLAG: u8 = 0x7E;
/// The next byte is XORed with [`FLIP`].
pub const ESCAPE: u8 = 0x7D;
/// Escaped bytes are XORed with this.
pub const FLIP: u8 = 0x20;

/// Appends a frame, checksum included, with flags and escapes replaced, and its final flag.
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

/// Appends the unstuffed bytes of `body` to `frame`; returns `false` if it ends with an escape, which adds nothing.
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

/// The unstuffed bytes of `body`; an escape at the end adds nothing.
pub fn unstuffed(body: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut bytes = body.iter().copied();
    std::iter::from_fn(move || match bytes.next()? {
        ESCAPE => bytes.next().map(|byte| byte ^ FLIP),
        byte => Some(byte),
    })
}

/// A reusable buffer for unstuffing.
#[derive(Clone, Debug, Default)]
pub struct Room(Vec<u8>);

impl Room {
    /// The unstuffed bytes of `body`; `None` if its last byte is an escape.
    pub fn whole(&mut self, body: &[u8]) -> Option<&[u8]> {
        self.0.clear();
        unstuff(body, &mut self.0).then_some(&self.0)
    }
}

/// The unstuffed frame in `raw`, with checksum, without flags. `escaped` = it contains escapes.
#[inline]
pub fn frame<'a>(raw: &'a [u8], escaped: bool, room: &'a mut Room) -> &'a [u8] {
    let body = body(raw);
    if !escaped {
        return body;
    }
    room.0.clear();
    unstuff(body, &mut room.0);
    &room.0
}

/// The stuffed bytes between the flags.
#[inline]
pub fn body(raw: &[u8]) -> &[u8] {
    if let [front @ .., FLAG] = raw
        && front.first().is_some_and(|&first| first != FLAG)
    {
        return front;
    }
    let body = raw.strip_suffix(&[FLAG]).unwrap_or(raw);
    match body {
        [FLAG, ..] => {
            let leading_flags = body.iter().take_while(|&&b| b == FLAG).count();
            body.get(leading_flags..).unwrap_or(&[])
        }
        _ => body,
    }
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
