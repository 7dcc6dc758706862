//! Parsers for the values of a record: nom over complete little-endian input.

use nom::{
    IResult, Parser,
    bytes::complete::{tag, take_till},
    sequence::terminated,
};

/// Result of a parser; the only possible error is missing bytes.
pub type Res<'a, T> = IResult<&'a [u8], T, ()>;

#[inline(always)]
pub fn array<const N: usize>(input: &[u8]) -> Res<'_, [u8; N]> {
    let (bytes, rest) = input.split_first_chunk().ok_or(nom::Err::Error(()))?;
    Ok((rest, *bytes))
}

/// An unsigned number of 1, 2, 4 or 8 bytes. For other sizes, reads nothing and returns 0.
#[inline]
pub fn uint(input: &[u8], size: u8) -> Res<'_, u64> {
    match size {
        1 => array.map(u8::from_le_bytes).map(u64::from).parse(input),
        2 => array.map(u16::from_le_bytes).map(u64::from).parse(input),
        4 => array.map(u32::from_le_bytes).map(u64::from).parse(input),
        8 => array.map(u64::from_le_bytes).parse(input),
        _ => Ok((input, 0)),
    }
}

/// A zero-terminated text, without the zero.
#[inline]
pub fn text(input: &[u8]) -> Res<'_, &[u8]> {
    terminated(take_till(|b| b == 0), tag(&[0u8][..])).parse(input)
}

#[cfg(test)]
mod tests {
    use super::{text, uint};

    #[test]
    fn numbers_have_the_size_that_is_asked_for() {
        let bytes = &[1, 2, 3, 4, 5, 6, 7, 8, 9][..];
        assert_eq!(uint(bytes, 1), Ok((&bytes[1..], 0x01)));
        assert_eq!(uint(bytes, 2), Ok((&bytes[2..], 0x0201)));
        assert_eq!(uint(bytes, 4), Ok((&bytes[4..], 0x0403_0201)));
        assert_eq!(uint(bytes, 8), Ok((&bytes[8..], 0x0807_0605_0403_0201)));
        assert_eq!(uint(bytes, 0), Ok((bytes, 0)));
        assert!(uint(&bytes[..3], 4).is_err());
    }

    #[test]
    fn a_text_ends_with_its_zero() {
        assert_eq!(text(b"ab\0c"), Ok((&b"c"[..], &b"ab"[..])));
        assert!(text(b"ab").is_err());
    }
}
