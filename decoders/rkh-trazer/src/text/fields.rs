//! The fields of a row: names, values, spaces, and offsets in the unstuffed frame.

use spytui_plugin_api::{
    Field, NONE, TextWriter,
    render::{FieldFlags, Tag},
};

use super::{Context, switches};
use crate::{
    config::{Key, Tcfg},
    layout::{Layout, Named, Role, Ty, Values, space},
    record::{Frame, Item, Items, Record, Value},
};

pub(crate) fn record(ctx: &Context<'_, '_>, frame: &Frame<'_>, out: &mut TextWriter<'_>) {
    if let Record::Tcfg(_) = frame.record {
        return tcfg(frame.bytes, out);
    }
    if let Some(seq) = frame.nseq(&ctx.config) {
        out.unsigned("seq", seq.into(), 1, 1);
    }
    let (off, args) = (ctx.config.header() as u32, frame.args(&ctx.config));
    match &frame.record {
        Record::Event(layout, values) => {
            event(ctx, layout, values, off, out);
        }
        Record::Misfit { layout, values, rest } => {
            let end = event(ctx, layout, values, off, out);
            let name = if values.are_short(layout.fields.len()) { "rest" } else { "extra" };
            out.field_text(name, bytes_at(end, rest.len() as u32), rest);
        }
        Record::User => user(ctx, args, off, out),
        Record::Unknown => out.field_text("args", bytes_at(off, args.len() as u32), args),
        Record::Tcfg(_) => {}
    }
}

fn bytes_at(byte_off: u32, byte_len: u32) -> Field {
    Field { byte_off, byte_len, tag: Tag::BYTES, ..Field::default() }
}

/// Adds the fields of an event, starting at `off`; returns the offset after the last one.
fn event(ctx: &Context<'_, '_>, layout: &Layout, values: &Values<'_>, mut off: u32, out: &mut TextWriter<'_>) -> u32 {
    let fields = layout.fields.iter().zip(values.ends).take(values.count.into());
    for (i, (field, end)) in (0..).zip(fields) {
        let place = Field { byte_off: off, byte_len: end - off, ..Field::default() };
        off = end;
        match field.ty {
            Ty::Str => out.field_text(field.name, Field { tag: Tag::TEXT, ..place }, values.bytes),
            Ty::Rest if values.bytes.is_empty() => {}
            Ty::Rest => out.field_text(field.name, Field { tag: Tag::BYTES, ..place }, values.bytes),
            // The target does not send it.
            _ if place.byte_len == 0 => {}
            _ => {
                let (space, scope) = key_of(ctx, layout, i, values.number(0));
                let tag = if space == NONE { Tag::UNSIGNED } else { Tag::KEY };
                out.field(field.name, Field { num: values.number(i), space, scope, tag, ..place });
            }
        }
    }
    off
}

/// Space and scope of a key field. The reference host treats states as objects.
fn key_of(ctx: &Context<'_, '_>, layout: &Layout, index: u8, first: u64) -> (u16, u64) {
    match layout.key_space(index) {
        space::STATES if !ctx.native() => (space::OBJECTS, 0),
        space::STATES if layout.role == Role::Name(Named::State) => (space::STATES, first),
        space::STATES => (space::STATES, ctx.row.row.obj),
        space => (space, 0),
    }
}

fn user(ctx: &Context<'_, '_>, args: &[u8], off: u32, out: &mut TextWriter<'_>) {
    let place = |rest: &[u8]| off + (args.len() - rest.len()) as u32;
    let (mut items, mut count, mut begin) = (Items::new(args, &ctx.config), 0, off);
    while let Some(found) = items.next() {
        let end = place(items.rest);
        let field = Field {
            byte_off: begin,
            byte_len: end - begin,
            flags: FieldFlags::ELEMENT,
            element: found.ty,
            width: found.width,
            ..Field::default()
        };
        item(&count.to_string(), &found, field, out);
        (count, begin) = (count + 1, end);
    }
    if !items.rest.is_empty() {
        out.field_text("rest", bytes_at(begin, items.rest.len() as u32), items.rest);
    }
}

fn item(name: &str, item: &Item<'_>, field: Field, out: &mut TextWriter<'_>) {
    let key = |space: u16, num: u64| Field { space, num, tag: Tag::KEY, ..field };
    match item.value {
        Value::Signed(n) => out.field(name, Field { num: n as u64, tag: Tag::SIGNED, ..field }),
        Value::Unsigned(num) | Value::Hex(num) => out.field(name, Field { num, tag: Tag::UNSIGNED, ..field }),
        Value::Text(text) => out.field_text(name, Field { tag: Tag::TEXT, ..field }, text),
        Value::Memory(bytes) => out.field_text(name, Field { tag: Tag::BYTES, ..field }, bytes),
        Value::Object(num) => out.field(name, key(space::OBJECTS, num)),
        Value::Function(num) => out.field(name, key(space::FUNCTIONS, num)),
        Value::Signal(num) => out.field(name, key(space::SIGNALS, num)),
    }
}

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
    let version = Field { byte_off: at, byte_len: 2, tag: Tag::TEXT, ..Field::default() };
    out.field_text("version", version, tcfg.dotted().as_bytes());
    let flags = Field { num: tcfg.flags.into(), byte_off: at + 2, byte_len: 4, tag: Tag::UNSIGNED, ..Field::default() };
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
