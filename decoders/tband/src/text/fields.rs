//! The fields of a row: names, values, spaces, and their offsets in the event.

use spytui_plugin_api::{Field, NONE, TextWriter, render::tag, row::RowKind};

use super::{
    Context,
    notes::{empty_frames, why},
};
use crate::{
    layout::Ty,
    record::{self, Cause, Record},
};

/// Maximum number of bytes of a damaged frame in its field.
const MOST_SHOWN: usize = 256;

/// Adds the fields of an event; `bytes` = its bytes.
pub(crate) fn record(ctx: &Context<'_, '_>, record: &Record<'_>, bytes: &[u8], out: &mut TextWriter<'_>) {
    let mut rest = bytes.get(1..).unwrap_or(&[]);
    if record.layout.timed {
        rest = record::stamp(rest).map_or(rest, |(rest, _)| rest);
    }
    for (i, field) in record.layout.fields.iter().take(record.given).enumerate() {
        let after = record::value(field.ty, rest).map_or(rest, |(after, _)| after);
        let num = record.numbers.get(i).copied().unwrap_or(0);
        let plain = Field {
            num,
            byte_off: (bytes.len() - rest.len()) as u32,
            byte_len: (rest.len() - after.len()) as u32,
            space: NONE,
            ..Field::default()
        };
        match field.ty {
            Ty::Text => out.field_text(field.name, Field { num: 0, tag: tag::TEXT, ..plain }, record.text),
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

/// Writes why a frame has no valid event.
pub(crate) type Words = fn(&Cause, &mut TextWriter<'_>);

/// Adds the fields of a note; `words` writes field `cause`.
pub(crate) fn note(ctx: &Context<'_, '_>, words: Words, out: &mut TextWriter<'_>) {
    let row = ctx.row;
    let text = Field { tag: tag::TEXT, space: NONE, ..Field::default() };
    if row.row.kind == RowKind::BAD_FRAME {
        let cause = TextWriter::text_of(|text| why(ctx, words, text));
        out.field_text("cause", text, &cause);
        out.field("frames", Field { num: empty_frames(ctx).max(1), ..Field::default() });
        let raw = row.raw.as_slice();
        let shown = raw.get(..MOST_SHOWN).unwrap_or(raw);
        out.field_text("raw", Field { tag: tag::BYTES, ..text }, shown);
    }
}
