//! The reference host's text of a record, byte for byte.

use spytui_plugin_api::row::flag;

use super::{
    cursor::{Cursor, ERROR},
    float,
    kinds::Kinds,
    line::{Line, Sink},
    names::{Context, Names, address},
    number,
};
use crate::{
    config::Style,
    layout::{self, COMMANDS, Form, Layout, id},
    record::{self, Element, Value, Values},
};

/// Writes the lines of a record; `stale` = what the host's buffer holds behind the frame.
#[inline]
pub(crate) fn record<N: Names, S: Sink>(
    ctx: &Context<'_, N>,
    kinds: &mut Kinds,
    frame: &[u8],
    stale: &[u8],
    line: &mut Line<'_, S>,
) {
    let [_, id, _, ..] = frame else { return };
    match kinds.regular(*id, frame, &ctx.config) {
        Some((layout, Some(values))) => pattern(ctx, layout, &values, line),
        Some((layout, None)) => misfit(ctx, layout, frame, line),
        None => special(ctx, frame, stale, line),
    }
}

/// The same for records that have a text of their own kind.
#[inline(never)]
fn special<N: Names, S: Sink>(ctx: &Context<'_, N>, frame: &[u8], stale: &[u8], line: &mut Line<'_, S>) {
    let [_, id, payload @ .., _] = frame else { return };
    let (style, version) = (ctx.config.style, ctx.config.version);
    if *id >= layout::user_base(version, style) {
        return application(ctx, *id, frame, payload, line);
    }
    match *id {
        id::EMPTY => empty(ctx, line),
        id::INFO => info(ctx, &mut Cursor::new(frame, stale), line),
        id::QUERY => query(ctx, frame, payload, line),
        id::PEEK => peek(ctx, &mut Cursor::new(frame, stale), line),
        // The 7.3.4 host drops this record of the oldest targets without a word.
        10 if style == Style::Qspy734 && version < 620 => {}
        id => match layout::layout(id, version, style) {
            Some(layout) => predefined(ctx, layout, frame, payload, line),
            None => unknown(id, payload.len(), line),
        },
    }
}

fn empty<N: Names, S: Sink>(ctx: &Context<'_, N>, line: &mut Line<'_, S>) {
    if ctx.config.style == Style::Qspy734 && ctx.config.version < 550 {
        line.put(b"           Trg-RST  ");
        number::decimal(line, ctx.config.version.into());
        line.end();
    }
}

fn unknown<S: Sink>(id: u8, len: usize, line: &mut Line<'_, S>) {
    line.put(b"           Unknown Rec=");
    number::decimal(line, id.into());
    line.put(b",Len=");
    number::decimal(line, len as u64);
    line.end();
}

fn predefined<N: Names, S: Sink>(
    ctx: &Context<'_, N>,
    layout: &'static Layout,
    frame: &[u8],
    payload: &[u8],
    line: &mut Line<'_, S>,
) {
    let mut values = Values::new();
    if record::read(layout, &ctx.config.sizes, payload, &mut values) {
        pattern(ctx, layout, &values, line);
    } else {
        misfit(ctx, layout, frame, line);
    }
}

#[cold]
fn misfit<N: Names, S: Sink>(ctx: &Context<'_, N>, layout: &Layout, frame: &[u8], line: &mut Line<'_, S>) {
    let mut cursor = Cursor::new(frame, &[]);
    fields(ctx, layout, &mut cursor, line);
    if cursor.left() != 0 {
        wrong_length(ctx, layout.id, cursor.left(), line);
    }
}

/// Reads fields as the host does, for its complaints.
fn fields<N: Names, S: Sink>(ctx: &Context<'_, N>, layout: &Layout, cursor: &mut Cursor<'_>, line: &mut Line<'_, S>) {
    for field in layout.fields {
        match record::size_of(field.ty, &ctx.config.sizes) {
            Some(size) => {
                cursor.unsigned(line, size);
            }
            None => {
                cursor.text(line);
            }
        }
    }
}

fn wrong_length<N: Names, S: Sink>(ctx: &Context<'_, N>, id: u8, left: i64, line: &mut Line<'_, S>) {
    line.put(ERROR);
    number::decimal(line, left.unsigned_abs());
    line.put(if left > 0 { b" bytes unused in Rec=" } else { b" bytes needed in Rec=" });
    line.put(layout::name(id, ctx.config.style).as_bytes());
    line.end();
}

