//! Floating-point numbers as text.

use spytui_plugin_api::TextWriter;

use std::cmp::Ordering;

use crate::text::number::{blanks, digits8, pair_of};

/// Floating-point numbers in the C format `%e`. Caches recent numbers, because many repeat.
#[derive(Debug, Default)]
pub(crate) struct Floats {
    /// Empty before the first number.
    lately: Vec<Lately>,
}

#[derive(Clone, Debug)]
struct Lately {
    bits: u64,
    /// `usize::MAX`, which nobody requests, marks an unused slot.
    decimals: usize,
    text: Vec<u8>,
}

const SLOTS: usize = 16;

impl Floats {
    /// Writes a double in the C format `%{width}.{decimals}e`.
    pub(crate) fn exponent(&mut self, line: &mut TextWriter<'_>, number: f64, width: usize, decimals: usize) {
        let bits = number.to_bits();
        if self.lately.is_empty() {
            let nothing = Lately { bits: 0, decimals: usize::MAX, text: Vec::new() };
            self.lately = vec![nothing; SLOTS];
        }
        let place = ((bits ^ decimals as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) as usize;
        let Some(slot) = self.lately.get_mut(place) else { return };
        if (slot.bits, slot.decimals) != (bits, decimals) {
            (slot.bits, slot.decimals) = (bits, decimals);
            slot.text.clear();
            if quick(number, decimals, &mut slot.text).is_none() {
                slot.text = exponent_text(number, decimals);
            }
        }
        blanks(line, width.saturating_sub(slot.text.len()));
        line.put(&slot.text);
    }
}

const FIVES: [u64; 28] = {
    let mut fives = [1; 28];
    let mut i = 1;
    while i < fives.len() {
        fives[i] = fives[i - 1] * 5;
        i += 1;
    }
    fives
};

/// Formats by exact 128-bit arithmetic; `None` = the number is too large or too small.
fn quick(number: f64, decimals: usize, out: &mut Vec<u8>) -> Option<()> {
    let bits = number.to_bits();
    let (mantissa, biased) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7FF) as i32);
    if decimals > 15 || (biased == 0 && mantissa != 0) {
        return None;
    }
    let negative = bits >> 63 != 0;
    if biased == 0 {
        put_digits(negative, 0, decimals, 0, out);
        return Some(());
    }
    let (mantissa, two) = (mantissa | 1 << 52, biased - 1075);
    // The power of ten of the next lower power of two: the number's own, or one less.
    let mut ten = ((biased - 1023) * 1233) >> 12;
    let most = 10u64.pow(decimals as u32 + 1);
    let mut digits = rounded(mantissa, two, decimals as i32 - ten)?;
    if digits > most {
        ten += 1;
        digits = rounded(mantissa, two, decimals as i32 - ten)?;
    }
    if digits == most {
        // Rounded up to the next power of ten.
        (digits, ten) = (digits / 10, ten + 1);
    }
    (digits >= most / 10).then(|| put_digits(negative, digits, decimals, ten, out))
}

/// `mantissa`·2^`two`·10^`ten`, rounded half to even; `None` = it needs more than 128 bits.
fn rounded(mantissa: u64, two: i32, ten: i32) -> Option<u64> {
    let five = u128::from(*FIVES.get(ten.unsigned_abs() as usize)?);
    let two = two + ten;
    let (mut over, mut under) = (u128::from(mantissa), 1);
    *(if ten < 0 { &mut under } else { &mut over }) *= five;
    let side = if two < 0 { &mut under } else { &mut over };
    let shift = two.unsigned_abs();
    if shift >= side.leading_zeros() {
        return None;
    }
    *side <<= shift;
    let (whole, rest) = match under.is_power_of_two() {
        true => (over >> under.trailing_zeros(), over & (under - 1)),
        false => (over / under, over % under),
    };
    let up = match (rest * 2).cmp(&under) {
        Ordering::Less => 0,
        Ordering::Equal => whole & 1,
        Ordering::Greater => 1,
    };
    u64::try_from(whole + up).ok()
}

