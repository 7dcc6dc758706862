//! The reference tool's text: one line of JSON for each frame.

use spytui_plugin_api::row::RowKind;

use super::{
    Context, cause, event_of,
    line::{Line, Sink},
    read,
};
use crate::{
    cobs::Room,
    event::{Cause, Event},
    layout::{self, Subject, Ty},
    names::QUEUE_KINDS,
};

/// Writes the line of an event.
#[inline]
pub(crate) fn record<S: Sink>(ctx: &Context<'_, '_>, line: &mut Line<'_, S>) {
    let row = ctx.row.row;
    if let Some(layout) = u8::try_from(row.kind.0).ok().and_then(layout::layout)
        && layout.fields.len() == 1
        && layout.subject == Subject::First
        && layout.timed
    {
        // The row says all: its time, and the key that it is about.
        line.literal(&layout.json.stamp);
        line.decimal(row.time);
        line.literal(&layout.json.fields[0]);
        line.decimal(row.obj);
        return line.literal(&layout.json.tail);
    }
    let (mut room, mut event) = (Room::new(), Event::blank());
    if read(ctx.row.raw.as_slice(), ctx.config.rtos, &mut room, &mut event).is_ok() {
        full(&event, line);
    }
}

#[inline]
fn full<S: Sink>(event: &Event<'_>, line: &mut Line<'_, S>) {
    let layout = event.layout;
    if layout.timed {
        line.literal(&layout.json.stamp);
        line.decimal(event.stamp);
    }
    for (i, (field, literal)) in layout.fields.iter().zip(&layout.json.fields).enumerate() {
        line.literal(literal);
        let number = event.numbers.get(i).copied().unwrap_or(0);
        match field.ty {
            Ty::Text => string(event.text, line),
            Ty::S64 => line.signed(number as i64),
            Ty::QueueKind => line.put(kind_name(number)),
            Ty::U32 | Ty::U64 => line.decimal(number),
        }
    }
    line.literal(&layout.json.tail);
}

/// Name of a kind of queue.
fn kind_name(kind: u64) -> &'static [u8] {
    usize::try_from(kind).ok().and_then(|k| QUEUE_KINDS.get(k)).map_or(b"", |k| k.1.as_bytes())
}

/// A text without its quotes.
fn string<S: Sink>(text: &[u8], line: &mut Line<'_, S>) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&b| b < 0x20 || matches!(b, b'"' | b'\\')) {
        line.put(rest.get(..at).unwrap_or(&[]));
        escape(rest.get(at).copied().unwrap_or(0), line);
        rest = rest.get(at + 1..).unwrap_or(&[]);
    }
    line.put(rest);
}

fn escape<S: Sink>(byte: u8, line: &mut Line<'_, S>) {
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

/// Writes the lines of a row that is no event: one for each bad frame.
pub(crate) fn note<S: Sink>(ctx: &Context<'_, '_>, line: &mut Line<'_, S>) {
    if ctx.row.row.kind != RowKind::BAD_FRAME {
        return;
    }
    let mut room = Room::new();
    let raw = ctx.row.raw.as_slice();
    match event_of(raw, ctx.config.rtos, &mut room) {
        Err(Cause::Empty) => raw.iter().for_each(|_| invalid(ctx, &Cause::Empty, line)),
        Err(cause) => invalid(ctx, &cause, line),
        Ok(event) => invalid(ctx, &event.text_fault().unwrap_or(Cause::NoId), line),
    }
}

fn invalid<S: Sink>(ctx: &Context<'_, '_>, why: &Cause, line: &mut Line<'_, S>) {
    line.put(b"{\"Invalid\":{\"ts\":");
    match ctx.row.row.has_time() {
        true => line.decimal(ctx.row.row.time),
        false => line.put(b"null"),
    }
    line.put(b",\"err\":\"");
    cause::reference(why, line);
    line.put(b"\"}}\n");
}
