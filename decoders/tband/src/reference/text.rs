//! The reference tool's text: one line of JSON for each frame.

use spytui_plugin_api::{Row, TextWriter, row::RowKind};

use super::{
    cause::cause,
    json::{Literal, json},
};
use crate::{
    layout::{self, Subject, Ty},
    record::{Cause, Record},
    text::{Context, number},
};

/// Kinds of queues by number.
const QUEUE_KINDS: [&str; 6] =
    ["FrqkQueue", "FrqkCountingSemphr", "FrqkBinarySemphr", "FrqkMutex", "FrqkRecursiveMutex", "FrqkQueueSet"];

/// Writes the line of an event whose time and only field are in its row; `false` if there is more to it.
#[inline]
pub(crate) fn short(row: &Row, line: &mut TextWriter<'_>) -> bool {
    let id = u8::try_from(row.kind.0).ok();
    let (Some(layout), Some(json)) = (id.and_then(layout::layout), id.and_then(json)) else { return false };
    let is_short = layout.fields.len() == 1 && layout.subject == Subject::First && layout.timed;
    if is_short {
        literal(&json.stamp, line);
        number::decimal(line, row.time);
        literal(&json.fields[0], line);
        number::decimal(line, row.obj);
        literal(&json.tail, line);
    }
    is_short
}

/// Writes the line of an event.
pub(crate) fn record(record: &Record<'_>, line: &mut TextWriter<'_>) {
    let Some(json) = json(record.layout.id) else { return };
    let layout = record.layout;
    if layout.timed {
        literal(&json.stamp, line);
        number::decimal(line, record.stamp);
    }
    for (i, (field, before)) in layout.fields.iter().zip(&json.fields).enumerate() {
        literal(before, line);
        let number = record.numbers.get(i).copied().unwrap_or(0);
        match field.ty {
            Ty::Text => string(record.text, line),
            Ty::S64 => number::signed(line, number as i64, 0),
            Ty::QueueKind => line.put(queue_kind(number)),
            Ty::U32 | Ty::U64 => number::decimal(line, number),
        }
    }
    literal(&json.tail, line);
}

#[inline(always)]
fn literal(literal: &Literal, line: &mut TextWriter<'_>) {
    line.put_block(&literal.bytes, literal.len.into());
}

/// Name of a kind of queue.
fn queue_kind(kind: u64) -> &'static [u8] {
    usize::try_from(kind).ok().and_then(|kind| QUEUE_KINDS.get(kind)).map_or(b"", |name| name.as_bytes())
}

/// Writes an escaped JSON text without quotes.
fn string(text: &[u8], line: &mut TextWriter<'_>) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&b| b < 0x20 || matches!(b, b'"' | b'\\')) {
        line.put(rest.get(..at).unwrap_or(&[]));
        escape(rest.get(at).copied().unwrap_or(0), line);
        rest = rest.get(at + 1..).unwrap_or(&[]);
    }
    line.put(rest);
}

fn escape(byte: u8, line: &mut TextWriter<'_>) {
    match byte {
        b'"' => line.put(b"\\\""),
        b'\\' => line.put(b"\\\\"),
        8 => line.put(b"\\b"),
        12 => line.put(b"\\f"),
        b'\n' => line.put(b"\\n"),
        b'\r' => line.put(b"\\r"),
        b'\t' => line.put(b"\\t"),
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            line.put(b"\\u00");
            line.put(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}

/// Writes the lines of a note: one for each bad frame.
pub(crate) fn note(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    if ctx.row.row.kind != RowKind::BAD_FRAME {
        return;
    }
    match ctx.read(&mut Vec::new()) {
        Err(Cause::Empty) => ctx.row.raw.as_slice().iter().for_each(|_| invalid(ctx, &Cause::Empty, line)),
        Err(why) => invalid(ctx, &why, line),
        Ok(record) => invalid(ctx, &record.text_fault().unwrap_or(Cause::NoId), line),
    }
}

fn invalid(ctx: &Context<'_, '_>, why: &Cause, line: &mut TextWriter<'_>) {
    line.put(b"{\"Invalid\":{\"ts\":");
    if ctx.row.row.has_time() {
        number::decimal(line, ctx.row.row.time);
    } else {
        line.put(b"null");
    }
    line.put(b",\"err\":\"");
    cause(why, line);
    line.put(b"\"}}\n");
}
