//! The fields of an event: names and values, as far as its layout is known, else its words.

use spytui_formats::{Dialect, What};
use spytui_plugin_api::{
    Field, NONE, RowFlags, RowIn, RowKind, TextWriter,
    render::{field_flag, tag},
};

use super::{Context, errno, words};
use crate::{
    layout::{Field as Spec, Group, Ty, attached, note, space},
    record::{Classic, Format, Value, attributes},
};

/// Adds the fields of an event, then the thread that ran.
pub(crate) fn record(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    values(ctx, out);
    if let Some(thread) = owner(ctx) {
        let of_owner = Field { flags: field_flag::OWNER, ..Field::default() };
        out.field("pid", Field { num: thread >> 32, tag: tag::KEY, space: space::PROCESSES, ..of_owner });
        out.field("tid", Field { num: thread & u64::from(u32::MAX), ..of_owner });
    }
}

/// The key of the thread that ran.
fn owner(ctx: &Context<'_, '_>) -> Option<u64> {
    let row = ctx.row.row;
    (ctx.layout.group.is_of_running() && row.has(RowFlags::HAS_OBJECT)).then_some(row.obj)
}

fn values(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    if ctx.is_failure() {
        signed("ret_val", -1, out);
        return error_number(ctx.words.word(1).unwrap_or(0), out);
    }
    if ctx.layout.group == Group::User {
        return user(ctx, out);
    }
    if ctx.kind.fields().is_empty() {
        return all_words(ctx, out);
    }
    let values = ctx.words.values(ctx.kind).filter(|(field, _)| field.is_shown());
    let mut last: Option<(&Spec, Value)> = None;
    // Of several fields with the same name, the last one counts.
    for (field, value) in values {
        if let Some((field, value)) = last.replace((field, value)).filter(|(last, _)| last.name != field.name) {
            one(ctx, field, value, out);
        }
    }
    if let Some((field, value)) = last {
        one(ctx, field, value, out);
    }
}

/// Why a call failed: the number, and what it stands for.
fn error_number(errno: u32, out: &mut TextWriter<'_>) {
    let number = Field { num: i64::from(errno as i32) as u64, tag: tag::SIGNED, ..Field::default() };
    out.field_text("errno", number, errno::name(errno).unwrap_or_default().as_bytes());
}

fn one(ctx: &Context<'_, '_>, field: &Spec, value: Value, out: &mut TextWriter<'_>) {
    match (value, field.ty) {
        (Value::Number(n), Ty::D32 | Ty::Long) => signed(field.name, n as i64, out),
        (Value::Number(num), Ty::Pid) => {
            let key = Field { num, tag: tag::KEY, space: space::PROCESSES, ..Field::default() };
            out.field(field.name, key);
        }
        (Value::Number(num), _) if field.name == "intr" => {
            let key = Field { num, tag: tag::KEY, space: space::INTERRUPTS, ..Field::default() };
            out.field(field.name, key);
        }
        (Value::Number(num), _) => {
            let plain = Field { flags: if field.ty == Ty::U32 { 0 } else { field_flag::HEX }, ..Field::default() };
            let channel = channel_owner(ctx, field).map(|pid| Field {
                tag: tag::KEY,
                space: space::CHANNELS,
                scope: pid.into(),
                ..Field::default()
            });
            out.field(field.name, Field { num, ..channel.unwrap_or(plain) });
        }
        (Value::Words(from, count), _) => message(ctx, field.name, (from, count), out),
        (Value::Text(from), _) => text(field.name, ctx.words.text(from), out),
    }
}

/// The first words of a message; the first one also has the text that the message begins with.
fn message(ctx: &Context<'_, '_>, name: &str, (from, count): (usize, usize), out: &mut TextWriter<'_>) {
    let mut text = Vec::new();
    words::message(ctx.words, from, count, |byte| text.push(byte));
    for num in (from..from + count).filter_map(|at| ctx.words.word(at)) {
        let word = Field { num: num.into(), flags: field_flag::LIST | field_flag::HEX, ..Field::default() };
        out.field_text(name, word, &text);
        text.clear();
    }
}

