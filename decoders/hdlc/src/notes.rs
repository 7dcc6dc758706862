//! The bytes of notes, for rendering.

use spytui_plugin_api::{RowIn, TextWriter, render::Want};

use crate::stuffing::{ESCAPE, unstuff};

/// Adds the un-stuffed bytes of a note if they are wanted.
pub fn note_frame(row: &RowIn<'_>, want: Want, out: &mut TextWriter<'_>) {
    if !want.contains(Want::FRAME) {
        return;
    }
    let raw = row.raw.as_slice();
    if memchr::memchr(ESCAPE, raw).is_none() {
        return out.payload(raw);
    }
    let mut bytes = Vec::with_capacity(raw.len());
    unstuff(raw, &mut bytes);
    out.payload(&bytes);
}
