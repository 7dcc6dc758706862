//! The fields of a row: names, values, spaces, and their offsets in the event.

use spytui_plugin_api::{Field, NONE, TextWriter, render::Tag, row::RowKind};

use super::{
    Context,
    notes::{empty_frames, why},
};
use crate::{
    layout::Ty,
    record::{Cause, Record},
};

/// Maximum number of bytes of a damaged frame in its field.
const MOST_SHOWN: usize = 256;

/// Adds the fields of an event.
pub(crate) fn record(ctx: &Context<'_, '_>, record: &Record<'_>, out: &mut TextWriter<'_>) {
    let places = record.offsets.windows(2).zip(record.numbers.into_iter().chain([0]));
    for (field, (place, num)) in record.layout.fields.iter().take(record.given).zip(places) {
        let &[byte_off, end] = place else { return };
        let plain = Field { num, byte_off, byte_len: end - byte_off, space: NONE, ..Field::default() };
        match field.ty {
            Ty::Text => out.field_text(field.name, Field { num: 0, tag: Tag::TEXT, ..plain }, record.text),
            Ty::S64 => out.field(field.name, Field { tag: Tag::SIGNED, ..plain }),
            Ty::QueueKind => out.field(field.name, Field { tag: Tag::ENUM, space: field.space, ..plain }),
            Ty::U32 if field.space != NONE => {
                let scope = ctx.scope(field.space);
                out.field(field.name, Field { tag: Tag::KEY, space: field.space, scope, ..plain });
            }
            Ty::U32 | Ty::U64 => out.field(field.name, plain),
        }
    }
}

/// Writes why a frame has no valid event.
pub(crate) type Words = fn(&Cause, &mut TextWriter<'_>);

/// Adds the fields of a note; `words` writes field `cause`.
pub(crate) fn note(ctx: &Context<'_, '_>, words: Words, out: &mut TextWriter<'_>) {
    let row = ctx.row;
    let text = Field { tag: Tag::TEXT, space: NONE, ..Field::default() };
    if row.row.kind == RowKind::BAD_FRAME {
        let cause = TextWriter::text_of(|text| why(ctx, words, text));
        out.field_text("cause", text, &cause);
        out.field("frames", Field { num: empty_frames(ctx).max(1), ..Field::default() });
        let raw = row.raw.as_slice();
        let shown = raw.get(..MOST_SHOWN).unwrap_or(raw);
        out.field_text("raw", Field { tag: Tag::BYTES, ..text }, shown);
    }
}
