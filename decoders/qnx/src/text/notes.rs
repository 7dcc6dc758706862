//! Details of notes that only the decoder knows; they follow the host's words.

use spytui_plugin_api::{RowIn, RowKind, TextWriter};

use super::number;
use crate::{
    layout::{attached, note},
    record::attributes,
};

/// Events that a buffer of 16 KiB can hold.
const MOST_EVENTS: u64 = 1024;

/// Writes the detail of a note.
pub(crate) fn detail(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    match row.row.kind {
        RowKind::PROLOG => header(row.raw.as_slice(), line),
        note::SHORT_BUFFER => {
            let cut = row.attachment(attached::AT_MOST);
            let Some(missing) = cut.or(row.attachment(attached::MISSING)) else { return };
            line.put(if cut.is_some() { b"up to " } else { b"" });
            number::grouped(line, missing.a);
            line.put(if missing.a == 1 { b" event" } else { b" events" });
            line.put(b" missing in buffer ");
            number::decimal(line, missing.b & ((1 << attached::LOST_HERE) - 1));
            match cut {
                Some(cut) if cut.b >> attached::LOST_HERE > 0 => line.put(b": cut off by the loss on this side"),
                Some(_) => line.put(b": cut off as the link went down"),
                None => {}
            }
            if missing.a > MOST_EVENTS {
                line.put(b", more than it holds: its size may be damaged");
            }
        }
        _ => {}
    }
}

/// Writes what a header says, in the order of its attributes.
fn header(raw: &[u8], line: &mut TextWriter<'_>) {
    let attributes = attributes(raw);
    line.put(b"trace of QNX ");
    line.put(attributes.get("SYS_RELEASE").unwrap_or(b"?"));
    let more =
        [("MACHINE", "", ""), ("CPU_NUM", "", " CPU"), ("CYCLES_PER_SEC", "", " cycles/s"), ("DATE", "from ", "")];
    for (key, before, behind) in more {
        if let Some(value) = attributes.get(key).filter(|value| !value.is_empty()) {
            line.put(b", ");
            line.put(before.as_bytes());
            line.put(value);
            line.put(behind.as_bytes());
        }
    }
}
