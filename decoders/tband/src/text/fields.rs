//! The fields of a row: names, values, spaces, and their place in the event.

use spytui_plugin_api::{Field, NONE, TextWriter, batch::AttachmentId, render::tag, row::RowKind};

use super::{
    Context, cause,
    line::Line,
    notes::{empty_frames, why},
};
use crate::{
    event::{self, Event},
    layout::Ty,
    number,
    receive::own_attachment,
};

/// Most bytes of a damaged frame that become a field.
const MOST_SHOWN: usize = 256;

/// Adds the fields of an event; `bytes` are its own.
pub(crate) fn record(ctx: &Context<'_, '_>, event: &Event<'_>, bytes: &[u8], out: &mut TextWriter<'_>) {
    let mut rest = bytes.get(1..).unwrap_or(&[]);
    if event.layout.timed {
        rest = number::u64(rest).map_or(rest, |(rest, _)| rest);
    }
    for (i, field) in event.layout.fields.iter().take(event.given).enumerate() {
        let after = event::value(field.ty, rest).map_or(rest, |(after, _)| after);
        let num = event.numbers.get(i).copied().unwrap_or(0);
        let plain = Field {
            num,
            byte_off: (bytes.len() - rest.len()) as u32,
            byte_len: (rest.len() - after.len()) as u32,
            space: NONE,
            ..Field::default()
        };
        match field.ty {
            Ty::Text => out.field_text(field.name, Field { num: 0, tag: tag::TEXT, ..plain }, event.text),
            Ty::S64 => out.field(field.name, Field { tag: tag::SIGNED, ..plain }),
            Ty::QueueKind => out.field(field.name, Field { tag: tag::ENUM, space: field.space, ..plain }),
            Ty::U32 if field.space != NONE => {
                let scope = ctx.scope(field.space);
                out.field(field.name, Field { tag: tag::KEY, space: field.space, scope, ..plain });
            }
            Ty::U32 | Ty::U64 => out.field(field.name, plain),
        }
        rest = after;
    }
}

/// Adds the fields of a row that is no event.
pub(crate) fn note(ctx: &Context<'_, '_>, out: &mut TextWriter<'_>) {
    let row = ctx.row;
    let number = |num: u64| Field { num, tag: tag::UNSIGNED, space: NONE, ..Field::default() };
    let text = Field { tag: tag::TEXT, space: NONE, ..Field::default() };
    if let Some(said) = row.attachment_bytes(AttachmentId::TEXT) {
        out.field_text("text", text, said);
    }
    if let Some(total) = row.attachment(own_attachment::TOTAL) {
        out.field("total", number(total.a));
    }
    if let Some(span) = row.attachment(own_attachment::SPAN) {
        out.field("from", number(span.a));
        out.field("to", number(span.b));
    }
    if row.row.kind == RowKind::BAD_FRAME {
        let mut words = Vec::new();
        let mut line = Line::new(&mut words);
        why(ctx, cause::reference, &mut line);
        line.finish();
        out.field_text("cause", text, &words);
        out.field("frames", number(empty_frames(ctx).max(1)));
        let raw = row.raw.as_slice();
        let shown = raw.get(..MOST_SHOWN).unwrap_or(raw);
        out.field_text("raw", Field { tag: tag::BYTES, ..text }, shown);
    }
}
