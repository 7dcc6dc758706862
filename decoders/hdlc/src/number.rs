//! Numbers as text, by hand: decimals and hexadecimals.

use crate::line::{Line, Sink};

const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
2021222324252627282930313233343536373839\
4041424344454647484950515253545556575859\
6061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";
const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Digits of a number, right-aligned in a buffer that is filled up with zeros.
pub struct Digits {
    buffer: [u8; 20],
    first: usize,
}

impl Digits {
    /// Of a number in decimal.
    #[inline]
    pub fn decimal(number: u64) -> Digits {
        let mut buffer = [b'0'; 20];
        let (high, low) = (number / EIGHT_DIGITS, (number % EIGHT_DIGITS) as u32);
        let digits = eight(low);
        if let Some(place) = buffer.last_chunk_mut() {
            *place = digits.to_le_bytes();
        }
        match high {
            0 => Digits { buffer, first: 12 + zeros_before(digits) },
            high => Digits::long(buffer, high),
        }
    }

    /// Puts the digits in front of the last eight.
    #[cold]
    fn long(mut buffer: [u8; 20], mut high: u64) -> Digits {
        let mut first = 12;
        while high > 0 && first > 0 {
            first -= 1;
            buffer[first] = b'0' + (high % 10) as u8;
            high /= 10;
        }
        Digits { buffer, first }
    }

    #[inline]
    fn hex(number: u64) -> Digits {
        let mut buffer = [b'0'; 20];
        let [_, _, _, _, high @ .., _, _, _, _, _, _, _, _] = &mut buffer;
        *high = hex8((number >> 32) as u32);
        if let Some(low) = buffer.last_chunk_mut() {
            *low = hex8(number as u32);
        }
        let digits = (67 - (number | 1).leading_zeros() as usize) / 4;
        Digits { buffer, first: 20 - digits }
    }

    /// The digits alone.
    pub fn text(&self) -> &[u8] {
        self.buffer.get(self.first..).unwrap_or(&[])
    }

    /// At least `width` digits, zero-filled; up to 20.
    pub fn filled(&self, width: usize) -> &[u8] {
        self.buffer.get(self.first.min(20usize.saturating_sub(width))..).unwrap_or(&[])
    }
}

/// Eight hexadecimal digits, all at once: each nibble in a byte of its own, plus `0`, plus 7 from `A` on.
#[inline]
fn hex8(number: u32) -> [u8; 8] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let n = u64::from(number);
    let n = (n | n << 16) & 0x0000_FFFF_0000_FFFF;
    let n = (n | n << 8) & 0x00FF_00FF_00FF_00FF;
    let n = (n | n << 4) & (ONES * 15);
    let letters = (n + ONES * 6) >> 4 & ONES;
    (n + ONES * 0x30 + letters * 7).to_be_bytes()
}

/// Plain decimal.
#[inline]
pub fn decimal<S: Sink>(line: &mut Line<'_, S>, number: u64) {
    match number {
        0..10 => line.byte(b'0' + number as u8),
        10..EIGHT_DIGITS => {
            let digits = eight(number as u32);
            let zeros = zeros_before(digits);
            line.put_block(&(digits >> (zeros * 8)).to_le_bytes(), 8 - zeros);
        }
        _ => line.put(Digits::decimal(number).text()),
    }
}

/// Decimal, zero-filled to `width`, at most 20.
#[inline]
pub fn zero_filled<S: Sink>(line: &mut Line<'_, S>, number: u64, width: usize) {
    line.put(Digits::decimal(number).filled(width));
}

/// A time stamp: 10 digits, zero-filled, and a blank.
#[inline]
pub fn stamp<S: Sink>(line: &mut Line<'_, S>, number: u64) {
    Stamps::default().put(line, number);
}

/// Time stamps one after the other. Mostly only the last four digits differ from those of the one before.
#[derive(Clone, Copy, Debug)]
pub struct Stamps {
    /// The least stamp with these digits in front.
    base: u64,
    /// The first six of ten digits, the first one lowest.
    front: u64,
}

