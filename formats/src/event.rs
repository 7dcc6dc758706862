//! Whole lines of classic QNX traces: header, then text.

use std::io::Write as _;

use crate::{
    data::Data,
    header::HeaderPiece,
    table::{Entry, Table},
    template::{NoFields, put_without_template},
};

/// How a trace code is divided, and what its severities are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// QNX 4: major 20 bits, minor 12 bits.
    Qnx4,
    /// Neutrino 1: major 24 bits, minor 8 bits.
    Nto1,
}

/// A record of a classic trace, apart from its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds of the second.
    pub nanos: u32,
    /// What happened.
    pub what: What,
    /// Opcode of Neutrino 1.
    pub opcode: Option<u8>,
    /// The 20 data bits of Neutrino 1.
    pub dat20: Option<u32>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A trace code, with a severity of 0 to 7.
    Code {
        /// The whole code.
        code: u32,
        /// Severity.
        severity: u8,
    },
    /// An event of the kernel profile, by its opcode.
    Profile(u8),
}

impl Dialect {
    /// Major and minor code.
    #[must_use]
    pub fn split(self, code: u32) -> (u32, u16) {
        match self {
            Dialect::Qnx4 => (code >> 12, (code & 0xFFF) as u16),
            Dialect::Nto1 => (code >> 8, (code & 0xFF) as u16),
        }
    }

    /// Hex digits of major and minor.
    fn digits(self) -> (usize, usize) {
        match self {
            Dialect::Qnx4 => (5, 3),
            Dialect::Nto1 => (6, 2),
        }
    }

    fn severity_name(self, number: u8) -> Option<&'static str> {
        let names: &[&str; 8] = match self {
            Dialect::Qnx4 => &["CRITICAL", "SEVERE", "TRANSIENT", "EXPECTED", "", "", "COMMON", "TESTING"],
            Dialect::Nto1 => &["SW0", "SW1", "SW2", "SW3", "HW0", "HW1", "HW2", "HW3"],
        };
        names.get(usize::from(number)).copied().filter(|name| !name.is_empty())
    }
}

impl Table {
    /// Appends a whole line, without its end.
    pub fn put_line(&self, dialect: Dialect, event: &Event, data: &Data<'_>, out: &mut Vec<u8>) {
        for piece in self.header.pieces() {
            match piece {
                HeaderPiece::Literal(text) => out.extend_from_slice(text.as_bytes()),
                HeaderPiece::Placeholder(letter) => self.put_placeholder(*letter, dialect, event, out),
            }
        }
        self.put_text(dialect, event.what, data, out);
    }

    /// Appends the text of a record by its template, or its bytes if it has none.
    pub fn put_text(&self, dialect: Dialect, what: What, data: &Data<'_>, out: &mut Vec<u8>) {
        match self.entry(dialect, what) {
            Some(entry) => entry.template.render(data, &NoFields, out),
            None => put_without_template(data, out),
        }
    }

    /// The line that names a record.
    #[must_use]
    pub fn entry(&self, dialect: Dialect, what: What) -> Option<&Entry> {
        match what {
            What::Profile(opcode) => self.opcode(opcode),
            What::Code { code, .. } => {
                let (major, minor) = dialect.split(code);
                let major = self.major(major)?;
                major.minor(minor).or(major.other())
            }
        }
    }

    /// Appends the name of the major code; `KERNEL` for an event of the kernel profile.
    pub fn put_major(&self, dialect: Dialect, what: What, out: &mut Vec<u8>) {
        let What::Code { code, .. } = what else {
            out.extend_from_slice(b"KERNEL");
            return;
        };
        let (number, _) = dialect.split(code);
        match self.major(number) {
            Some(major) => out.extend_from_slice(major.name.as_bytes()),
            None => put_hex(number, dialect.digits().0, out),
        }
    }

    /// Appends the name of the minor code, or of an event of the kernel profile.
    pub fn put_minor(&self, dialect: Dialect, what: What, out: &mut Vec<u8>) {
        let (number, digits, other) = match what {
            What::Profile(opcode) => (u16::from(opcode), 2, None),
            What::Code { code, .. } => {
                let (major, minor) = dialect.split(code);
                let major = self.major(major);
                let other = major.filter(|major| major.minor(minor).is_none()).and_then(|major| major.other());
                (minor, dialect.digits().1, other)
            }
        };
        if let Some(other) = other {
            out.extend_from_slice(other.name.as_bytes());
            out.push(b'.');
        } else if let Some(entry) = self.entry(dialect, what) {
            out.extend_from_slice(entry.name.as_bytes());
            return;
        }
        put_hex(number.into(), digits, out);
    }

