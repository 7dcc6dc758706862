//! Flag and escape, stuffing and unstuffing. Finds frames at the end of damaged segments by checking the sum of every
//! suffix in one pass, and removes printed text from a sample, because no protocol explains it. Only bytes before a frame
//! that continues the numbers count as text.

use memchr::memchr;
use spytui_plugin_api::console;

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

/// The unstuffed bytes of `body`, in the buffer `room`; `None` if its last byte is an escape.
pub fn whole<'r>(body: &[u8], room: &'r mut Vec<u8>) -> Option<&'r [u8]> {
    room.clear();
    unstuff(body, room).then_some(room)
}

/// The unstuffed frame in `raw`, with checksum, without flags. `escaped` = it contains escapes; `room` is a buffer for
/// unstuffing.
#[inline]
pub fn frame<'a>(raw: &'a [u8], escaped: bool, room: &'a mut Vec<u8>) -> &'a [u8] {
    let body = body(raw);
    if !escaped {
        return body;
    }
    room.clear();
    unstuff(body, room);
    room
}

/// The stuffed bytes between the flags.
#[inline]
pub fn body(raw: &[u8]) -> &[u8] {
    let body = raw.strip_suffix(&[FLAG]).unwrap_or(raw);
    let leading_flags = body.iter().take_while(|&&byte| byte == FLAG).count();
    body.get(leading_flags..).unwrap_or_default()
}

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
pub struct NumberedFrame {
    pub number: u8,
    /// A target starts with it, so no frame needs to precede it.
    pub starts: bool,
}

/// Removes text before frames that continue or start the sequence numbers. `number` parses an unstuffed frame whose
/// bytes add up to `sum`, if it is valid.
pub fn without_text(sample: &[u8], sum: u8, number: impl Fn(&[u8]) -> Option<NumberedFrame>) -> Vec<u8> {
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
        let is_whole =
            unstuff(stuffed, &mut frame) && frame.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)) == sum;
        is_whole.then(|| number(&frame)).flatten()
    };
    for segment in sample.split_inclusive(|&byte| byte == FLAG) {
        let body = segment.strip_suffix(&[FLAG]).unwrap_or(segment);
        let missing = |found: &NumberedFrame| last.map(|last| found.number.wrapping_sub(last).wrapping_sub(1));
        let goes_on = |found: &NumberedFrame| found.starts || missing(found).is_some_and(|missing| missing < NEAR);
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
