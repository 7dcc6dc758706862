//! COBS: each code byte gives the distance to the next one and stands for a zero, unless it is `FF` or the last one.

use nom::{Err, IResult, Parser, combinator::all_consuming, multi::fold_many1};

/// Code of a block of 254 bytes that is not followed by a zero.
const FULL: u8 = 0xFF;

/// A code byte, and the bytes up to the next one.
#[inline]
fn block(input: &[u8]) -> IResult<&[u8], (u8, &[u8]), ()> {
    let (&code, rest) = input.split_first().ok_or(Err::Error(()))?;
    let block = usize::from(code).checked_sub(1).and_then(|len| rest.split_at_checked(len));
    block.map(|(bytes, rest)| (rest, (code, bytes))).ok_or(Err::Error(()))
}

/// Decodes the event in a frame's body (the bytes before its end); `None` if a code byte points past its end. `room`
/// takes one of several blocks.
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
    use super::*;

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
}
