//! The text of notes.

use spytui_decoder_kit::{gap_text, given_up, sized};
use spytui_hdlc::{ESCAPE, FLAG};
use spytui_plugin_api::{RowIn, TextWriter, batch::AttachmentId, row::RowKind};

use crate::layout::private_kind;

/// Writes the text of a note.
pub(crate) fn native(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    let raw = row.raw.as_slice();
    if let Some(text) = row.attachment_bytes(AttachmentId::TEXT) {
        return line.put(text);
    }
    let what: &[u8] = match row.row.kind {
        RowKind::GAP => return gap_text(row, "nseq", line),
        RowKind::BAD_FRAME if raw.ends_with(&[ESCAPE, FLAG]) => b"frame abandoned by the target",
        RowKind::BAD_FRAME => b"damaged frame",
        private_kind::IDLE => b"idle flags",
        kind => given_up(kind),
    };
    sized(what, raw.len(), line);
}