    /// Appends the name of a severity; `prof` for an event of the kernel profile.
    fn put_severity(&self, dialect: Dialect, what: What, out: &mut Vec<u8>) {
        let What::Code { severity, .. } = what else {
            out.extend_from_slice(b"prof");
            return;
        };
        match self.severity(severity).or(dialect.severity_name(severity)) {
            Some(name) => out.extend_from_slice(name.as_bytes()),
            None => put(out, format_args!("sev{severity}")),
        }
    }

    fn put_placeholder(&self, letter: char, dialect: Dialect, event: &Event, out: &mut Vec<u8>) {
        let code = match event.what {
            What::Code { code, severity } => Some((code, severity)),
            What::Profile(_) => None,
        };
        match letter {
            'D' => self.date.put(event.seconds, out),
            'm' => self.milli.put(event.nanos / 1_000_000, out),
            'S' => self.put_severity(dialect, event.what, out),
            'M' => self.put_major(dialect, event.what, out),
            'N' => self.put_minor(dialect, event.what, out),
            'C' => put_hex(code.map_or(0, |(code, _)| code), 8, out),
            'O' => put_hex_if_any(event.opcode.map(u32::from), 2, out),
            'A' => put_hex_if_any(event.dat20, 5, out),
            's' | 'J' | 'I' => {
                let Some((code, severity)) = code else { return };
                let (major, minor) = dialect.split(code);
                let (major_digits, minor_digits) = dialect.digits();
                match letter {
                    's' => put(out, format_args!("{severity}")),
                    'J' => put_hex(major, major_digits, out),
                    _ => put_hex(minor.into(), minor_digits, out),
                }
            }
            _ => out.push(b'%'),
        }
    }
}

fn put_hex(number: u32, digits: usize, out: &mut Vec<u8>) {
    put(out, format_args!("0x{number:0digits$X}"));
}

fn put_hex_if_any(number: Option<u32>, digits: usize, out: &mut Vec<u8>) {
    if let Some(number) = number {
        put_hex(number, digits, out);
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a vector does not fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loader;

    fn line(lines: &str, dialect: Dialect, what: What) -> String {
        let mut loader = Loader::new();
        loader.add_text(lines.as_bytes());
        let loaded = loader.finish();
        assert_eq!(loaded.faults, []);
        let event = Event { seconds: 0, nanos: 5_999_999, what, opcode: Some(0x90), dat20: Some(0x12F) };
        let mut out = Vec::new();
        loaded.table.put_line(dialect, &event, &Data::new(&[1]), &mut out);
        String::from_utf8(out).unwrap()
    }

    const ALL: &str = "(header) \"%D %m %S %s %M %N %J %I %C %O %A %%|\"";

    #[test]
    fn every_placeholder_has_its_text() {
        let code = What::Code { code: 0x0001_2345, severity: 5 };
        assert_eq!(
            line(ALL, Dialect::Qnx4, code),
            "Jan 01 00:00:00 .005 sev5 5 0x00012 0x345 0x00012 0x345 0x00012345 0x90 0x0012F %|data: 01"
        );
        assert_eq!(
            line(ALL, Dialect::Nto1, code),
            "Jan 01 00:00:00 .005 HW1 5 0x000123 0x45 0x000123 0x45 0x00012345 0x90 0x0012F %|data: 01"
        );
        assert_eq!(
            line(ALL, Dialect::Nto1, What::Profile(0x0B)),
            "Jan 01 00:00:00 .005 prof  KERNEL 0x0B   0x00000000 0x90 0x0012F %|data: 01"
        );
    }

    #[test]
    fn names_come_from_lines() {
        let lines =
            "severity 5 Five\nmajor 0x12 M\nminor * Rest \"%hhd\"\nminor 1 One \"%hhx\"\n(header) \"%S %M:%N \"";
        assert_eq!(line(lines, Dialect::Qnx4, What::Code { code: 0x12001, severity: 5 }), "Five M:One 1");
        assert_eq!(line(lines, Dialect::Qnx4, What::Code { code: 0x12002, severity: 3 }), "EXPECTED M:Rest.0x002 1");
    }
}
