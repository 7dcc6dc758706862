//! Details of notes.

use spytui_plugin_api::{
    Field, NONE, RowIn, TextWriter,
    batch::AttachmentId,
    render::{Want, tag},
};

use crate::stuffing::{ESCAPE, unstuff};

/// Renders what is wanted of a note besides its text.
pub fn note_details(row: &RowIn<'_>, want: Want, out: &mut TextWriter<'_>) {
    if want.contains(Want::FIELDS)
        && let Some(text) = row.attachment_bytes(AttachmentId::TEXT)
    {
        out.field_text("text", Field { tag: tag::TEXT, space: NONE, ..Field::default() }, text);
    }
    if want.contains(Want::FRAME) {
        let raw = row.raw.as_slice();
        if memchr::memchr(ESCAPE, raw).is_none() {
            return out.payload(raw);
        }
        let mut bytes = Vec::with_capacity(raw.len());
        unstuff(raw, &mut bytes);
        out.payload(&bytes);
    }
}
