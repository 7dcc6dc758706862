//! Flag and escape, and a frame without them.

use crate::run::may_be_special;

/// Ends a frame.
pub const FLAG: u8 = 0x7E;
/// The next byte is XORed with [`FLIP`].
pub const ESCAPE: u8 = 0x7D;
/// What an escaped byte is XORed with.
pub const FLIP: u8 = 0x20;

/// Hands every un-stuffed byte of `body` to `push`. An escape at the very end gives nothing.
pub fn unstuff_into(body: &[u8], mut push: impl FnMut(u8)) {
    let mut rest = body;
    while let Some(at) = memchr::memchr(ESCAPE, rest) {
        let (plain, escaped) = rest.split_at(at);
        plain.iter().for_each(|&b| push(b));
        match escaped {
            [_, byte, tail @ ..] => {
                push(byte ^ FLIP);
                rest = tail;
            }
            _ => return,
        }
    }
    rest.iter().for_each(|&b| push(b));
}

/// Adds the un-stuffed bytes of `body` to `frame`.
pub fn unstuff(body: &[u8], frame: &mut Vec<u8>) {
    let mut rest = body;
    while let Some(at) = memchr::memchr(ESCAPE, rest) {
        let (plain, escaped) = rest.split_at(at);
        frame.extend_from_slice(plain);
        match escaped {
            [_, byte, tail @ ..] => {
                frame.push(byte ^ FLIP);
                rest = tail;
            }
            _ => return,
        }
    }
    frame.extend_from_slice(rest);
}

/// Un-stuffs a whole body into `room`, which must not be shorter; the length of the frame. `None` = an escape is
/// the last byte, and what it escapes is to come.
pub fn unstuff_whole(body: &[u8], room: &mut [u8]) -> Option<usize> {
    let (mut len, mut rest) = (0, body);
    while let Some(byte) = rest.first() {
        if let Some(word) = rest.first_chunk::<8>().filter(|w| !may_be_special(u64::from_le_bytes(**w))) {
            *room.get_mut(len..)?.first_chunk_mut()? = *word;
            (len, rest) = (len + 8, rest.get(8..)?);
            continue;
        }
        let (byte, used) = if *byte == ESCAPE { (rest.get(1)? ^ FLIP, 2) } else { (*byte, 1) };
        *room.get_mut(len)? = byte;
        (len, rest) = (len + 1, rest.get(used..)?);
    }
    Some(len)
}
