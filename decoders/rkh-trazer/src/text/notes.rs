//! Rows that are no records: what the reference host prints for them, and what we say.

use spytui_decoder_kit::{gap_text, given_up, sized};
use spytui_hdlc::{ESCAPE, FLAG};
use spytui_plugin_api::{RowIn, batch::AttachmentId, row::RowKind};

use super::line::{Line, Sink};
use crate::receive::own_kind;

/// The reference host's lines for a damaged frame or a gap; nothing for what it is silent about.
pub(crate) fn reference<S: Sink>(row: &RowIn<'_>, line: &mut Line<'_, S>) {
    match row.row.kind {
        RowKind::GAP => line.put(b"\n***** May be have lost trace info, sequence are not correlatives\n"),
        RowKind::BAD_CHECK => line.put(b"\n***** Stream Checksum Error\n"),
        _ => {}
    }
}

/// What we say of a row that is no record.
pub(crate) fn native<S: Sink>(row: &RowIn<'_>, line: &mut Line<'_, S>) {
    let raw = row.raw.as_slice();
    if let Some(text) = row.attachment_bytes(AttachmentId::TEXT) {
        return line.put(text);
    }
    let what: &[u8] = match row.row.kind {
        RowKind::GAP => return gap_text(row, "nseq", line),
        RowKind::BAD_FRAME if raw.ends_with(&[ESCAPE, FLAG]) => b"frame abandoned by the target",
        RowKind::BAD_FRAME => b"damaged frame",
        own_kind::IDLE => b"idle flags",
        kind => given_up(kind),
    };
    sized(what, raw.len(), line);
}
