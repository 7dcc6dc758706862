//! Answers in records: a user event with command, number, status and value.

use spytui_companion::Ack;
use spytui_plugin_api::{Output, Row, RowFlags, TextWriter};

use crate::{
    config::Config,
    layout::ACK,
    record::{Frame, Item, Items, Value},
};

/// Marks the next row as an answer if its record is one. Its name is not needed: another program's event 31 answers no
/// command that waits.
pub(crate) fn answer(frame: &Frame<'_>, config: &Config, row: Row, out: &mut Output<'_>) {
    if frame.id() != ACK || row.flags.intersects(RowFlags::MALFORMED) {
        return;
    }
    if let Some(ack) = read(frame.args(config), config) {
        ack.mark(out);
    }
}

/// Writes an answer in words; `false` if it is none.
pub(crate) fn text(args: &[u8], config: &Config, line: &mut TextWriter<'_>) -> bool {
    const OPS: [&str; 10] = ["ping", "group", "event", "object", "signal", "all", "dict", "reset", "user", "info"];
    const STATES: [&str; 6] = ["groups", "events 0", "events 4", "events 8", "events 12", "events 16"];
    let ack = read(args, config);
    if let Some(ack) = ack {
        ack.text(&OPS, &STATES, line);
    }
    ack.is_some()
}

fn read(args: &[u8], config: &Config) -> Option<Ack> {
    const UI8: u8 = 1;
    const UI32: u8 = 5;
    let mut items = Items::new(args, config);
    let mut next = |of: u8| match items.next()? {
        Item { ty, value: Value::Unsigned(number), .. } if ty == of => Some(number),
        _ => None,
    };
    let [op, seq, status] = [next(UI8)?, next(UI8)?, next(UI8)?].map(|number| number as u8);
    let value = next(UI32)? as u32;
    items.rest.is_empty().then_some(Ack { op, seq, status, value })
}
