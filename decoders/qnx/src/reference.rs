//! Reproduces the reference tool's text byte for byte. Only `decoder` imports it.

use spytui_plugin_api::{RowIn, RowKind, TextWriter};

use crate::{
    layout::{Field, Group, Role, Ty},
    record::{EventContent, FieldValue, Value, attributes, text_of_message},
    text::{self, Context, number, put},
};

/// The tool prints buffer numbers modulo this.
const BUFFERS: u32 = 2048;

pub(crate) fn record(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    line.put(b"t:0x");
    number::hex_lower(line, ctx.whole.event.low.into(), 8);
    line.put(b" CPU:");
    number::zero_filled(line, ctx.whole.event.cpu().into(), 2);
    line.byte(b' ');
    match ctx.whole.layout.group {
        Group::Control => control(ctx, line),
        group if group.is_call() => {
            // After a failed call, the tool does not end the line.
            if call(ctx, line) {
                return;
            }
        }
        group if group.is_interrupt() => interrupt(ctx, line),
        Group::User => user(ctx, line),
        _ => named(ctx, line),
    }
    line.put(b"\n");
}

fn control(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    let [first, second] = ctx.whole.event.words;
    match ctx.whole.layout.role {
        Role::Buffer => {
            number::labelled(line, b"CONTROL: BUFFER sequence = ", (first % BUFFERS).into());
            signed(b", num_events = ", second, line);
        }
        Role::Time => {
            hex8(b"CONTROL :TIME msb:", first, line);
            hex8(b" lsb(offset):", second, line);
        }
        _ => named(ctx, line),
    }
}

fn call(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) -> bool {
    put(line, ctx.whole.layout.group.class());
    line.put(if ctx.whole.layout.group == Group::Interrupted { b":KER_" } else { b":" });
    text::call_name(&ctx.whole, line);
    line.put(if ctx.whole.kind.is_64() { b"|64" } else { b"" });
    line.byte(b'/');
    let digits = if ctx.whole.layout.group == Group::Interrupted { 1 } else { 2 };
    number::zero_filled(line, ctx.whole.call().into(), digits);
    if let EventContent::Failure(_) = ctx.whole.content() {
        // The tool does not swap its bytes.
        let error =
            ctx.whole.payload.get(4..).and_then(<[u8]>::first_chunk).map_or(0, |error| u32::from_le_bytes(*error));
        signed(b" ret_val:-1, errno:", error, line);
        return true;
    }
    if ctx.whole.layout.group != Group::Interrupted {
        line.byte(b' ');
        arguments(ctx, line);
    }
    false
}

fn interrupt(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    let word = |at| ctx.whole.words().nth(at).unwrap_or(0);
    let number = word(usize::from(ctx.whole.layout.group == Group::HandlerEnter));
    put(line, ctx.whole.layout.name);
    hex8(b":", number, line);
    signed(b" (", number, line);
    line.byte(b')');
    match ctx.whole.layout.group {
        Group::IntEnter => hex8(b"       IP:", word(1), line),
        Group::IntExit => hex8(b" inkernel:", word(1), line),
        Group::HandlerEnter => {
            signed(b"       PID:", word(0), line);
            hex8(b" IP:", word(2), line);
            hex8(b" AREA:", word(3), line);
        }
        _ => line.put(b" SIGEVENT:INTR EVENT"),
    }
}

fn user(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    number::labelled(line, b"USREVENT:EVENT:", ctx.whole.number().into());
    if ctx.whole.is_short() {
        let [first, second] = ctx.whole.event.words;
        hex8(b", d0:", first, line);
        return hex8(b" d1:", second, line);
    }
    line.put(b" STR:\"");
    if let EventContent::User(Some(text)) = ctx.whole.content() {
        line.put(text);
    }
    line.byte(b'"');
}

