//! The bytes of notes, for rendering.

use spytui_plugin_api::{RowIn, TextWriter, render::Want};

use crate::stuffing::unstuff;

/// Adds the un-stuffed bytes of a note if they are wanted.
pub fn note_frame(row: &RowIn<'_>, want: Want, out: &mut TextWriter<'_>) {
    if !want.contains(Want::FRAME) {
        return;
    }
    let mut bytes = Vec::with_capacity(row.raw.len());
    unstuff(row.raw.as_slice(), &mut bytes);
    out.payload(&bytes);
}