fn pattern<N: Names, S: Sink>(
    ctx: &Context<'_, N>,
    layout: &'static Layout,
    values: &Values<'_>,
    line: &mut Line<'_, S>,
) {
    // The stamp that old targets put into their answers is not shown.
    if layout.stamped() && layout.id != id::STATUS {
        number::stamp(line, values.number(0));
    } else if layout.in_step() {
        line.put(b"===RTC===> ");
    } else {
        line.put(b"           ");
    }
    for piece in layout.line.pieces() {
        line.put_block(&piece.literal, piece.len.into());
        let number = values.number(piece.field);
        match piece.form {
            Form::Number | Form::Key => number::decimal(line, number),
            Form::Object => ctx.object(line, number),
            Form::Function => ctx.function(line, number),
            Form::Signal => ctx.signal(line, number, values.number(layout.scope), 0),
            Form::SecondObject => ctx.second_object(line, number, values.number(layout.obj)),
            Form::Text => text(ctx, layout, values.bytes, line),
            Form::Zero10 => number::zero_filled(line, number, 10),
            Form::Nothing => {}
            form => formed(ctx, number, form, line),
        }
    }
    line.end();
}

fn text<N: Names, S: Sink>(ctx: &Context<'_, N>, layout: &Layout, text: &[u8], line: &mut Line<'_, S>) {
    if text.is_empty() {
        return line.put(b"''");
    }
    if layout.id == id::OBJ_DICT && ctx.config.version < 690 {
        return text.iter().for_each(|&b| line.byte(crate::names::without_brackets(b)));
    }
    line.put(text);
}

#[inline(never)]
fn formed<N: Names, S: Sink>(ctx: &Context<'_, N>, number: u64, form: Form, line: &mut Line<'_, S>) {
    match form {
        Form::Zero3 => number::zero_filled(line, number, 3),
        Form::Zero8 => number::zero_filled(line, number, 8),
        Form::SignalNumber => number::signal(line, number),
        Form::Signed => number::signed(line, (number as u32 as i32).into(), 0),
        Form::ObjectAddress => address(line, number, ctx.config.sizes.obj),
        Form::FunctionAddress => address(line, number, ctx.config.sizes.fun),
        Form::High => number::byte(line, number as u8 & 0xF0),
        Form::Low => number::decimal(line, number & 15),
        Form::Group => number::decimal(line, number & 7),
        Form::Command => command(line, number),
        Form::HostStatus => status(line, number as u8),
        _ => {}
    }
}

/// Name of a command to the target, or its number.
pub(crate) fn command<S: Sink>(line: &mut Line<'_, S>, number: u64) {
    match COMMANDS.get(number as usize) {
        Some(name) => line.put(name.as_bytes()),
        None => number::decimal(line, number),
    }
}

fn status<S: Sink>(line: &mut Line<'_, S>, status: u8) {
    let code = status & 0x7F;
    match (status < 0x80, COMMANDS.get(usize::from(code))) {
        (true, _) => {
            line.put(b"Ack  ");
            command(line, code.into());
        }
        (false, Some(name)) => {
            line.put(b"ERR  ");
            line.put(name.as_bytes());
        }
        (false, None) => {
            line.put(b"ERR  0x");
            number::byte(line, code);
        }
    }
}

fn query<N: Names, S: Sink>(ctx: &Context<'_, N>, frame: &[u8], payload: &[u8], line: &mut Line<'_, S>) {
    let kind = payload.get(usize::from(ctx.config.sizes.time)).copied();
    let layout = kind.and_then(|k| layout::query(k, ctx.config.version, ctx.config.style));
    if let Some((layout, values)) = layout.and_then(|l| Some((l, record::exact(l, &ctx.config.sizes, payload)?))) {
        return pattern(ctx, layout, &values, line);
    }
    let mut cursor = Cursor::new(frame, &[]);
    let fallback = layout::query(5, ctx.config.version, ctx.config.style);
    if let Some(layout) = layout.or(fallback) {
        fields(ctx, layout, &mut cursor, line);
    }
    let times = if ctx.config.style == Style::Qspy813 { 2 } else { 1 };
    for _ in 0..if cursor.left() == 0 { 0 } else { times } {
        wrong_length(ctx, id::QUERY, cursor.left(), line);
    }
}

fn peek<N: Names, S: Sink>(ctx: &Context<'_, N>, cursor: &mut Cursor<'_>, line: &mut Line<'_, S>) {
    let time = cursor.unsigned(line, ctx.config.sizes.time);
    let (offs, size) = (cursor.unsigned(line, 2), cursor.unsigned(line, 1) as u8);
    let memory = cursor.memory(line, size);
    let (0, Some(memory)) = (cursor.left(), memory) else {
        return wrong_length(ctx, id::PEEK, cursor.left(), line);
    };
    number::stamp(line, time);
    line.put(b"Trg-Peek Offs=");
    number::decimal(line, offs);
    line.put(b",Size=");
    number::decimal(line, size.into());
    line.put(b",Num=");
    number::decimal(line, memory.count.into());
    line.put(b",Data=<");
    if matches!(size, 1 | 2 | 4) {
        // The host writes the first item before it looks at the number.
        for item in 0..usize::from(memory.count.max(1)) {
            if item > 0 {
                line.byte(b',');
            }
            let start = memory.start + item * usize::from(size);
            (start..start + usize::from(size)).rev().for_each(|i| number::byte(line, cursor.at(i)));
        }
        line.byte(b'>');
    }
    line.end();
}

