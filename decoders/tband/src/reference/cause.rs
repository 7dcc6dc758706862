//! Why a frame has no valid event, in the reference tool's words.

use crate::{
    layout::Ty,
    record::{Cause, VarintError},
    text::{cause::text_fault, number},
};
use spytui_plugin_api::TextWriter;

/// Writes the reference tool's words. None of them needs escapes in JSON.
pub(crate) fn cause(cause: &Cause, line: &mut TextWriter<'_>) {
    match cause {
        Cause::Empty => line.put(b"Empty COBS frame"),
        Cause::Cobs => line.put(b"Invalid COBS frame: Pointer past end of block! Are bytes missing?"),
        Cause::NoId => line.put(b"Insufficient bytes left in event to decode a u8"),
        Cause::UnknownId(id) => {
            line.put(b"Invalid event id 0x");
            number::hex(line, u64::from(*id), 1);
            line.byte(b'!');
        }
        Cause::Stamp(VarintError::Missing) => line.put(b"Insufficient bytes left in event to decode a u64"),
        Cause::Stamp(VarintError::Unterminated) => line.put(b"Unterminated u64"),
        Cause::Stamp(VarintError::TooLong) => line.put(b"u64 too long!"),
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
        Cause::Text(at, len) => text_fault(*at, *len, line),
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
