//! Formats numbers and sizes in messages: `4.1 MB`, `916 667`.

use std::time::Duration;

pub use spytui_plugin_api::text::grouped;

/// A duration in full tenths: `0.4 s`, `5 s`.
pub fn seconds_text(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    if tenths.is_multiple_of(10) { format!("{} s", tenths / 10) } else { format!("{}.{} s", tenths / 10, tenths % 10) }
}

/// `12.3 %` from 123.
pub fn percent(permille: u64) -> String {
    format!("{}.{} %", permille / 10, permille % 10)
}

/// A number of bytes: `512 B`, `4.1 MB`, `1.2 GB` (powers of ten).
pub fn size_text(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let (whole, tenth) = (bytes / unit, bytes % unit * 10 / unit);
    if whole >= 100 || tenth == 0 { format!("{whole} {name}") } else { format!("{whole}.{tenth} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_groups_read_well() {
        assert_eq!(size_text(999), "999 B");
        assert_eq!(size_text(4_123_456), "4.1 MB");
        assert_eq!(size_text(64_000_000), "64 MB");
        assert_eq!(size_text(212_000), "212 kB");
        assert_eq!(grouped(916_667), "916 667");
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_000), "1 000");
    }
}
