//! Numbers, times and dates.

use std::{cmp::Ordering, fmt};

use jiff::{
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};

use super::{Comparison, Fact, Num, TestValue};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberUnit {
    /// No unit: a count, a key, or ticks if compared with a time.
    Plain,
    Ticks,
    Bytes,
    /// A time unit, as nanoseconds.
    Time(u64),
    /// A date, in nanoseconds since 1970; the value is its length in nanoseconds, within which moments are equal to it.
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
pub struct NumberLiteral {
    text: String,
    /// Value times 10^`decimals`.
    mantissa: i128,
    decimals: u32,
    pub unit: NumberUnit,
}

impl NumberLiteral {
    /// Parses a number literal, with or without `#` or `@` before it; `None` if malformed or longer than 20 digits.
    pub fn read(text: &str) -> Option<NumberLiteral> {
        let body = text.strip_prefix(['#', '@']).unwrap_or(text);
        let (minus, body) = body.strip_prefix('-').map_or((false, body), |rest| (true, rest));
        let (mantissa, decimals, unit) = match body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
            Some(hex) => (hexadecimal(hex)?, 0, NumberUnit::Plain),
            None => decimal(body)?,
        };
        let mantissa = if minus { -mantissa } else { mantissa };
        Some(NumberLiteral { text: text.to_owned(), mantissa, decimals, unit })
    }

    /// An integer with its text.
    pub(super) fn new(text: &str, value: i128, unit: NumberUnit) -> NumberLiteral {
        NumberLiteral { text: text.to_owned(), mantissa: value, decimals: 0, unit }
    }

    /// Compares a fact in the number's unit with the number; `None` if unknown.
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

    /// Whether it is greater than `other`; `None` if their units are incomparable.
    pub(super) fn exceeds(&self, other: &NumberLiteral) -> Option<bool> {
        let (own, value) = match (self.unit, other.unit) {
            (NumberUnit::Time(own), NumberUnit::Time(value)) => (i128::from(own), i128::from(value)),
            (NumberUnit::Time(_), _) | (_, NumberUnit::Time(_)) => return None,
            _ => (1, 1),
        };
        let own = Num::Decimal(self.mantissa.checked_mul(own)?, self.decimals);
        Some(other.order_of(own, value)?.is_gt())
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

impl fmt::Display for NumberLiteral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const DAY: u64 = 24 * 60 * MINUTE;

#[derive(Debug, Clone, Copy)]
struct Written<'a> {
    text: &'a str,
    day: Option<Date>,
    /// The time of day, and its length: a minute, a second, or a part of one.
    time: Option<(Time, u64)>,
}

/// Parses a date or a range of dates; `None` if the text is neither.
///
/// A day lasts until its end. A time of day is a moment in ranges and orders, such as `..09:15` or `<09:15`; in
/// comparisons for equality it lasts for its last unit written.
pub(super) fn read(text: &str, op: Comparison) -> Option<Result<TestValue, String>> {
    match text.split_once("..") {
        Some((from, to)) if is_like_date(from) || is_like_date(to) => Some(range(from, to)),
        None if is_like_date(text) => Some(single(text, op)),
        _ => None,
    }
}

/// The beginning of a date such as `2026-03-11T09:14`, in nanoseconds since 1970.
pub fn date(text: &str) -> Option<i128> {
    Written::read(text).ok().filter(|_| is_like_date(text))?.unix_ns(None).ok()
}

fn is_like_date(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.contains([':', '-'])
}

fn single(text: &str, op: Comparison) -> Result<TestValue, String> {
    let written = Written::read(text)?;
    let lasts = match (written.time, op) {
        (Some((_, lasts)), Comparison::In | Comparison::Eq | Comparison::Ne) => lasts,
        _ => written.lasts(),
    };
    Ok(TestValue::Number(NumberLiteral::new(text, written.unix_ns(None)?, NumberUnit::Date(lasts))))
}

fn range(from: &str, to: &str) -> Result<TestValue, String> {
    let start = side(from)?;
    let end = side(to)?;
    let day = start.and_then(|start| start.day);
    let start = start.map(|start| start.number(None)).transpose()?;
    let end = end.map(|end| end.number(day)).transpose()?;
    Ok(TestValue::Range(start, end))
}

fn side(text: &str) -> Result<Option<Written<'_>>, String> {
    if text.is_empty() { Ok(None) } else { Written::read(text).map(Some) }
}