impl Default for Stamps {
    fn default() -> Self {
        Stamps { base: 0, front: ZEROS >> 16 }
    }
}

impl Stamps {
    /// Writes 10 digits, zero-filled, and a blank.
    #[inline]
    pub fn put<S: Sink>(&mut self, line: &mut Line<'_, S>, number: u64) {
        // Stamps have no more than 32 bits.
        let number = number & u64::from(u32::MAX);
        if number.wrapping_sub(self.base) >= 10_000 {
            self.base = number / 10_000 * 10_000;
            self.front = eight((number / 10_000) as u32) >> 16;
        }
        let last = number.wrapping_sub(self.base) as usize;
        let pair = |number: usize| u64::from(u16::from_le_bytes(pair_of(number)));
        let front = self.front | pair(last / 100) << 48;
        let back = pair(last % 100) as u32 | u32::from(b' ') << 16;
        line.put_in_place(11, |text: &mut [u8; 12]| {
            if let Some(place) = text.first_chunk_mut() {
                *place = front.to_le_bytes();
            }
            if let Some(place) = text.last_chunk_mut() {
                *place = back.to_le_bytes();
            }
        });
    }
}

/// The character `0` eight times.
const ZEROS: u64 = 0x3030_3030_3030_3030;
/// The least number with more than eight digits.
const EIGHT_DIGITS: u64 = 100_000_000;

/// Zeros in front of eight digits, of which the last one counts whatever it is.
#[inline]
fn zeros_before(digits: u64) -> usize {
    ((digits ^ ZEROS) | 1 << 56).trailing_zeros() as usize / 8
}

/// Eight digits of a number below 100 000 000, the first one lowest: halved again and again, all parts at once.
#[inline]
fn eight(number: u32) -> u64 {
    let (high, low) = (u64::from(number / 10_000), u64::from(number % 10_000));
    let fours = high | low << 32;
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds | (fours - hundreds * 100) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    let digits = tens | (pairs - tens * 10) << 8;
    digits + ZEROS
}

