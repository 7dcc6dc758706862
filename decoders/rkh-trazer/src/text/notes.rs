//! Details of notes that only the decoder knows; they follow the host's words.

use spytui_hdlc::{ESCAPE, FLAG};
use spytui_plugin_api::{RowIn, TextWriter, console, row::RowKind};

use super::frame_bytes::body;

/// Writes the detail of a note.
pub(crate) fn detail(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    if row.row.kind == RowKind::CONSOLE {
        line.put(&console::shown(body(row.raw.as_slice())));
    }
    if row.row.kind == RowKind::BAD_FRAME && row.raw.as_slice().ends_with(&[ESCAPE, FLAG]) {
        line.put(b"abandoned by the target");
    }
}