impl Written<'_> {
    fn read(text: &str) -> Result<Written<'_>, String> {
        let bare = text.strip_suffix('Z').unwrap_or(text);
        let (day, time) = match bare.split_once('T') {
            Some((day, time)) => (Some(day), Some(time)),
            None if bare.contains(':') => (None, Some(bare)),
            None => (Some(bare), None),
        };
        let day = day.map(|text| read_day(text).ok_or_else(|| format!("not a date: {text}; use 2026-03-11")));
        let time = time.map(|text| read_time(text).ok_or_else(|| format!("not a time of day: {text}; use 09:14:30.5")));
        Ok(Written { text, day: day.transpose()?, time: time.transpose()? })
    }

    /// Nanoseconds after its beginning that it includes as the end of a range.
    fn lasts(&self) -> u64 {
        if self.time.is_some() { 1 } else { DAY }
    }

    fn number(&self, day: Option<Date>) -> Result<NumberLiteral, String> {
        Ok(NumberLiteral::new(self.text, self.unix_ns(day)?, NumberUnit::Date(self.lasts())))
    }

    /// Nanoseconds since 1970; `day` = the day, if not given.
    fn unix_ns(&self, day: Option<Date>) -> Result<i128, String> {
        let text = self.text;
        let day = self.day.or(day).ok_or_else(|| format!("{text} has no day: write it as 2026-03-11T{text}"))?;
        let time = self.time.map_or(Time::midnight(), |(time, _)| time);
        let date = DateTime::from_parts(day, time).to_zoned(TimeZone::UTC).map_err(|error| error.to_string())?;
        Ok(date.timestamp().as_nanosecond())
    }
}

/// Parses `2026-03-11`.
fn read_day(text: &str) -> Option<Date> {
    let has_shape = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    has_shape.then(|| text.parse().ok())?
}

