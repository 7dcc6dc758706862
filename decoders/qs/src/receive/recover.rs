//! Finds a valid frame at the end of a bad segment: after text without a flag, after noise, after a frame that lost its
//! flag.

use spytui_hdlc::{ESCAPE, unstuff_into};

use crate::frame::{GOOD_SUM, SHORTEST};

/// Maximum length of a frame to be found, in stuffed bytes.
const REACH: usize = 4096;

/// A start from which the rest has a valid checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate<'a> {
    /// Index in the body.
    pub(crate) start: usize,
    /// The stuffed frame.
    pub(crate) stuffed: &'a [u8],
    pub(crate) seq: u8,
    pub(crate) id: u8,
}

/// Sum, un-stuffed length and validity of a suffix.
#[derive(Clone, Copy)]
struct Suffix {
    sum: u8,
    len: usize,
    valid: bool,
}

/// All starts after the first byte of `body`, last first. A single pass from the end: an escape belongs to the byte
/// after it whatever precedes it, so each suffix follows from the next two.
pub(crate) fn candidates(body: &[u8]) -> impl Iterator<Item = Candidate<'_>> {
    let end = Suffix { sum: 0, len: 0, valid: true };
    let first = body.len().saturating_sub(REACH).max(1);
    let mut next = end;
    let mut after = end;
    (first..body.len()).rev().filter_map(move |start| {
        let stuffed = body.get(start..)?;
        let this = match stuffed {
            [ESCAPE, byte @ (0x5D | 0x5E), ..] => after.behind(byte ^ 0x20),
            [ESCAPE, ..] => Suffix { valid: false, ..next },
            [byte, ..] => next.behind(*byte),
            [] => return None,
        };
        (next, after) = (this, next);
        if !this.valid || this.sum != GOOD_SUM || this.len < SHORTEST {
            return None;
        }
        let mut head = [0; 2];
        let mut places = head.iter_mut();
        unstuff_into(stuffed.get(..4).unwrap_or(stuffed), |b| {
            if let Some(place) = places.next() {
                *place = b;
            }
        });
        let [seq, id] = head;
        Some(Candidate { start, stuffed, seq, id })
    })
}

impl Suffix {
    fn behind(self, byte: u8) -> Suffix {
        Suffix { sum: self.sum.wrapping_add(byte), len: self.len + 1, valid: self.valid }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_behind_text_is_found() {
        let frame = [1, 0, 0xFE];
        let body = [b"hello}".as_slice(), &frame].concat();
        let found: Vec<_> = candidates(&body).map(|c| (c.start, c.seq, c.id)).collect();
        assert!(found.contains(&(6, 1, 0)), "{found:?}");
    }

    #[test]
    fn escapes_are_read_from_the_start_of_the_frame() {
        // Sequence number 0x7D is escaped. The text before it ends with an escape byte of its own.
        let sum = 0xFFu8.wrapping_sub(0x7D).wrapping_sub(58);
        let body = [b"x}".as_slice(), &[0x7D, 0x5D, 58, sum]].concat();
        let found: Vec<_> = candidates(&body).map(|c| (c.start, c.seq, c.id)).collect();
        assert!(found.contains(&(2, 0x7D, 58)), "{found:?}");
    }
}
