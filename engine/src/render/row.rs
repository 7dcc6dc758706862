//! Renders rows in one call, including rows of the host and faults.

use spytui_plugin_api::{Attachment, DictView, Rendered, Request, Row, RowIn, batch::AttachmentId, row::RowFlags};

use crate::{formatting::Renderer, present::failure};

/// Renders rows that share one configuration: everything asked for, in one call. A row of the host stands alone; its
/// text was made with it. A row that makes the decoder fail shows the fault; the others are rendered.
pub fn render_rows<'a>(
    renderer: &Renderer,
    configuration: &[u8],
    inputs: &[RowIn<'_>],
    names: &DictView<'_>,
    request: impl Into<Request<'a>>,
    out: &mut Rendered,
) {
    let request = request.into();
    out.clear();
    out.rows.reserve(inputs.len());
    while let Some(rest) = inputs.get(out.rows.len()..)
        && let Some(first) = rest.first()
    {
        if first.row.kind.is_of_host() {
            out.push_text_row(first.attachment_bytes(AttachmentId::TEXT).unwrap_or_default());
            continue;
        }
        match renderer.render(configuration, rest, names, request, out) {
            Ok(()) => return,
            Err(fault) => out.push_text_row(failure::not_rendered(&fault.to_string()).as_bytes()),
        }
    }
}

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
