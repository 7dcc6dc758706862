//! Counters as one JSON object or as text.

use spytui_plugin_api::Info;

use super::json::{self, Object};
use crate::{
    analysis::distribution::{Distribution, Table},
    present::{
        clock::{grouped, short_count},
        sanitise_text,
    },
    store::Counters,
};

/// The counter of lost records, which may be a lower bound.
const LOST: &str = "lost";

/// Counters by name: first the byte accounting, then the general counters that are not 0, then the decoder's own.
#[must_use]
pub fn counters(info: &Info, c: &Counters) -> Vec<(String, u64)> {
    let mut list: Vec<(String, u64)> = [
        ("bytes", c.fed),
        ("record_bytes", c.rows.record_bytes),
        ("other_bytes", c.rows.other_bytes),
        ("skipped_bytes", c.rows.skipped_bytes),
        ("pending_bytes", c.pending_bytes),
        ("records", c.rows.records),
        ("gaps", c.rows.gaps),
        (LOST, c.rows.lost),
        ("bad_checksum", c.rows.bad_checksum),
        ("bad_frame", c.rows.bad_frame),
        ("too_short", c.rows.too_short),
        ("too_long", c.rows.too_long),
        ("resyncs", c.rows.resyncs),
        ("unknown", c.rows.unknown),
        ("payload_errors", c.rows.payload_errors),
        ("duplicates", c.rows.duplicates),
        ("dropped", c.rows.dropped),
        ("epochs", c.rows.epochs),
    ]
    .map(|(name, val)| (name.to_owned(), val))
    .into();
    for &(id, val) in c.own() {
        let name = info
            .counters
            .iter()
            .find(|i| i.id == id)
            .map_or_else(|| format!("counter_{}", id.0), |i| i.name.to_string());
        list.push((name, val));
    }
    list
}

/// Statistics of a source.
#[derive(Debug, Clone, Default)]
pub struct SourceStats {
    /// Its name.
    pub name: String,
    /// Its counters.
    pub counters: Counters,
    /// Distributions of measured values.
    pub distributions: Vec<Table>,
}

/// One JSON object, ended by a newline. For several sources it holds the sums, and `sources` has an object for each.
/// Distributions are lists named after their field, in the object of their source.
#[must_use]
pub fn json(info: &Info, sources: &[SourceStats]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    let total = Counters::total(info, sources.iter().map(|s| &s.counters));
    numbers(&mut object, info, &total);
    match sources {
        [one] => tables(&mut object, one),
        all => each_source(object.key(b"sources"), info, all),
    }
    object.close();
    out.push(b'\n');
    out
}

fn numbers(object: &mut Object<'_>, info: &Info, c: &Counters) {
    for (name, val) in counters(info, c) {
        json::number(object.key(name.as_bytes()), val);
        if name == LOST {
            let exact: &[u8] = if c.is_lost_exact() { b"true" } else { b"false" };
            object.key(b"lost_exact").extend_from_slice(exact);
        }
    }
}

fn tables(object: &mut Object<'_>, source: &SourceStats) {
    source.distributions.iter().for_each(|table| distributions(object.key(table.name.as_bytes()), table));
}

fn each_source(out: &mut Vec<u8>, info: &Info, sources: &[SourceStats]) {
    out.push(b'[');
    for (i, source) in sources.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        let mut object = Object::open(out);
        object.number("source", i);
        object.string("name", source.name.as_bytes());
        numbers(&mut object, info, &source.counters);
        tables(&mut object, source);
        object.close();
    }
    out.push(b']');
}

fn distributions(out: &mut Vec<u8>, table: &Table) {
    out.push(b'[');
    for (i, row) in table.rows.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        let mut object = Object::open(out);
        object.string("object", row.object.as_bytes());
        object.string("signal", row.signal.as_bytes());
        FIGURES.iter().zip(figures(&row.distribution)).for_each(|(name, val)| object.number(name, val));
        object.close();
    }
    out.push(b']');
}

/// Figures of a distribution.
const FIGURES: [&str; 5] = ["count", "min", "median", "p95", "max"];

fn figures(s: &Distribution) -> [u64; 5] {
    [s.count(), s.least(), s.percentile(50), s.percentile(95), s.greatest()]
}

/// A table as text, at most 80 columns wide.
#[must_use]
pub fn lines(table: &Table) -> Vec<String> {
    let Table { name, title, unit, heads: [object, signal], .. } = table;
    let [n, least, median, p95, greatest] = FIGURES;
    let mut lines = vec![
        format!("{title}, {unit} ({name})"),
        format!("{object:<16} {signal:<16} {n:>7} {least:>7} {median:>7} {p95:>7} {greatest:>7}"),
    ];
    lines.extend(table.rows.iter().map(|row| {
        let [n, least, median, p95, greatest] = figures(&row.distribution).map(short_count);
        let (object, signal) = (cut(&row.object), cut(&row.signal));
        format!("{object:<16} {signal:<16} {n:>7} {least:>7} {median:>7} {p95:>7} {greatest:>7}")
    }));
    lines
}

/// Shortens a long name in the middle, because names often differ at the end only.
fn cut(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= 16 {
        return name.to_owned();
    }
    let (head, tail) = (&chars[..8], &chars[chars.len() - 7..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

/// As text; for several sources the sums first, then each source.
#[must_use]
pub fn words(info: &Info, sources: &[SourceStats]) -> String {
    if let [one] = sources {
        return text(info, &one.counters, &one.distributions);
    }
    let mut out = text(info, &Counters::total(info, sources.iter().map(|s| &s.counters)), &[]);
    for (i, source) in sources.iter().enumerate() {
        let own = text(info, &source.counters, &source.distributions);
        out.push_str(&format!("\nsource {i}: {}\n{own}", sanitise_text(&source.name)));
    }
    out
}

/// As text: the byte accounting, then the counters that are not 0.
#[must_use]
pub fn text(info: &Info, c: &Counters, tables: &[Table]) -> String {
    let g = grouped;
    let mut out = format!(
        "received {} B = records {} + other {} + skipped {} + pending {}   {}\n",
        g(c.fed),
        g(c.rows.record_bytes),
        g(c.rows.other_bytes),
        g(c.rows.skipped_bytes),
        g(c.pending_bytes),
        if c.adds_up() { "adds up" } else { "DOES NOT ADD UP" }
    );
    for (name, val) in counters(info, c).iter().skip(5).filter(|(name, val)| *val != 0 || name == "records") {
        let at_least = if name == LOST && !c.is_lost_exact() { "≥" } else { "" };
        let own = format!("{LOST}_{}s", info.loss_unit);
        let name = match name.as_str() {
            LOST if info.counters.iter().any(|counter| counter.name == own) => continue,
            // Not records, where the decoder counts in another unit.
            LOST if !info.loss_unit.is_empty() => own.replace('_', " "),
            name => name.replace('_', " "),
        };
        out.push_str(&format!("{name:<16} {:>12}\n", format!("{at_least}{}", g(*val))));
    }
    for line in tables.iter().flat_map(lines) {
        out.push_str(&line);
        out.push('\n');
    }
    out
}
