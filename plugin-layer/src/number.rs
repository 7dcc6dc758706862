//! Numbers in frames, field names with how to show a number and what it means, and their text: scale, words, bits and
//! unit. Used by decoders on a page, formatters and format files.

use std::{
    fmt,
    io::{self, Write},
    str,
};

use spytui_plugin_api::{FieldInfo, FieldMeans, NumberInfo, Severity};

/// A number in a frame: any integer or float type.
///
/// ```
/// use spytui_plugin_layer::{Number, Value};
///
/// let number = u16::read(&[0x34, 0x12, 0xFF], false);
/// assert_eq!(number.map(Number::value), Some(Value::Unsigned(0x1234)));
/// ```
pub trait Number: Copy {
    /// Its size in bytes.
    const BYTES: usize;

    /// The number at the start of `bytes`; `None` = too few bytes.
    fn read(bytes: &[u8], is_big_endian: bool) -> Option<Self>;

    fn value(self) -> Value;
}

/// A number with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Unsigned(u64),
    Signed(i64),
    Single(f32),
    Float(f64),
}

impl Value {
    /// The number as a key of a space, or as bits of flags.
    pub const fn bits(self) -> u64 {
        match self {
            Value::Unsigned(n) => n,
            Value::Signed(n) => n as u64,
            Value::Single(n) => n.to_bits() as u64,
            Value::Float(n) => n.to_bits(),
        }
    }

    /// The number as a float, rounded if necessary.
    pub const fn as_float(self) -> f64 {
        match self {
            Value::Unsigned(n) => n as f64,
            Value::Signed(n) => n as f64,
            Value::Single(n) => n as f64,
            Value::Float(n) => n,
        }
    }
}

macro_rules! number {
    ($($ty:ty => $variant:ident($wide:ty)),*) => {$(
        impl Number for $ty {
            const BYTES: usize = size_of::<$ty>();

            #[inline]
            fn read(bytes: &[u8], is_big_endian: bool) -> Option<Self> {
                let bytes = *bytes.first_chunk()?;
                Some(if is_big_endian { <$ty>::from_be_bytes(bytes) } else { <$ty>::from_le_bytes(bytes) })
            }

            #[inline]
            fn value(self) -> Value {
                Value::$variant(self as $wide)
            }
        }
    )*};
}

number! {
    u8 => Unsigned(u64), u16 => Unsigned(u64), u32 => Unsigned(u64), u64 => Unsigned(u64),
    i8 => Signed(i64), i16 => Signed(i64), i32 => Signed(i64), i64 => Signed(i64),
    f32 => Single(f32), f64 => Float(f64)
}

/// Name of a field, and how to show its number.
///
/// ```
/// use spytui_plugin_layer::{Named, named};
///
/// const RPM: Named = named("rpm").scale(0.1).unit("rpm");
/// const MODE: Named = named("mode").words(&[(0, "off"), (1, "run"), (7, "fault")]);
/// const FLAGS: Named = named("flags").bits(&[(0, "brake"), (1, "hot")]);
/// ```
///
/// In an application record, a field may be a state or a value over time, which views and exports then show:
///
/// ```
/// # use spytui_plugin_api::Severity;
/// # use spytui_plugin_layer::{Named, named};
/// const RPM: Named = named("rpm").scale(0.1).unit("rpm").value();
/// const MODE: Named = named("mode").words(&[(0, "off"), (1, "run"), (7, "fault")]).severe(&[(7, Severity::ERROR)]).state();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FieldName<'n> {
    pub(super) name: &'n str,
    pub(super) unit: &'n str,
    pub(super) scale: Option<f64>,
    pub(super) words: &'n [(u64, &'n str)],
    pub(super) bits: &'n [(u32, &'n str)],
    pub(super) is_hex: bool,
    pub(super) severe: &'n [(u64, Severity)],
    pub(super) means: FieldMeans,
}

/// A [`FieldName`] with names from the source code.
pub type Named = FieldName<'static>;

pub const fn named(name: &str) -> FieldName<'_> {
    let means = FieldMeans::NOTHING;
    FieldName { name, unit: "", scale: None, words: &[], bits: &[], is_hex: false, severe: &[], means }
}

impl<'n> FieldName<'n> {
    /// Adds a unit, shown after the number.
    pub const fn unit(self, unit: &'n str) -> FieldName<'n> {
        FieldName { unit, ..self }
    }

    /// Multiplies the number by `scale`.
    pub const fn scale(self, scale: f64) -> FieldName<'n> {
        FieldName { scale: Some(scale), ..self }
    }

