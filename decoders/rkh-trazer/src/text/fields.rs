//! The fields of a row: names, values, spaces, and their offsets in the un-stuffed frame.

use spytui_plugin_api::{
    Field, NONE, TextWriter,
    render::{field_flag, tag},
};

use super::{
    names::{Context, Names},
    native::switches,
};
use crate::{
    config::{Key, Tcfg},
    fast::Plan,
    layout::{Layout, Named, Role, Ty, UNIT_TEST, USER, Values, space},
    record::{self, Fit, FrameParts, Item, Value},
};

/// Adds the fields of a record.
pub(crate) fn record<N: Names>(ctx: &Context<'_, N>, plan: &Plan, frame: &[u8], out: &mut TextWriter<'_>) {
    let Some(&id) = frame.first() else { return };
    if plan.role == Role::Tcfg {
        return tcfg(frame, out);
    }
    let parts = FrameParts::of(frame, &ctx.config);
    if let Some(seq) = parts.and_then(|parts| parts.nseq) {
        out.unsigned("seq", seq.into(), 1, 1);
    }
    let args = parts.map_or(&[][..], |parts| parts.args);
    let off = ctx.config.header() as u32;
    match plan.layout {
        Some(layout) if plan.fits(frame) => {
            event(ctx, layout, &plan.values(layout, frame), off, out);
        }
        Some(layout) => variable(ctx, layout, args, off, out),
        None if (USER..UNIT_TEST).contains(&id) => user(ctx, args, off, out),
        None => out.field_text("args", bytes_at(off, args.len() as u32), args),
    }
}

fn bytes_at(byte_off: u32, byte_len: u32) -> Field {
    Field { byte_off, byte_len, tag: tag::BYTES, space: NONE, ..Field::default() }
}

fn variable<N: Names>(ctx: &Context<'_, N>, layout: &Layout, args: &[u8], off: u32, out: &mut TextWriter<'_>) {
    let (values, fit) = record::read(layout, &ctx.config, args);
    let end = event(ctx, layout, &values, off, out);
    if fit != Fit::Exact {
        let rest = args.get((end - off) as usize..).unwrap_or(&[]);
        let name = if fit == Fit::Short { "rest" } else { "extra" };
        out.field_text(name, bytes_at(end, rest.len() as u32), rest);
    }
}

/// Adds the fields of an event; returns the offset after the last one.
fn event<N: Names>(
    ctx: &Context<'_, N>,
    layout: &Layout,
    values: &Values<'_>,
    off: u32,
    out: &mut TextWriter<'_>,
) -> u32 {
    let mut off = off;
    for (i, field) in layout.fields.iter().take(values.whole.into()).enumerate() {
        let len = match field.ty {
            Ty::Str => values.bytes.len() as u32 + 1,
            Ty::Rest => values.bytes.len() as u32,
            ty => ctx.config.size(ty).into(),
        };
        if len == 0 {
            continue;
        }
        let plain =
            Field { num: values.number(i as u8), byte_off: off, byte_len: len, space: NONE, ..Field::default() };
        off += len;
        match field.ty {
            Ty::Str => out.field_text(field.name, Field { tag: tag::TEXT, ..plain }, values.bytes),
            Ty::Rest => out.field_text(field.name, Field { tag: tag::BYTES, ..plain }, values.bytes),
            _ => {
                let (space, scope) = key_of(ctx, layout, i as u8, values.number(0));
                let tag = if space == NONE { tag::UNSIGNED } else { tag::KEY };
                out.field(field.name, Field { space, scope, tag, ..plain });
            }
        }
    }
    off
}

/// Space and scope of a key field. The reference host takes states for objects.
fn key_of<N: Names>(ctx: &Context<'_, N>, layout: &Layout, index: u8, first: u64) -> (u16, u64) {
    match layout.key_space(index) {
        space::STATES if !ctx.native() => (space::OBJECTS, 0),
        space::STATES if layout.role == Role::Name(Named::State) => (space::STATES, first),
        space::STATES => (space::STATES, ctx.row.row.obj),
        space => (space, 0),
    }
}

