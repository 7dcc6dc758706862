//! What stands between the values of an event in the reference tool's text, put together at compile time.

use super::{Field, MAX_FIELDS, Ty};

/// Longest stretch between two values.
pub(crate) const LITERAL: usize = 64;

/// A stretch, filled up, so that it can be copied as one block.
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

/// The line of an event: before its stamp, before each field, behind the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json {
    /// Up to the stamp; empty where there is none.
    pub(crate) stamp: Literal,
    /// Up to each field.
    pub(crate) fields: [Literal; MAX_FIELDS],
    /// Behind the last field.
    pub(crate) tail: Literal,
}

impl Json {
    pub(super) const fn new(rtos: bool, timed: bool, pascal: &str, fields: &[Field]) -> Json {
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
