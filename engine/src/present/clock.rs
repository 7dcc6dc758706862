//! Formats times and dates.

use jiff::{Timestamp, Zoned, tz::TimeZone};
use spytui_plugin_api::text::push_grouped;
use spytui_plugin_api::{ClockEvent, batch::ClockFlags};

pub use spytui_plugin_api::text::grouped;

/// Converts ticks of a source to time; the rate may be unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    num: u64,
    den: u64,
    /// Resolution in ns; 0 = unknown.
    res_ns: u32,
    /// Unix time of tick 0 in ns, if known.
    unix: Option<i64>,
    /// The source's own clock, not the target's.
    own: bool,
    /// The reported rate may be wrong, so times are shown in ticks.
    doubtful: bool,
    /// The tick that is shown as zero seconds.
    first: u64,
}

impl Clock {
    pub fn new(event: &ClockEvent) -> Clock {
        Clock {
            num: event.num,
            den: event.den.max(1),
            res_ns: event.res_ns,
            unix: (event.flags.contains(ClockFlags::ZERO)).then_some(event.zero),
            own: event.flags.contains(ClockFlags::OWN),
            doubtful: event.flags.contains(ClockFlags::DOUBTFUL),
            first: if event.flags.contains(ClockFlags::FIRST) { event.first } else { 0 },
        }
    }

    pub fn nanoseconds() -> Clock {
        Clock::new(&ClockEvent { num: 1, den: 1, res_ns: 1, ..ClockEvent::default() })
    }

    /// Whether the rate is known.
    pub fn known(&self) -> bool {
        self.num != 0
    }

