//! A payload that is too short or too long, as the reference host reads it: the error lines of its getters.

use spytui_plugin_api::TextWriter;

use crate::text::number;

/// Start of every error line.
pub(crate) const ERROR: &[u8] = b"   <COMMS> ERROR    ";

/// What the host reads next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Numbers, by their size.
    Unsigned(u8),
    Signed(u8),
    /// A zero-terminated text.
    Text,
    /// A count and as many items of this size, which the host ignores when it checks the length.
    Memory(u8),
}

/// The bytes that the host has not read yet.
pub(crate) struct Misread<'f> {
    pub(crate) rest: &'f [u8],
    /// The byte after the payload, which the host does not take for one.
    check: u8,
    /// Their number as the host counts them: −1 after an error, so that all that follows fails, too.
    pub(crate) left: i64,
    /// Text of the last error, which stays in the host's line buffer.
    pub(crate) complaint: Option<Vec<u8>>,
}

impl<'f> Misread<'f> {
    pub(crate) fn new(payload: &'f [u8], check: u8) -> Misread<'f> {
        Misread { rest: payload, check, left: payload.len() as i64, complaint: None }
    }

    /// Reads a field; writes an error line if bytes are missing.
    pub(crate) fn field(&mut self, kind: Kind, line: &mut TextWriter<'_>) {
        let first = self.rest.first().copied().unwrap_or(self.check);
        let left = self.left;
        let len = match kind {
            Kind::Unsigned(size) | Kind::Signed(size) => Some(i64::from(size)).filter(|size| left >= *size),
            Kind::Text if first == 0 => Some(1),
            Kind::Text => self.rest.iter().position(|&b| b == 0).filter(|_| left >= 0).map(|end| end as i64 + 1),
            Kind::Memory(size) => {
                Some(1 + i64::from(first) * i64::from(size)).filter(|_| left > 0 && i64::from(first) <= left)
            }
        };
        match len {
            Some(len) => {
                self.rest = self.rest.get(len as usize..).unwrap_or(&[]);
                self.left -= len;
            }
            None => self.complain(kind, line),
        }
    }

    fn complain(&mut self, kind: Kind, line: &mut TextWriter<'_>) {
        let (missing, what) = match kind {
            Kind::Unsigned(size) => (i64::from(size) - self.left, format!("uint{}_t ", 8 * u32::from(size))),
            Kind::Signed(size) => (i64::from(size) - self.left, format!("int{}_t ", 8 * u32::from(size))),
            Kind::Text => (self.left, "string".to_owned()),
            Kind::Memory(_) => (self.left, "memory-dump".to_owned()),
        };
        let complaint = TextWriter::text_of(|text| {
            text.put(ERROR);
            number::signed(text, missing, 0);
            text.put(b" more bytes needed for ");
            text.put(what.as_bytes());
        });
        line.put(&complaint);
        line.end_line();
        self.complaint = Some(complaint);
        self.left = -1;
    }
}
