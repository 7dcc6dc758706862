//! Finds frames at the end of damaged segments by checking the sum of every suffix in one pass, and removes printed
//! text from a sample, because no protocol explains it. Only bytes before a frame that continues the numbers count as
//! text.

use spytui_plugin_api::console;

use crate::{ESCAPE, FLAG, FLIP, unstuff};

/// Maximum length of a suffix, in stuffed bytes.
const REACH: usize = 4096;

/// The end of a segment, read as a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suffix<'a> {
    /// Index in the body.
    pub start: usize,
    pub stuffed: &'a [u8],
    /// Sum of the unstuffed bytes.
    pub sum: u8,
    /// Number of unstuffed bytes.
    pub len: usize,
}

#[derive(Clone, Copy)]
struct Tail {
    sum: u8,
    len: usize,
    valid: bool,
}

/// All suffixes with valid escapes that begin after the first byte of `body`, shortest first. One pass from the end
/// suffices: an escape belongs to the byte after it whatever precedes it, so each suffix follows from the next two.
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

/// Maximum number of frames missing after text, plus 1.
const NEAR: u8 = 4;

/// A valid frame in a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    pub number: u8,
    /// A target starts with it, so no frame needs to precede it.
    pub starts: bool,
}

/// Removes text before frames that continue or start the sequence numbers. `number` parses an unstuffed frame whose
/// bytes add up to `sum`, if it is valid.
pub fn without_text(sample: &[u8], sum: u8, number: impl Fn(&[u8]) -> Option<Numbered>) -> Vec<u8> {
    let text_of = |front: &[u8]| {
        let is_text = console::text_len(front) == front.len();
        if is_text { front.len() } else { console::text_bytes(front) }
    };
    let mut kept = Vec::with_capacity(sample.len());
    let mut last: Option<u8> = None;
    // Start of possible text; it is text if the next frame continues the numbers.
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
        // Text may have a valid sum by chance.
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
