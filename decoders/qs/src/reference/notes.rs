//! Notes in the reference host's words.

use spytui_plugin_api::{RowIn, TextWriter, batch::AttachmentId, row::RowKind};

use super::misread::ERROR;
use crate::{
    layout::{self, private_attachment},
    text::{names::Context, number},
};

/// Writes the reference host's line for a bad frame or a gap; nothing for other notes.
pub(crate) fn note(ctx: &Context<'_, '_>, line: &mut TextWriter<'_>) {
    let kind = ctx.row.row.kind;
    match kind {
        RowKind::GAP => discontinuity(ctx.row, line),
        RowKind::BAD_CHECK | RowKind::TOO_SHORT | RowKind::TOO_LONG => broken(ctx, kind, line),
        RowKind::PROLOG => line.put(ctx.row.attachment_bytes(AttachmentId::TEXT).unwrap_or(&[])),
        _ => {}
    }
}

fn discontinuity(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    let Some(numbers) = row.attachment(AttachmentId::EXPECTED) else { return };
    line.put(ERROR);
    line.put(b"Discontinuity Seq=");
    // The host subtracts in 32 bits.
    number::decimal(line, (numbers.a as u32).wrapping_sub(1).into());
    line.put(b"->");
    number::decimal(line, numbers.b);
    line.end_line();
}

fn broken(ctx: &Context<'_, '_>, kind: RowKind, line: &mut TextWriter<'_>) {
    let Some(shown) = ctx.row.attachment(private_attachment::SHOWN) else { return };
    let (last, escaped, id) = (shown.a & 0xFF, shown.a >> 8 & 1 == 1, shown.b as u8);
    line.put(ERROR);
    match kind {
        RowKind::BAD_CHECK => {
            line.put(b"Bad checksum in Rec=");
            record_name(ctx, id, 0, line);
            line.put(b"(?),Seq=");
            number::decimal(line, last);
        }
        RowKind::TOO_SHORT => {
            line.put(b"Record too short at Seq=");
            number::decimal(line, last);
            line.put(b"(?),Rec=");
            let user = record_name(ctx, id, 0, line);
            line.put(if user { b"(?)" } else { b"" });
        }
        _ => {
            line.put(b"Record too long at Seq=");
            number::unsigned(line, last, if escaped { 0 } else { 3 });
            line.put(if escaped { b"(?),Rec=" } else { b",Rec=" });
            record_name(ctx, id, if escaped { 0 } else { 3 }, line);
            line.put(if escaped { b"(?)" } else { b"" });
        }
    }
    line.end_line();
}

/// Name of a record in an error line, and whether it is an application record.
fn record_name(ctx: &Context<'_, '_>, id: u8, width: usize, line: &mut TextWriter<'_>) -> bool {
    let base = layout::user_base(ctx.config.version, ctx.config.style);
    if id < base {
        line.put(layout::name(id, ctx.config.style).as_bytes());
        return false;
    }
    line.put(b"USER+");
    number::unsigned(line, (id - base).into(), width);
    true
}
