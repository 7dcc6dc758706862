//! The counters as one JSON object, and in words.

use spytui_plugin_api::{Info, batch::count};

use super::json::Object;
use crate::{present::clock::grouped, store::Counters};

/// Name of each counter and its value: the accounting first, then the contract's counters that say something, then
/// the decoder's own.
#[must_use]
pub fn counters(info: &Info, c: &Counters) -> Vec<(String, u64)> {
    let mut list: Vec<(String, u64)> = [
        ("bytes", c.fed),
        ("record_bytes", c.record_bytes),
        ("other_bytes", c.other_bytes),
        ("skipped_bytes", c.skipped_bytes),
        ("pending_bytes", c.pending_bytes),
        ("records", c.records),
        ("gaps", c.gaps()),
        ("lost", c.lost()),
        ("bad_checksum", c.get(count::BAD_CHECK)),
        ("bad_frame", c.get(count::BAD_FRAME)),
        ("too_short", c.get(count::SHORT)),
        ("too_long", c.get(count::LONG)),
        ("resyncs", c.get(count::RESYNCS)),
        ("unknown", c.get(count::UNKNOWN)),
        ("payload_errors", c.get(count::PAYLOAD)),
        ("duplicates", c.get(count::DUPLICATES)),
        ("dropped", c.get(count::DROPPED)),
        ("epochs", c.get(count::EPOCHS)),
    ]
    .map(|(name, val)| (name.to_owned(), val))
    .into();
    for &(id, val) in c.own() {
        let name =
            info.counters.iter().find(|i| i.id == id).map_or_else(|| format!("counter_{id}"), |i| i.name.to_string());
        list.push((name, val));
    }
    list
}

/// One JSON object with its line end.
#[must_use]
pub fn json(info: &Info, c: &Counters) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    counters(info, c).iter().for_each(|(name, val)| object.number(name, *val));
    object.close();
    out.push(b'\n');
    out
}

/// In words: the accounting identity, then what is not 0.
#[must_use]
pub fn text(info: &Info, c: &Counters) -> String {
    let g = grouped;
    let mut out = format!(
        "received {} B = records {} + other {} + skipped {} + pending {}   {}\n",
        g(c.fed),
        g(c.record_bytes),
        g(c.other_bytes),
        g(c.skipped_bytes),
        g(c.pending_bytes),
        if c.adds_up() { "adds up" } else { "DOES NOT ADD UP" }
    );
    for (name, val) in counters(info, c).iter().skip(5).filter(|(name, val)| *val != 0 || name == "records") {
        out.push_str(&format!("{:<16} {:>12}\n", name.replace('_', " "), g(*val)));
    }
    out
}
