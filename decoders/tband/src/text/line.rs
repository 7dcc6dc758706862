//! A line being written: collected on the stack, handed on in few large pieces.

use crate::{layout::Literal, short::copy};

/// Where text goes.
pub(crate) trait Sink {
    /// Adds bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Sink for spytui_plugin_api::TextWriter<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }
}

const ROOM: usize = 192;
/// Most digits of a number.
const DIGITS: usize = 20;

/// A line. Its text reaches the sink with `finish`, or when it grows long.
pub(crate) struct Line<'s, S: Sink> {
    sink: &'s mut S,
    held: [u8; ROOM],
    len: usize,
}

impl<'s, S: Sink> Line<'s, S> {
    #[inline(always)]
    pub(crate) fn new(sink: &'s mut S) -> Line<'s, S> {
        Line { sink, held: [0; ROOM], len: 0 }
    }

    /// Adds bytes.
    #[inline]
    pub(crate) fn put(&mut self, text: &[u8]) {
        match self.held.get_mut(self.len..self.len + text.len()) {
            Some(place) => {
                copy(place, text);
                self.len += text.len();
            }
            None => self.put_long(text),
        }
    }

    /// Adds a literal, copied as one block. What lies behind its text is overwritten by what comes next.
    #[inline(always)]
    pub(crate) fn literal(&mut self, literal: &Literal) {
        match self.held.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut) {
            Some(place) => {
                *place = literal.bytes;
                self.len += usize::from(literal.len);
            }
            None => self.put(literal.bytes.get(..usize::from(literal.len)).unwrap_or(&[])),
        }
    }

    #[cold]
    fn put_long(&mut self, text: &[u8]) {
        self.flush();
        match self.held.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text);
                self.len = text.len();
            }
            None => self.sink.put(text),
        }
    }

    /// Adds one character.
    #[inline]
    pub(crate) fn byte(&mut self, byte: u8) {
        self.put(&[byte]);
    }

    /// Adds a decimal.
    #[inline]
    pub(crate) fn decimal(&mut self, number: u64) {
        if self.len + DIGITS > ROOM {
            self.flush();
        }
        let Some(place) = self.held.get_mut(self.len..).and_then(<[u8]>::first_chunk_mut::<DIGITS>) else { return };
        self.len += write_decimal(number, place);
    }

    /// Adds a signed decimal.
    #[inline]
    pub(crate) fn signed(&mut self, number: i64) {
        if number < 0 {
            self.byte(b'-');
        }
        self.decimal(number.unsigned_abs());
    }

    /// Adds a decimal in groups of three digits.
    pub(crate) fn grouped(&mut self, number: u64) {
        if number < 1000 {
            return self.decimal(number);
        }
        self.grouped(number / 1000);
        let low = number % 1000;
        self.put(&[b' ', digit(low / 100), digit(low / 10), digit(low)]);
    }

    /// Adds a hexadecimal without leading zeros.
    pub(crate) fn hex(&mut self, byte: u8) {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        if byte > 15 {
            self.byte(DIGITS[usize::from(byte >> 4)]);
        }
        self.byte(DIGITS[usize::from(byte & 15)]);
    }

    /// Hands over what is left.
    #[inline]
    pub(crate) fn finish(mut self) {
        self.flush();
    }

    #[inline]
    fn flush(&mut self) {
        if self.len > 0 {
            self.sink.put(self.held.get(..self.len).unwrap_or(&[]));
            self.len = 0;
        }
    }
}

fn digit(number: u64) -> u8 {
    b'0' + (number % 10) as u8
}

const PAIRS: &[u8; 200] = b"0001020304050607080910111213141516171819\
2021222324252627282930313233343536373839\
4041424344454647484950515253545556575859\
6061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

/// Two digits of a number below 100.
#[inline]
fn pair(number: u32) -> [u8; 2] {
    PAIRS.as_chunks::<2>().0.get(number as usize).copied().unwrap_or(*b"00")
}

/// Writes a number to the beginning of `place`; gives its digits.
#[inline]
fn write_decimal(number: u64, place: &mut [u8; DIGITS]) -> usize {
    const EIGHT: u64 = 1_0000_0000;
    match number {
        0..10 => {
            place[0] = b'0' + number as u8;
            1
        }
        10..EIGHT => below_10_8(number as u32, place),
        _ => {
            let head = write_high(number / EIGHT, place);
            if let Some(low) = place.get_mut(head..).and_then(<[u8]>::first_chunk_mut) {
                *low = eight((number % EIGHT) as u32);
            }
            head + 8
        }
    }
}

/// All but the last eight digits.
#[inline]
fn write_high(number: u64, place: &mut [u8; DIGITS]) -> usize {
    match u32::try_from(number) {
        Ok(number @ 0..1_0000_0000) => below_10_8(number, place),
        _ => write_decimal(number, place),
    }
}

/// Eight digits at most: all of them are made, and those that count are moved to the front.
#[inline]
fn below_10_8(number: u32, place: &mut [u8; DIGITS]) -> usize {
    let word = u64::from_le_bytes(eight(number));
    let zeros = ((word & 0x0F0F_0F0F_0F0F_0F0F).trailing_zeros() / 8).min(7);
    if let Some(place) = place.first_chunk_mut() {
        *place = (word >> (8 * zeros)).to_le_bytes();
    }
    8 - zeros as usize
}

/// Eight digits with leading zeros.
#[inline]
fn eight(number: u32) -> [u8; 8] {
    let (high, low) = (number / 10_000, number % 10_000);
    let [[a, b], [c, d], [e, f], [g, h]] = [pair(high / 100), pair(high % 100), pair(low / 100), pair(low % 100)];
    [a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Line<'_, Vec<u8>>)) -> String {
        let mut out = Vec::new();
        let mut line = Line::new(&mut out);
        write(&mut line);
        line.finish();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn decimals_are_those_of_the_standard_library() {
        let mut numbers = vec![0, u64::MAX, i64::MAX as u64, u32::MAX.into()];
        for power in 0..20u32 {
            let ten = 10u64.pow(power);
            numbers.extend([ten - 1, ten, ten + 1, ten.wrapping_mul(9), ten.wrapping_mul(12) / 10]);
        }
        for n in numbers {
            assert_eq!(text(|l| l.decimal(n)), n.to_string());
            assert_eq!(text(|l| l.signed(n as i64)), (n as i64).to_string());
        }
        assert_eq!(text(|l| l.grouped(1_002_034)), "1 002 034");
        assert_eq!(text(|l| (l.hex(0), l.hex(15), l.hex(16), l.hex(255)).0), "0F10FF");
    }

    #[test]
    fn a_line_may_be_as_long_as_it_likes() {
        for len in [0, 1, 235, 236, 237, 255, 256, 257, 1000] {
            let long = "x".repeat(len);
            let got = text(|l| {
                l.put(long.as_bytes());
                l.decimal(u64::MAX);
                l.put(long.as_bytes());
            });
            assert_eq!(got, format!("{long}{}{long}", u64::MAX));
        }
    }
}