    /// Adds words for its numbers: an enumeration.
    pub const fn words(self, words: &'n [(u64, &'n str)]) -> FieldName<'n> {
        FieldName { words, ..self }
    }

    /// Adds words for its bits, numbered from 0.
    pub const fn bits(self, bits: &'n [(u32, &'n str)]) -> FieldName<'n> {
        FieldName { bits, ..self }
    }

    /// Shows it in hexadecimal, for example an address.
    pub const fn hex(self) -> FieldName<'n> {
        FieldName { is_hex: true, ..self }
    }

    /// Sets the minimum severity of records in which it has one of these numbers.
    pub const fn severe(self, severe: &'n [(u64, Severity)]) -> FieldName<'n> {
        FieldName { severe, ..self }
    }

    /// Makes it a state that lasts until the next record, in application records.
    pub const fn state(self) -> FieldName<'n> {
        FieldName { means: FieldMeans::STATE, ..self }
    }

    /// Makes it a value over time, in application records.
    pub const fn value(self) -> FieldName<'n> {
        FieldName { means: FieldMeans::VALUE, ..self }
    }

    pub(super) fn severity_of(&self, number: u64) -> Option<Severity> {
        self.severe.iter().filter(|(own, _)| *own == number).map(|(_, severity)| *severity).max()
    }
}

impl From<FieldName<'_>> for FieldInfo {
    fn from(named: FieldName<'_>) -> FieldInfo {
        let word = |number: u64, word: &str| NumberInfo {
            number,
            word: word.into(),
            severity: named.severity_of(number).unwrap_or(Severity::NORMAL),
        };
        let has_word = |number: u64| named.words.iter().any(|(own, _)| *own == number);
        let without = named.severe.iter().filter(|(number, _)| !has_word(*number)).map(|(number, _)| word(*number, ""));
        let words = named.words.iter().map(|(number, text)| word(*number, text)).chain(without).collect();
        let unit = named.unit.into();
        FieldInfo { name: named.name.into(), means: named.means, unit, words, ..FieldInfo::default() }
    }
}

impl<'n> From<&'n str> for FieldName<'n> {
    fn from(name: &'n str) -> FieldName<'n> {
        named(name)
    }
}

/// Powers of ten, up to the maximum number of decimals for scales that are not small.
const POWERS: [u64; 7] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
/// Scales below this keep all their decimals.
const SMALL: f64 = 0.1;
/// Maximum number of zeros after the decimal point of a small scale.
const MOST_ZEROS: u32 = 24;
/// Maximum relative error of a binary fraction that stands for a decimal one.
const NEARLY: f64 = 1e-12;
/// Doubles are exact up to 15 digits.
const EXACT: f64 = 1e15;
const WHOLE_SINGLE: f64 = (1_u64 << f32::MANTISSA_DIGITS) as f64;

impl FieldName<'_> {
    /// Appends a number as text: word or bits, or the scaled number, and the unit.
    pub fn put(&self, value: Value, out: &mut Vec<u8>) {
        // Writing to memory never fails.
        let _ = self.write(value, out);
    }

    /// Like [`FieldName::put`], to any text.
    pub(super) fn write(&self, value: Value, out: &mut impl Write) -> io::Result<()> {
        self.write_without_unit(value, out)?;
        if self.unit.is_empty() {
            return Ok(());
        }
        out.write_all(b" ")?;
        out.write_all(self.unit.as_bytes())
    }

    /// Appends a number, its word or its bits.
    pub(super) fn write_without_unit(&self, value: Value, out: &mut impl Write) -> io::Result<()> {
        if !self.bits.is_empty() {
            write_bits(value.bits(), self.bits, out)
        } else if let Some((_, word)) = self.words.iter().find(|(number, _)| *number == value.bits()) {
            out.write_all(word.as_bytes())
        } else if self.is_hex {
            write!(out, "{:#x}", value.bits())
        } else if let Some(scale) = self.scale {
            product(value, scale).write(out)
        } else {
            write_plain(value, out)
        }
    }
}

/// Multiplies a number by its scale: an integer keeps the decimals of the scale, a float is rounded to its type.
pub fn scaled(value: Value, scale: Option<f64>) -> Value {
    let Some(scale) = scale else { return value };
    Value::Float(product(value, scale).as_float())
}

#[derive(Clone, Copy)]
pub(super) enum Product {
    /// Digits that fit a double, and the power of ten to divide by.
    Short(f64, u64),
    /// Longer digits, and how many of them are decimals.
    Long(i128, u32),
    Float(Value),
}

