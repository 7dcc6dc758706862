//! Where a frame may begin in a damaged segment: every suffix with its sum, from one pass.

use crate::{ESCAPE, FLIP};

/// Maximum length of the suffixes, in stuffed bytes.
const REACH: usize = 4096;

/// The bytes of a segment from a position on, read as a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suffix<'a> {
    /// Index in the body.
    pub start: usize,
    /// The stuffed bytes.
    pub stuffed: &'a [u8],
    /// Sum of the un-stuffed bytes.
    pub sum: u8,
    /// Number of un-stuffed bytes.
    pub len: usize,
}

#[derive(Clone, Copy)]
struct Tail {
    sum: u8,
    len: usize,
    valid: bool,
}

/// All suffixes with valid escapes that begin after the first byte of `body`, the shortest first. A single pass from
/// the end: an escape belongs to the byte after it whatever precedes it, so each suffix follows from the next two.
pub fn suffixes(body: &[u8]) -> impl Iterator<Item = Suffix<'_>> {
    let end = Tail { sum: 0, len: 0, valid: true };
    let first = body.len().saturating_sub(REACH).max(1);
    let (mut next, mut after) = (end, end);
    (first..body.len()).rev().filter_map(move |start| {
        let stuffed = body.get(start..)?;
        let this = match stuffed {
            [ESCAPE, byte @ (0x5D | 0x5E), ..] => after.behind(byte ^ FLIP),
            [ESCAPE, ..] => Tail { valid: false, ..next },
            [byte, ..] => next.behind(*byte),
            [] => return None,
        };
        (next, after) = (this, next);
        this.valid.then_some(Suffix { start, stuffed, sum: this.sum, len: this.len })
    })
}

impl Tail {
    fn behind(self, byte: u8) -> Tail {
        Tail { sum: self.sum.wrapping_add(byte), len: self.len + 1, valid: self.valid }
    }
}
