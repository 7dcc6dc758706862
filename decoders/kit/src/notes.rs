//! What is said of rows that are no records.

use spytui_plugin_api::{RowIn, TextWriter, batch::AttachmentId, row::RowKind};

use crate::{number, sequence::gap_attachment};

/// What a gap's row says: how many records are lost, and what speaks for it. `name` = what the protocol calls its
/// sequence number.
pub fn gap_text(row: &RowIn<'_>, name: &str, line: &mut TextWriter<'_>) {
    let (lost, exact) = row.attachment(AttachmentId::LOST).map_or((0, true), |e| (e.a, e.b != 0));
    let (expected, got) = row.attachment(AttachmentId::EXPECTED).map_or((0, 0), |e| (e.a, e.b));
    let damaged = row.attachment(gap_attachment::DAMAGED).map_or(0, |e| e.a);
    if !exact {
        line.put("≥ ".as_bytes());
    }
    number::grouped(line, lost);
    line.put(if lost == 1 { b" record lost, " } else { b" records lost, " });
    line.put(name.as_bytes());
    line.byte(b' ');
    number::decimal(line, expected);
    if lost > 1 {
        line.byte(b'-');
        number::decimal(line, got.wrapping_sub(1) & 0xFF);
    }
    match (damaged, lost) {
        (0, _) => {}
        (_, 1) => line.put(b": its frame came damaged"),
        (d, l) if d >= l => line.put(b": their frames came damaged"),
        (1, _) => line.put(b", one came damaged"),
        (d, _) => {
            line.put(b", ");
            number::decimal(line, d);
            line.put(b" came damaged");
        }
    }
    if let Some(span) = row.attachment(gap_attachment::SPAN) {
        line.put(" · ".as_bytes());
        number::grouped(line, span.a);
        line.put(if span.a == 1 { b" tick" } else { b" ticks" });
    }
    let cause = match row.attachment(AttachmentId::CAUSE).map_or(0, |e| e.a) {
        1 => " · ring",
        2 => " · line",
        3 => " · host",
        _ if damaged >= lost => "",
        _ => " · ring or line",
    };
    line.put(cause.as_bytes());
}

/// What a row of bytes that are given up says, where its kind tells; nothing for other kinds.
pub fn given_up(kind: RowKind) -> &'static [u8] {
    match kind {
        RowKind::BAD_CHECK => b"damaged frame, wrong checksum",
        RowKind::TOO_SHORT => b"damaged frame, too short",
        RowKind::TOO_LONG => b"no end of frame",
        RowKind::RESYNC => b"skipped in search of the next frame",
        RowKind::PARTIAL => b"stream begins in the middle of a frame",
        RowKind::TAIL => b"stream ends in the middle of a frame",
        _ => b"",
    }
}

/// Writes what a row is, and how many bytes it has.
pub fn sized(what: &[u8], len: usize, line: &mut TextWriter<'_>) {
    line.put(what);
    line.put(" · ".as_bytes());
    number::grouped(line, len as u64);
    line.put(b" B");
}
