//! Finds a valid frame at the end of a bad segment: after text without a flag, after noise, after a frame that lost its
//! flag.

use spytui_hdlc::{Suffix, suffixes, unstuff};

use crate::frame::{GOOD_SUM, SHORTEST};

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

/// All starts after the first byte of `body`, last first.
pub(crate) fn candidates(body: &[u8]) -> impl Iterator<Item = Candidate<'_>> {
    suffixes(body).filter(|suffix| suffix.sum == GOOD_SUM && suffix.len >= SHORTEST).map(|suffix| {
        let Suffix { start, stuffed, .. } = suffix;
        let mut head = Vec::with_capacity(4);
        unstuff(stuffed.get(..4).unwrap_or(stuffed), &mut head);
        let [seq, id] = head.first_chunk().copied().unwrap_or_default();
        Candidate { start, stuffed, seq, id }
    })
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
