//! Splits a stream at frame ends, and decodes the event in a frame.

use nom::{Err, IResult, Parser, combinator::all_consuming, multi::fold_many1};

/// Frame end; does not occur within frames.
pub(crate) const END: u8 = 0;

const MOST_EMPTY: usize = 4096;

/// A part of the stream; together they cover every byte in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FramePiece<'a> {
    /// Position and bytes of a frame, end included. Its body is not empty.
    Frame(u64, &'a [u8]),
    /// Position and number of consecutive frame ends without a frame.
    Empty(u64, usize),
    /// Bytes of an overlong frame; the last piece contains the end.
    Overlong { pos: u64, raw: &'a [u8], first: bool },
}

#[derive(Clone, Debug)]
pub(crate) struct CobsSplitter {
    held: Vec<u8>,
    /// Number of frame ends right before the next byte that were not passed on yet.
    empty: usize,
    /// The held bytes are part of an overlong frame.
    overlong: bool,
    /// Maximum length of a body.
    max: usize,
}

impl CobsSplitter {
    pub(crate) fn new(max: usize) -> CobsSplitter {
        CobsSplitter { held: Vec::new(), empty: 0, overlong: false, max }
    }

    pub(crate) fn feed(&mut self, pos: u64, bytes: &[u8], take: &mut impl FnMut(FramePiece<'_>)) {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|r| !r.is_empty()) {
            let here = pos + at as u64;
            at += match memchr::memchr(END, rest) {
                Some(0) if self.held.is_empty() && !self.overlong => self.end_alone(here, take),
                Some(end) if end <= self.max && self.held.is_empty() && !self.overlong => {
                    self.hand_over_empty(here, take);
                    take(FramePiece::Frame(here, rest.get(..=end).unwrap_or(rest)));
                    end + 1
                }
                end => {
                    self.hand_over_empty(here, take);
                    self.collect(here, rest, end, take)
                }
            };
        }
    }

    fn end_alone(&mut self, pos: u64, take: &mut impl FnMut(FramePiece<'_>)) -> usize {
        self.empty += 1;
        if self.empty == MOST_EMPTY {
            self.hand_over_empty(pos + 1, take);
        }
        1
    }

    /// Passes on grouped frame ends; `pos` = position after them.
    #[inline]
    fn hand_over_empty(&mut self, pos: u64, take: &mut impl FnMut(FramePiece<'_>)) {
        if self.empty > 0 {
            let count = std::mem::take(&mut self.empty);
            take(FramePiece::Empty(pos - count as u64, count));
        }
    }

    /// Appends to the held bytes; returns the number of bytes consumed. `end` = index of the frame end in `rest`.
    fn collect(&mut self, pos: u64, rest: &[u8], end: Option<usize>, take: &mut impl FnMut(FramePiece<'_>)) -> usize {
        let room = self.max - self.held.len();
        let ends = end.is_some_and(|end| end <= room);
        let len = if ends { end.map_or(0, |end| end + 1) } else { rest.len().min(room) };
        let start = pos - self.held.len() as u64;
        self.held.extend_from_slice(rest.get(..len).unwrap_or(&[]));
        let full = !ends && rest.len() > room;
        if ends && !self.overlong {
            take(FramePiece::Frame(start, &self.held));
        } else if ends || full {
            take(FramePiece::Overlong { pos: start, raw: &self.held, first: !self.overlong });
        }
        if ends || full {
            self.held.clear();
            self.overlong = full;
        }
        len
    }

    /// Returns the held bytes; `pos` = end of the stream so far.
    pub(crate) fn give_up(&mut self, pos: u64, take: &mut impl FnMut(FramePiece<'_>)) -> Vec<u8> {
        self.hand_over_empty(pos, take);
        self.overlong = false;
        std::mem::take(&mut self.held)
    }
}

/// Code of a block of 254 bytes without a zero after it.
const FULL: u8 = 0xFF;

#[inline]
fn block(input: &[u8]) -> IResult<&[u8], (u8, &[u8]), ()> {
    let (&code, rest) = input.split_first().ok_or(Err::Error(()))?;
    let block = usize::from(code).checked_sub(1).and_then(|len| rest.split_at_checked(len));
    block.map(|(bytes, rest)| (rest, (code, bytes))).ok_or(Err::Error(()))
}

/// Decodes the event in a frame's body (the bytes before its end); `None` if a code byte points past its end. `room` is
/// a buffer for events in several blocks.
#[inline]
pub(crate) fn decode<'a>(body: &'a [u8], room: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    match block(body) {
        // Most events have no zeros.
        Ok(([], (_, event))) => Some(event),
        _ => blocks(body, room),
    }
}

fn blocks<'a>(body: &[u8], room: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    room.clear();
    room.reserve(body.len());
    let add = |zero_due, (code, bytes): (u8, &[u8])| {
        if zero_due {
            room.push(0);
        }
        room.extend_from_slice(bytes);
        code != FULL
    };
    all_consuming(fold_many1(block, || false, add)).parse(body).ok()?;
    Some(room)
}

#[cfg(test)]
mod tests {
    use spytui_decoder_harness::encode;

    use super::*;

    fn split(bytes: &[u8], max: usize, size: usize) -> (Vec<(char, u64, usize)>, usize) {
        let (mut splitter, mut log) = (CobsSplitter::new(max), Vec::new());
        let mut take = |piece: FramePiece<'_>| {
            log.push(match piece {
                FramePiece::Frame(pos, raw) => {
                    assert_eq!(raw.last(), Some(&END));
                    ('f', pos, raw.len())
                }
                FramePiece::Empty(pos, count) => ('e', pos, count),
                FramePiece::Overlong { pos, raw, first } => (if first { 'l' } else { 'r' }, pos, raw.len()),
            });
        };
        for (i, chunk) in bytes.chunks(size).enumerate() {
            splitter.feed((i * size) as u64, chunk, &mut take);
        }
        let left = splitter.give_up(bytes.len() as u64, &mut take).len();
        (log, left)
    }

    #[test]
    fn frames_end_with_zeros() {
        let bytes = [&[2, 5, 0, 0, 0, 3, 1, 2, 0][..], &[9; 40], &[0, 7, 7]].concat();
        for size in 1..50 {
            let expected = vec![('f', 0, 3), ('e', 3, 2), ('f', 5, 4), ('f', 9, 41)];
            assert_eq!(split(&bytes, 100, size), (expected, 2));
        }
    }

    #[test]
    fn what_has_no_end_comes_in_pieces() {
        for (len, expected) in [
            (16, vec![('f', 0, 17)]),
            (17, vec![('l', 0, 16), ('r', 16, 2)]),
            (32, vec![('l', 0, 16), ('r', 16, 17)]),
            (33, vec![('l', 0, 16), ('r', 16, 16), ('r', 32, 2)]),
        ] {
            let bytes = [&vec![1; len][..], &[0, 4, 0]].concat();
            let expected = [expected, vec![('f', len as u64 + 1, 2)]].concat();
            for size in 1..40 {
                assert_eq!(split(&bytes, 16, size), (expected.clone(), 0), "{len} in {size}");
            }
        }
    }

    #[test]
    fn ends_in_a_row_are_gathered_up_to_a_limit() {
        let bytes = vec![0; 2 * MOST_EMPTY + 5];
        for size in [1, 7, 4096, 5000, 100_000] {
            let (log, left) = split(&bytes, 100, size);
            let most = MOST_EMPTY as u64;
            assert_eq!(log, [('e', 0, MOST_EMPTY), ('e', most, MOST_EMPTY), ('e', 2 * most, 5)]);
            assert_eq!(left, 0);
        }
    }

    fn decoded(body: &[u8]) -> Option<Vec<u8>> {
        decode(body, &mut Vec::new()).map(<[u8]>::to_vec)
    }

    fn full(last: &[u8]) -> Vec<u8> {
        [&[FULL][..], &[7; 254], last].concat()
    }

    #[test]
    fn code_bytes_become_zeros() {
        assert_eq!(decoded(&[4, 7, 8, 9]), Some(vec![7, 8, 9]));
        assert_eq!(decoded(&[1]), Some(vec![]));
        assert_eq!(decoded(&[1, 1, 1]), Some(vec![0, 0]));
        assert_eq!(decoded(&[2, 5, 1, 3, 6, 7]), Some(vec![5, 0, 0, 6, 7]));
    }

    #[test]
    fn both_endings_of_a_full_block_are_the_same_event() {
        assert_eq!(decoded(&full(&[])), Some(vec![7; 254]));
        assert_eq!(decoded(&full(&[1])), Some(vec![7; 254]));
        assert_eq!(decoded(&full(&[1, 1])), Some([&[7; 254][..], &[0]].concat()));
        assert_eq!(decoded(&full(&[2, 9])), Some([&[7; 254][..], &[9]].concat()));
    }

    #[test]
    fn a_code_byte_points_into_its_frame() {
        for body in [&[3, 1][..], &[FULL, 1, 2], &[2, 1, 2], &[1, 9, 1], &[2, 1, 5, 1, 1]] {
            assert_eq!(decoded(body), None, "{body:?}");
        }
        assert_eq!(decoded(&full(&[3, 1])), None);
        assert_eq!(decoded(&[]), None);
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        for len in (0..20).chain(250..258).chain(505..512) {
            for zeros in [&[][..], &[0], &[1, 2], &[253], &[254], &[255], &[len / 2]] {
                let mut event = vec![7; len];
                zeros.iter().filter(|at| **at < len).for_each(|at| event[*at] = 0);
                let mut bytes = Vec::new();
                encode::tband::frame(&event, &mut bytes);
                let body = bytes.strip_suffix(&[0]).unwrap();
                assert!(!body.contains(&0));
                assert_eq!(decode(body, &mut Vec::new()), Some(&event[..]), "{len} {zeros:?}");
                assert!(bytes.len() == len + 1 + len.div_ceil(254).max(1) || !zeros.is_empty());
            }
        }
    }
}
