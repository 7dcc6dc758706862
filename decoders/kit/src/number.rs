//! Formats numbers in decimal and hexadecimal without allocation; hex dumps.

use spytui_plugin_api::TextWriter;

#[inline]
pub fn decimal(line: &mut TextWriter<'_>, number: u64) {
    match number {
        0..10 => line.byte(b'0' + number as u8),
        10..EIGHT_DIGITS => {
            let digits = digits8(number as u32);
            let zeros = zeros_before(digits);
            line.put_block(&(digits >> (zeros * 8)).to_le_bytes(), 8 - zeros);
        }
        _ => long_filled(line, number, 0),
    }
}

/// A text, then a decimal number.
#[inline]
pub fn labelled(line: &mut TextWriter<'_>, label: &[u8], number: u64) {
    line.put(label);
    decimal(line, number);
}

/// A name, or without one `label` and a decimal number.
#[inline]
pub fn name_or(line: &mut TextWriter<'_>, name: Option<&[u8]>, label: &[u8], number: u64) {
    match name {
        Some(name) => line.put(name),
        None => labelled(line, label, number),
    }
}

/// A name, or without one `NULL` or the address.
#[inline]
pub fn name_or_address(line: &mut TextWriter<'_>, name: Option<&[u8]>, address: u64) {
    match name {
        Some(name) => line.put(name),
        None if address == 0 => line.put(b"NULL"),
        None => prefixed_hex(line, address, 1),
    }
}

/// `0x` and hexadecimal, at least `width` digits.
#[inline]
pub fn prefixed_hex(line: &mut TextWriter<'_>, number: u64, width: usize) {
    line.put(b"0x");
    hex(line, number, width);
}

/// Decimal, zero-filled to `width`, at most 20.
#[inline]
pub fn zero_filled(line: &mut TextWriter<'_>, number: u64, width: usize) {
    if number >= EIGHT_DIGITS || width > 8 {
        return long_filled(line, number, width);
    }
    let digits = digits8(number as u32);
    put_last(line, digits, (8 - zeros_before(digits)).max(width));
}

#[inline(never)]
fn long_filled(line: &mut TextWriter<'_>, number: u64, width: usize) {
    zero_filled(line, number / EIGHT_DIGITS, width.saturating_sub(8));
    last_eight(line, number);
}

#[inline]
fn last_eight(line: &mut TextWriter<'_>, number: u64) {
    line.put_block(&digits8((number % EIGHT_DIGITS) as u32).to_le_bytes(), 8);
}

/// Writes the last `count` of eight characters, at least one.
#[inline]
fn put_last(line: &mut TextWriter<'_>, characters: u64, count: usize) {
    line.put_block(&(characters >> (((8 - count) * 8) & 63)).to_le_bytes(), count);
}

/// Writes a time stamp of at most 32 bits: 10 digits, zero-filled, and a space.
#[inline]
pub fn stamp(line: &mut TextWriter<'_>, number: u64) {
    let number = number as u32;
    let (two, eight) = (digits8(number / EIGHT_DIGITS as u32) >> 48, digits8(number % EIGHT_DIGITS as u32));
    let text = u128::from(two) | u128::from(eight) << 16 | u128::from(b' ') << 80;
    line.put_block(&text.to_le_bytes(), 11);
}

const ZEROS: u64 = 0x3030_3030_3030_3030;
/// Smallest number with more than eight digits.
const EIGHT_DIGITS: u64 = 100_000_000;

/// Number of leading zeros in eight digits, except for the last digit.
#[inline]
fn zeros_before(digits: u64) -> usize {
    ((digits ^ ZEROS) | 1 << 56).trailing_zeros() as usize / 8
}

/// Eight digits of a number below 100 000 000, first digit in the lowest byte: splits all parts in half at once.
#[inline]
fn digits8(number: u32) -> u64 {
    let (high, low) = (u64::from(number / 10_000), u64::from(number % 10_000));
    let fours = high | low << 32;
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds | (fours - hundreds * 100) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    let digits = tens | (pairs - tens * 10) << 8;
    digits + ZEROS
}

/// Signed decimal, space-padded on the left to `width`.
#[inline]
pub fn signed(line: &mut TextWriter<'_>, number: i64, width: usize) {
    right(line, number.unsigned_abs(), number < 0, width);
}

/// Decimal, space-padded on the left to `width`.
#[inline]
pub fn unsigned(line: &mut TextWriter<'_>, number: u64, width: usize) {
    right(line, number, false, width);
}

fn right(line: &mut TextWriter<'_>, number: u64, minus: bool, width: usize) {
    let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
    blanks(line, width.saturating_sub(digits + usize::from(minus)));
    if minus {
        line.byte(b'-');
    }
    decimal(line, number);
}

