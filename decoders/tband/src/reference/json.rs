//! Templates of the reference tool's lines, built at compile time from the table of events.

use crate::layout::{Layout, MAX_FIELDS, TABLE, Ty, index};

/// Maximum length of a literal.
pub(crate) const LITERAL: usize = 64;

/// A literal, padded so that it can be copied as one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal {
    pub(crate) bytes: [u8; LITERAL],
    pub(crate) len: u8,
}

impl Literal {
    const EMPTY: Literal = Literal { bytes: [0; LITERAL], len: 0 };

    const fn with(mut self, text: &str) -> Literal {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() {
            self.bytes[self.len as usize] = text[i];
            self.len += 1;
            i += 1;
        }
        self
    }
}

/// The line of an event: the literals before its time stamp, before each field and after the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json {
    /// Literal before the time stamp; empty if there is none.
    pub(crate) stamp: Literal,
    /// Literals before the fields.
    pub(crate) fields: [Literal; MAX_FIELDS],
    /// Literal after the last field.
    pub(crate) tail: Literal,
}

impl Json {
    const EMPTY: Json = Json { stamp: Literal::EMPTY, fields: [Literal::EMPTY; MAX_FIELDS], tail: Literal::EMPTY };

    const fn new(layout: &Layout) -> Json {
        let Layout { rtos, timed, pascal, fields, .. } = *layout;
        let origin = if rtos { Literal::EMPTY.with("{\"FreeRTOS") } else { Literal::EMPTY.with("{\"Base") };
        let (stamp, open, close) = if timed {
            (origin.with("\":{\"ts\":"), Literal::EMPTY.with(",\"kind\":{\""), "}}}}\n")
        } else {
            (Literal::EMPTY, origin.with("Metadata\":{\""), "}}}\n")
        };
        let mut json = Json { stamp, fields: [Literal::EMPTY; MAX_FIELDS], tail: Literal::EMPTY };
        let mut quoted = false;
        let mut i = 0;
        while i < fields.len() {
            let before = if i == 0 { open.with(pascal).with("\":{\"") } else { Literal::EMPTY.with(",\"") };
            let before = before.with(fields[i].name).with("\":");
            quoted = matches!(fields[i].ty, Ty::Text | Ty::QueueKind);
            json.fields[i] = if quoted { before.with("\"") } else { before };
            i += 1;
        }
        json.tail = if quoted { json.tail.with("\"").with(close) } else { json.tail.with(close) };
        json
    }
}

static LINES: [Json; TABLE.len()] = {
    let mut lines = [Json::EMPTY; TABLE.len()];
    let mut i = 0;
    while i < lines.len() {
        lines[i] = Json::new(&TABLE[i]);
        i += 1;
    }
    lines
};

/// The line of an event.
#[inline]
pub(crate) fn json(id: u8) -> Option<&'static Json> {
    LINES.get(index(id))
}
