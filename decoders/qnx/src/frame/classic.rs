//! What may be a record of a classic trace log: by itself, and by the time of the last one.

use crate::{
    config::Format,
    record::{Classic, Read},
};

/// Seconds that a record may be before and after the last one.
const BEFORE: i64 = 60;
const AFTER: i64 = 30 * 24 * 3600;

/// Whether a record may follow one of this second. The first record of zeros is none.
pub(crate) fn follows(record: &Classic<'_>, last: Option<u32>) -> bool {
    match last {
        Some(last) => (-BEFORE..=AFTER).contains(&(i64::from(record.seconds) - i64::from(last))),
        None => record.seconds > 0,
    }
}

/// How many plausible records follow each other at the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// At least as many as asked for; or some, and then the end of the stream.
    Enough,
    TooFew,
    /// More bytes would show it.
    Open,
}

/// Looks for `most` plausible records in a row. They may be fewer where the bytes end, if nothing follows: `ends`. Behind
/// a known record, an event without content ends them, too: a log is read in pieces that end with one.
pub(crate) fn chain(format: Format, bytes: &[u8], most: usize, last: Option<u32>, ends: bool) -> Chain {
    let (mut rest, mut count) = (bytes, 0);
    let (first, mut last) = (last.is_none(), last);
    while count < most {
        if rest.is_empty() && ends && count > 0 {
            return Chain::Enough;
        }
        match format.read(rest) {
            Read::Record(record) if follows(&record, last) => {
                last = Some(record.seconds);
                count += 1;
                rest = rest.get(record.len..).unwrap_or(&[]);
            }
            Read::Null if count > 0 && !first => return Chain::Enough,
            Read::Null if count > 0 => rest = rest.get(2..).unwrap_or(&[]),
            Read::Incomplete if !ends => return Chain::Open,
            _ => return Chain::TooFew,
        }
    }
    Chain::Enough
}

/// The number of plausible records at the start of some bytes, at most `most`, and their length.
pub(crate) fn records(format: Format, bytes: &[u8], most: usize) -> (usize, usize) {
    let (mut count, mut at, mut last) = (0, 0, None);
    while let Some(rest) = bytes.get(at..).filter(|rest| count < most && !rest.is_empty()) {
        match format.read(rest) {
            Read::Record(record) if follows(&record, last) => {
                last = Some(record.seconds);
                count += 1;
                at += record.len;
            }
            // The first bytes of a stream are no rest of a read.
            Read::Null if count > 0 => at += 2,
            _ => break,
        }
    }
    (count, at)
}