/// Parses `09:14`, `09:14:30` or `09:14:30.5`, with its length.
fn read_time(text: &str) -> Option<(Time, u64)> {
    let has_shape = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.'));
    let time = has_shape.then(|| text.parse().ok())??;
    let lasts = match text.split_once('.') {
        Some((_, decimals)) => SECOND / 10_u64.checked_pow(decimals.len() as u32).filter(|&parts| parts <= SECOND)?,
        None if text.matches(':').count() == 2 => SECOND,
        None => MINUTE,
    };
    Some((time, lasts))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use crate::query::Fact;

    fn order(text: &str, plain: i128, ns: i128) -> Option<Ordering> {
        NumberLiteral::read(text).unwrap().order(&Fact { num: Some(Num::Int(plain)), ns: Some(ns), ..Fact::text("") })
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
            assert_eq!(NumberLiteral::read(word), None, "{word}");
        }
    }

    #[test]
    fn compares_fractions() {
        let exact = |text: &str, digits, decimals| {
            let fact = Fact { num: Some(Num::Decimal(digits, decimals)), ..Fact::text("") };
            NumberLiteral::read(text).unwrap().order(&fact)
        };
        assert_eq!(exact("1795829457123.456789", 1_795_829_457_123_456_789, 6), Some(Ordering::Equal));
        assert_eq!(exact("1795829457123.456789", 1_795_829_457_123_456_788, 6), Some(Ordering::Less));
        assert_eq!(exact("17.5", 17_500_001, 6), Some(Ordering::Greater));
        assert_eq!(exact("17.500001", 175, 1), Some(Ordering::Less));
        let half = NumberLiteral::read("0.5").unwrap();
        let order = |num| half.order(&Fact { num, ns: Some(5), ..Fact::text("") });
        assert_eq!(order(Some(Num::Float(0.25))), Some(Ordering::Less));
        assert_eq!((order(None), order(Some(Num::Float(f64::NAN)))), (None, None));
    }

    /// 2026-03-11T09:14 in seconds since 1970.
    const START: i128 = 1_773_220_440;

    /// Whether a moment, in milliseconds after 09:14, passes.
    fn passes(text: &str, op: Comparison, ms: i128) -> bool {
        let fact = Fact { unix: Some((START * 1_000 + ms) * 1_000_000), ..Fact::text("") };
        let order = |number: &NumberLiteral| number.order(&fact).unwrap();
        match read(text, op).unwrap().unwrap() {
            TestValue::Number(number) => match op {
                Comparison::Lt => order(&number).is_lt(),
                Comparison::Le => order(&number).is_le(),
                Comparison::Gt => order(&number).is_gt(),
                _ => order(&number).is_eq(),
            },
            TestValue::Range(from, to) => {
                from.is_none_or(|from| order(&from).is_ge()) && to.is_none_or(|to| order(&to).is_le())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_range_goes_from_one_moment_to_another() {
        let range = |text: &str| [-1, 0, 59_999, 60_000, 60_001].map(|ms| passes(text, Comparison::In, ms));
        let minute = [false, true, true, true, false];
        for text in
            ["2026-03-11T09:14..09:15", "2026-03-11T09:14:00..2026-03-11T09:15Z", "2026-03-11T09:14..09:15:00.000"]
        {
            assert_eq!(range(text), minute, "{text}");
        }
        assert_eq!(range("2026-03-11T09:14.."), [false, true, true, true, true]);
        assert_eq!(range("..2026-03-11T09:14"), [true, true, false, false, false]);
        assert_eq!(range("2026-03-10..2026-03-11"), [true; 5]);
    }

    #[test]
    fn alone_it_is_all_that_is_written() {
        let at = |text: &str, op| [-1, 0, 999, 1_000, 60_000].map(|ms| passes(text, op, ms));
        assert_eq!(at("2026-03-11T09:14", Comparison::In), [false, true, true, true, false]);
        assert_eq!(at("2026-03-11T09:14:00", Comparison::Eq), [false, true, true, false, false]);
        assert_eq!(at("2026-03-11T09:14:00.9", Comparison::In), [false, false, true, false, false]);
        assert_eq!(at("2026-03-11", Comparison::In), [true; 5]);
        assert_eq!(at("2026-03-11T09:14", Comparison::Lt), [true, false, false, false, false]);
        assert_eq!(at("2026-03-11T09:14", Comparison::Gt), [false, false, true, true, true]);
        assert_eq!((at("2026-03-11", Comparison::Le), at("2026-03-11", Comparison::Gt)), ([true; 5], [false; 5]));
    }

    #[test]
    fn other_times_have_no_date() {
        let Some(Ok(TestValue::Number(date))) = read("2026-03-11", Comparison::In) else { panic!() };
        assert_eq!(date.order(&Fact { ns: Some(5), ..Fact::text("") }), None::<Ordering>);
        for text in ["5", "5s", "1s..2s", "x:y", "-5", "..", "a-b..c"] {
            assert!(read(text, Comparison::In).is_none(), "{text}");
        }
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, message) in [
            ("09:14..09:15", "09:14 has no day: write it as 2026-03-11T09:14"),
            ("..09:15", "09:15 has no day: write it as 2026-03-11T09:15"),
            ("2026-02-30", "not a date: 2026-02-30; use 2026-03-11"),
            ("2026-3-11", "not a date: 2026-3-11; use 2026-03-11"),
            ("2026-03-11T25:00", "not a time of day: 25:00; use 09:14:30.5"),
            ("2026-03-11T09:14..5s", "not a date: 5s; use 2026-03-11"),
            ("2026-03-11T", "not a time of day: ; use 09:14:30.5"),
        ] {
            assert_eq!(read(text, Comparison::In), Some(Err(message.to_owned())), "{text}");
        }
    }
}
