//! Names and texts of the classic trace logs according to format files, and the reference tools' complete lines.

use std::io::Write as _;

use jiff::{Timestamp, fmt::strtime, tz::TimeZone};
use spytui_formats::{Data, FormatCode, FormatTable, NamedTemplate};

use crate::{
    config::Format,
    record::{Classic, EventCode},
};

/// Default header of a line, and the date format in it.
const HEADER: &str = "%D%m %S %M:%N ";
const DATE: &str = "%b %d %T";

impl Format {
    pub(crate) fn split(self, code: u32) -> (u32, u16) {
        match self {
            Format::Qnx4 => (code >> 12, (code & 0xFFF) as u16),
            Format::Nto1 { .. } => (code >> 8, (code & 0xFF) as u16),
        }
    }

    /// Number of hex digits in major and minor codes.
    fn digits(self) -> (usize, usize) {
        match self {
            Format::Qnx4 => (5, 3),
            Format::Nto1 { .. } => (6, 2),
        }
    }

    fn severity_name(self, number: u8) -> Option<&'static str> {
        let names: &[&str; 8] = match self {
            Format::Qnx4 => &["CRITICAL", "SEVERE", "TRANSIENT", "EXPECTED", "", "", "COMMON", "TESTING"],
            Format::Nto1 { .. } => &["SW0", "SW1", "SW2", "SW3", "HW0", "HW1", "HW2", "HW3"],
        };
        names.get(usize::from(number)).copied().filter(|name| !name.is_empty())
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<'t> {
    pub(crate) table: &'t FormatTable,
    pub(crate) format: Format,
}

impl<'t> Lines<'t> {
    /// Appends a complete line without its end.
    pub(crate) fn put_line(&self, record: &Classic<'_>, out: &mut Vec<u8>) {
        let mut rest = self.table.header.as_deref().unwrap_or(HEADER);
        while let Some((before, after)) = rest.split_once('%') {
            out.extend_from_slice(before.as_bytes());
            let mut letters = after.chars();
            self.put_placeholder(letters.next().unwrap_or('%'), record, out);
            rest = letters.as_str();
        }
        out.extend_from_slice(rest.as_bytes());
        self.put_text(record, out);
    }

    /// Appends the text of a record by its template, or its bytes without a template.
    pub(crate) fn put_text(&self, record: &Classic<'_>, out: &mut Vec<u8>) {
        let bytes = record.data();
        let data = Data {
            is_big_endian: self.format.is_big(),
            int_size: if record.small { 2 } else { 4 },
            ..Data::new(&bytes)
        };
        match self.entry(record.what) {
            Some(entry) => entry.template.render(&data, &|_, _| false, out),
            None => data.put_without_template(out),
        }
    }

    pub(crate) fn entry(&self, what: EventCode) -> Option<&'t NamedTemplate> {
        match what {
            EventCode::Profile(opcode) => self.table.events.get(&FormatCode::Opcode(opcode)),
            EventCode::Code { code, .. } => {
                let (major, minor) = self.format.split(code);
                let entry = |minor| self.table.events.get(&FormatCode::Minor(major, minor));
                entry(Some(minor)).or_else(|| entry(None))
            }
        }
    }

    /// Appends the name of the major code, or `KERNEL` for an event of the kernel profile.
    pub(crate) fn put_major(&self, what: EventCode, out: &mut Vec<u8>) {
        let EventCode::Code { code, .. } = what else { return out.extend_from_slice(b"KERNEL") };
        let (number, _) = self.format.split(code);
        match self.table.majors.get(&number) {
            Some(major) => out.extend_from_slice(major.as_bytes()),
            None => put_hex(number, self.format.digits().0, out),
        }
    }

    /// Appends the name of the minor code, or of an event of the kernel profile.
    pub(crate) fn put_minor(&self, what: EventCode, out: &mut Vec<u8>) {
        let (number, digits, other) = match what {
            EventCode::Profile(opcode) => (u16::from(opcode), 2, None),
            EventCode::Code { code, .. } => {
                let (major, minor) = self.format.split(code);
                let entry = |minor| self.table.events.get(&FormatCode::Minor(major, minor));
                let other = if entry(Some(minor)).is_none() { entry(None) } else { None };
                (minor, self.format.digits().1, other)
            }
        };
        if let Some(other) = other {
            out.extend_from_slice(other.name.as_bytes());
            out.push(b'.');
        } else if let Some(entry) = self.entry(what) {
            return out.extend_from_slice(entry.name.as_bytes());
        }
        put_hex(number.into(), digits, out);
    }

    /// Appends the name of a severity, or `prof` for an event of the kernel profile.
    fn put_severity(&self, what: EventCode, out: &mut Vec<u8>) {
        let EventCode::Code { severity, .. } = what else { return out.extend_from_slice(b"prof") };
        match self.table.severities.get(&severity).map(String::as_str).or(self.format.severity_name(severity)) {
            Some(name) => out.extend_from_slice(name.as_bytes()),
            None => drop(write!(out, "sev{severity}")),
        }
    }

    fn put_placeholder(&self, letter: char, record: &Classic<'_>, out: &mut Vec<u8>) {
        let (major_digits, minor_digits) = self.format.digits();
        match (letter, record.what, record.opcode) {
            ('D', ..) => self.put_date(record.seconds.into(), out),
            ('m', ..) => self.put_milliseconds(record.nanos / 1_000_000, out),
            ('S', what, _) => self.put_severity(what, out),
            ('M', what, _) => self.put_major(what, out),
            ('N', what, _) => self.put_minor(what, out),
            ('C', EventCode::Code { code, .. }, _) => put_hex(code, 8, out),
            ('C', EventCode::Profile(_), _) => put_hex(0, 8, out),
            ('O', _, Some((opcode, _))) => put_hex(opcode.into(), 2, out),
            ('A', _, Some((_, dat20))) => put_hex(dat20, 5, out),
            ('s', EventCode::Code { severity, .. }, _) => drop(write!(out, "{severity}")),
            ('J', EventCode::Code { code, .. }, _) => put_hex(self.format.split(code).0, major_digits, out),
            ('I', EventCode::Code { code, .. }, _) => put_hex(self.format.split(code).1.into(), minor_digits, out),
            ('%', ..) => out.push(b'%'),
            _ => {}
        }
    }

    /// Appends the date of a time (seconds since 1970, UTC), or the seconds if they have no date.
    fn put_date(&self, seconds: i64, out: &mut Vec<u8>) {
        let form = self.table.date.as_deref().unwrap_or(DATE);
        let text = Timestamp::from_second(seconds)
            .and_then(|time| strtime::format(form, &time.to_zoned(TimeZone::UTC)))
            .unwrap_or_else(|_| seconds.to_string());
        out.extend_from_slice(text.as_bytes());
    }

    fn put_milliseconds(&self, millis: u32, out: &mut Vec<u8>) {
        // Eight bytes are enough for any size in the template; it shows the low ones.
        let bytes = u64::from(millis).to_le_bytes();
        match &self.table.milli {
            Some(template) => template.render(&Data::new(&bytes), &|_, _| false, out),
            None => drop(write!(out, ".{millis:03}")),
        }
    }
}

