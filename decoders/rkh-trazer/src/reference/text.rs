//! The reference host's text, byte for byte where it is correct.

use spytui_plugin_api::{RowIn, TextWriter, row::RowKind};

use super::names::{pool, signal, symbol};
use crate::{
    config::{Key, Tcfg},
    layout::{ACTIONS, Form, HEAD, Layout, Role, Values, private_attachment},
    record::{Frame, Item, Items, Record, Value},
    text::{Context, number, user_number},
};

/// Writes the lines of a record.
#[inline]
pub(crate) fn record(ctx: &Context<'_, '_>, frame: &Frame<'_>, line: &mut TextWriter<'_>) {
    match &frame.record {
        Record::Event(layout, values) | Record::Misfit { layout, values, .. } => {
            header(ctx, frame.stamp(&ctx.config).unwrap_or(0), frame.nseq(&ctx.config).unwrap_or(0), line);
            event(ctx, layout, values, line);
        }
        Record::Tcfg(layout) => tcfg(ctx, layout, frame.bytes, line),
        Record::User => {
            header(ctx, frame.stamp(&ctx.config).unwrap_or(0), frame.nseq(&ctx.config).unwrap_or(0), line);
            user(ctx, frame.id(), frame.args(&ctx.config), line);
        }
        Record::Unknown => {
            line.put(b"***** Unknown trace event = (");
            number::decimal(line, frame.id().into());
            line.byte(b')');
            line.end_line();
        }
    }
}

#[inline]
fn event(ctx: &Context<'_, '_>, layout: &'static Layout, values: &Values<'_>, line: &mut TextWriter<'_>) {
    line.put_block(&layout.head, HEAD);
    for piece in layout.line.pieces() {
        let (form, ty) = piece.form;
        if form != Form::Nothing && form != Form::Text && ctx.config.size(ty) == 0 {
            continue;
        }
        line.put_block(&piece.literal, piece.len.into());
        let number = values.number(piece.field);
        match form {
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
fn formed(ctx: &Context<'_, '_>, form: Form, number: u64, values: &Values<'_>, line: &mut TextWriter<'_>) {
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
fn header(ctx: &Context<'_, '_>, stamp: u64, seq: u8, line: &mut TextWriter<'_>) {
    let width = match ctx.config.stamp {
        0 => 0,
        1 => 3,
        4 => 10,
        _ => 5,
    };
    if width > 0 {
        line.byte(b' ');
        number::unsigned(line, stamp, width);
        line.byte(b'|');
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

fn user(ctx: &Context<'_, '_>, id: u8, args: &[u8], line: &mut TextWriter<'_>) {
    line.put(b" USR | ");
    let mut name = Vec::new();
    match ctx.user(id) {
        Some(known) => name.extend_from_slice(known),
        None => name.extend_from_slice(format!("USR#{}", user_number(id)).as_bytes()),
    }
    line.put(&name);
    number::blanks(line, 10usize.saturating_sub(name.len()));
    line.put(b" : User trace information");
    line.end_line();
    for found in Items::new(args, &ctx.config) {
        line.put(PAD);
        item(ctx, &found, line);
        line.end_line();
    }
}

fn item(ctx: &Context<'_, '_>, item: &Item<'_>, line: &mut TextWriter<'_>) {
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
fn tcfg(ctx: &Context<'_, '_>, layout: &Layout, frame: &[u8], line: &mut TextWriter<'_>) {
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

/// Names and values as the reference host lists them: sizes in bits, switches 0 or 1.
pub(crate) fn lines(tcfg: &Tcfg) -> Vec<(&'static str, String)> {
    let settings = &tcfg.settings;
    let bits = |key| (settings.get(key) * 8).to_string();
    let switch = |key| settings.get(key).to_string();
    let flag = |bit: u32| (tcfg.flags >> bit & 1).to_string();
    vec![
        ("RKH_VERSION", tcfg.dotted()),
        ("TRZ_RKH_CFGPORT_TRC_SIZEOF_TSTAMP", bits(Key::Timestamp)),
        ("TRZ_RKH_CFGPORT_TRC_SIZEOF_PTR", bits(Key::Pointer)),
        ("TRZ_RKH_CFG_FWK_SIZEOF_EVT", bits(Key::Signal)),
        ("TRZ_RKH_CFG_FWK_SIZEOF_EVT_SIZE", bits(Key::Esize)),
        ("TRZ_RKH_CFG_FWK_MAX_EVT_POOL", tcfg.max_pools.to_string()),
        ("TRZ_RKH_CFG_RQ_GET_LWMARK_EN", switch(Key::QueueLwm)),
        ("TRZ_RKH_CFG_RQ_SIZEOF_NELEM", bits(Key::Nelem)),
        ("TRZ_RKH_CFG_MP_GET_LWM_EN", switch(Key::PoolLwm)),
        ("TRZ_RKH_CFG_MP_SIZEOF_NBLOCK", bits(Key::Nblock)),
        ("TRZ_RKH_CFG_MP_SIZEOF_BSIZE", bits(Key::Bsize)),
        ("TRZ_RKH_CFG_SMA_TRC_SNDR_EN", switch(Key::Sender)),
        ("TRZ_RKH_CFG_TMR_SIZEOF_NTIMER", bits(Key::Ntimer)),
        ("TRZ_RKH_CFG_TRC_RTFIL_EN", flag(1)),
        ("TRZ_RKH_CFG_TRC_USER_TRACE_EN", flag(2)),
        ("TRZ_RKH_CFG_TRC_ALL_EN", flag(3)),
        ("TRZ_RKH_CFG_TRC_MP_EN", flag(4)),
        ("TRZ_RKH_CFG_TRC_RQ_EN", flag(5)),
        ("TRZ_RKH_CFG_TRC_SMA_EN", flag(6)),
        ("TRZ_RKH_CFG_TRC_TMR_EN", flag(7)),
        ("TRZ_RKH_CFG_TRC_SM_EN", flag(8)),
        ("TRZ_RKH_CFG_TRC_FWK_EN", flag(9)),
        ("TRZ_RKH_CFG_TRC_ASSERT_EN", flag(10)),
        ("TRZ_RKH_CFG_TRC_RTFIL_SMA_EN", flag(13)),
        ("TRZ_RKH_CFG_TRC_RTFIL_SIGNAL_EN", flag(14)),
        ("TRZ_RKH_CFG_TRC_NSEQ_EN", switch(Key::Nseq)),
        ("TRZ_RKH_CFG_TRC_TSTAMP_EN", switch(Key::Tstamp)),
        ("TRZ_RKH_CFG_TRC_CHK_EN", switch(Key::Checksum)),
        ("tstamp_tick_hz", tcfg.hz.to_string()),
    ]
}