/// Multiplies a number by a scale in decimal: 0.07 times 100 is 7.
pub(super) fn product(value: Value, scale: f64) -> Product {
    let number = match value {
        Value::Unsigned(n) => i128::from(n),
        Value::Signed(n) => i128::from(n),
        Value::Single(n) => return Product::Float(Value::Single(float_product(n, scale).unwrap_or(n * scale as f32))),
        Value::Float(n) => return Product::Float(Value::Float(float_product(n, scale).unwrap_or(n * scale))),
    };
    if let Some(power) = power(scale) {
        let digits = (value.as_float() * scale * power as f64).round();
        if digits.abs() < EXACT {
            return Product::Short(digits, power);
        }
    }
    let float = || float_product(number as f64, scale).unwrap_or(value.as_float() * scale);
    long_product(number, scale).unwrap_or_else(|| Product::Float(Value::Float(float())))
}

/// Digits and power of ten of a number in exponential notation.
fn decimal(text: &str) -> Option<(i128, i32)> {
    let (digits, exponent) = text.split_once('e')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent: i32 = exponent.parse().ok()?;
    Some((format!("{whole}{fraction}").parse().ok()?, exponent - fraction.len() as i32))
}

/// Multiplies a float by a scale in decimal. `None` = the product is 0 or not a number.
fn float_product<T: fmt::LowerExp + str::FromStr>(number: T, scale: f64) -> Option<T> {
    let (number, scale) = (decimal(&format!("{number:e}"))?, decimal(&format!("{scale:e}"))?);
    let digits = number.0.checked_mul(scale.0).filter(|digits| *digits != 0)?;
    format!("{digits}e{}", number.1 + scale.1).parse().ok()
}

/// Exact product of an integer and a scale, rounded if the scale has many decimals. `None` = too many digits.
fn long_product(number: i128, scale: f64) -> Option<Product> {
    let (digits, exponent) = decimal(&format!("{scale:e}"))?;
    let product = number.checked_mul(digits)?;
    let Ok(decimals) = u32::try_from(-exponent) else {
        return Some(Product::Long(product.checked_mul(10_i128.checked_pow(exponent.unsigned_abs())?)?, 0));
    };
    // Zeros between the scale's decimal point and its first digit.
    let zeros = decimals.saturating_sub(digits.unsigned_abs().checked_ilog10().unwrap_or(0) + 1);
    if zeros > MOST_ZEROS {
        return None;
    }
    let shown = decimals.min(zeros + POWERS.len() as u32 - 1);
    let cut = 10_i128.checked_pow(decimals - shown)?;
    let half = product.signum() * (cut / 2);
    Some(Product::Long(product.checked_add(half)? / cut, shown))
}

impl Product {
    fn as_float(self) -> f64 {
        match self {
            Product::Short(digits, power) => digits / power as f64,
            Product::Long(..) => {
                let mut text = Vec::new();
                let _ = self.write(&mut text);
                str::from_utf8(&text).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
            }
            Product::Float(Value::Single(n)) => {
                fewest_digits(n).map_or(n.into(), |(digits, power)| digits / power as f64)
            }
            Product::Float(value) => value.as_float(),
        }
    }

    pub(super) fn write(self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Product::Short(digits, power) => write_digits(digits, power, out),
            Product::Long(digits, decimals) => write_long(digits, decimals, out),
            Product::Float(value) => write_plain(value, out),
        }
    }

    /// Whether a double may not hold all its digits.
    pub(super) fn is_beyond_double(&self) -> bool {
        matches!(self, Product::Long(..))
    }
}

/// The smallest power of ten that makes a scale an integer; `None` if a small scale needs more.
fn power(scale: f64) -> Option<u64> {
    let makes_whole = |power: &u64| {
        let digits = scale * *power as f64;
        (digits - digits.round()).abs() <= digits.abs() * NEARLY
    };
    let [smaller @ .., most] = POWERS;
    let is_usual = || makes_whole(&most) || scale.abs() >= SMALL;
    smaller.into_iter().find(makes_whole).or_else(|| is_usual().then_some(most))
}

/// Appends digits with a decimal point before the last `decimals`.
fn write_long(digits: i128, decimals: u32, out: &mut impl Write) -> io::Result<()> {
    let power = 10_u128.saturating_pow(decimals);
    let sign = if digits < 0 { "-" } else { "" };
    let (whole, behind) = (digits.unsigned_abs() / power, digits.unsigned_abs() % power);
    match decimals {
        0 => write!(out, "{sign}{whole}"),
        _ => write!(out, "{sign}{whole}.{behind:0width$}", width = decimals as usize),
    }
}

