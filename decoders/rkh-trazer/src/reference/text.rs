//! The reference host's text, byte for byte where it is correct.

use spytui_plugin_api::{RowIn, TextWriter, row::RowKind};

use super::{
    config_lines::lines,
    names::{pool, signal, symbol},
};
use crate::{
    config::Tcfg,
    fast::Plan,
    layout::{ACTIONS, Form, HEAD, Layout, Role, UNIT_TEST, USER, Values, private_attachment},
    record::{self, FrameParts, Item, Value},
    text::{
        names::{Context, Names, user_number},
        number,
    },
};

/// Writes the lines of a record.
#[inline(always)]
pub(crate) fn record<N: Names>(ctx: &Context<'_, N>, plan: &Plan, frame: &[u8], line: &mut TextWriter<'_>) {
    if let Some(layout) = plan.layout.filter(|_| plan.fits(frame)) {
        return event(
            ctx,
            layout,
            plan.header.stamp(frame),
            plan.header.nseq(frame),
            &plan.values(layout, frame),
            line,
        );
    }
    variable(ctx, plan, frame, line);
}

/// Writes the lines of a record without the fixed length of its id.
#[inline(never)]
fn variable<N: Names>(ctx: &Context<'_, N>, plan: &Plan, frame: &[u8], line: &mut TextWriter<'_>) {
    let Some(parts) = FrameParts::of(frame, &ctx.config) else { return };
    let id = parts.id;
    match plan.layout {
        Some(layout) if layout.role == Role::Tcfg => tcfg(ctx, layout, frame, line),
        Some(layout) => {
            let (values, _) = record::read(layout, &ctx.config, parts.args);
            event(ctx, layout, parts.stamp, parts.nseq, &values, line);
        }
        None if (USER..UNIT_TEST).contains(&id) => user(ctx, &parts, line),
        None => {
            line.put(b"***** Unknown trace event = (");
            number::decimal(line, id.into());
            line.byte(b')');
            line.end_line();
        }
    }
}

#[inline]
fn event<N: Names>(
    ctx: &Context<'_, N>,
    layout: &'static Layout,
    stamp: u64,
    nseq: Option<u8>,
    values: &Values<'_>,
    line: &mut TextWriter<'_>,
) {
    header(ctx, stamp, nseq.unwrap_or(0), line);
    line.put_block(&layout.head, HEAD);
    for piece in layout.line.pieces() {
        if piece.form != Form::Nothing && piece.form != Form::Text && ctx.config.size(piece.ty) == 0 {
            continue;
        }
        line.put_block(&piece.literal, piece.len.into());
        let number = values.number(piece.field);
        match piece.form {
            Form::Object | Form::Function => symbol(ctx, line, number),
            Form::Number => count(line, number),
            Form::Signal => signal(ctx, line, number),
            Form::Nothing => {}
            form => formed(ctx, form, number, values, line),
        }
    }
    match layout.role {
        Role::Fifo | Role::Lifo | Role::Get => post(ctx.row, layout.role, line),
        _ => {}
    }
    line.end_line();
}

/// The host prints numbers as signed ones of 32 bits.
#[inline]
fn count(line: &mut TextWriter<'_>, number: u64) {
    match i32::try_from(number) {
        Ok(_) => number::decimal(line, number),
        Err(_) => number::signed(line, (number as u32 as i32).into(), 0),
    }
}

#[inline(never)]
fn formed<N: Names>(ctx: &Context<'_, N>, form: Form, number: u64, values: &Values<'_>, line: &mut TextWriter<'_>) {
    match form {
        // An internal transition stays in its state.
        Form::Target => symbol(ctx, line, if number == 0 { values.number(1) } else { number }),
        Form::Pool => pool(ctx, line, number),
        Form::PoolFromZero => pool(ctx, line, number + 1),
        Form::Address => {
            line.put(b"0x");
            number::hex(line, number, 8);
        }
        Form::Action => match ACTIONS.get(number as usize) {
            Some(kind) => line.put(kind.as_bytes()),
            None => number::decimal(line, number),
        },
        Form::Text => line.put(crate::names::plain(values.bytes)),
        _ => {}
    }
}

