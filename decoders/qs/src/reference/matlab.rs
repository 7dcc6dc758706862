//! The reference host's Matlab file, byte for byte: a line of numbers per record. Malformed records have none.

use spytui_decoder_kit::{Element, Value, number};
use spytui_plugin_api::{TextWriter, row::RowFlags};

use super::application;
use crate::{
    config::Style,
    layout::{Group, Layout, Ty, Values, id},
    record::{self, Record},
    text::Context,
};

/// Writes the line of a record, if it has one.
pub(super) fn record(ctx: &Context<'_, '_>, frame: &[u8], line: &mut TextWriter<'_>) {
    let [_, id, payload @ .., _] = frame else { return };
    if !ctx.row.row.is_record() || ctx.row.row.flags.intersects(RowFlags::MALFORMED) {
        return;
    }
    match Record::parse(&ctx.config, *id, payload) {
        Record::Application => elements(ctx, *id, payload, line),
        Record::Predefined(layout, values) if has_line(layout) => predefined(ctx, layout, &values, line),
        _ => {}
    }
}

/// Enumerations, application records' names, answers and tests have no line.
fn has_line(layout: &Layout) -> bool {
    !matches!(layout.id, id::EMPTY | id::ENUM_DICT | id::USR_DICT | id::RUN)
        && !matches!(layout.group, Group::Answer | Group::Test)
}

fn predefined(ctx: &Context<'_, '_>, layout: &Layout, values: &Values<'_>, line: &mut TextWriter<'_>) {
    number::decimal(line, layout.id.into());
    line.byte(b' ');
    match layout.id {
        id::SIG_DICT => {
            name(values.bytes, line);
            number::labelled(line, b"=[", values.number(0));
            line.byte(b' ');
            number::signed(line, values.number(1) as i64, 0);
            line.put(b"];");
        }
        id::OBJ_DICT | id::FUN_DICT => {
            name(values.bytes, line);
            line.byte(b'=');
            number::signed(line, values.number(0) as i64, 0);
            line.byte(b';');
        }
        _ => {
            for (nth, field) in order(ctx, layout).enumerate() {
                if nth > 0 {
                    line.byte(b' ');
                }
                let number = values.number(field);
                match layout.fields.get(usize::from(field)).map(|field| field.ty) {
                    Some(Ty::Obj | Ty::Fun) => number::signed(line, number as i64, 0),
                    Some(Ty::Text) => line.put(values.bytes),
                    _ => number::decimal(line, number),
                }
            }
        }
    }
    line.end_line();
}

/// Indices of the fields in the line.
fn order(ctx: &Context<'_, '_>, layout: &Layout) -> impl Iterator<Item = u8> {
    let left_out = layout.place(match layout.id {
        id::PUBLISH => "ref",
        // The older host takes the other byte for the rate.
        id::REARM if ctx.config.style == Style::Qspy734 => "was",
        id::TICK..=id::TIMER_POST => "rate",
        _ => "",
    });
    let are_swapped = matches!(layout.id, id::PREEMPT | id::RESTORE) && ctx.config.version >= 710;
    let fields = (0..).take(layout.fields.len());
    fields.filter(move |field| *field != left_out).map(move |field| match field {
        1 | 2 if are_swapped => 3 - field,
        field => field,
    })
}

/// Writes a name as an identifier.
fn name(name: &[u8], line: &mut TextWriter<'_>) {
    let name = name.strip_prefix(b"&").unwrap_or(name);
    name.iter().for_each(|&byte| line.byte(if b"[].:".contains(&byte) { b'_' } else { byte }));
}

/// Writes an application record: time stamp and elements.
fn elements(ctx: &Context<'_, '_>, id: u8, payload: &[u8], line: &mut TextWriter<'_>) {
    let Some((time, elements)) = record::elements(payload, &ctx.config) else { return };
    number::decimal(line, id.into());
    number::labelled(line, b" ", time);
    for found in elements {
        line.byte(b' ');
        element(&found, line);
    }
    line.end_line();
}

fn element(element: &Element<'_>, line: &mut TextWriter<'_>) {
    match element.value {
        Value::Unsigned(n) if matches!(element.ty, 1 | 3 | 5) => number::unsigned(line, n, element.width.into()),
        Value::Unsigned(n) if element.ty == 14 => number::unsigned(line, n, 2 * (usize::from(element.width) + 1)),
        Value::Memory(bytes) => bytes.iter().for_each(|&byte| {
            line.byte(b' ');
            number::zero_filled(line, byte.into(), 3);
        }),
        Value::Signal { sig, obj } => {
            number::decimal(line, sig);
            line.byte(b' ');
            number::signed(line, obj as i64, 0);
        }
        Value::Object(key) | Value::Function(key) => number::signed(line, key as i64, 0),
        Value::Enum { value, .. } => number::decimal(line, value.into()),
        _ => application::plain(element, line),
    }
}
