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
    let (count, len, next) = records(format, bytes, most, last);
    let is_end = len == bytes.len() && ends;
    match next {
        _ if count == most || count > 0 && (is_end || next == Read::Null) => Chain::Enough,
        Read::Incomplete if !ends => Chain::Open,
        _ => Chain::TooFew,
    }
}

/// The number of plausible records at the start of some bytes, at most `most`, their length, and what is behind them;
/// `last` = second of the record before.
pub(crate) fn records(format: Format, bytes: &[u8], most: usize, last: Option<u32>) -> (usize, usize, Read<'_>) {
    let (mut count, mut at, mut before) = (0, 0, last);
    loop {
        match format.read(bytes.get(at..).unwrap_or(&[])) {
            Read::Record(record) if count < most && follows(&record, before) => {
                before = Some(record.seconds);
                count += 1;
                at += record.len;
            }
            // The first bytes of a stream are no rest of a read.
            Read::Null if (1..most).contains(&count) && last.is_none() => at += 2,
            next => return (count, at, next),
        }
    }
}
