//! Where a frame may begin in a damaged segment: every suffix with its sum, from one pass; and a sample without the text that a
//! target printed, which no protocol has to explain. Bytes are text only before a frame whose number follows that of the last one.

use spytui_plugin_api::console;

use crate::{ESCAPE, FLAG, FLIP, unstuff};

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

/// One more than the number of frames that may be missing after text.
const NEAR: u8 = 4;

/// What a probe knows of a valid frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// Its sequence number.
    pub number: u8,
    /// A target starts with it, so no frame has to come before it.
    pub starts: bool,
}

/// Removes the text before frames that continue the numbers or start them. `number` reads an un-stuffed frame whose bytes
/// add up to `sum`, if it is valid.
pub fn without_text(sample: &[u8], sum: u8, number: impl Fn(&[u8]) -> Option<Numbered>) -> Vec<u8> {
    let text_of = |front: &[u8]| {
        let is_text = console::text_len(front) == front.len();
        if is_text { front.len() } else { console::text_bytes(front) }
    };
    let mut kept = Vec::with_capacity(sample.len());
    let mut last: Option<u8> = None;
    // Text from here, if the next frame continues the numbers.
    let mut text_start = 0;
    let numbered = |stuffed: &[u8]| {
        let mut frame = Vec::with_capacity(stuffed.len());
        let is_whole = unstuff(stuffed, &mut frame) && crate::sum(&frame) == sum;
        is_whole.then(|| number(&frame)).flatten()
    };
    for segment in sample.split_inclusive(|&byte| byte == FLAG) {
        let body = segment.strip_suffix(&[FLAG]).unwrap_or(segment);
        let missing = |found: &Numbered| last.map(|last| found.number.wrapping_sub(last).wrapping_sub(1));
        let goes_on = |found: &Numbered| found.starts || missing(found).is_some_and(|missing| missing < NEAR);
        let found = numbered(body);
        // Text may have the right sum by chance.
        let is_text =
            !found.is_some_and(|found| goes_on(&found)) && !body.is_empty() && console::text_len(body) == body.len();
        let behind = match found {
            _ if is_text => None,
            Some(found) => Some((0, found)),
            None => suffixes(body)
                .filter(|suffix| suffix.sum == sum && text_of(body.get(..suffix.start).unwrap_or(&[])) > 0)
                .filter_map(|suffix| Some((suffix.start, numbered(suffix.stuffed).filter(goes_on)?)))
                .last(),
        };
        if let Some((start, found)) = behind {
            if goes_on(&found) {
                kept.truncate(text_start);
            }
            let front = body.get(..start).unwrap_or(&[]);
            let damage = front.get(..front.len() - text_of(front)).unwrap_or(&[]);
            kept.extend_from_slice(damage);
            kept.extend((!damage.is_empty()).then_some(FLAG));
            kept.extend_from_slice(segment.get(start..).unwrap_or(&[]));
            last = Some(found.number);
        } else {
            kept.extend_from_slice(segment);
        }
        if !is_text {
            text_start = kept.len();
        }
    }
    kept
}