fn info<N: Names, S: Sink>(ctx: &Context<'_, N>, cursor: &mut Cursor<'_>, line: &mut Line<'_, S>) {
    let flags = cursor.unsigned(line, 1) as u8;
    let new = ctx.config.style == Style::Qspy813 && flags & 3 == 2;
    let (reset, version) = if new {
        (flags & 0x40 != 0, u64::from(!(cursor.unsigned(line, 4) as u32)) % 10_000)
    } else {
        (flags != 0, cursor.unsigned(line, 2) & 0x7FFF)
    };
    let mut tail = [0u64; 13];
    tail.iter_mut().for_each(|byte| *byte = cursor.unsigned(line, 1));
    if cursor.left() != 0 {
        return wrong_length(ctx, id::INFO, cursor.left(), line);
    }
    let [.., second, minute, hour, day, month, year] = tail;
    line.put(if reset { b"           Trg-RST  QP-Ver=" } else { b"           Trg-Info QP-Ver=" });
    number::decimal(line, version);
    line.put(b",Build=");
    [year, month, day].iter().for_each(|&n| number::zero_filled(line, n, 2));
    line.byte(b'_');
    [hour, minute, second].iter().for_each(|&n| number::zero_filled(line, n, 2));
    line.end();
}

/// Writes an application record.
fn application<N: Names, S: Sink>(ctx: &Context<'_, N>, id: u8, frame: &[u8], payload: &[u8], line: &mut Line<'_, S>) {
    let sizes = &ctx.config.sizes;
    if ctx.row.row.flags & flag::MALFORMED != 0 {
        return broken(ctx, id, frame, line);
    }
    let Ok((mut rest, time)) = record::uint(payload, sizes.time) else { return };
    head(ctx, id, time, line);
    let mut signals = 0;
    while let Ok((next, found)) = record::element(rest, sizes) {
        rest = next;
        line.byte(b' ');
        element(ctx, &found, &mut signals, line);
    }
    line.end();
}

fn head<N: Names, S: Sink>(ctx: &Context<'_, N>, id: u8, time: u64, line: &mut Line<'_, S>) {
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

fn element<N: Names, S: Sink>(ctx: &Context<'_, N>, element: &Element<'_>, signals: &mut u16, line: &mut Line<'_, S>) {
    let width = usize::from(element.width);
    match element.value {
        Value::Signed(n) if element.ty == 13 => number::signed(line, n, if width == 9 { 0 } else { 2 * (width + 1) }),
        Value::Signed(n) => number::signed(line, n, width),
        Value::Unsigned(n) => unsigned(line, element.ty, n, width),
        Value::Float(n) => float(line, n.into(), width),
        Value::Double(n) => float(line, n, width),
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

fn unsigned<S: Sink>(line: &mut Line<'_, S>, ty: u8, n: u64, width: usize) {
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

fn float<S: Sink>(line: &mut Line<'_, S>, n: f64, width: usize) {
    float::exponent(line, n, if width == 0 { 7 } else { width + 8 }, width);
}

/// An application record whose elements do not fit: the host's complaints, and what it makes of the rest.
fn broken<N: Names, S: Sink>(ctx: &Context<'_, N>, id: u8, frame: &[u8], line: &mut Line<'_, S>) {
    let mut cursor = Cursor::new(frame, &[]);
    let time = cursor.unsigned(line, ctx.config.sizes.time);
    cursor.complaint();
    let mut text = Vec::new();
    let mut own = Line::new(&mut text, usize::MAX);
    head(ctx, id, time, &mut own);
    own.finish();
    let mut signals = 0;
    while cursor.left() > 0 {
        text.push(b' ');
        broken_element(ctx, &mut cursor, &mut text, &mut signals, line);
    }
    line.put(&text);
    line.end();
}

/// One element. A complaint takes the place of the text so far.
fn broken_element<N: Names, S: Sink>(
    ctx: &Context<'_, N>,
    cursor: &mut Cursor<'_>,
    text: &mut Vec<u8>,
    signals: &mut u16,
    line: &mut Line<'_, S>,
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
        let mut own = Line::new(text, usize::MAX);
        element(ctx, &Element { ty, width, value }, signals, &mut own);
        own.finish();
    }
}
