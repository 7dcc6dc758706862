//! A sample without the text that a target printed, which no protocol has to explain. Bytes are text only before a frame
//! whose number follows that of the last one.

use spytui_plugin_api::console;

use crate::{FLAG, suffix::suffixes, unstuff};

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