fn user<N: Names>(ctx: &Context<'_, N>, args: &[u8], off: u32, out: &mut TextWriter<'_>) {
    let mut rest = args;
    let mut count = 0usize;
    let place = |rest: &[u8]| off + (args.len() - rest.len()) as u32;
    while let Ok((next, found)) = record::item(rest, &ctx.config) {
        let field = Field {
            byte_off: place(rest),
            byte_len: (rest.len() - next.len()) as u32,
            flags: field_flag::ELEMENT,
            space: NONE,
            unit: u16::from(found.ty) << 8 | u16::from(found.width),
            ..Field::default()
        };
        item(&count.to_string(), &found, field, out);
        rest = next;
        count += 1;
    }
    if !rest.is_empty() {
        out.field_text("rest", bytes_at(place(rest), rest.len() as u32), rest);
    }
}

fn item(name: &str, item: &Item<'_>, field: Field, out: &mut TextWriter<'_>) {
    let key = |space: u16, num: u64| Field { space, num, tag: tag::KEY, ..field };
    match item.value {
        Value::Signed(n) => out.field(name, Field { num: n as u64, tag: tag::SIGNED, ..field }),
        Value::Unsigned(num) | Value::Hex(num) => out.field(name, Field { num, tag: tag::UNSIGNED, ..field }),
        Value::Text(text) => out.field_text(name, Field { tag: tag::TEXT, ..field }, text),
        Value::Memory(bytes) => out.field_text(name, Field { tag: tag::BYTES, ..field }, bytes),
        Value::Object(num) => out.field(name, key(space::OBJECTS, num)),
        Value::Function(num) => out.field(name, key(space::FUNCTIONS, num)),
        Value::Signal(num) => out.field(name, key(space::SIGNALS, num)),
    }
}

/// Names of the fields of a target configuration.
pub(crate) const CONFIG: [&str; 13] =
    ["config", "version", "flags", "hz", "sig", "ts", "ptr", "ntimer", "nblock", "nelem", "esize", "bsize", "maxpool"];

fn tcfg(frame: &[u8], out: &mut TextWriter<'_>) {
    let Some(tcfg) = Tcfg::find(frame, None) else {
        return out.field_text("config", bytes_at(0, frame.len() as u32), frame);
    };
    if tcfg.header > 1
        && tcfg.settings.on(Key::Nseq)
        && let Some(&seq) = frame.get(1)
    {
        out.unsigned("seq", seq.into(), 1, 1);
    }
    let at = tcfg.header as u32;
    let version = Field { byte_off: at, byte_len: 2, tag: tag::TEXT, space: NONE, ..Field::default() };
    out.field_text("version", version, tcfg.dotted().as_bytes());
    let flags = Field {
        num: tcfg.flags.into(),
        byte_off: at + 2,
        byte_len: 4,
        tag: tag::UNSIGNED,
        space: NONE,
        ..Field::default()
    };
    out.field_text("flags", flags, &TextWriter::text_of(|words| switches(&tcfg, words)));
    out.unsigned("hz", tcfg.hz.into(), at + 11, 2);
    for (name, key, place) in [
        ("sig", Key::Signal, 6),
        ("ts", Key::Timestamp, 6),
        ("ptr", Key::Pointer, 7),
        ("ntimer", Key::Ntimer, 7),
        ("nblock", Key::Nblock, 8),
        ("nelem", Key::Nelem, 8),
        ("esize", Key::Esize, 9),
        ("bsize", Key::Bsize, 10),
    ] {
        out.unsigned(name, tcfg.settings.get(key).into(), at + place, 1);
    }
    out.unsigned("maxpool", tcfg.max_pools.into(), at + 10, 1);
}
