//! The reference host's text of application records, byte for byte.

use spytui_plugin_api::{TextWriter, row::RowFlags};

use super::{cursor::Cursor, float::Floats};
use crate::{
    layout,
    record::{Element, Elements, Value},
    text::{names::Context, number},
};

/// Writes an application record.
pub(super) fn record(
    ctx: &Context<'_, '_>,
    id: u8,
    frame: &[u8],
    payload: &[u8],
    floats: &mut Floats,
    line: &mut TextWriter<'_>,
) {
    let sizes = &ctx.config.sizes;
    if ctx.row.row.flags.intersects(RowFlags::MALFORMED) {
        return broken(ctx, id, frame, floats, line);
    }
    let Some(elements) = Elements::new(payload, sizes) else { return };
    head(ctx, id, elements.time, line);
    let mut signals = 0;
    for found in elements {
        line.byte(b' ');
        element(ctx, &found, (&mut signals, floats), line);
    }
    line.end_line();
}

fn head(ctx: &Context<'_, '_>, id: u8, time: u64, line: &mut TextWriter<'_>) {
    number::stamp(line, time);
    match ctx.record_name(id) {
        Some(name) => line.put(name),
        None => {
            line.put(b"USER+");
            let base = layout::user_base(ctx.config.version, ctx.config.style);
            number::zero_filled(line, id.saturating_sub(base).into(), 3);
        }
    }
}

/// Writes an element; counts the signals of the record.
#[inline(always)]
fn element(
    ctx: &Context<'_, '_>,
    element: &Element<'_>,
    (signals, floats): (&mut u16, &mut Floats),
    line: &mut TextWriter<'_>,
) {
    let width = usize::from(element.width);
    match element.value {
        Value::Signed(n) if element.ty == 13 => number::signed(line, n, if width == 9 { 0 } else { 2 * (width + 1) }),
        Value::Signed(n) => number::signed(line, n, width),
        Value::Unsigned(n) => unsigned(line, element.ty, n, width),
        Value::Float(n) => float(line, floats, n.into(), width),
        Value::Double(n) => float(line, floats, n, width),
        Value::Text(b"") => line.put(b"''"),
        Value::Text(text) => line.put(text),
        Value::Memory(bytes) => bytes.iter().for_each(|&b| number::blank_byte(line, b)),
        Value::Signal { sig, obj } => {
            ctx.signal(line, sig, obj, *signals);
            *signals += 1;
            if obj != 0 {
                line.put(b",Obj=");
                ctx.object(line, obj);
            }
        }
        Value::Object(key) => ctx.object(line, key),
        Value::Function(key) => ctx.function(line, key),
        Value::Enum { group, value } => match ctx.enumeration(group, value) {
            Some(name) => line.put(name),
            None => number::zero_filled(line, value.into(), 3),
        },
    }
}

fn unsigned(line: &mut TextWriter<'_>, ty: u8, n: u64, width: usize) {
    match (ty, width) {
        (15, _) => {
            line.put(b"0x");
            number::hex(line, n, width);
        }
        (1 | 3 | 5, 15) => {
            line.put(b"0x");
            number::hex(line, n, usize::from(ty).next_power_of_two() * if ty == 1 { 2 } else { 1 });
        }
        (14, 15) => {
            line.put(b"0x");
            number::hex_blank(line, n, 16);
        }
        (14, _) => number::unsigned(line, n, 2 * (width + 1)),
        _ => number::unsigned(line, n, width),
    }
}

fn float(line: &mut TextWriter<'_>, floats: &mut Floats, n: f64, width: usize) {
    floats.exponent(line, n, if width == 0 { 7 } else { width + 8 }, width);
}

/// Writes an application record whose elements do not fit: the host's error lines, and what it prints for the rest.
fn broken(ctx: &Context<'_, '_>, id: u8, frame: &[u8], floats: &mut Floats, line: &mut TextWriter<'_>) {
    let mut cursor = Cursor::new(frame, &[]);
    let time = cursor.unsigned(line, ctx.config.sizes.time);
    cursor.complaint();
    let mut text = TextWriter::text_of(|text| head(ctx, id, time, text));
    let mut signals = 0;
    while cursor.left() > 0 {
        text.push(b' ');
        broken_element(ctx, &mut cursor, &mut text, (&mut signals, floats), line);
    }
    line.put(&text);
    line.end_line();
}

/// Writes an element. An error line replaces the text so far.
fn broken_element(
    ctx: &Context<'_, '_>,
    cursor: &mut Cursor<'_>,
    text: &mut Vec<u8>,
    so_far: (&mut u16, &mut Floats),
    line: &mut TextWriter<'_>,
) {
    let format = cursor.unsigned(line, 1) as u8;
    let (ty, width) = (format & 15, format >> 4);
    let sizes = ctx.config.sizes;
    let mut memory = Vec::new();
    let value = match ty {
        0 if width >= 8 => Value::Enum { group: width - 8, value: cursor.unsigned(line, 1) as u8 },
        0 => Value::Signed(cursor.signed(line, 1)),
        1 => Value::Unsigned(cursor.unsigned(line, 1)),
        2 => Value::Signed(cursor.signed(line, 2)),
        3 => Value::Unsigned(cursor.unsigned(line, 2)),
        4 => Value::Signed(cursor.signed(line, 4)),
        5 | 15 => Value::Unsigned(cursor.unsigned(line, 4)),
        6 => Value::Float(f32::from_bits(cursor.unsigned(line, 4) as u32)),
        7 => Value::Double(f64::from_bits(cursor.unsigned(line, 8))),
        8 => Value::Text(cursor.text(line)),
        9 => {
            let block = cursor.memory(line, 1);
            memory.extend(block.iter().flat_map(|b| b.start..b.start + usize::from(b.count)).map(|i| cursor.at(i)));
            Value::Memory(&memory)
        }
        10 => {
            let (sig, obj) = (cursor.unsigned(line, sizes.sig), cursor.unsigned(line, sizes.obj));
            Value::Signal { sig, obj }
        }
        11 => Value::Object(cursor.unsigned(line, sizes.obj)),
        12 => Value::Function(cursor.unsigned(line, sizes.fun)),
        13 => Value::Signed(cursor.signed(line, 8)),
        _ => Value::Unsigned(cursor.unsigned(line, 8)),
    };
    let complaint = cursor.complaint();
    let failed_text = complaint.is_some() && ty == 8;
    if let Some(complaint) = complaint {
        *text = complaint;
    }
    if !failed_text {
        text.extend(TextWriter::text_of(|own| element(ctx, &Element { ty, width, value }, so_far, own)));
    }
}
