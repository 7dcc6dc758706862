//! The bytes of a row.

use spytui_plugin_api::{Attachment, Row, batch::AttachmentId, row::RowFlags};

/// Appends the fragments of a row; `read` appends a range of the stream.
pub fn gather(row: &Row, attachments: &[Attachment], out: &mut Vec<u8>, mut read: impl FnMut(u64, u64, &mut Vec<u8>)) {
    if row.has(RowFlags::FRAGMENTED) {
        for piece in attachments.iter().filter(|e| e.id == AttachmentId::FRAGMENT) {
            read(piece.a, piece.b, out);
        }
    }
    if row.len > 0 {
        read(row.pos, row.len.into(), out);
    }
}
