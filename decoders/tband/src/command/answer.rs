//! Answers in events: a value marker whose value has command, number, status and value.

use spytui_companion::Ack;
use spytui_plugin_api::{Output, TextWriter};

use crate::record::Record;

/// The value marker with answers.
pub(crate) const ACK: u64 = 0x7F00;
/// Id of value markers.
const VALUE: u8 = 0x0B;

/// Marks the next row as an answer if its event is one. Its name is not needed: another program's marker answers no
/// command that waits.
#[inline]
pub(crate) fn answer(record: &Record<'_>, out: &mut Output<'_>) {
    if record.layout.id == VALUE && record.numbers[0] == ACK {
        mark(record.numbers[1], out);
    }
}

#[inline(never)]
fn mark(value: u64, out: &mut Output<'_>) {
    if let Some(ack) = read(value) {
        ack.mark(out);
    }
}

/// Writes an answer in words; `false` if it is none.
pub(crate) fn text(value: u64, line: &mut TextWriter<'_>) -> bool {
    const OPS: [&str; 10] = ["ping", "class", "event", "marker", "value", "all", "dict", "reset", "user", "info"];
    let ack = read(value);
    if let Some(ack) = ack {
        ack.text(&OPS, &["classes"], line);
    }
    ack.is_some()
}

fn read(value: u64) -> Option<Ack> {
    let [op, seq, status, a, b, c, d, 0] = value.to_le_bytes() else { return None };
    Some(Ack { op, seq, status, value: u32::from_le_bytes([a, b, c, d]) })
}