    /// `25 ns a tick`; `None` if the rate is unknown, doubtful, or not a whole number of ns.
    pub fn tick_text(&self) -> Option<String> {
        let ns = (self.known() && !self.doubtful && self.num.is_multiple_of(self.den)).then(|| self.num / self.den)?;
        let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];
        let (unit, size) = units.into_iter().find(|(_, size)| ns.is_multiple_of(*size))?;
        Some(format!("{} {unit} a tick", grouped(ns / size)))
    }

    /// Ticks in ns; `None` if the rate is unknown or the result overflows.
    pub fn ns(&self, ticks: u64) -> Option<u64> {
        if self.num == 0 {
            return None;
        }
        if self.den == 1 {
            return ticks.checked_mul(self.num);
        }
        u64::try_from(u128::from(ticks) * u128::from(self.num) / u128::from(self.den)).ok()
    }

    /// Time as lists show it, in ns from the tick shown as zero; `None` if the rate is unknown or the result overflows.
    pub fn ns_shown(&self, ticks: u64) -> Option<i128> {
        let ns = i128::from(self.ns(ticks.abs_diff(self.first))?);
        Some(if ticks < self.first { -ns } else { ns })
    }

    pub fn has_dates(&self) -> bool {
        self.unix.is_some() && self.shows_seconds()
    }

    /// Unix time in ns; `None` if times have no date or the result overflows.
    pub fn unix_ns(&self, ticks: u64) -> Option<i128> {
        let zero = self.unix.filter(|_| self.has_dates())?;
        Some(i128::from(self.ns(ticks)?) + i128::from(zero))
    }

    /// Whether ticks of both clocks are comparable: same rate, and neither has its own zero.
    pub fn runs_like(&self, other: &Clock) -> bool {
        let cross = |a: &Clock, b: &Clock| u128::from(a.num) * u128::from(b.den);
        !self.own && !other.own && cross(self, other) == cross(other, self)
    }

    /// Time in ns for comparison with other clocks; plain ticks if the rate is unknown.
    pub fn position(&self, ticks: u64) -> i128 {
        if self.num == 0 {
            return i128::from(ticks);
        }
        let ns = u128::from(ticks) * u128::from(self.num) / u128::from(self.den);
        let zero = if self.own { self.unix.unwrap_or(0) } else { 0 };
        i128::try_from(ns).unwrap_or(i128::MAX).saturating_add(i128::from(zero))
    }

    /// Text of the time column: grouped ticks, or seconds with as many digits as the resolution allows.
    pub fn time_text(&self, ticks: u64) -> String {
        written(|out| self.push_time(ticks, out))
    }

    pub fn push_time(&self, ticks: u64, out: &mut Vec<u8>) {
        if !self.shows_seconds() {
            return push_grouped(ticks, out);
        }
        if ticks < self.first {
            out.push(b'-');
        }
        self.push_span(ticks.abs_diff(self.first), out);
    }

    /// Appends a number of ticks, or the time they take.
    fn push_span(&self, ticks: u64, out: &mut Vec<u8>) {
        match self.shown_ns(ticks) {
            Some(ns) => push_seconds(ns, self.digits(), out),
            None => push_grouped(ticks, out),
        }
    }

    /// Difference of two times, as `+12` or `+3.21ms`.
    pub fn delta_text(&self, before: u64, now: u64) -> String {
        written(|out| self.push_delta(before, now, out))
    }

    /// The time from one to the other: `1.20s`, `48 ticks`.
    pub fn lasted_text(&self, before: u64, now: u64) -> String {
        let unit = if self.shows_seconds() { "" } else { " ticks" };
        format!("{}{unit}", self.delta_text(before, now).trim_start_matches('+'))
    }

    pub fn push_delta(&self, before: u64, now: u64, out: &mut Vec<u8>) {
        let (sign, ticks) = if now >= before { (b'+', now - before) } else { (b'-', before - now) };
        out.push(sign);
        match self.shown_ns(ticks) {
            Some(ns) => push_ns(ns, out),
            None => push_count(ticks, out),
        }
    }

    /// Difference of two times for a column in microseconds, with as many digits as the resolution allows and six columns
    /// hold: `+0.125`, `+26.801`, `+950016`. From a second on, with its unit: `+1.20s`.
    pub fn micros_text(&self, before: u64, now: u64) -> String {
        let Some(ns) = self.shown_ns(before.abs_diff(now)).filter(|ns| *ns < 1_000_000_000) else {
            return self.delta_text(before, now);
        };
        let whole = (ns / 1_000).to_string();
        let decimals = self.digits().saturating_sub(6).min(5_usize.saturating_sub(whole.len()));
        let fraction = format!(".{:03}", ns % 1_000);
        let shown = if decimals > 0 { decimals + 1 } else { 0 };
        format!("{}{whole}{}", if now >= before { '+' } else { '-' }, &fraction[..shown])
    }

    /// Difference of two times in full, as `+400 018` or `-0.000 009 12`.
    pub fn distance_text(&self, from: u64, to: u64) -> String {
        let sign = if to >= from { '+' } else { '-' };
        format!("{sign}{}", written(|out| self.push_span(to.abs_diff(from), out)))
    }

    /// Ticks in ns; `None` if they are shown as ticks.
    pub fn shown_ns(&self, ticks: u64) -> Option<u64> {
        if self.doubtful { None } else { self.ns(ticks) }
    }

    fn digits(&self) -> usize {
        let ns = if self.res_ns != 0 { u64::from(self.res_ns) } else { (self.num / self.den.max(1)).max(1) };
        9 - ns.max(1).ilog10().min(6) as usize
    }

    /// Whether times are shown in seconds: the rate is known, and not in doubt.
    pub fn shows_seconds(&self) -> bool {
        self.known() && !self.doubtful
    }

    /// Width of the time column: 11 for ticks, 13 for seconds.
    pub fn width(&self) -> usize {
        if self.shows_seconds() { 13 } else { 11 }
    }
}

fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends a decimal number; short ones as a block that is cut, which takes no call.
#[inline]
pub(crate) fn push_number(n: u64, out: &mut Vec<u8>) {
    if n >= 100_000_000 {
        return out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
    }
    // Splits all parts in half at once; the first digit is in the lowest byte.
    let fours = (n / 10_000) | ((n % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    let digits = tens | ((pairs - tens * 10) << 8);
    let zeros = (digits | (1 << 56)).trailing_zeros() / 8;
    let end = out.len() + 8 - zeros as usize;
    out.extend_from_slice(&((digits + 0x3030_3030_3030_3030) >> (8 * zeros)).to_le_bytes());
    out.truncate(end);
}

/// `0.000 009 1`: seconds, decimals in groups of three.
fn push_seconds(ns: u64, digits: usize, out: &mut Vec<u8>) {
    push_number(ns / 1_000_000_000, out);
    out.push(b'.');
    // A leading one preserves the zeros.
    let mut buffer = itoa::Buffer::new();
    let fraction = buffer.format(1_000_000_000 + ns % 1_000_000_000).as_bytes();
    for (i, start) in [1, 4, 7].into_iter().enumerate() {
        let shown = digits.saturating_sub(3 * i).min(3);
        if shown > 0 {
            out.extend_from_slice(if i > 0 { b" " } else { b"" });
            out.extend_from_slice(fraction.get(start..start + shown).unwrap_or_default());
        }
    }
}

/// At most six columns: `468`, `200.0k`, `13.4M`.
pub fn short_count(n: u64) -> String {
    written(|out| push_count(n, out))
}

fn push_count(n: u64, out: &mut Vec<u8>) {
    let (unit, letter) = match n {
        0..=99_999 => return push_number(n, out),
        100_000..=999_999 => (1_000, b'k'),
        1_000_000..=999_999_999 => (1_000_000, b'M'),
        1_000_000_000..=999_999_999_999 => (1_000_000_000, b'G'),
        _ => (1_000_000_000_000, b'T'),
    };
    push_number(n / unit, out);
    out.push(b'.');
    push_number(n / (unit / 10) % 10, out);
    out.push(letter);
}

/// At most six columns: `725ns`, `1.23us`, `13.4ms`, `120s`.
pub fn short_ns(ns: u64) -> String {
    written(|out| push_ns(ns, out))
}

fn push_ns(ns: u64, out: &mut Vec<u8>) {
    let (div, unit) = match ns {
        0..=999 => (1, "ns"),
        1_000..=999_999 => (1_000, "us"),
        1_000_000..=999_999_999 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    let whole = ns / div;
    push_number(whole, out);
    if div > 1 && whole < 100 {
        out.push(b'.');
        let hundredths = ns % div * 100 / div;
        push_number(hundredths / 10, out);
        if whole < 10 {
            push_number(hundredths % 10, out);
        }
    }
    out.extend_from_slice(unit.as_bytes());
}

/// The unit that suits durations up to this one, with its size in ns: at most five digits.
pub fn unit_of_ns(ns: u64) -> (u64, &'static str) {
    match ns {
        0..1_000 => (1, "ns"),
        1_000..100_000_000 => (1_000, "us"),
        100_000_000..100_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    }
}

/// A duration in a unit: `0.600us`, `4.20us`, `46 400us`.
pub fn ns_in(ns: u64, (size, unit): (u64, &str)) -> String {
    let fraction = format!(".{:03}", ns % size * 1_000 / size);
    let digits = (ns / size).checked_ilog10().map_or(0, |digits| digits as usize + 1);
    let shown = if size > 1 && digits < 3 { 4 - digits } else { 0 };
    format!("{}{}{unit}", grouped(ns / size), &fraction[..shown])
}

/// `2026-03-11 09:14:22.137 021 456`; `None` for an impossible time.
pub fn date_text(unix_ns: i128) -> Option<String> {
    let time = Timestamp::from_nanosecond(unix_ns).ok()?;
    let fraction = format!("{:09}", unix_ns.rem_euclid(1_000_000_000));
    let (milli, rest) = fraction.split_at(3);
    let (micro, nano) = rest.split_at(3);
    Some(format!("{}.{milli} {micro} {nano}", time.strftime("%Y-%m-%d %H:%M:%S")))
}

/// Date with microseconds, without its year in fewer than [`DATE`] columns.
pub fn date_in(unix_ns: i128, columns: usize) -> Option<String> {
    let text = date_text(unix_ns)?;
    let from = if columns < DATE { DATE - SHORT_DATE } else { 0 };
    text.get(from..DATE).map(str::to_owned)
}

/// Columns of `2026-03-11 09:14:22.137 021`.
pub const DATE: usize = 27;
/// Columns of `03-11 09:14:22.137 021`.
pub const SHORT_DATE: usize = 22;

fn local(unix_ns: u64) -> Option<Zoned> {
    let time = Timestamp::from_nanosecond(unix_ns.into()).ok()?;
    Some(time.to_zoned(TimeZone::system()))
}

/// `02:24:09.205 916`; empty for an impossible time.
pub fn time_of_day(unix_ns: u64) -> String {
    let micros = unix_ns / 1_000 % 1_000_000;
    let fraction = format!(".{:03} {:03}", micros / 1_000, micros % 1_000);
    local(unix_ns).map_or_else(String::new, |time| time.strftime("%H:%M:%S").to_string() + &fraction)
}

/// `22 Nov 02:15:42`; empty for an impossible time.
pub fn date_and_time(unix_ns: u64) -> String {
    local(unix_ns).map_or_else(String::new, |time| time.strftime("%-d %b %H:%M:%S").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_a_column_have_one_unit() {
        assert_eq!(
            [999, 1_000, 99_999_999, 100_000_000, 100_000_000_000].map(|ns| unit_of_ns(ns).1),
            ["ns", "us", "us", "ms", "s"]
        );
        let in_us = [5, 600, 4_200, 99_900, 46_400_000].map(|ns| ns_in(ns, unit_of_ns(46_400_000)));
        assert_eq!(in_us, ["0.005us", "0.600us", "4.20us", "99.9us", "46 400us"]);
        assert_eq!(ns_in(7, unit_of_ns(7)), "7ns");
    }

    #[test]
    fn numbers_of_all_lengths_are_appended() {
        let powers = (0..20).map(|digits| 10_u64.pow(digits));
        let numbers =
            powers.flat_map(|power| [power - 1, power, power + 1, power.wrapping_mul(7) / 3]).chain(0..20_000);
        for number in numbers.chain([u64::MAX]) {
            let mut out = b"n=".to_vec();
            push_number(number, &mut out);
            assert_eq!(out, format!("n={number}").as_bytes());
        }
    }

    #[test]
    fn ticks_stay_ticks_without_a_rate() {
        let clock = Clock::default();
        assert_eq!(clock.time_text(327_490_841), "327 490 841");
        assert_eq!(clock.delta_text(327_490_841, 327_690_859), "+200.0k");
        assert_eq!(clock.delta_text(10, 7), "-3");
        assert_eq!((clock.distance_text(400_018, 0), clock.distance_text(7, 7)), ("-400 018".into(), "+0".into()));
        assert_eq!(clock.ns(5), None);
    }

    #[test]
    fn ticks_become_time_with_one() {
        let clock = Clock::new(&ClockEvent { num: 25, den: 1, res_ns: 25, ..ClockEvent::default() });
        assert_eq!(clock.time_text(365), "0.000 009 12");
        assert_eq!(clock.delta_text(0, 5), "+125ns");
        assert_eq!(clock.delta_text(0, 49), "+1.22us");
        assert_eq!(clock.distance_text(0, 365), "+0.000 009 12");
        assert_eq!(short_ns(13_400_000), "13.4ms");
        assert_eq!(clock.tick_text().as_deref(), Some("25 ns a tick"));
        let none = ClockFlags::empty();
        let rate = |num, den, flags| Clock::new(&ClockEvent { num, den, flags, ..ClockEvent::default() }).tick_text();
        assert_eq!(rate(1_000_000_000, 1_000, none).as_deref(), Some("1 ms a tick"));
        assert_eq!(
            (rate(1_000_000_000, 3, none), rate(5, 1, ClockFlags::DOUBTFUL), rate(0, 1, none)),
            (None, None, None)
        );
        assert_eq!(Clock::new(&ClockEvent { num: u64::MAX, den: 1, ..ClockEvent::default() }).ns(u64::MAX), None);
    }

    #[test]
    fn a_column_of_deltas_has_one_unit() {
        let rate = |num, res_ns| Clock::new(&ClockEvent { num, den: 1, res_ns, ..ClockEvent::default() });
        let column = |clock: Clock| [0, 5, 49, 1_072, 20_000_000, 48_000_000].map(|now| clock.micros_text(0, now));
        assert_eq!(column(rate(25, 25)), ["+0.00", "+0.12", "+1.22", "+26.80", "+500000", "+1.20s"]);
        assert_eq!(column(rate(1_000, 0))[..4], ["+0", "+5", "+49", "+1072"]);
        assert_eq!(
            (rate(1, 0).micros_text(1_234_005, 0), rate(0, 0).micros_text(0, 5)),
            ("-1234.0".into(), "+5".into())
        );
    }

    #[test]
    fn seconds_count_from_the_first_record_where_the_target_ran_long_before() {
        let flags = ClockFlags::FIRST;
        let clock =
            Clock::new(&ClockEvent { num: 1, den: 1, res_ns: 10, first: 7_000, flags, ..ClockEvent::default() });
        assert_eq!(
            [7_000, 865_695, 6_000].map(|t| clock.time_text(t)),
            ["0.000 000 00", "0.000 858 69", "-0.000 001 00"]
        );
        assert_eq!(
            (clock.distance_text(7_000, 8_000), clock.delta_text(6_000, 8_000)),
            ("+0.000 001 00".into(), "+2.00us".into())
        );
        assert_eq!(
            (clock.ns(8_000), clock.ns_shown(8_000), clock.ns_shown(6_000)),
            (Some(8_000), Some(1_000), Some(-1_000))
        );
    }

    #[test]
    fn a_clock_whose_zero_is_known_has_dates() {
        let clock = |flags, num| Clock::new(&ClockEvent { num, den: 1, flags, zero: 1_000, ..ClockEvent::default() });
        let dated = clock(ClockFlags::ZERO, 5);
        assert_eq!((dated.has_dates(), dated.unix_ns(3)), (true, Some(1_015)));
        for other in [
            clock(ClockFlags::empty(), 5),
            clock(ClockFlags::ZERO, 0),
            clock(ClockFlags::ZERO | ClockFlags::DOUBTFUL, 5),
        ] {
            assert_eq!((other.has_dates(), other.unix_ns(3)), (false, None));
        }
    }

    #[test]
    fn digits_stand_in_groups_and_units_at_their_limits() {
        let plain = |n: u64| {
            let digits = n.to_string();
            let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|g| str::from_utf8(g).ok()).collect();
            groups.join(" ")
        };
        for n in (0..20).flat_map(|e| [10_u64.pow(e) - 1, 10_u64.pow(e), 12_345_678_901_234_567_890 % 10_u64.pow(e)]) {
            assert_eq!(grouped(n), plain(n));
        }
        let seconds = |ns, digits| written(|out| push_seconds(ns, digits, out));
        assert_eq!((seconds(1_020_300_405, 9), seconds(7, 3)), ("1.020 300 405".into(), "0.000".into()));
        assert_eq!((seconds(999_999_999, 5), seconds(5_000_000_000, 4)), ("0.999 99".into(), "5.000 0".into()));
        let counts = [99_999, 100_000, 999_999, 1_049_999, 999_999_999, 1_000_000_000, 2_560_000_000_000];
        assert_eq!(counts.map(short_count), ["99999", "100.0k", "999.9k", "1.0M", "999.9M", "1.0G", "2.5T"]);
        let times = [0, 999, 1_000, 1_099, 9_999, 10_000, 10_900, 99_999, 100_000, 12_345_678, 1_500_000_000];
        let shown = ["0ns", "999ns", "1.00us", "1.09us", "9.99us", "10.0us", "10.9us", "99.9us", "100us", "12.3ms"];
        assert_eq!(times[..10].iter().map(|&ns| short_ns(ns)).collect::<Vec<_>>(), shown);
        assert_eq!(short_ns(1_500_000_000), "1.50s");
    }

    #[test]
    fn the_year_is_left_out_where_there_is_no_room() {
        let time = 1_773_220_462_137_021_456;
        assert_eq!(date_text(time).as_deref(), Some("2026-03-11 09:14:22.137 021 456"));
        assert_eq!(date_in(time, DATE).as_deref(), Some("2026-03-11 09:14:22.137 021"));
        assert_eq!(date_in(time, SHORT_DATE).as_deref(), Some("03-11 09:14:22.137 021"));
        assert_eq!(date_text(-1).as_deref(), Some("1969-12-31 23:59:59.999 999 999"));
        assert_eq!(date_text(i128::MAX), None);
    }

    #[test]
    fn times_have_their_digits_in_groups() {
        // The time zone is that of the machine; it has whole seconds.
        let time = time_of_day(1_795_314_249_205_916_789);
        assert!(time.ends_with(":09.205 916") && time.len() == 16, "{time}");
        let date = date_and_time(1_795_314_249_205_916_789);
        assert!(date.contains(" Nov ") && date.ends_with(":09"), "{date}");
    }
}