fn write_digits(digits: f64, power: u64, out: &mut impl Write) -> io::Result<()> {
    if digits.is_sign_negative() {
        out.write_all(b"-")?;
    }
    let digits = digits.abs() as u64;
    let mut buffer = itoa::Buffer::new();
    out.write_all(buffer.format(digits / power).as_bytes())?;
    if power == 1 {
        return Ok(());
    }
    // The leading 1 keeps zeros after the decimal point.
    let behind = buffer.format(power + digits % power);
    out.write_all(b".")?;
    out.write_all(behind.get(1..).unwrap_or_default().as_bytes())
}

/// Appends an unscaled number: the shortest digits of a float, with an exponent if it is very large or small.
fn write_plain(value: Value, out: &mut impl Write) -> io::Result<()> {
    let mut buffer = itoa::Buffer::new();
    match value {
        Value::Unsigned(n) => out.write_all(buffer.format(n).as_bytes()),
        Value::Signed(n) => out.write_all(buffer.format(n).as_bytes()),
        Value::Single(n) => match fewest_digits(n) {
            Some((digits, power)) => write_digits(digits, power, out),
            None if !n.is_finite() || (1e-4..1e16).contains(&n.abs()) => write!(out, "{n}"),
            None => write!(out, "{n:e}"),
        },
        Value::Float(n) if n == 0.0 || !n.is_finite() || (1e-4..1e16).contains(&n.abs()) => write!(out, "{n}"),
        Value::Float(n) => write!(out, "{n:e}"),
    }
}

