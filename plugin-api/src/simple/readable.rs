//! Numbers as people read them: scale, words, bits and unit. Decoders on a page, formatters and format files all write
//! numbers here.

use std::fmt::{self, Write};

use abi_stable::std_types::RVec;

use crate::{
    TextWriter,
    simple::{FieldName, Value},
};

/// What text is appended to.
pub(super) trait Line {
    fn put(&mut self, text: &[u8]);
}

/// Takes what is formatted.
struct Formatted<'l, L>(&'l mut L);

impl<L: Line> Write for Formatted<'_, L> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.put(text.as_bytes());
        Ok(())
    }
}

impl Line for Vec<u8> {
    #[inline]
    fn put(&mut self, text: &[u8]) {
        self.extend_from_slice(text);
    }
}

impl Line for RVec<u8> {
    #[inline]
    fn put(&mut self, text: &[u8]) {
        self.extend_from_copy_slice(text);
    }
}

impl Line for TextWriter<'_> {
    #[inline]
    fn put(&mut self, text: &[u8]) {
        TextWriter::put(self, text);
    }
}

/// Powers of ten, up to the most decimals that a scale gives a number.
const POWERS: [u64; 7] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
/// What binary fractions differ at most from the digits that they mean, relative to them.
const NEARLY: f64 = 1e-12;
/// Floats above this have no digits behind the point.
const WHOLE: f64 = (1_u64 << 52) as f64;
/// The same of single floats, which have a digit before the point at least.
const WHOLE_SINGLE: f64 = (1_u64 << f32::MANTISSA_DIGITS) as f64;

impl FieldName<'_> {
    /// Appends a number as text: its word or bits, or scaled, and its unit.
    ///
    /// ```
    /// use spytui_plugin_api::simple::{Value, named};
    ///
    /// let mut text = Vec::new();
    /// named("rpm").scale(0.1).unit("rpm").put(Value::Unsigned(12_365), &mut text);
    /// assert_eq!(text, b"1236.5 rpm");
    /// ```
    pub fn put(&self, value: Value, out: &mut Vec<u8>) {
        self.put_to(value, out);
    }

    /// The same for any line.
    pub(super) fn put_to(&self, value: Value, out: &mut impl Line) {
        if !self.bits.is_empty() {
            put_bits(value.bits(), self.bits, out);
        } else if let Some((_, word)) = self.words.iter().find(|(number, _)| *number == value.bits()) {
            out.put(word.as_bytes());
        } else if self.is_hex {
            put_hex(value.bits(), out);
        } else if let Some(scale) = self.scale {
            put_scaled(value, scale, out);
        } else {
            put_plain(value, out);
        }
        if !self.unit.is_empty() {
            out.put(b" ");
            out.put(self.unit.as_bytes());
        }
    }
}

/// A number multiplied by its scale, with the decimals of that.
#[must_use]
pub fn scaled(value: Value, scale: Option<f64>) -> Value {
    let Some(scale) = scale else { return value };
    let (number, power) = (value.as_float() * scale, power(scale) as f64);
    Value::Float(digits(number, power).map_or(number, |digits| digits / power))
}

/// The digits of a number with as many decimals as this power of ten has zeros: what binary fractions add behind them
/// goes. `None` = it is so large that it has no decimals, or no number.
fn digits(number: f64, power: f64) -> Option<f64> {
    let digits = number * power;
    (digits.abs() < WHOLE).then(|| round(digits))
}

/// As [`f64::round`], which is a call of a library.
#[inline]
fn round(number: f64) -> f64 {
    if number.abs() < WHOLE {
        let whole = number as i64 as f64;
        let away = if (number - whole).abs() < 0.5 { 0.0 } else { 1.0 };
        (whole.abs() + away).copysign(number)
    } else {
        number
    }
}

/// The least power of ten that makes a scale whole.
fn power(scale: f64) -> u64 {
    let makes_whole = |power: &u64| {
        let digits = scale * *power as f64;
        (digits - round(digits)).abs() <= digits.abs() * NEARLY
    };
    let [smaller @ .., most] = POWERS;
    smaller.into_iter().find(makes_whole).unwrap_or(most)
}

/// Appends a number multiplied by its scale. The formatter of floats, which takes many times as long, would find the same
/// digits.
fn put_scaled(value: Value, scale: f64, out: &mut impl Line) {
    let (number, power) = (value.as_float() * scale, power(scale));
    let Some(digits) = digits(number, power as f64) else {
        // A line takes everything.
        let _ = write!(Formatted(out), "{number:.*}", power.ilog10() as usize);
        return;
    };
    put_digits(digits, power, out);
}

