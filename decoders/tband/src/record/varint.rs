//! Varints: seven bits per byte, low bits first; the top bit means that more follow. Longer encodings than needed are
//! legal.

use nom::{
    Err, IResult,
    error::{ErrorKind, ParseError},
};

/// Why a number is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarintError {
    /// No bytes left.
    Missing,
    /// The last byte has the top bit set.
    Unterminated,
    /// It does not fit its type.
    TooLong,
}

impl ParseError<&[u8]> for VarintError {
    fn from_error_kind(input: &[u8], _: ErrorKind) -> VarintError {
        if input.is_empty() { VarintError::Missing } else { VarintError::Unterminated }
    }

    fn append(_: &[u8], _: ErrorKind, other: VarintError) -> VarintError {
        other
    }
}

type Parsed<'a, T> = IResult<&'a [u8], T, VarintError>;

/// Longest encoding of a type.
struct Longest {
    bytes: usize,
    /// Greatest last byte of this encoding.
    last: u8,
}

const LONGEST_32: Longest = Longest { bytes: 5, last: 0x0F };
const LONGEST_64: Longest = Longest { bytes: 10, last: 0x01 };

/// An unsigned number of 32 bits.
#[inline]
pub(crate) fn u32(input: &[u8]) -> Parsed<'_, u64> {
    number(input, &LONGEST_32)
}

/// An unsigned number of 64 bits.
#[inline]
pub(crate) fn u64(input: &[u8]) -> Parsed<'_, u64> {
    number(input, &LONGEST_64)
}

/// A signed number of 64 bits: the sign in the lowest bit, then the magnitude; minus zero is the least number.
#[inline]
pub(crate) fn s64(input: &[u8]) -> Parsed<'_, i64> {
    let (rest, bits) = u64(input)?;
    Ok((rest, sign(bits)))
}

/// Decodes a signed number.
#[inline]
pub(crate) fn sign(bits: u64) -> i64 {
    let magnitude = (bits >> 1) as i64;
    match (bits & 1, magnitude) {
        (0, magnitude) => magnitude,
        (_, 0) => i64::MIN,
        (_, magnitude) => -magnitude,
    }
}

/// Bytes with the top bit set, then one without.
#[inline]
fn number<'a>(input: &'a [u8], longest: &Longest) -> Parsed<'a, u64> {
    // Most numbers have one byte.
    if let [byte @ 0..0x80, rest @ ..] = input {
        return Ok((rest, u64::from(*byte)));
    }
    let mut number = 0;
    for (i, &byte) in input.iter().take(longest.bytes).enumerate() {
        number |= u64::from(byte & 0x7F) << (7 * i);
        if byte < 0x80 {
            let fits = i + 1 < longest.bytes || byte <= longest.last;
            let rest = input.get(i + 1..).filter(|_| fits);
            return rest.map(|rest| (rest, number)).ok_or(Err::Error(VarintError::TooLong));
        }
    }
    Err(Err::Error(match input.len() {
        0 => VarintError::Missing,
        len if len < longest.bytes => VarintError::Unterminated,
        _ => VarintError::TooLong,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn got<T>(parsed: Parsed<'_, T>) -> Result<T, VarintError> {
        match parsed {
            Ok((rest, value)) => {
                assert_eq!(rest, b"");
                Ok(value)
            }
            Err(Err::Error(broken) | Err::Failure(broken)) => Err(broken),
            Err(Err::Incomplete(_)) => Err(VarintError::Missing),
        }
    }

    const FF: u8 = 0xFF;

    #[test]
    fn greatest_numbers_fit_and_greater_ones_do_not() {
        assert_eq!(got(u32(&[FF, FF, FF, FF, 0x0F])), Ok(u32::MAX.into()));
        assert_eq!(got(u32(&[FF, FF, FF, FF, 0x10])), Err(VarintError::TooLong));
        assert_eq!(got(u32(&[FF, FF, FF, FF, FF, 1])), Err(VarintError::TooLong));
        let most = [FF; 9];
        assert_eq!(got(u64(&[&most[..], &[1]].concat())), Ok(u64::MAX));
        assert_eq!(got(u64(&[&most[..], &[2]].concat())), Err(VarintError::TooLong));
        assert_eq!(got(u64(&[&most[..], &[0x81, 0]].concat())), Err(VarintError::TooLong));
    }

    #[test]
    fn what_is_cut_is_said() {
        assert_eq!(got(u32(&[])), Err(VarintError::Missing));
        assert_eq!(got(u32(&[0x80])), Err(VarintError::Unterminated));
        assert_eq!(got(u64(&[FF; 9])), Err(VarintError::Unterminated));
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
