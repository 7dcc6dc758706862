//! The fields of a row: names, values, spaces, and positions in the unstuffed frame.

use spytui_plugin_api::{
    Field, TextWriter,
    render::{FieldFlags, Tag},
};

use super::{Context, command, status_words};
use crate::{
    config::SIZES,
    fast::BlockPlans,
    layout::{self, Form, Layout, Ty, Values, id, space},
    record::{self, Elements, PAYLOAD, Record, TargetInfo, Value},
};

/// Field names of the target info, except for sizes, which are named like their options.
pub(crate) const INFO: [&str; 8] =
    ["reset", "version", "date", "big_endian", "max_active", "max_pools", "max_rates", "build"];

pub(crate) fn record(ctx: &Context<'_, '_>, plans: &mut BlockPlans, frame: &[u8], out: &mut TextWriter<'_>) {
    let [seq, id, payload @ .., _] = frame else { return };
    out.unsigned("seq", (*seq).into(), 0, 1);
    let (layout, values, rest) = match Record::read(&ctx.config, plans.of(*id), frame, (*id, payload)) {
        Record::Predefined(layout, values) => return predefined(layout, &values, out),
        Record::Misfit { layout, values, rest } => (layout, values, rest),
        Record::Info(Some(found)) => return info(&found, payload, out),
        Record::Info(None) => return out.field_text("payload", bytes_at(PAYLOAD, payload), payload),
        Record::Application => return application(ctx, payload, out),
        Record::Unknown if *id == id::QUERY => {
            let layout = layout::other_query(ctx.config.version, ctx.config.style);
            let (rest, values) = record::fields(layout, &ctx.config.sizes, payload);
            (layout, values, rest)
        }
        Record::Unknown => return,
    };
    // The length of an answer may vary; its beginning is the same.
    if values.are_short(layout.fields.len()) || !(rest.is_empty() || *id == id::QUERY) {
        return out.field_text("payload", bytes_at(PAYLOAD, payload), payload);
    }
    predefined(layout, &values, out);
    if !rest.is_empty() {
        out.field_text("rest", bytes_at(PAYLOAD + payload.len() - rest.len(), rest), rest);
    }
}

fn bytes_at(off: usize, bytes: &[u8]) -> Field {
    Field { byte_off: off as u32, byte_len: bytes.len() as u32, tag: Tag::BYTES, ..Field::default() }
}

fn predefined(layout: &Layout, values: &Values<'_>, out: &mut TextWriter<'_>) {
    let mut off = PAYLOAD as u32;
    for (((i, field), form), end) in (0..).zip(layout.fields).zip(&layout.forms).zip(&values.ends) {
        let begin = std::mem::replace(&mut off, *end);
        let plain = Field { num: values.number(i), byte_off: begin, byte_len: end - begin, ..Field::default() };
        let key = |space: u16, scope: u64| Field { tag: Tag::KEY, space, scope, ..plain };
        match field.ty {
            Ty::Time => {}
            Ty::Obj => out.field(field.name, key(space::OBJECTS, 0)),
            Ty::Fun => out.field(field.name, key(space::FUNCTIONS, 0)),
            Ty::Sig => out.field(field.name, key(space::SIGNALS, values.number(layout.scope))),
            Ty::Text => out.field_text(field.name, Field { tag: Tag::TEXT, ..plain }, values.bytes),
            Ty::Items => out.field_text(field.name, Field { tag: Tag::BYTES, ..plain }, values.bytes),
            _ => number_field(field.name, *form, plain, out),
        }
    }
}

/// Adds a number, with text if it is a command or signed.
fn number_field(name: &str, form: Form, plain: Field, out: &mut TextWriter<'_>) {
    match form {
        Form::Signed => {
            let num = plain.num as u32 as i32 as i64 as u64;
            out.field(name, Field { num, tag: Tag::SIGNED, ..plain });
        }
        Form::Command => out.field_text(name, plain, &TextWriter::text_of(|words| command(words, plain.num))),
        Form::Status => {
            let words = TextWriter::text_of(|words| status_words(words, plain.num as u8));
            out.field_text(name, plain, &words);
        }
        _ => out.field(name, plain),
    }
}