/// Appends digits with the point before as many of them as this power of ten has zeros.
fn put_digits(digits: f64, power: u64, out: &mut impl Line) {
    if digits.is_sign_negative() {
        out.put(b"-");
    }
    let digits = digits.abs() as u64;
    let mut buffer = itoa::Buffer::new();
    out.put(buffer.format(digits / power).as_bytes());
    if power > 1 {
        // The first digit stands for the point, so that no zeros behind it are lost.
        let behind = buffer.format(power + digits % power);
        out.put(b".");
        out.put(behind.get(1..).unwrap_or_default().as_bytes());
    }
}

/// Appends a number as it is.
fn put_plain(value: Value, out: &mut impl Line) {
    let mut buffer = itoa::Buffer::new();
    // A line takes everything.
    let _ = match value {
        Value::Unsigned(n) => return out.put(buffer.format(n).as_bytes()),
        Value::Signed(n) => return out.put(buffer.format(n).as_bytes()),
        Value::Single(n) => match fewest_digits(n) {
            Some((digits, power)) => return put_digits(digits, power, out),
            None => write!(Formatted(out), "{n}"),
        },
        Value::Float(n) => write!(Formatted(out), "{n}"),
    };
}

/// The fewest digits that mean a number, and the power of ten that they are to be divided by, as the formatter of floats
/// finds them. `None` = it is not of a usual size.
fn fewest_digits(number: f32) -> Option<(f64, u64)> {
    let (bits, wide) = (number.to_bits(), f64::from(number.abs()));
    if wide == 0.0 {
        return Some((number.into(), 1));
    }
    if !(1e-3..WHOLE_SINGLE).contains(&wide) {
        return None;
    }
    // Of a power of two, the next number below is nearer than that above: digits that are not the number may mean another.
    let is_power = bits.trailing_zeros() >= f32::MANTISSA_DIGITS - 1;
    // Digits nearer than this to the number mean it, and not a number beside it.
    let near = (f64::from(f32::from_bits(bits + 1).abs()) - wide) / 2.0;
    // A number has 24 bits and a power of ten at most 21 without its zeros, so that nothing is rounded.
    let mut power = 1.0;
    for _ in 0..10 {
        let shifted = wide * power;
        let digits = (shifted + 0.5) as i64 as f64;
        if (digits - shifted).abs() < near * power {
            let is_it = !is_power || digits == shifted;
            return is_it.then(|| (digits.copysign(number.into()), power as u64));
        }
        power *= 10.0;
    }
    None
}

/// Appends a number as hexadecimal.
fn put_hex(number: u64, out: &mut impl Line) {
    out.put(b"0x");
    for place in (0..=number.checked_ilog2().unwrap_or(0) / 4).rev() {
        let digit = (number >> (4 * place) & 15) as u8;
        out.put(&[if digit < 10 { b'0' + digit } else { b'a' - 10 + digit }]);
    }
}