/// Writes time stamp and sequence number, if the target sends them.
#[inline]
fn header<N: Names>(ctx: &Context<'_, N>, stamp: u64, seq: u8, line: &mut TextWriter<'_>) {
    let digits = number::right_aligned(stamp as u32);
    match ctx.config.stamp {
        0 => {}
        4 => line.put_in_place(12, |text: &mut [u8; 12]| {
            *text = [b' '; 12];
            text[1..11].copy_from_slice(&digits);
            text[11] = b'|';
        }),
        size => {
            let width = if size == 1 { 3 } else { 5 };
            line.byte(b' ');
            line.put(digits.get(10 - width..).unwrap_or(&digits));
            line.byte(b'|');
        }
    }
    if ctx.config.nseq {
        let digit = |from: u8| if seq < from { b' ' } else { b'0' + seq / from % 10 };
        let (a, b, c) = (digit(100), digit(10), b'0' + seq % 10);
        line.put_in_place(8, |text: &mut [u8; 8]| *text = [b' ', b'[', a, b, c, b']', b' ', b'|']);
    }
}

/// Writes the numbers that the host adds to posts and gets.
#[inline]
fn post(row: &RowIn<'_>, role: Role, line: &mut TextWriter<'_>) {
    if role == Role::Get {
        let (rt, number) = row.attachment(private_attachment::HOST_RT).map_or((-1, 0), |e| (e.a as i64, e.b));
        line.put(b", rt=");
        number::signed(line, rt, 0);
        line.put(b", nseq=");
        return number::decimal(line, number);
    }
    line.put(b", nseq=");
    number::decimal(line, row.attachment(private_attachment::POST).map_or(0, |e| e.a));
}

/// Indentation of an item.
const PAD: &[u8] = b"                                  | ";
/// Indentation of a configuration line.
const WIDE_PAD: &[u8] = b"                                      | ";

fn user<N: Names>(ctx: &Context<'_, N>, parts: &FrameParts<'_>, line: &mut TextWriter<'_>) {
    header(ctx, parts.stamp, parts.nseq.unwrap_or(0), line);
    line.put(b" USR | ");
    let mut name = Vec::new();
    match ctx.user(parts.id) {
        Some(known) => name.extend_from_slice(known),
        None => name.extend_from_slice(format!("USR#{}", user_number(parts.id)).as_bytes()),
    }
    line.put(&name);
    number::blanks(line, 10usize.saturating_sub(name.len()));
    line.put(b" : User trace information");
    line.end_line();
    let mut rest = parts.args;
    while let Ok((next, found)) = record::item(rest, &ctx.config) {
        line.put(PAD);
        item(ctx, &found, line);
        line.end_line();
        rest = next;
    }
}

fn item<N: Names>(ctx: &Context<'_, N>, item: &Item<'_>, line: &mut TextWriter<'_>) {
    let width = usize::from(item.width);
    match item.value {
        Value::Signed(n) => number::signed_filled(line, n, width),
        Value::Unsigned(n) => number::zero_filled(line, n, width),
        Value::Hex(n) => {
            line.put(b"0x");
            number::hex(line, n, width);
        }
        Value::Text(text) => line.put(text),
        Value::Memory(bytes) => memory(bytes, line),
        Value::Object(key) => {
            line.put(b"obj=");
            symbol(ctx, line, key);
        }
        Value::Function(key) => {
            line.put(b"func=");
            symbol(ctx, line, key);
        }
        Value::Signal(key) => {
            line.put(b"event=");
            signal(ctx, line, key);
        }
    }
}

/// Every ten bytes, the host writes the indentation of a new line, but no line break.
fn memory(bytes: &[u8], line: &mut TextWriter<'_>) {
    line.put(b"[ ");
    for (i, &byte) in bytes.iter().enumerate() {
        if i > 0 && i % 10 == 0 {
            number::blanks(line, 25);
            number::blanks(line, 25);
        }
        number::byte(line, byte);
        line.byte(b' ');
    }
    line.byte(b']');
}

/// Writes the target's configuration, one setting per line.
#[inline(never)]
fn tcfg<N: Names>(ctx: &Context<'_, N>, layout: &Layout, frame: &[u8], line: &mut TextWriter<'_>) {
    header(ctx, 0, 0, line);
    line.put_block(&layout.head, HEAD);
    line.put(b"Update RKH Configuration from client");
    line.end_line();
    let Some(tcfg) = Tcfg::of_host(frame) else { return };
    for (name, value) in lines(&tcfg) {
        line.put(WIDE_PAD);
        line.put(name.as_bytes());
        number::blanks(line, 30usize.saturating_sub(name.len()));
        line.put(b"= ");
        line.put(value.as_bytes());
        line.end_line();
    }
    line.end_line();
    line.end_line();
}

/// Writes the reference host's lines for a damaged frame or a gap; nothing for other notes.
pub(crate) fn note(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    match row.row.kind {
        RowKind::GAP => line.put(b"\n***** May be have lost trace info, sequence are not correlatives\n"),
        RowKind::BAD_CHECK => line.put(b"\n***** Stream Checksum Error\n"),
        _ => {}
    }
}
