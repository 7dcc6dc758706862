//! The text of rows that are no events.

use spytui_decoder_kit::{given_up, sized};
use spytui_plugin_api::{RowIn, TextWriter, batch::AttachmentId, row::RowKind};

use super::{Context, cause, number, record_of};
use crate::{
    fast::Room,
    frame::END,
    layout::{private_attachment, private_flag},
    record::Cause,
};

/// Writes the text of a note.
pub(crate) fn native(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    let row = ctx.row;
    if let Some(text) = row.attachment_bytes(AttachmentId::TEXT) {
        return line.put(text);
    }
    match row.row.kind {
        RowKind::BAD_FRAME => bad_frame(ctx, line),
        RowKind::DROP => drop(row, line),
        RowKind::TIME_BACK => time_back(row, line),
        kind @ (RowKind::TOO_LONG | RowKind::RESYNC | RowKind::TAIL) => {
            sized(given_up(kind), row.row.len as usize, line);
        }
        _ => {}
    }
}

fn bad_frame(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    let frames = empty_frames(ctx);
    if frames > 0 {
        number::grouped(line, frames);
        return line.put(if frames == 1 { b" empty frame" } else { b" empty frames" });
    }
    line.put(if ctx.row.row.has(private_flag::FIRST) {
        b"stream begins in the middle of a frame, or with a damaged one: "
    } else {
        b"damaged frame, "
    });
    why(ctx, cause::cause, line);
    sized(b"", ctx.row.row.len as usize, line);
}

/// Frame ends in a row that this row stands for.
pub(super) fn empty_frames(ctx: &Context<'_, '_>) -> u64 {
    let only_ends = ctx.row.raw.as_slice().first() == Some(&END);
    if only_ends { ctx.row.row.len.into() } else { 0 }
}

/// Why a row's frame holds no event, in some words.
pub(super) fn why(ctx: &Context<'_, '_>, words: fn(&Cause, &mut TextWriter<'_>), line: &mut TextWriter<'_>) {
    let mut room = Room::new();
    if let Err(cause) = record_of(ctx.row.raw.as_slice(), ctx.config.rtos, &mut room) {
        words(&cause, line);
    }
}

fn drop(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    let lost = row.attachment(AttachmentId::LOST).map_or(0, |e| e.a);
    let total = row.attachment(private_attachment::TOTAL).map_or(0, |e| e.a);
    number::grouped(line, lost);
    line.put(if lost == 1 {
        b" event dropped by the target (total "
    } else {
        b" events dropped by the target (total "
    });
    number::grouped(line, total);
    line.byte(b')');
    if let Some(span) = row.attachment(private_attachment::SPAN).filter(|_| row.row.has_time()) {
        match row.attachment(private_attachment::TICK) {
            Some(tick) => between(line, [span.a, span.b].map(|ticks| micros(ticks, tick.a))),
            None => {
                line.put(b", between ticks ");
                number::grouped(line, span.a);
                line.put(b" and ");
                number::grouped(line, span.b);
            }
        }
    }
}

/// Ticks in microseconds, rounded; the greatest number where it does not fit.
fn micros(ticks: u64, tick_ns: u64) -> u64 {
    let us = (u128::from(ticks) * u128::from(tick_ns) + 500) / 1000;
    u64::try_from(us).unwrap_or(u64::MAX)
}

/// `, between 0.009 and 0.018 ms`, of microseconds.
fn between(line: &mut TextWriter<'_>, span: [u64; 2]) {
    for (word, us) in [&b", between "[..], b" and "].into_iter().zip(span) {
        line.put(word);
        number::grouped(line, us / 1000);
        line.byte(b'.');
        let [a, b, c] = [us / 100 % 10, us / 10 % 10, us % 10].map(|digit| b'0' + digit as u8);
        line.put(&[a, b, c]);
    }
    line.put(b" ms");
}

fn time_back(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    let (from, to) = row.attachment(private_attachment::SPAN).map_or((0, 0), |e| (e.a, e.b));
    line.put(b"time went back from tick ");
    number::grouped(line, from);
    line.put(b" to ");
    number::grouped(line, to);
}