/// Appends the words of the bits that are set, and what is set beyond them.
fn put_bits(number: u64, words: &[(u32, &str)], out: &mut impl Line) {
    let (mut rest, mut between) = (number, &b""[..]);
    for (bit, word) in words.iter().filter(|(bit, _)| number >> (bit & 63) & 1 == 1) {
        out.put(between);
        out.put(word.as_bytes());
        between = if word.is_empty() { between } else { b"+" };
        rest &= !(1 << (bit & 63));
    }
    if rest != 0 || between.is_empty() {
        out.put(between);
        put_hex(rest, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simple::named;

    #[test]
    fn a_scaled_number_has_the_decimals_of_its_scale() {
        assert_eq!(scaled(Value::Unsigned(12_365), Some(0.1)), Value::Float(1236.5));
        assert_eq!(scaled(Value::Signed(-3), Some(0.25)), Value::Float(-0.75));
        assert_eq!(scaled(Value::Unsigned(3), Some(10.0)), Value::Float(30.0));
        assert_eq!(scaled(Value::Unsigned(3), None), Value::Unsigned(3));
        let largest = Value::Unsigned(u64::MAX);
        assert_eq!(scaled(largest, Some(0.5)), Value::Float(u64::MAX as f64 / 2.0));
        assert!(matches!(scaled(Value::Float(f64::NAN), Some(0.1)), Value::Float(n) if n.is_nan()));
    }

    #[test]
    fn a_scale_has_the_decimals_that_it_is_written_with() {
        for (scale, expected) in
            [(1.0, 0), (250.0, 0), (0.1, 1), (3.3, 1), (-0.25, 2), (0.0625, 4), (1e-6, 6), (1e-9, 6)]
        {
            assert_eq!(power(scale).ilog10(), expected, "{scale}");
        }
        for digits in 1..2000 {
            let scale = f64::from(digits) / 1000.0;
            let text = format!("{scale}");
            let decimals = text.split_once('.').map_or(0, |(_, behind)| behind.len());
            assert_eq!(power(scale).ilog10() as usize, decimals, "{scale}");
        }
    }

    #[test]
    fn numbers_are_rounded_as_the_library_does() {
        let mut random = 1_u64;
        let any = std::iter::from_fn(|| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            Some(random)
        });
        let numbers =
            any.take(10_000).flat_map(|n| [f64::from_bits(n), n as i64 as f64 / 1e15, (n >> 60) as f64 / 2.0]);
        let odd =
            [0.0, -0.0, 0.5_f64.next_down(), 1.5_f64.next_down(), WHOLE - 0.5, WHOLE, 1e300, f64::INFINITY, f64::NAN];
        for number in numbers.chain(odd).flat_map(|number| [number, -number]) {
            let (rounded, expected) = (round(number), number.round());
            let is_same = rounded.to_bits() == expected.to_bits() || rounded.is_nan() && expected.is_nan();
            assert!(is_same, "{number}: {rounded} is not {expected}");
        }
    }

    #[test]
    fn every_scaled_number_is_the_one_that_its_digits_mean() {
        for scale in [0.1, 0.01, 0.001, 0.25, 0.0625, 3.3] {
            for number in 0..20_000_u64 {
                let Value::Float(found) = scaled(Value::Unsigned(number), Some(scale)) else { panic!("a float") };
                let digits = format!("{:.*}", power(scale).ilog10() as usize, number as f64 * scale);
                assert_eq!(found, digits.parse::<f64>().unwrap(), "{number} times {scale}");
            }
        }
    }

    #[test]
    fn a_scaled_number_is_written_as_floats_are() {
        let numbers = (0..2000).chain((0..63).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]));
        for scale in [1.0, 0.1, -0.25, 0.0625, 3.3, 1e-6, 250.0] {
            for number in numbers.clone().flat_map(|number| [number, -number]).map(Value::Signed) {
                let (mut text, decimals) = (Vec::new(), power(scale).ilog10() as usize);
                named("n").scale(scale).put(number, &mut text);
                let expected = format!("{:.decimals$}", scaled(number, Some(scale)).as_float());
                assert_eq!(String::from_utf8_lossy(&text), expected, "{number:?} times {scale}");
            }
        }
        let text = |number: f64| {
            let mut text = Vec::new();
            named("n").scale(0.5).put(Value::Float(number), &mut text);
            String::from_utf8(text).unwrap()
        };
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, -0.01, 1e300];
        assert_eq!(odd.map(text), odd.map(|number| format!("{:.1}", number * 0.5)));
    }

    #[test]
    fn a_float_is_written_as_its_formatter_does() {
        let text = |value| {
            let mut out = Vec::new();
            named("f").put(value, &mut out);
            String::from_utf8(out).unwrap()
        };
        let mut random = 1_u64;
        for _ in 0..100_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let any = f32::from_bits((random >> 32) as u32);
            for single in [any, any.to_bits() as f32 / 1000.0, (any.to_bits() >> 8) as f32] {
                assert_eq!(text(Value::Single(single)), single.to_string());
            }
            for double in [f64::from_bits(random), random as f64 / 1e9, (random >> 40) as f64] {
                assert_eq!(text(Value::Float(double)), double.to_string());
            }
        }
        for single in [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, f32::MAX, 1e-45, 0.1] {
            assert_eq!(text(Value::Single(single)), single.to_string());
        }
        for power in (0..=u8::MAX).map(|exponent| f32::from_bits(u32::from(exponent) << 23)) {
            assert_eq!(text(Value::Single(power)), power.to_string());
            assert_eq!(text(Value::Single(-power)), (-power).to_string());
        }
    }

    #[test]
    fn words_and_bits_stand_for_numbers_that_have_them() {
        let text = |named: FieldName<'_>, number| {
            let mut out = Vec::new();
            named.put(Value::Unsigned(number), &mut out);
            String::from_utf8(out).unwrap()
        };
        let mode = named("mode").words(&[(0, "off"), (1, "run")]);
        assert_eq!([0, 1, 2].map(|number| text(mode, number)), ["off", "run", "2"]);
        let flags = named("flags").bits(&[(0, "brake"), (7, "limit")]);
        assert_eq!([0, 1, 0x81, 0x83].map(|n| text(flags, n)), ["0x0", "brake", "brake+limit", "brake+limit+0x2"]);
        let without = named("flags").bits(&[(0, ""), (1, "hot"), (2, "")]);
        assert_eq!([1, 3, 6, 8, 9].map(|n| text(without, n)), ["0x0", "hot", "hot+", "0x8", "0x8"]);
        assert_eq!(text(named("at").hex().unit("B"), 255), "0xff B");
        for number in (0..64).map(|bit| 1_u64 << bit).flat_map(|n| [n - 1, n]).chain([0x0123_4567_89ab_cdef, u64::MAX])
        {
            assert_eq!(text(named("at").hex(), number), format!("{number:#x}"));
        }
    }
}