/// Signed decimal, zero-filled to `width`, at most 20.
pub fn signed_filled(line: &mut TextWriter<'_>, number: i64, width: usize) {
    if number < 0 {
        line.byte(b'-');
        zero_filled(line, number.unsigned_abs(), width.saturating_sub(1));
    } else {
        zero_filled(line, number.unsigned_abs(), width);
    }
}

/// Upper-case hexadecimal, zero-filled to `width`, at most 20.
pub fn hex(line: &mut TextWriter<'_>, number: u64, width: usize) {
    hex_in(b"0123456789ABCDEF", line, number, width);
}

/// Lower-case hexadecimal, zero-filled to `width`, at most 16.
pub fn hex_lower(line: &mut TextWriter<'_>, number: u64, width: usize) {
    hex_in(b"0123456789abcdef", line, number, width);
}

#[inline]
fn hex_in(digits: &[u8; 16], line: &mut TextWriter<'_>, number: u64, width: usize) {
    for at in (0..hex_digits(number).max(width) as u32).rev() {
        let digit = number.checked_shr(4 * at).unwrap_or(0) & 15;
        line.byte(digits[digit as usize]);
    }
}

#[inline]
fn hex_digits(number: u64) -> usize {
    (67 - (number | 1).leading_zeros() as usize) / 4
}

/// Upper-case hexadecimal, space-padded on the left to `width`.
pub fn hex_blank(line: &mut TextWriter<'_>, number: u64, width: usize) {
    blanks(line, width.saturating_sub(hex_digits(number)));
    hex(line, number, 0);
}

#[inline]
pub fn byte(line: &mut TextWriter<'_>, byte: u8) {
    hex(line, byte.into(), 2);
}

/// A space and two hexadecimal digits.
pub fn blank_byte(line: &mut TextWriter<'_>, byte: u8) {
    line.byte(b' ');
    self::byte(line, byte);
}

/// Up to 32 spaces.
pub fn blanks(line: &mut TextWriter<'_>, count: usize) {
    const BLANKS: [u8; 32] = [b' '; 32];
    line.put_block(&BLANKS, count.min(BLANKS.len()));
}

/// Writes items of `size` bytes each, least significant byte first.
pub fn hex_items(size: u64, bytes: &[u8], line: &mut TextWriter<'_>) {
    for (i, item) in bytes.chunks(size.clamp(1, 8) as usize).enumerate() {
        if i > 0 {
            line.byte(b' ');
        }
        item.iter().rev().for_each(|&b| byte(line, b));
    }
}

/// Writes single bytes.
pub fn hex_bytes(bytes: &[u8], line: &mut TextWriter<'_>) {
    hex_items(1, bytes, line);
}

/// Writes the number of bytes, then the bytes.
pub fn payload(payload: &[u8], line: &mut TextWriter<'_>) {
    decimal(line, payload.len() as u64);
    line.put(b" B");
    if !payload.is_empty() {
        line.put(b": ");
        hex_bytes(payload, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut TextWriter<'_>)) -> String {
        String::from_utf8(TextWriter::text_of(write)).unwrap()
    }

    #[test]
    fn decimals_are_those_of_the_standard_library() {
        let edges =
            [0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 65_535, 99_999_999, 123_456_789, u32::MAX.into(), u64::MAX];
        for n in edges.into_iter().chain((0..2_000).map(|i| i * 50_023)) {
            assert_eq!(text(|l| decimal(l, n)), n.to_string());
            assert_eq!(text(|l| stamp(l, n)), format!("{:010} ", n as u32));
            assert_eq!(text(|l| hex_blank(l, n, 16)), format!("{n:16X}"));
            for m in [n as i64, (n as i64).wrapping_neg()] {
                for width in 0..20 {
                    assert_eq!(text(|l| signed(l, m, width)), format!("{m:width$}"));
                    assert_eq!(text(|l| signed_filled(l, m, width)), format!("{m:0width$}"));
                }
            }
            for width in 0..17 {
                assert_eq!(text(|l| hex_lower(l, n, width)), format!("{n:0width$x}"));
            }
            for width in 0..20 {
                assert_eq!(text(|l| unsigned(l, n, width)), format!("{n:width$}"));
                assert_eq!(text(|l| zero_filled(l, n, width)), format!("{n:0width$}"));
                assert_eq!(text(|l| hex(l, n, width)), format!("{n:0width$X}"));
            }
        }
    }

    #[test]
    fn items_are_numbers_and_bytes_are_counted() {
        let out = TextWriter::text_of(|line| {
            hex_items(2, &[1, 2, 0xAB, 0xCD, 5], line);
            line.put(b", ");
            payload(&[1, 0xFF], line);
            line.put(b", ");
            payload(&[], line);
        });
        assert_eq!(out, b"0201 CDAB 05, 2 B: 01 FF, 0 B");
    }
}
