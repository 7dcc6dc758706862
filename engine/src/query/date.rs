//! Dates in expressions, in UTC: `2026-03-11`, `2026-03-11T09:14`, `2026-03-11T09:14:30.5`, and ranges of them, where the
//! end has the day of the start unless it says another: `2026-03-11T09:14..09:15`.

use jiff::{
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};

use super::{Number, Op, Value};

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const DAY: u64 = 24 * 60 * MINUTE;

/// A date as written.
#[derive(Debug, Clone, Copy)]
struct Written<'a> {
    text: &'a str,
    day: Option<Date>,
    /// The time of the day, and how long what is written lasts: a minute, a second, or a part of one.
    time: Option<(Time, u64)>,
}

/// Reads a date or a range of dates; `None` if the text is neither.
///
/// A day lasts until its end. A time of the day is a moment in ranges and orders, such as `..09:15` or `<09:15`, and
/// lasts as long as it is written to where something is to be equal to it.
pub(super) fn read(text: &str, op: Op) -> Option<Result<Value, String>> {
    match text.split_once("..") {
        Some((from, to)) if is_like_date(from) || is_like_date(to) => Some(range(from, to)),
        None if is_like_date(text) => Some(single(text, op)),
        _ => None,
    }
}

/// The moment at which a date begins, such as `2026-03-11T09:14`, in nanoseconds since 1970.
pub fn date(text: &str) -> Option<i128> {
    Written::read(text).ok().filter(|_| is_like_date(text))?.unix_ns(None).ok()
}

fn is_like_date(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.contains([':', '-'])
}

fn single(text: &str, op: Op) -> Result<Value, String> {
    let written = Written::read(text)?;
    let lasts = match (written.time, op) {
        (Some((_, lasts)), Op::In | Op::Eq | Op::Ne) => lasts,
        _ => written.lasts(),
    };
    Ok(Value::Number(Number::date(text, written.unix_ns(None)?, lasts)))
}

fn range(from: &str, to: &str) -> Result<Value, String> {
    let start = side(from)?;
    let end = side(to)?;
    let day = start.and_then(|start| start.day);
    let start = start.map(|start| start.number(None)).transpose()?;
    let end = end.map(|end| end.number(day)).transpose()?;
    Ok(Value::Range(start, end))
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

    /// Nanoseconds after its beginning that belong to it as the end of a range.
    fn lasts(&self) -> u64 {
        if self.time.is_some() { 1 } else { DAY }
    }

    fn number(&self, day: Option<Date>) -> Result<Number, String> {
        Ok(Number::date(self.text, self.unix_ns(day)?, self.lasts()))
    }

    /// Nanoseconds since 1970; `day` = its day, if it says none.
    fn unix_ns(&self, day: Option<Date>) -> Result<i128, String> {
        let text = self.text;
        let day = self.day.or(day).ok_or_else(|| format!("{text} has no day: write it as 2026-03-11T{text}"))?;
        let time = self.time.map_or(Time::midnight(), |(time, _)| time);
        let date = DateTime::from_parts(day, time).to_zoned(TimeZone::UTC).map_err(|error| error.to_string())?;
        Ok(date.timestamp().as_nanosecond())
    }
}

/// Reads `2026-03-11`.
fn read_day(text: &str) -> Option<Date> {
    let has_shape = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    has_shape.then(|| text.parse().ok())?
}

/// Reads `09:14`, `09:14:30` or `09:14:30.5`, and how long that is.
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

    /// 2026-03-11T09:14 in seconds since 1970.
    const START: i128 = 1_773_220_440;

    /// Whether a moment, in milliseconds after 09:14, passes.
    fn passes(text: &str, op: Op, ms: i128) -> bool {
        let fact = Fact { unix: Some((START * 1_000 + ms) * 1_000_000), ..Fact::text("") };
        let order = |number: &Number| number.order(&fact).unwrap();
        match read(text, op).unwrap().unwrap() {
            Value::Number(number) => match op {
                Op::Lt => order(&number).is_lt(),
                Op::Le => order(&number).is_le(),
                Op::Gt => order(&number).is_gt(),
                _ => order(&number).is_eq(),
            },
            Value::Range(from, to) => {
                from.is_none_or(|from| order(&from).is_ge()) && to.is_none_or(|to| order(&to).is_le())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_range_goes_from_one_moment_to_another() {
        let range = |text: &str| [-1, 0, 59_999, 60_000, 60_001].map(|ms| passes(text, Op::In, ms));
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
        assert_eq!(at("2026-03-11T09:14", Op::In), [false, true, true, true, false]);
        assert_eq!(at("2026-03-11T09:14:00", Op::Eq), [false, true, true, false, false]);
        assert_eq!(at("2026-03-11T09:14:00.9", Op::In), [false, false, true, false, false]);
        assert_eq!(at("2026-03-11", Op::In), [true; 5]);
        assert_eq!(at("2026-03-11T09:14", Op::Lt), [true, false, false, false, false]);
        assert_eq!(at("2026-03-11T09:14", Op::Gt), [false, false, true, true, true]);
        assert_eq!((at("2026-03-11", Op::Le), at("2026-03-11", Op::Gt)), ([true; 5], [false; 5]));
    }

    #[test]
    fn other_times_have_no_date() {
        let Some(Ok(Value::Number(date))) = read("2026-03-11", Op::In) else { panic!() };
        assert_eq!(date.order(&Fact { ns: Some(5), ..Fact::text("") }), None::<Ordering>);
        for text in ["5", "5s", "1s..2s", "x:y", "-5", "..", "a-b..c"] {
            assert!(read(text, Op::In).is_none(), "{text}");
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
            assert_eq!(read(text, Op::In), Some(Err(message.to_owned())), "{text}");
        }
    }
}
