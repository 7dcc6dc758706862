//! The header of a `.kev` file: attributes in text, back to back.

use nom::{
    IResult, Parser,
    bytes::complete::{tag, take_until},
    multi::many0,
    sequence::{preceded, terminated},
};

/// First and last words of a header.
pub(crate) const BEGIN: &[u8] = b"TRACE_HEADER_BEGIN::";
pub(crate) const END: &[u8] = b"TRACE_HEADER_END::";

/// What every key begins with, and a value ends at.
const PREFIX: &[u8] = b"TRACE_";
const SEPARATOR: &[u8] = b"::";

/// The attributes that the kernel's loggers write; others may be given on their command line.
pub(crate) const ATTRIBUTES: [&str; 19] = [
    "FILE_NAME",
    "DATE",
    "VER_MAJOR",
    "VER_MINOR",
    "LITTLE_ENDIAN",
    "BIG_ENDIAN",
    "MIDDLE_ENDIAN",
    "ENCODING",
    "BOOT_DATE",
    "CYCLES_PER_SEC",
    "CPU_NUM",
    "SYSNAME",
    "NODENAME",
    "SYS_RELEASE",
    "SYS_VERSION",
    "MACHINE",
    "SYSPAGE_LEN",
    "TRACELOGGER_ARGS",
    "NORMALIZEDN",
];

/// The attributes of a header, in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes<'a>(pub(crate) Vec<(&'a [u8], &'a [u8])>);

/// Parses a header from its first word to its last.
pub(crate) fn attributes(input: &[u8]) -> Attributes<'_> {
    let header: IResult<&[u8], Vec<_>, ()> = preceded(tag(BEGIN), many0(attribute)).parse(input);
    Attributes(header.map(|(_, list)| list).unwrap_or_default())
}

/// A key without its prefix, and its value.
fn attribute(input: &[u8]) -> IResult<&[u8], (&[u8], &[u8]), ()> {
    let key = preceded(tag(PREFIX), terminated(take_until(SEPARATOR), tag(SEPARATOR)));
    (key, take_until(PREFIX)).parse(input)
}

impl<'a> Attributes<'a> {
    pub(crate) fn get(&self, key: &str) -> Option<&'a [u8]> {
        self.0.iter().find(|(name, _)| *name == key.as_bytes()).map(|attribute| attribute.1)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        std::str::from_utf8(self.get(key)?).ok().map(str::trim)
    }

    /// The decimal number that its value begins with.
    pub(crate) fn number(&self, key: &str) -> Option<u64> {
        let text = self.text(key)?;
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        text.get(..digits)?.parse().ok()
    }

    /// Whether words are big-endian, if it says so.
    pub(crate) fn is_big(&self) -> Option<bool> {
        let little = self.get("LITTLE_ENDIAN").map(|_| false);
        little.or_else(|| self.get("BIG_ENDIAN").map(|_| true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_stand_back_to_back_in_any_order() {
        let header = b"TRACE_HEADER_BEGIN::TRACE_CPU_NUM::2TRACE_SYS_RELEASE::7.1.0TRACE_BIG_ENDIAN::TRUE\
            TRACE_TRACELOGGER_ARGS::tracelogger -n 3TRACE_NEW::TRACE_HEADER_END::";
        let found = attributes(header);
        assert_eq!(
            (found.number("CPU_NUM"), found.number("SYS_RELEASE"), found.is_big()),
            (Some(2), Some(7), Some(true))
        );
        assert_eq!(found.text("TRACELOGGER_ARGS"), Some("tracelogger -n 3"));
        assert_eq!((found.text("NEW"), found.text("OTHER"), found.0.len()), (Some(""), None, 5));
        assert_eq!(attributes(b"noise").0.len(), 0);
    }
}
