//! Times of this host in its zone: that of the system, or of the variable `TZ`.

use jiff::{Timestamp, Zoned, tz::TimeZone};

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
    fn times_have_their_digits_in_groups() {
        // The zone is that of the machine; it has whole seconds.
        let time = time_of_day(1_795_314_249_205_916_789);
        assert!(time.ends_with(":09.205 916") && time.len() == 16, "{time}");
        let date = date_and_time(1_795_314_249_205_916_789);
        assert!(date.contains(" Nov ") && date.ends_with(":09"), "{date}");
    }
}
