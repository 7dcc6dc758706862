//! Numbers with units, compared exactly.

use std::cmp::Ordering;
use std::fmt;

use super::{Fact, Num};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberUnit {
    /// None: a count, a key, or ticks if compared with a time.
    Plain,
    /// Target ticks.
    Ticks,
    Bytes,
    /// A time unit, as nanoseconds.
    Time(u64),
    /// A date, in nanoseconds since 1970; so many nanoseconds from there on are equal to it.
    Date(u64),
}

const UNITS: [(&str, NumberUnit); 8] = [
    ("ns", NumberUnit::Time(1)),
    ("us", NumberUnit::Time(1_000)),
    ("µs", NumberUnit::Time(1_000)),
    ("ms", NumberUnit::Time(1_000_000)),
    ("s", NumberUnit::Time(1_000_000_000)),
    ("ticks", NumberUnit::Ticks),
    ("t", NumberUnit::Ticks),
    ("B", NumberUnit::Bytes),
];

/// A number literal: decimal with optional fraction and unit, or hexadecimal with `0x`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    text: String,
    /// Value times 10^`decimals`.
    mantissa: i128,
    decimals: u32,
    pub unit: NumberUnit,
}

impl Number {
    /// Parses a complete number literal, optionally prefixed by `#` or `@`; `None` if it is none or has more than 20
    /// digits.
    pub fn read(text: &str) -> Option<Number> {
        let body = text.strip_prefix(['#', '@']).unwrap_or(text);
        let (minus, body) = body.strip_prefix('-').map_or((false, body), |rest| (true, rest));
        let (mantissa, decimals, unit) = match body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
            Some(hex) => (hexadecimal(hex)?, 0, NumberUnit::Plain),
            None => decimal(body)?,
        };
        let mantissa = if minus { -mantissa } else { mantissa };
        Some(Number { text: text.to_owned(), mantissa, decimals, unit })
    }

    /// A date with what it is written as.
    pub(super) fn date(text: &str, unix_ns: i128, span_ns: u64) -> Number {
        Number { text: text.to_owned(), mantissa: unix_ns, decimals: 0, unit: NumberUnit::Date(span_ns) }
    }

    /// Compares what the unit is about with this number; `None` if it is unknown.
    pub(super) fn order(&self, fact: &Fact<'_>) -> Option<Ordering> {
        match self.unit {
            NumberUnit::Time(factor) => self.order_of(Num::Int(fact.ns?), i128::from(factor)),
            NumberUnit::Date(span) => Some(match fact.unix? - self.mantissa {
                ..0 => Ordering::Less,
                after if after < i128::from(span) => Ordering::Equal,
                _ => Ordering::Greater,
            }),
            NumberUnit::Plain | NumberUnit::Ticks | NumberUnit::Bytes => self.order_of(fact.num?, 1),
        }
    }

    /// Whether it is greater than another one; `None` if their units differ in kind.
    pub(super) fn exceeds(&self, other: &Number) -> Option<bool> {
        let (own, value) = match (self.unit, other.unit) {
            (NumberUnit::Time(own), NumberUnit::Time(value)) => (i128::from(own), i128::from(value)),
            (NumberUnit::Time(_), _) | (_, NumberUnit::Time(_)) => return None,
            _ => (1, 1),
        };
        let scaled = |number: &Number, factor: i128, decimals: u32| {
            number.mantissa.checked_mul(factor)?.checked_mul(10_i128.checked_pow(decimals)?)
        };
        Some(scaled(self, own, other.decimals)? > scaled(other, value, self.decimals)?)
    }

    fn order_of(&self, value: Num, factor: i128) -> Option<Ordering> {
        let power = |decimals: u32| 10_i128.checked_pow(decimals);
        let scale = power(self.decimals)?;
        match value {
            Num::Int(int) => Some(int.checked_mul(scale)?.cmp(&self.mantissa.checked_mul(factor)?)),
            Num::Decimal(digits, decimals) => {
                let own = self.mantissa.checked_mul(factor)?;
                let more = power(decimals.saturating_sub(self.decimals))?;
                Some(digits.checked_mul(power(self.decimals.saturating_sub(decimals))?)?.cmp(&own.checked_mul(more)?))
            }
            Num::Float(float) => float.partial_cmp(&(self.mantissa as f64 * factor as f64 / scale as f64)),
        }
    }

    /// The value, if it is an integer without a time unit.
    pub fn whole(&self) -> Option<i128> {
        (self.decimals == 0 && !self.is_time()).then_some(self.mantissa)
    }

    /// The value in nanoseconds, truncated, if it has a time unit.
    pub fn nanoseconds(&self) -> Option<i128> {
        let NumberUnit::Time(factor) = self.unit else { return None };
        self.mantissa.checked_mul(i128::from(factor))?.checked_div(10_i128.checked_pow(self.decimals)?)
    }

    /// Whether it is written with a fraction.
    pub fn has_fraction(&self) -> bool {
        self.decimals > 0
    }

    /// Whether it has a time unit, or is a date.
    pub fn is_time(&self) -> bool {
        matches!(self.unit, NumberUnit::Time(_) | NumberUnit::Date(_))
    }
}