/// Writes a sign, a digit, up to 15 decimals after a point, and a two-digit exponent.
fn put_digits(negative: bool, digits: u64, decimals: usize, exponent: i32, out: &mut Vec<u8>) {
    const EIGHT: u64 = 100_000_000;
    let chars = u128::from(digits8((digits / EIGHT) as u32)) | u128::from(digits8((digits % EIGHT) as u32)) << 64;
    let chars = (chars >> (15usize.saturating_sub(decimals) * 8)).to_le_bytes();
    out.extend(negative.then_some(b'-'));
    out.push(chars[0]);
    if decimals > 0 {
        out.push(b'.');
        out.extend_from_slice(&chars[1..=decimals.min(15)]);
    }
    let [tens, ones] = pair_of(exponent.unsigned_abs() as usize);
    out.extend_from_slice(&[b'e', if exponent < 0 { b'-' } else { b'+' }, tens, ones]);
}

/// Formats with the standard library's exact digits.
#[cold]
fn exponent_text(number: f64, decimals: usize) -> Vec<u8> {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if !number.is_finite() {
        return format!("{sign}{}", if number.is_nan() { "nan" } else { "inf" }).into_bytes();
    }
    // The library writes `e5` and `e-5`, C writes `e+05` and `e-05`.
    let text = format!("{number:.decimals$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut TextWriter<'_>)) -> String {
        String::from_utf8(TextWriter::text_of(write)).unwrap()
    }

    #[test]
    fn exponents_are_those_of_c() {
        let of = |n: f64, w: usize, d: usize| text(|l| Floats::default().exponent(l, n, w, d));
        assert_eq!(of(0.0, 7, 0), "  0e+00");
        assert_eq!(of(-1.5, 10, 2), " -1.50e+00");
        assert_eq!(of(1e-300, 9, 1), " 1.0e-300");
        assert_eq!(of(f64::NAN.copysign(-1.0), 7, 0), "   -nan");
        assert_eq!(of(f64::INFINITY, 7, 0), "    inf");
        assert_eq!(of(2.5, 7, 0), "  2e+00");
    }

    #[test]
    fn a_number_that_comes_again_has_the_text_of_its_first_time() {
        let mut floats = Floats::default();
        for round in 0..200u32 {
            for (decimals, base) in [(0, 1.5), (3, -1e300), (3, f64::NAN), (15, 0.1)] {
                let number = base * f64::from(round % 7);
                let out = TextWriter::text_of(|line| floats.exponent(line, number, 0, decimals));
                assert_eq!(out, exponent_text(number, decimals), "{number} {decimals}");
            }
        }
    }

    fn agree(number: f64) {
        for decimals in 0..=15 {
            let slow = exponent_text(number, decimals);
            let mut text = Vec::new();
            if quick(number, decimals, &mut text).is_some() {
                assert_eq!(text, slow, "{number:e} {decimals}");
            }
        }
    }

    #[test]
    fn the_quick_way_gives_the_digits_of_the_exact_one() {
        let mut seed = 7u64;
        for round in 0..3000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let whole = (seed >> 40) as f64;
            agree(f64::from_bits(seed));
            agree(f32::from_bits((seed >> 32) as u32).into());
            agree(whole / 1024.0);
            agree(whole / 1000.0);
            agree(f64::from(round) / 8.0);
        }
        for ten in -40..40 {
            let number: f64 = format!("1e{ten}").parse().unwrap();
            [number, number.next_down(), number.next_up(), -number, number / 2.0].into_iter().for_each(agree);
        }
        [0.0, -0.0, 9.5, 0.5, 1.5, 2.5, 99.5, 9.995, 1e22, 1e23, f64::MAX, f64::MIN_POSITIVE]
            .into_iter()
            .for_each(agree);
    }

    #[test]
    fn usual_numbers_go_the_quick_way() {
        for number in [0.0, 21.5, -0.004, 1e9, 6.02e23, 1.6e-19] {
            assert!((0..=6).all(|decimals| quick(number, decimals, &mut Vec::new()).is_some()), "{number}");
        }
    }
}
