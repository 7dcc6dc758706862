//! Renders a row in one call, including rows of the host and faults.

use spytui_plugin_api::{
    Attachment, DecoderRef, DictView, Fault, Rendered, Row, RowIn, Want, batch::AttachmentId, row::RowFlags,
};

/// The text of a row whose rendering failed.
#[must_use]
pub fn not_rendered(fault: &Fault) -> String {
    format!("[not rendered: {fault}]")
}

/// Renders a row. A row that makes the decoder fail shows the fault.
pub fn render_row(
    table: DecoderRef,
    configuration: &[u8],
    input: &RowIn<'_>,
    names: &DictView<'_>,
    want: Want,
    out: &mut Rendered,
) {
    out.clear();
    if input.row.kind.is_of_host() {
        // A row of the host carries its text.
        out.text.extend_from_slice(input.attachment_bytes(AttachmentId::TEXT).unwrap_or_default());
        return;
    }
    if let Err(fault) = table.render(configuration, std::slice::from_ref(input), names, want, out) {
        out.clear();
        out.text.extend_from_slice(not_rendered(&fault).as_bytes());
    }
}

/// Concatenates the fragments of a row; `read` appends a range of the stream.
pub fn gather(row: &Row, attachments: &[Attachment], out: &mut Vec<u8>, mut read: impl FnMut(u64, u64, &mut Vec<u8>)) {
    out.clear();
    if row.has(RowFlags::FRAGMENTED) {
        for piece in attachments.iter().filter(|e| e.id == AttachmentId::FRAGMENT) {
            read(piece.a, piece.b, out);
        }
    }
    if row.len > 0 {
        read(row.pos, row.len.into(), out);
    }
}
