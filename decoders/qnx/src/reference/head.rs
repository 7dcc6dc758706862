//! The head of the reference tool's output: its versions, and the attributes of the header.

use spytui_plugin_api::{RowIn, RowKind, TextWriter};

use crate::record::attributes;

const VERSIONS: &[u8] = b"TRACEPRINTER version 1.02\nTRACEPARSER LIBRARY version 1.02\n";
const HEADER: &[u8] = b" -- HEADER FILE INFORMATION -- \n";
const EVENTS: &[u8] = b" -- KERNEL EVENTS -- \n";
/// Columns of a key.
const KEY: usize = 22;
const PREFIX: &[u8] = b"TRACE_";

/// Writes the head for the row of a header; the tool is silent about all other notes.
pub(crate) fn note(row: &RowIn<'_>, line: &mut TextWriter<'_>) {
    if row.row.kind != RowKind::PROLOG {
        return;
    }
    line.put(VERSIONS);
    line.put(HEADER);
    for (key, value) in attributes(row.raw.as_slice()).0 {
        (PREFIX.len() + key.len()..KEY).for_each(|_| line.byte(b' '));
        for part in [PREFIX, key, b":: ", value, b"\n"] {
            line.put(part);
        }
    }
    line.put(EVENTS);
}