fn hexadecimal(digits: &str) -> Option<i128> {
    let plain = !digits.is_empty() && digits.len() <= 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    plain.then(|| i128::from_str_radix(digits, 16).ok())?
}

fn decimal(text: &str) -> Option<(i128, u32, NumberUnit)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let unit = match unit {
        "" => NumberUnit::Plain,
        word => UNITS.iter().find(|(name, _)| *name == word)?.1,
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let few = !whole.is_empty() && !fraction.is_empty() && whole.len() <= 20 && fraction.len() <= 9;
    if !few || fraction.contains('.') {
        return None;
    }
    let decimals = if digits.contains('.') { fraction.len() as u32 } else { 0 };
    let fraction = if decimals == 0 { "" } else { fraction };
    Some((format!("{whole}{fraction}").parse().ok()?, decimals, unit))
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(text: &str, plain: i128, ns: i128) -> Option<Ordering> {
        Number::read(text).unwrap().order(&Fact { num: Some(Num::Int(plain)), ns: Some(ns), ..Fact::text("") })
    }

    #[test]
    fn reads_units_and_fractions_exactly() {
        assert_eq!(order("0.1ms", 0, 100_000), Some(Ordering::Equal));
        assert_eq!(order("1.5us", 0, 1_499), Some(Ordering::Less));
        assert_eq!(order("12t", 12, 0), Some(Ordering::Equal));
        assert_eq!(order("12ticks", 13, 0), Some(Ordering::Greater));
        assert_eq!(order("0x1a4f0", 0x1a4f0, 0), Some(Ordering::Equal));
        assert_eq!(order("#714", 714, 0), Some(Ordering::Equal));
        assert_eq!(order("-3", -4, 0), Some(Ordering::Less));
        assert_eq!(order("34B", 34, 0), Some(Ordering::Equal));
        assert_eq!(order("18446744073709551615", i128::from(u64::MAX), 0), Some(Ordering::Equal));
    }

    #[test]
    fn leaves_words_alone() {
        for word in ["", "-", "0x", "1.", ".5", "1.2.3", "12x", "0x1g", "ms", "1e5", "99999999999999999999999", "#"] {
            assert_eq!(Number::read(word), None, "{word}");
        }
    }

    #[test]
    fn compares_fractions() {
        let exact = |text: &str, digits, decimals| {
            let fact = Fact { num: Some(Num::Decimal(digits, decimals)), ..Fact::text("") };
            Number::read(text).unwrap().order(&fact)
        };
        assert_eq!(exact("1795829457123.456789", 1_795_829_457_123_456_789, 6), Some(Ordering::Equal));
        assert_eq!(exact("1795829457123.456789", 1_795_829_457_123_456_788, 6), Some(Ordering::Less));
        assert_eq!(exact("17.5", 17_500_001, 6), Some(Ordering::Greater));
        assert_eq!(exact("17.500001", 175, 1), Some(Ordering::Less));
        let half = Number::read("0.5").unwrap();
        let order = |num| half.order(&Fact { num, ns: Some(5), ..Fact::text("") });
        assert_eq!(order(Some(Num::Float(0.25))), Some(Ordering::Less));
        assert_eq!((order(None), order(Some(Num::Float(f64::NAN)))), (None, None));
    }
}
