//! Numbers of variable length: seven bits a byte, low ones first, the top bit says that more follow. Longer forms
//! than needed are legal.

use nom::{Err, IResult};

/// What is wrong with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Not a single byte.
    Missing,
    /// The event ends within it.
    Unterminated,
    /// It does not fit its type.
    TooLong,
}

type Parsed<'a, T> = IResult<&'a [u8], T, Broken>;

/// Most bytes of a 32-bit and of a 64-bit number, and the greatest last one.
const LIMIT_32: (usize, u8) = (5, 0x0F);
const LIMIT_64: (usize, u8) = (10, 0x01);

/// An unsigned number of 32 bits.
#[inline]
pub(crate) fn u32(input: &[u8]) -> Parsed<'_, u64> {
    number(input, LIMIT_32)
}

/// An unsigned number of 64 bits.
#[inline]
pub(crate) fn u64(input: &[u8]) -> Parsed<'_, u64> {
    number(input, LIMIT_64)
}

/// A signed number of 64 bits: the sign in the lowest bit, then the magnitude; minus zero is the least number.
#[inline]
pub(crate) fn s64(input: &[u8]) -> Parsed<'_, i64> {
    let (rest, bits) = u64(input)?;
    let magnitude = (bits >> 1) as i64;
    Ok((
        rest,
        match (bits & 1, magnitude) {
            (0, plus) => plus,
            (_, 0) => i64::MIN,
            (_, minus) => -minus,
        },
    ))
}

#[inline]
fn number(input: &[u8], limit: (usize, u8)) -> Parsed<'_, u64> {
    match input {
        [one @ ..0x80, rest @ ..] => Ok((rest, (*one).into())),
        [low, high @ ..0x80, rest @ ..] => Ok((rest, u64::from(low & 0x7F) | u64::from(*high) << 7)),
        _ => longer(input, limit),
    }
}

#[inline]
fn longer(input: &[u8], (most, last): (usize, u8)) -> Parsed<'_, u64> {
    let mut number = 0;
    for (i, &byte) in input.iter().take(most).enumerate() {
        number |= u64::from(byte & 0x7F) << (7 * i);
        if i + 1 == most && byte > last {
            return Err(Err::Error(Broken::TooLong));
        }
        if byte < 0x80 {
            return Ok((input.get(i + 1..).unwrap_or(&[]), number));
        }
    }
    Err(Err::Error(if input.is_empty() { Broken::Missing } else { Broken::Unterminated }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn got<T>(parsed: Parsed<'_, T>) -> Result<T, Broken> {
        match parsed {
            Ok((rest, value)) => {
                assert_eq!(rest, b"");
                Ok(value)
            }
            Err(Err::Error(broken) | Err::Failure(broken)) => Err(broken),
            Err(Err::Incomplete(_)) => Err(Broken::Missing),
        }
    }

    const FF: u8 = 0xFF;

    #[test]
    fn greatest_numbers_fit_and_greater_ones_do_not() {
        assert_eq!(got(u32(&[FF, FF, FF, FF, 0x0F])), Ok(u32::MAX.into()));
        assert_eq!(got(u32(&[FF, FF, FF, FF, 0x10])), Err(Broken::TooLong));
        assert_eq!(got(u32(&[FF, FF, FF, FF, FF, 1])), Err(Broken::TooLong));
        let most = [FF; 9];
        assert_eq!(got(u64(&[&most[..], &[1]].concat())), Ok(u64::MAX));
        assert_eq!(got(u64(&[&most[..], &[2]].concat())), Err(Broken::TooLong));
        assert_eq!(got(u64(&[&most[..], &[0x81, 0]].concat())), Err(Broken::TooLong));
    }

    #[test]
    fn what_is_cut_is_said() {
        assert_eq!(got(u32(&[])), Err(Broken::Missing));
        assert_eq!(got(u32(&[0x80])), Err(Broken::Unterminated));
        assert_eq!(got(u64(&[FF; 9])), Err(Broken::Unterminated));
    }

    #[test]
    fn longer_forms_than_needed_are_legal() {
        assert_eq!(got(u32(&[0x80, 0])), Ok(0));
        assert_eq!(got(u32(&[0x85, 0x80, 0x80, 0])), Ok(5));
        assert_eq!(got(u64(&[0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0])), Ok(1));
        assert_eq!(got(s64(&[0x81, 0])), Ok(i64::MIN));
    }

    #[test]
    fn signs_are_in_the_lowest_bit() {
        for (bytes, value) in [(&[0][..], 0), (&[2], 1), (&[3], -1), (&[4], 2), (&[5], -2), (&[1], i64::MIN)] {
            assert_eq!(got(s64(bytes)), Ok(value));
        }
        let most = [FF; 8];
        assert_eq!(got(s64(&[&[0xFE][..], &most, &[1]].concat())), Ok(i64::MAX));
        assert_eq!(got(s64(&[&[FF][..], &most, &[1]].concat())), Ok(i64::MIN + 1));
    }
}
