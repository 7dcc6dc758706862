//! Why a frame has no valid event.

use super::number;
use crate::{
    layout::Ty,
    record::{Cause, VarintError},
};
use spytui_plugin_api::TextWriter;

/// Writes the cause.
pub(super) fn cause(cause: &Cause, line: &mut TextWriter<'_>) {
    match cause {
        Cause::Empty => line.put(b"frame end without a frame"),
        Cause::Cobs => line.put(b"a code byte points past its end: bytes are missing or wrong"),
        Cause::NoId => line.put(b"no event in it"),
        Cause::UnknownId(id) => {
            line.put(b"no event has id 0x");
            number::hex(line, u64::from(*id), 1);
        }
        Cause::Stamp(fault) => {
            line.put(b"time stamp ");
            line.put(varint(*fault));
        }
        Cause::Field(field) if field.ty == Ty::QueueKind => line.put(b"kind of queue missing or unknown"),
        Cause::Field(field) => {
            line.put(field.name.as_bytes());
            line.put(b" cut or too long");
        }
        Cause::Loose(layout) => {
            line.put(b"bytes left over behind ");
            line.put(layout.name.as_bytes());
        }
        Cause::Text(at, len) => text_fault(*at, *len, line),
    }
}

fn varint(fault: VarintError) -> &'static [u8] {
    match fault {
        VarintError::Missing => b"missing",
        VarintError::Unterminated => b"cut",
        VarintError::TooLong => b"too long",
    }
}

/// Writes the position of invalid UTF-8, in the words of the standard library.
pub(crate) fn text_fault(at: usize, len: Option<usize>, line: &mut TextWriter<'_>) {
    match len {
        Some(len) => {
            line.put(b"invalid utf-8 sequence of ");
            number::decimal(line, len as u64);
            line.put(b" bytes from index ");
        }
        None => line.put(b"incomplete utf-8 byte sequence from index "),
    }
    number::decimal(line, at as u64);
}
