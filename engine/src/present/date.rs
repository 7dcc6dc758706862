//! Dates of records, in UTC.

use jiff::Timestamp;

/// `2026-03-11 09:14:22.137 021 456`; `None` for an impossible time.
pub fn date_text(unix_ns: i128) -> Option<String> {
    let time = Timestamp::from_nanosecond(unix_ns).ok()?;
    let fraction = format!("{:09}", unix_ns.rem_euclid(1_000_000_000));
    let (milli, rest) = fraction.split_at(3);
    let (micro, nano) = rest.split_at(3);
    Some(format!("{}.{milli} {micro} {nano}", time.strftime("%Y-%m-%d %H:%M:%S")))
}

/// The same to microseconds, without its year if there are fewer than [`DATE`] columns.
pub fn date_in(unix_ns: i128, columns: usize) -> Option<String> {
    let text = date_text(unix_ns)?;
    let from = if columns < DATE { DATE - SHORT_DATE } else { 0 };
    text.get(from..DATE).map(str::to_owned)
}

/// Columns of `2026-03-11 09:14:22.137 021`.
pub const DATE: usize = 27;
/// Columns of `03-11 09:14:22.137 021`.
pub const SHORT_DATE: usize = 22;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_year_is_left_out_where_there_is_no_room() {
        let time = 1_773_220_462_137_021_456;
        assert_eq!(date_text(time).as_deref(), Some("2026-03-11 09:14:22.137 021 456"));
        assert_eq!(date_in(time, DATE).as_deref(), Some("2026-03-11 09:14:22.137 021"));
        assert_eq!(date_in(time, SHORT_DATE).as_deref(), Some("03-11 09:14:22.137 021"));
        assert_eq!(date_text(-1).as_deref(), Some("1969-12-31 23:59:59.999 999 999"));
        assert_eq!(date_text(i128::MAX), None);
    }
}
