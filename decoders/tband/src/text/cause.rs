//! Why a frame holds no event: in the reference tool's words, and in ours.

use super::line::{Line, Sink};
use crate::{event::Cause, layout::Ty, number::Broken};

/// The reference tool's words. None of them needs an escape in JSON.
pub(super) fn reference<S: Sink>(cause: &Cause, line: &mut Line<'_, S>) {
    match cause {
        Cause::Empty => line.put(b"Empty COBS frame"),
        Cause::Cobs => line.put(b"Invalid COBS frame: Pointer past end of block! Are bytes missing?"),
        Cause::NoId => line.put(b"Insufficient bytes left in event to decode a u8"),
        Cause::UnknownId(id) => {
            line.put(b"Invalid event id 0x");
            line.hex(*id);
            line.byte(b'!');
        }
        Cause::Stamp(Broken::Missing) => line.put(b"Insufficient bytes left in event to decode a u64"),
        Cause::Stamp(Broken::Unterminated) => line.put(b"Unterminated u64"),
        Cause::Stamp(Broken::TooLong) => line.put(b"u64 too long!"),
        Cause::Field(field) => {
            line.put(b"Failed to decode '");
            line.put(field.name.as_bytes());
            line.put(b"' ");
            line.put(type_name(field.ty));
            line.put(b" field.");
        }
        Cause::Loose(layout) => {
            line.put(b"Loose bytes at end of '");
            line.put(layout.pascal.as_bytes());
            line.put(b"' event.");
        }
        Cause::Text(at, len) => text(*at, *len, line),
    }
}

fn type_name(ty: Ty) -> &'static [u8] {
    match ty {
        Ty::U32 => b"u32",
        Ty::U64 => b"u64",
        Ty::S64 => b"s64",
        Ty::QueueKind => b"u8 enum",
        Ty::Text => b"str",
    }
}

fn text<S: Sink>(at: usize, len: Option<usize>, line: &mut Line<'_, S>) {
    match len {
        Some(len) => {
            line.put(b"invalid utf-8 sequence of ");
            line.decimal(len as u64);
            line.put(b" bytes from index ");
        }
        None => line.put(b"incomplete utf-8 byte sequence from index "),
    }
    line.decimal(at as u64);
}

/// Our words.
pub(super) fn native<S: Sink>(cause: &Cause, line: &mut Line<'_, S>) {
    match cause {
        Cause::Empty => line.put(b"frame end without a frame"),
        Cause::Cobs => line.put(b"a code byte points past its end: bytes are missing or wrong"),
        Cause::NoId => line.put(b"no event in it"),
        Cause::UnknownId(id) => {
            line.put(b"no event has id 0x");
            line.hex(*id);
        }
        Cause::Stamp(fault) => {
            line.put(b"time stamp ");
            line.put(broken(*fault));
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
        Cause::Text(at, len) => text(*at, *len, line),
    }
}

fn broken(fault: Broken) -> &'static [u8] {
    match fault {
        Broken::Missing => b"missing",
        Broken::Unterminated => b"cut",
        Broken::TooLong => b"too long",
    }
}