/// Ten places with the digits of a number on the right and blanks in front.
#[inline]
pub fn right_aligned(number: u32) -> [u8; 10] {
    const FROM: [u32; 9] = [10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
    let mut text = [0; 10];
    [text[0], text[1]] = pair_of((number / 100_000_000) as usize);
    if let Some(digits) = text.last_chunk_mut() {
        *digits = eight(number % 100_000_000).to_le_bytes();
    }
    // A zero in front and a blank differ in one bit.
    for (place, from) in text.iter_mut().zip(FROM.iter().rev()) {
        *place &= if number < *from { !0x10 } else { !0 };
    }
    text
}

/// Two decimal digits of a number below 100.
#[inline]
fn pair_of(number: usize) -> [u8; 2] {
    PAIRS.as_chunks::<2>().0.get(number).copied().unwrap_or(*b"00")
}

/// Signed decimal, blank-filled in front to `width`.
pub fn signed<S: Sink>(line: &mut Line<'_, S>, number: i64, width: usize) {
    let digits = Digits::decimal(number.unsigned_abs());
    let minus: &[u8] = if number < 0 { b"-" } else { b"" };
    blanks(line, width.saturating_sub(digits.text().len() + minus.len()));
    line.put(minus);
    line.put(digits.text());
}

/// Unsigned decimal, blank-filled in front to `width`.
pub fn unsigned<S: Sink>(line: &mut Line<'_, S>, number: u64, width: usize) {
    let digits = Digits::decimal(number);
    blanks(line, width.saturating_sub(digits.text().len()));
    line.put(digits.text());
}

/// Signed decimal in the C format `%0{width}d`: the sign counts in the width, at most 20.
pub fn signed_filled<S: Sink>(line: &mut Line<'_, S>, number: i64, width: usize) {
    let digits = Digits::decimal(number.unsigned_abs());
    if number < 0 {
        line.byte(b'-');
        line.put(digits.filled(width.saturating_sub(1)));
    } else {
        line.put(digits.filled(width));
    }
}

/// Upper-case hexadecimal, zero-filled to `width`, at most 20.
pub fn hex<S: Sink>(line: &mut Line<'_, S>, number: u64, width: usize) {
    line.put(Digits::hex(number).filled(width));
}

/// Upper-case hexadecimal, blank-filled in front to `width`.
pub fn hex_blank<S: Sink>(line: &mut Line<'_, S>, number: u64, width: usize) {
    let digits = Digits::hex(number);
    blanks(line, width.saturating_sub(digits.text().len()));
    line.put(digits.text());
}

/// Two hexadecimal digits.
#[inline]
pub fn byte<S: Sink>(line: &mut Line<'_, S>, byte: u8) {
    line.put_in_place(2, |text: &mut [u8; 2]| [text[0], text[1]] = digits_of(byte));
}

/// A blank and two hexadecimal digits.
#[inline]
pub fn blank_byte<S: Sink>(line: &mut Line<'_, S>, byte: u8) {
    line.put_in_place(3, |text: &mut [u8; 3]| {
        text[0] = b' ';
        [text[1], text[2]] = digits_of(byte);
    });
}

#[inline]
fn digits_of(byte: u8) -> [u8; 2] {
    [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]
}

/// Up to 32 blanks.
pub fn blanks<S: Sink>(line: &mut Line<'_, S>, count: usize) {
    const BLANKS: [u8; 32] = [b' '; 32];
    line.put(BLANKS.get(..count).unwrap_or(&BLANKS));
}

/// A decimal in groups of three digits.
pub fn grouped<S: Sink>(line: &mut Line<'_, S>, number: u64) {
    match number / 1000 {
        0 => decimal(line, number),
        high => {
            grouped(line, high);
            line.byte(b' ');
            zero_filled(line, number % 1000, 3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Line<'_, Vec<u8>>)) -> String {
        let mut out = Vec::new();
        let mut line = Line::new(&mut out, usize::MAX);
        write(&mut line);
        line.finish();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn decimals_are_those_of_the_standard_library() {
        let edges =
            [0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, 65_535, 99_999_999, 123_456_789, u32::MAX.into(), u64::MAX];
        for n in edges.into_iter().chain((0..20_000).map(|i| i * 5003)) {
            assert_eq!(text(|l| decimal(l, n)), n.to_string());
            assert_eq!(text(|l| unsigned(l, n, 12)), format!("{n:12}"));
            assert_eq!(text(|l| zero_filled(l, n, 10)), format!("{n:010}"));
            assert_eq!(text(|l| stamp(l, n)), format!("{:010} ", n as u32));
            assert_eq!(text(|l| hex(l, n, 8)), format!("{n:08X}"));
            assert_eq!(text(|l| hex_blank(l, n, 16)), format!("{n:16X}"));
            let m = n as i64;
            assert_eq!(text(|l| signed(l, m, 6)), format!("{m:6}"));
            assert_eq!(text(|l| signed_filled(l, m, 8)), format!("{m:08}"));
            let right = String::from_utf8_lossy(&right_aligned(n as u32)).into_owned();
            assert_eq!(right, format!("{:10}", n as u32));
        }
    }

    #[test]
    fn stamps_one_after_the_other_are_those_alone() {
        let all =
            [0, 1, 9_999, 10_000, 10_001, 9_999, 123_456_789, 123_459_999, u32::MAX, 5, u32::MAX - 1, 4_294_960_000];
        let one = text(|l| {
            let mut stamps = Stamps::default();
            all.iter().for_each(|&n: &u32| stamps.put(l, n.into()));
        });
        let expected: String = all.iter().map(|n| format!("{n:010} ")).collect();
        assert_eq!(one, expected);
    }

    #[test]
    fn groups_are_three_digits() {
        assert_eq!(text(|l| grouped(l, 1_002_030)), "1 002 030");
        assert_eq!(text(|l| grouped(l, 7)), "7");
    }
}
