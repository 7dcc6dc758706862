//! Details of notes that only the decoder knows; they follow the host's words.

use spytui_hdlc::{ESCAPE, FLAG};
use spytui_plugin_api::{RowIn, TextWriter, console, row::RowKind};

use super::{frame_bytes::body, number};

/// Writes the detail of a note.
pub(crate) fn detail(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    let raw = row.raw.as_slice();
    match row.row.kind {
        RowKind::CONSOLE => line.put(&console::shown(body(raw))),
        RowKind::DUPLICATE => sequence_number(raw, line),
        RowKind::BAD_FRAME if raw.ends_with(&[ESCAPE, FLAG]) => line.put(b"ends with an escape"),
        RowKind::BAD_FRAME => line.put(b"neither number nor payload fit"),
        _ => {}
    }
}

fn sequence_number(raw: &[u8], line: &mut TextWriter<'_>) {
    let seq = match body(raw) {
        [ESCAPE, seq, ..] => seq ^ 0x20,
        [seq, ..] => *seq,
        [] => return,
    };
    line.put(b"seq ");
    number::decimal(line, seq.into());
}