/// Width of an event's name, which is followed by a blank.
fn name_width(ctx: &Context<'_, '_>) -> usize {
    match (ctx.whole.layout.group, ctx.whole.layout.name) {
        (Group::System, "SLOG" | "ADDRESS" | "FUNC_ENTER" | "FUNC_EXIT") | (Group::Comm, "MSG_ERROR") => 0,
        (Group::System, _) => 15,
        _ => 13,
    }
}

fn named(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    padded(ctx.whole.layout.group.class(), 8, line);
    line.byte(b':');
    if ctx.whole.layout.name.is_empty() {
        number::decimal(line, ctx.whole.number().into());
    } else {
        padded(ctx.whole.layout.name, name_width(ctx), line);
    }
    line.put(if ctx.whole.kind.is_64() { b"|64" } else { b"" });
    line.byte(b' ');
    arguments(ctx, line);
    if matches!(ctx.whole.layout.role, Role::State(_)) && ctx.whole.is_short() {
        line.byte(b' ');
    }
}

fn arguments(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    if ctx.whole.kind.fields().is_empty() {
        return text::hexadecimal(ctx.whole.words(), 8, line);
    }
    for (i, FieldValue { field, value, .. }) in ctx.whole.fields().enumerate() {
        if i > 0 {
            line.byte(b' ');
        }
        put(line, field.name);
        line.byte(b':');
        one(field, value, line);
    }
}

fn one(field: &Field, value: Value<'_>, line: &mut TextWriter<'_>) {
    match (value, field.ty) {
        (Value::Number(n), Ty::D32 | Ty::Long) => number::signed(line, n as i64, 0),
        (Value::Number(n), Ty::Pid) => number::signed(line, i64::from(n as i32), 0),
        (Value::Number(n), Ty::U32) => number::decimal(line, n),
        (Value::Number(n), Ty::X32) => hex8(b"", n as u32, line),
        (Value::Number(0), Ty::Ptr32) => line.put(b"(nil)"),
        (Value::Number(n), _) => {
            line.put(b"0x");
            number::hex_lower(line, n, 1);
        }
        (Value::Message(words), _) => message(words, line),
        (Value::Text(text), _) => line.put(text),
    }
}

/// Writes the first bytes of a message as text, and as words that are always little-endian.
fn message(words: &[u8], line: &mut TextWriter<'_>) {
    line.byte(b'"');
    line.put(text_of_message(words));
    line.put(b"\" (");
    text::hexadecimal(words.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)), 8, line);
    line.byte(b')');
}

fn padded(text: &str, width: usize, line: &mut TextWriter<'_>) {
    put(line, text);
    number::blanks(line, width.saturating_sub(text.len()));
}

/// Writes `label`, then a word as `0x` and eight digits.
fn hex8(label: &[u8], word: u32, line: &mut TextWriter<'_>) {
    line.put(label);
    line.put(b"0x");
    number::hex_lower(line, word.into(), 8);
}

fn signed(label: &[u8], word: u32, line: &mut TextWriter<'_>) {
    line.put(label);
    number::signed(line, i64::from(word as i32), 0);
}

const VERSIONS: &[u8] = b"TRACEPRINTER version 1.02\nTRACEPARSER LIBRARY version 1.02\n";
const HEADER: &[u8] = b" -- HEADER FILE INFORMATION -- \n";
const EVENTS: &[u8] = b" -- KERNEL EVENTS -- \n";
/// Width of a key.
const KEY: usize = 22;
const PREFIX: &[u8] = b"TRACE_";

/// Writes the lines of a header's row; the tool prints nothing for other notes.
pub(crate) fn note(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    if row.row.kind != RowKind::PROLOG {
        return;
    }
    line.put(VERSIONS);
    line.put(HEADER);
    for (key, value) in attributes(row.raw.as_slice()).0 {
        (PREFIX.len() + key.len()..KEY).for_each(|_| line.byte(b' '));
        for part in [PREFIX, key, b":: ", value, b"\n"] {
            line.put(part);
        }
    }
    line.put(EVENTS);
}
