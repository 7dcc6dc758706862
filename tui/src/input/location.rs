//! Locations in the record list as commands name them: `#714`, `#1:714`, `12.5ms`, `2026-03-11T09:14`,
//! `@0x1a4f0`, `'mark`, `.`, `$`.

use spytui_engine::nearest::nearest;
use spytui_engine::query::{Number, NumberUnit, date};

/// A location in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Where {
    Row(u64),
    /// A row of one of several sources, by that source's number and the row's.
    RowOf(u16, u64),
    /// A time in nanoseconds since the start.
    Ns(u64),
    Date(i128),
    /// A time in target ticks.
    Ticks(u64),
    Byte(u64),
    Mark(String),
    /// The next row of a kind.
    Next(JumpTarget),
    First,
    Last,
    /// The cursor row; only in ranges.
    Here,
}

/// What jumps go to the next one of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JumpTarget {
    Loss,
    Error,
    /// A warning or a reset.
    Warning,
    Reset,
}

/// Words of `:goto` with what they mean.
pub(super) const WORDS: [(&str, Where, &str); 5] = [
    ("gap", Where::Next(JumpTarget::Loss), "next loss"),
    ("error", Where::Next(JumpTarget::Error), "next error"),
    ("reset", Where::Next(JumpTarget::Reset), "next reset"),
    ("first", Where::First, "first row"),
    ("last", Where::Last, "last row"),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowRange {
    /// The selected rows.
    Selection,
    /// From, to; both inclusive, open where `None`.
    Between(Option<Where>, Option<Where>),
}

/// Reads a location.
///
/// # Errors
/// The error, and the nearest known word.
pub fn read_where(text: &str) -> Result<Where, (String, Option<String>)> {
    if let Some((_, place, _)) = WORDS.iter().find(|(word, ..)| *word == text) {
        return Ok(place.clone());
    }
    fixed(text).ok_or_else(|| {
        let near = nearest(text, WORDS.iter().map(|(word, ..)| *word)).map(str::to_owned);
        (format!("not a location: {text}; use #714, 12.5ms, @0x1a4f0, 'mark, gap, error, reset, first or last"), near)
    })
}

/// Reads a range; `None` if the text is none.
pub fn read_range(text: &str) -> Option<RowRange> {
    if text == "sel" {
        return Some(RowRange::Selection);
    }
    let side = |text: &str| match text {
        "" => Some(None),
        "." => Some(Some(Where::Here)),
        "$" => Some(Some(Where::Last)),
        text => fixed(text).map(Some),
    };
    // The cursor row is a dot itself, so more than one cut may be possible: `...$`.
    let dots = text.as_bytes().windows(2).enumerate().filter(|(_, pair)| pair == b"..").map(|(at, _)| at);
    dots.into_iter().find_map(|at| {
        let (from, to) = (side(&text[..at])?, side(&text[at + 2..])?);
        Some(RowRange::Between(from, to))
    })
}

fn fixed(text: &str) -> Option<Where> {
    if let Some(mark) = text.strip_prefix('\'') {
        return (!mark.is_empty()).then(|| Where::Mark(mark.to_owned()));
    }
    if let Some((source, n)) = text.strip_prefix('#').and_then(|t| t.split_once(':')) {
        return Some(Where::RowOf(source.parse().ok()?, n.parse().ok()?));
    }
    if let Some(unix_ns) = date(text) {
        return Some(Where::Date(unix_ns));
    }
    let number = Number::read(text)?;
    let whole = || number.whole().and_then(|n| u64::try_from(n).ok());
    match (text.as_bytes().first(), number.unit) {
        (Some(b'@'), NumberUnit::Plain | NumberUnit::Bytes) => whole().map(Where::Byte),
        (Some(b'@'), _) => None,
        (_, NumberUnit::Plain) => whole().map(Where::Row),
        (Some(b'#'), _) => None,
        (_, NumberUnit::Ticks) => whole().map(Where::Ticks),
        (_, NumberUnit::Time(_)) => number.nanoseconds().and_then(|ns| u64::try_from(ns).ok()).map(Where::Ns),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        for (text, place) in [
            ("#714", Where::Row(714)),
            ("714", Where::Row(714)),
            ("#1:714", Where::RowOf(1, 714)),
            ("12.5ms", Where::Ns(12_500_000)),
            ("2026-03-11T09:14:30.5", Where::Date(1_773_220_470_500_000_000)),
            ("327490841t", Where::Ticks(327_490_841)),
            ("@0x1a4f0", Where::Byte(0x1a4f0)),
            ("'start", Where::Mark("start".into())),
            ("gap", Where::Next(JumpTarget::Loss)),
            ("first", Where::First),
        ] {
            assert_eq!(read_where(text), Ok(place), "{text}");
        }
        assert_eq!(read_where("lsat").unwrap_err().1.as_deref(), Some("last"));
        for wrong in ["", "'", "-5", "1.5", "#x", "@1ms"] {
            assert!(read_where(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_are_read() {
        let between = |from, to| Some(RowRange::Between(from, to));
        assert_eq!(read_range("sel"), Some(RowRange::Selection));
        assert_eq!(read_range("#1..#5"), between(Some(Where::Row(1)), Some(Where::Row(5))));
        assert_eq!(read_range("...$"), between(Some(Where::Here), Some(Where::Last)));
        assert_eq!(read_range("'a.."), between(Some(Where::Mark("a".into())), None));
        assert_eq!(read_range(".."), between(None, None));
        assert_eq!(read_range("1ms..2.5ms"), between(Some(Where::Ns(1_000_000)), Some(Where::Ns(2_500_000))));
        for none in ["kind:Tran", "a..b", "5", ""] {
            assert_eq!(read_range(none), None, "{none}");
        }
    }
}
