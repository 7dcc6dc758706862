//! The fields of an event: names and values according to its layout, or else its words.

use spytui_plugin_api::{
    Field, RowFlags, RowIn, RowKind, TextWriter,
    render::{FieldFlags, Tag},
};

use super::{Context, errno_name};
use crate::{
    config::Format,
    layout::{Field as Spec, Group, Ty, attached, note, space},
    record::{Classic, Content, FieldValue, Value, What, attributes, text_of_message},
};

/// Adds the fields of an event, then the running thread.
pub(crate) fn record(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    match ctx.whole.content() {
        Content::Failure(error) => {
            out.field("ret_val", Field { num: -1i64 as u64, tag: Tag::SIGNED, ..Field::default() });
            let number = Field { num: i64::from(error as i32) as u64, tag: Tag::SIGNED, ..Field::default() };
            out.field_text("errno", number, errno_name(error).unwrap_or_default().as_bytes());
        }
        Content::User(Some(bytes @ [_, ..])) => out.field_text("text", text(), bytes),
        Content::User(_) | Content::Words => all_words(ctx, out),
        Content::Fields => values(ctx, out),
    }
    if let Some(thread) = owner(ctx).filter(|_| ctx.whole.layout.group.is_of_running()) {
        let of_owner = Field { flags: FieldFlags::OWNER, ..Field::default() };
        out.field("pid", Field { num: thread >> 32, tag: Tag::KEY, space: space::PROCESSES, ..of_owner });
        out.field("tid", Field { num: thread & u64::from(u32::MAX), ..of_owner });
    }
}

fn owner(ctx: &Context<'_, '_>) -> Option<u64> {
    let row = ctx.row.row;
    row.has(RowFlags::HAS_OBJECT).then_some(row.obj)
}

fn values(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    let mut shown = ctx.whole.fields().filter(|shown| shown.field.is_shown()).peekable();
    while let Some(this) = shown.next() {
        // Of several fields with the same name, the last one counts.
        if shown.peek().is_none_or(|next| next.field.name != this.field.name) {
            one(ctx, &this, out);
        }
    }
}

fn one(ctx: &Context<'_, '_>, FieldValue { field, value, bytes }: &FieldValue<'_>, out: &mut TextWriter<'_>) {
    let plain = Field { byte_off: bytes.start as u32, byte_len: bytes.len() as u32, ..Field::default() };
    let key = |space, scope| Field { tag: Tag::KEY, space, scope, ..plain };
    let kind = match field.ty {
        Ty::D32 | Ty::Long => Field { tag: Tag::SIGNED, ..plain },
        Ty::Pid => key(space::PROCESSES, 0),
        _ if field.name == "intr" => key(space::INTERRUPTS, 0),
        _ => match channel_owner(ctx, field) {
            Some(pid) => key(space::CHANNELS, pid.into()),
            None if field.ty == Ty::U32 => plain,
            None => Field { flags: FieldFlags::HEX, ..plain },
        },
    };
    match *value {
        Value::Number(num) => out.field(field.name, Field { num, ..kind }),
        Value::Message(words) => message(ctx, field.name, words, plain, out),
        Value::Text(text) => out.field_text(field.name, Field { tag: Tag::TEXT, ..plain }, text),
    }
}

/// The first words of a message; the first one also gets the text at the start of the message.
fn message(ctx: &Context<'_, '_>, name: &str, words: &[u8], plain: Field, out: &mut TextWriter<'_>) {
    let mut text = text_of_message(words);
    for num in ctx.whole.words_of(words) {
        let word = Field { num: num.into(), flags: FieldFlags::LIST | FieldFlags::HEX, ..plain };
        out.field_text(name, word, std::mem::take(&mut text));
    }
}

fn channel_owner(ctx: &Context<'_, '_>, field: &Spec) -> Option<u32> {
    let is_call = matches!(ctx.whole.layout.group, Group::Call | Group::Exit) && field.name == "chid";
    let [_, pid] = ctx.whole.event.words;
    let named = Some(pid).filter(|&pid| ctx.whole.layout.name == "CONNECT_ATTACH" && pid != 0);
    named.or_else(|| owner(ctx).map(|thread| (thread >> 32) as u32)).filter(|_| is_call)
}

fn all_words(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    let all: Vec<String> = ctx.whole.words().map(|word| format!("{word:08x}")).collect();
    out.field_text("w", text(), all.join(" ").as_bytes());
}

fn text() -> Field {
    Field { tag: Tag::TEXT, ..Field::default() }
}

/// Adds the fields of a record of a classic trace log.
pub(crate) fn classic(format: Format, record: &Classic<'_>, out: &mut TextWriter<'_>) {
    let mut unsigned = |name: &str, num: u32| out.field(name, Field { num: num.into(), ..Field::default() });
    if let What::Code { code, severity } = record.what {
        let (major, minor) = format.split(code);
        unsigned("code", code);
        unsigned("major", major);
        unsigned("minor", minor.into());
        unsigned("level", severity.into());
    }
    if let Some((opcode, dat20)) = record.opcode {
        unsigned("opcode", opcode.into());
        unsigned("dat20", dat20);
    }
    out.field_text("data", Field { tag: Tag::BYTES, ..text() }, &record.data());
}

/// Adds the fields of a note: the attributes of a header, the events missing in a buffer.
pub(crate) fn note(row: &RowIn<'_>, out: &mut TextWriter<'_>) {
    match row.row.kind {
        RowKind::PROLOG => {
            for (key, value) in attributes(row.raw.as_slice()).0 {
                out.field_text(&String::from_utf8_lossy(key), text(), value);
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