fn put_hex(number: u32, digits: usize, out: &mut Vec<u8>) {
    // Writing to a vector never fails.
    let _ = write!(out, "0x{number:0digits$X}");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spytui_formats::Loader;

    use super::*;

    const QNX4: Format = Format::Qnx4;
    const NTO1: Format = Format::Nto1 { big: false, exception: 0xFF };

    /// The line of a record with one byte of data, 5.9 ms after this second.
    fn line_at(lines: &str, format: Format, what: EventCode, seconds: u32) -> String {
        let mut loader = Loader::new();
        loader.add_text(lines.as_bytes());
        let loaded = loader.finish();
        assert_eq!(loaded.faults, []);
        let record = Classic {
            len: 13,
            seconds,
            nanos: 5_999_999,
            what,
            opcode: Some((0x90, 0x12F)),
            small: false,
            arguments: &[1],
            buffer: &[],
        };
        let mut out = Vec::new();
        Lines { table: &loaded.table, format }.put_line(&record, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn line(lines: &str, format: Format, what: EventCode) -> String {
        line_at(lines, format, what, 0)
    }

    const ALL: &str = "(header) \"%D %m %S %s %M %N %J %I %C %O %A %%|\"";

    #[test]
    fn every_placeholder_has_its_text() {
        let code = EventCode::Code { code: 0x0001_2345, severity: 5 };
        assert_eq!(
            line(ALL, QNX4, code),
            "Jan 01 00:00:00 .005 sev5 5 0x00012 0x345 0x00012 0x345 0x00012345 0x90 0x0012F %|data: 01"
        );
        assert_eq!(
            line(ALL, NTO1, code),
            "Jan 01 00:00:00 .005 HW1 5 0x000123 0x45 0x000123 0x45 0x00012345 0x90 0x0012F %|data: 01"
        );
        assert_eq!(
            line(ALL, NTO1, EventCode::Profile(0x0B)),
            "Jan 01 00:00:00 .005 prof  KERNEL 0x0B   0x00000000 0x90 0x0012F %|data: 01"
        );
    }

    #[test]
    fn names_come_from_lines() {
        let lines =
            "severity 5 Five\nmajor 0x12 M\nminor * Rest \"%hhd\"\nminor 1 One \"%hhx\"\n(header) \"%S %M:%N \"";
        assert_eq!(line(lines, QNX4, EventCode::Code { code: 0x12001, severity: 5 }), "Five M:One 1");
        assert_eq!(line(lines, QNX4, EventCode::Code { code: 0x12002, severity: 3 }), "EXPECTED M:Rest.0x002 1");
    }

    #[test]
    fn dates_are_in_utc() {
        let date = |form: &str, seconds| {
            line_at(&format!("(date) \"{form}\"\n(header) \"%D|\""), QNX4, EventCode::Profile(0), seconds)
        };
        assert_eq!(date("%b %d %T", 895_001_000), "May 12 19:23:20|data: 01");
        assert_eq!(date("%Y-%m-%e %H:%M:%S %%", 0), "1970-01- 1 00:00:00 %|data: 01");
        assert_eq!(date("%Y", u32::MAX), "2106|data: 01");
    }

    proptest! {
        #[test]
        fn any_header_can_be_written(header in "([ -!#-$&-~ä]|%[DmSsMNJICOA%]){0,20}", code in any::<u32>(), seconds in any::<u32>()) {
            let lines = format!("(header) \"{}\"", header.replace('\\', "\\\\"));
            for what in [EventCode::Code { code, severity: code as u8 & 7 }, EventCode::Profile(code as u8)] {
                let written = [QNX4, NTO1].map(|format| line_at(&lines, format, what, seconds));
                prop_assert!(written.iter().all(|line| line.ends_with("data: 01")));
            }
        }
    }

    #[test]
    fn milliseconds_are_one_integer() {
        for (form, text) in [(".%03d", ".005"), ("%hhd", "5"), ("%lld|", "5|"), ("%u", "5")] {
            let lines = format!("(milli) \"{form}\"\n(header) \"%m \"");
            assert_eq!(line(&lines, QNX4, EventCode::Profile(0)), format!("{text} data: 01"));
        }
    }
}