fn application(ctx: &Context<'_, '_>, payload: &[u8], out: &mut TextWriter<'_>) {
    let Some(mut elements) = Elements::new(payload, &ctx.config.sizes) else { return };
    let place = |rest: &[u8]| PAYLOAD + payload.len() - rest.len();
    let (mut begin, mut count) = (place(elements.rest), 0usize);
    while let Some(found) = elements.next() {
        let end = place(elements.rest);
        let field = Field {
            byte_off: begin as u32,
            byte_len: (end - begin) as u32,
            flags: FieldFlags::ELEMENT,
            element: found.ty,
            width: found.width,
            ..Field::default()
        };
        element(itoa::Buffer::new().format(count), found.of_version(ctx.config.version).value, field, out);
        (begin, count) = (end, count + 1);
    }
    if !elements.rest.is_empty() {
        out.field_text("rest", bytes_at(begin, elements.rest), elements.rest);
    }
}

fn element(name: &str, value: Value<'_>, field: Field, out: &mut TextWriter<'_>) {
    let key = |space: u16, num: u64, scope: u64, tag: Tag| Field { space, num, scope, tag, ..field };
    match value {
        Value::Signed(n) => out.field(name, Field { num: n as u64, tag: Tag::SIGNED, ..field }),
        Value::Unsigned(num) => out.field(name, Field { num, tag: Tag::UNSIGNED, ..field }),
        Value::Float(n) => out.field(name, Field { num: f64::from(n).to_bits(), tag: Tag::F64, ..field }),
        Value::Double(n) => out.field(name, Field { num: n.to_bits(), tag: Tag::F64, ..field }),
        Value::Text(text) => out.field_text(name, Field { tag: Tag::TEXT, ..field }, text),
        Value::Memory(bytes) => out.field_text(name, Field { tag: Tag::BYTES, ..field }, bytes),
        Value::Signal { sig, obj } => out.field(name, key(space::SIGNALS, sig, obj, Tag::KEY)),
        Value::Object(num) => out.field(name, key(space::OBJECTS, num, 0, Tag::KEY)),
        Value::Function(num) => out.field(name, key(space::FUNCTIONS, num, 0, Tag::KEY)),
        Value::Enum { group, value } => out.field(name, key(space::ENUMS, value.into(), group.into(), Tag::ENUM)),
    }
}

fn info(info: &TargetInfo, payload: &[u8], out: &mut TextWriter<'_>) {
    // After flags and version (3 or 5 bytes), both layouts are the same.
    let tail = (PAYLOAD + payload.len().saturating_sub(13)) as u32;
    let put = |out: &mut TextWriter<'_>, name: &str, num: u64, off: u32, len: u32| out.unsigned(name, num, off, len);
    out.field("reset", Field { num: info.reset.into(), byte_off: 2, byte_len: 1, tag: Tag::BOOL, ..Field::default() });
    put(out, "version", info.version.into(), 3, tail - 3);
    if info.date != 0 {
        put(out, "date", info.date.into(), 3, tail - 3);
    }
    let big = Field { num: info.big_endian.into(), tag: Tag::BOOL, ..Field::default() };
    out.field("big_endian", Field { byte_off: 2, byte_len: 3, ..big });
    for spec in &SIZES {
        put(out, spec.option.key, spec.get(info.sizes).into(), tail, 5);
    }
    put(out, "max_active", info.max_active.into(), tail + 5, 1);
    put(out, "max_pools", info.max_pools.into(), tail + 6, 1);
    put(out, "max_rates", info.max_rates.into(), tail + 6, 1);
    let build = Field { byte_off: tail + 7, byte_len: 6, tag: Tag::TEXT, ..Field::default() };
    out.field_text("build", build, info.build_id().as_bytes());
}