/// The shortest digits that identify a float, and the power of ten to divide by; same result as the standard formatter.
/// `None` = very large or small.
fn fewest_digits(number: f32) -> Option<(f64, u64)> {
    let (bits, wide) = (number.to_bits(), f64::from(number.abs()));
    if wide == 0.0 {
        return Some((number.into(), 1));
    }
    if !(1e-3..WHOLE_SINGLE).contains(&wide) {
        return None;
    }
    // Below a power of two, floats are denser: only exact digits are certain to identify it.
    let is_power = bits.trailing_zeros() >= f32::MANTISSA_DIGITS - 1;
    // Digits closer than this identify the number and no neighbour.
    let near = (f64::from(f32::from_bits(bits + 1).abs()) - wide) / 2.0;
    // 24 bits of mantissa and at most 21 of the power of ten fit a double, so nothing is rounded.
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

/// Appends the words of the bits that are set, and the remaining bits in hexadecimal.
fn write_bits(number: u64, words: &[(u32, &str)], out: &mut impl Write) -> io::Result<()> {
    let (mut rest, mut between) = (number, "");
    for (bit, word) in words.iter().filter(|(bit, _)| number >> (bit & 63) & 1 == 1) {
        out.write_all(between.as_bytes())?;
        out.write_all(word.as_bytes())?;
        between = if word.is_empty() { between } else { "+" };
        rest &= !(1 << (bit & 63));
    }
    if rest != 0 || between.is_empty() { write!(out, "{between}{rest:#x}") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named;

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
            [(1.0, 0), (250.0, 0), (0.1, 1), (3.3, 1), (-0.25, 2), (0.0625, 4), (1e-6, 6), (1.0 / 3.0, 6)]
        {
            assert_eq!(power(scale).map(u64::ilog10), Some(expected), "{scale}");
        }
        assert_eq!(power(1e-9), None);
        for digits in 1..2000 {
            let scale = f64::from(digits) / 1000.0;
            let text = format!("{scale}");
            let decimals = text.split_once('.').map_or(0, |(_, behind)| behind.len());
            assert_eq!(power(scale).unwrap().ilog10() as usize, decimals, "{scale}");
        }
    }

    #[test]
    fn every_scaled_number_is_the_one_that_its_digits_mean() {
        for scale in [0.1, 0.01, 0.001, 0.25, 0.0625, 3.3] {
            for number in 0..20_000_u64 {
                let Value::Float(found) = scaled(Value::Unsigned(number), Some(scale)) else { panic!("a float") };
                let digits = format!("{:.*}", power(scale).unwrap().ilog10() as usize, number as f64 * scale);
                assert_eq!(found, digits.parse::<f64>().unwrap(), "{number} times {scale}");
            }
        }
    }

    fn text(named: FieldName<'_>, value: Value) -> String {
        let mut text = Vec::new();
        named.put(value, &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_scaled_integer_has_the_digits_of_the_product() {
        let numbers = (0..2000).chain((0..63).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]));
        for (scale, digits, decimals) in [
            (1.0, 1, 0),
            (0.1, 1, 1),
            (-0.25, -25, 2),
            (0.0625, 625, 4),
            (3.3, 33, 1),
            (1e-6, 1, 6),
            (1e-9, 1, 9),
            (250.0, 250, 0),
            (0.005_493_16, 549_316, 8),
        ] {
            for number in numbers.clone().flat_map(|number| [number, -number]) {
                let product = i128::from(number) * digits;
                let power = 10_i128.pow(decimals);
                let sign = if product < 0 || product == 0 && scale < 0.0 { "-" } else { "" };
                let mut expected = format!("{sign}{}", product.abs() / power);
                if decimals > 0 {
                    expected += &format!(".{:0width$}", product.abs() % power, width = decimals as usize);
                }
                let found = text(named("n").scale(scale), Value::Signed(number));
                let is_zero = product == 0 && found.trim_start_matches('-') == expected.trim_start_matches('-');
                assert!(found == expected || is_zero, "{number} times {scale}: {found} is not {expected}");
                let double = scaled(Value::Signed(number), Some(scale)).as_float();
                assert_eq!(double, expected.parse::<f64>().unwrap(), "{number} times {scale}");
            }
        }
    }

    #[test]
    fn no_digit_of_a_large_product_is_made_up() {
        let large = Value::Unsigned(1_795_829_457_123_456_789);
        for (scale, expected) in [
            (1e-6, "1795829457123.456789"),
            (1e-9, "1795829457.123456789"),
            (0.7, "1257080619986419752.3"),
            (1.0, "1795829457123456789"),
            (1000.0, "1795829457123456789000"),
            (1.0 / 3.0, "598609819041152203.139018"),
            (1e-15, "1795.829457123456789"),
            (1e-300, "1.7958294571234568e-282"),
            (1e30, "1.795829457123457e48"),
        ] {
            assert_eq!(text(named("n").scale(scale), large), expected, "{scale}");
        }
    }

    #[test]
    fn a_scaled_float_is_the_shortest_that_means_the_product() {
        let double = |number: f64, scale| text(named("n").scale(scale), Value::Float(number));
        for (number, scale, expected) in [
            (0.07, 100.0, "7"),
            (0.4, 2.0, "0.8"),
            (-0.01, 0.5, "-0.005"),
            (1e300, 1000.0, "1e303"),
            (1e300, 1e10, "inf"),
            (f64::NAN, 0.5, "NaN"),
            (f64::NEG_INFINITY, 0.5, "-inf"),
            (-0.0, 0.5, "-0"),
        ] {
            assert_eq!(double(number, scale), expected, "{number} times {scale}");
        }
        assert_eq!(text(named("n").scale(3.0), Value::Single(0.1)), "0.3");
        assert_eq!(scaled(Value::Single(0.1), Some(3.0)), Value::Float(0.3));
    }

    #[test]
    fn a_float_has_the_fewest_digits_and_an_exponent_beyond_the_usual_sizes() {
        let text = |value| text(named("f"), value);
        assert_eq!(
            [1e300, 1e16, 9e15, 1e-4, 1e-5].map(|n| text(Value::Float(n))),
            ["1e300", "1e16", "9000000000000000", "0.0001", "1e-5"]
        );
        let shortest = |debug: String| debug.replace(".0e", "e").trim_end_matches(".0").to_owned();
        let mut random = 1_u64;
        for _ in 0..100_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let any = f32::from_bits((random >> 32) as u32);
            for single in [any, any.to_bits() as f32 / 1000.0, (any.to_bits() >> 8) as f32] {
                assert_eq!(text(Value::Single(single)), shortest(format!("{single:?}")));
            }
            for double in [f64::from_bits(random), random as f64 / 1e9, (random >> 40) as f64] {
                assert_eq!(text(Value::Float(double)), shortest(format!("{double:?}")));
            }
        }
        for single in
            [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, f32::MAX, 1e-45, 1e-4, 0.1]
        {
            assert_eq!(text(Value::Single(single)), shortest(format!("{single:?}")));
        }
        for power in (0..=u8::MAX).map(|exponent| f32::from_bits(u32::from(exponent) << 23)) {
            assert_eq!(text(Value::Single(power)), shortest(format!("{power:?}")));
            assert_eq!(text(Value::Single(-power)), shortest(format!("{:?}", -power)));
        }
    }

    #[test]
    fn words_and_bits_stand_for_numbers_that_have_them() {
        let text = |named: FieldName<'_>, number| text(named, Value::Unsigned(number));
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
