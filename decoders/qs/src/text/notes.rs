//! The native text of notes.

use spytui_decoder_kit::{gap_text, given_up, sized};
use spytui_plugin_api::{RowIn, TextWriter, batch::AttachmentId, row::RowKind};

use super::{frame_bytes::body, number};
use crate::layout::private_kind;

/// Writes the text of a note.
pub(crate) fn native(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    let raw = row.raw.as_slice();
    if let Some(text) = row.attachment_bytes(AttachmentId::TEXT) {
        return line.put(text);
    }
    let what: &[u8] = match row.row.kind {
        RowKind::GAP => return gap_text(row, "seq", line),
        RowKind::CONSOLE => return line.put(body(raw).trim_ascii_end()),
        RowKind::DUPLICATE => return duplicate(raw, line),
        RowKind::BAD_FRAME if raw.ends_with(&[spytui_hdlc::ESCAPE, spytui_hdlc::FLAG]) => {
            b"damaged frame, ends with an escape"
        }
        RowKind::BAD_FRAME => b"damaged frame, neither number nor payload fit",
        private_kind::IDLE => b"idle flags",
        kind => given_up(kind),
    };
    sized(what, raw.len(), line);
}

fn duplicate(raw: &[u8], line: &mut TextWriter<'_>) {
    line.put(b"frame came twice");
    let seq = match body(raw) {
        [spytui_hdlc::ESCAPE, seq, ..] => Some(seq ^ 0x20),
        [seq, ..] => Some(*seq),
        [] => None,
    };
    if let Some(seq) = seq {
        line.put(b", seq ");
        number::decimal(line, seq.into());
    }
}