/// The process whose channel a field tells.
fn channel_owner(ctx: &Context<'_, '_>, field: &Spec) -> Option<u32> {
    let is_call = matches!(ctx.layout.group, Group::Call | Group::Exit) && field.name == "chid";
    let named = ctx.words.word(1).filter(|&pid| ctx.layout.name == "CONNECT_ATTACH" && pid != 0);
    let thread = ctx.row.row.has(RowFlags::HAS_OBJECT).then_some(ctx.row.row.obj);
    named.or_else(|| thread.map(|thread| (thread >> 32) as u32)).filter(|_| is_call)
}

fn user(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    match words::user(ctx.words).filter(|text| text.clone().next().is_some()) {
        Some(bytes) => text("text", bytes, out),
        None => all_words(ctx, out),
    }
}

/// The words as hexadecimal numbers.
fn all_words(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    let mut all = String::with_capacity(ctx.words.len() * 9);
    for (i, word) in (0..ctx.words.len()).filter_map(|at| ctx.words.word(at)).enumerate() {
        if i > 0 {
            all.push(' ');
        }
        all.push_str(&format!("{word:08x}"));
    }
    out.field_text("w", TEXT, all.as_bytes());
}

const TEXT: Field = {
    let range = spytui_plugin_api::ByteRange { off: 0, len: 0 };
    Field {
        name: range,
        text: range,
        num: 0,
        scope: 0,
        byte_off: 0,
        byte_len: 0,
        tag: tag::TEXT,
        flags: 0,
        space: NONE,
        unit: 0,
        reserved: 0,
    }
};

fn text(name: &str, bytes: impl Iterator<Item = u8>, out: &mut TextWriter<'_>) {
    out.field_text(name, TEXT, &bytes.collect::<Vec<u8>>());
}

fn signed(name: &str, value: i64, out: &mut TextWriter<'_>) {
    out.field(name, Field { num: value as u64, tag: tag::SIGNED, ..Field::default() });
}

/// Adds the fields of a record of a classic trace log.
pub(crate) fn classic(format: Format, record: &Classic<'_>, out: &mut TextWriter<'_>) {
    if let What::Code { code, severity } = record.what {
        let dialect = if format == Format::Qnx4 { Dialect::Qnx4 } else { Dialect::Nto1 };
        let (major, minor) = dialect.split(code);
        unsigned("code", code, out);
        unsigned("major", major, out);
        unsigned("minor", minor.into(), out);
        unsigned("level", severity.into(), out);
    }
    if let Some((opcode, dat20)) = record.opcode {
        unsigned("opcode", opcode.into(), out);
        unsigned("dat20", dat20, out);
    }
    out.field_text("data", Field { tag: tag::BYTES, ..TEXT }, &record.data());
}

fn unsigned(name: &str, num: u32, out: &mut TextWriter<'_>) {
    out.field(name, Field { num: num.into(), ..Field::default() });
}

/// Adds the fields of a note: the attributes of a header, what is missing in a buffer.
pub(crate) fn note(row: &RowIn<'_>, out: &mut TextWriter<'_>) {
    match row.row.kind {
        RowKind::PROLOG => {
            for (key, value) in attributes(row.raw.as_slice()).0 {
                out.field_text(&String::from_utf8_lossy(key), TEXT, value);
            }
        }
        note::SHORT_BUFFER => {
            for (name, id) in [("missing", attached::MISSING), ("at_most", attached::AT_MOST)] {
                if let Some(missing) = row.attachment(id) {
                    out.field(name, Field { num: missing.a, ..Field::default() });
                    let num = missing.b & ((1 << attached::LOST_HERE) - 1);
                    out.field("buffer", Field { num, ..Field::default() });
                }
            }
        }
        _ => {}
    }
}
