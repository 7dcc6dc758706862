//! Counters as one JSON object or as text.

use spytui_plugin_api::Info;

use super::{
    json::{self, Object},
    table::{JSON, Table, json_object},
};
use crate::{
    analysis::{
        distribution::{self, Distribution},
        kinds::NamedKind,
    },
    io::log::format::percent,
    present::{
        clock::{grouped, short_count},
        sanitise_text,
    },
    store::Counters,
};

/// The counter of lost records, which may be a lower bound.
const LOST: &str = "lost";

/// Counters by name: byte accounting, then the non-zero general counters, then the decoder's own.
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
    for (&id, &val) in &c.own {
        let name = info
            .counters
            .iter()
            .find(|i| i.id == id)
            .map_or_else(|| format!("counter_{}", id.0), |i| i.name.to_string());
        list.push((name, val));
    }
    list
}

pub fn label(name: &str) -> String {
    if name == "epochs" { "target starts".to_owned() } else { name.replace('_', " ") }
}

#[derive(Debug, Clone, Default)]
pub struct SourceStats {
    pub name: String,
    pub counters: Counters,
    /// Rows and bytes of each kind, most bytes first.
    pub kinds: Vec<NamedKind>,
    pub distributions: Vec<distribution::DistributionTable>,
}

/// One JSON object, ended by a newline; `docs/output.md` describes its keys. With several sources it contains the sums,
/// and `sources` has an object for each. Distributions are lists named after their field, in the object of their
/// source.
pub fn json(info: &Info, sources: &[SourceStats]) -> Vec<u8> {
    json_object(|object| {
        numbers(object, info, &Counters::total(info, sources.iter().map(|s| &s.counters)));
        match sources {
            [one] => tables(object, one),
            all => json::objects(object.key(b"sources"), all.iter().enumerate(), |object, (i, source)| {
                object.number("source", i);
                object.string("name", source.name.as_bytes());
                numbers(object, info, &source.counters);
                tables(object, source);
            }),
        }
    })
}

fn numbers(object: &mut Object<'_>, info: &Info, c: &Counters) {
    for (name, val) in counters(info, c) {
        json::number(object.key(name.as_bytes()), val);
        if name == LOST {
            json::boolean(object.key(b"lost_exact"), c.is_lost_exact(info));
        }
    }
}

fn tables(object: &mut Object<'_>, source: &SourceStats) {
    let some = |text: &str| Some(text).filter(|text| !text.is_empty()).map(str::to_owned);
    let kinds = Table::new(&source.kinds, false)
        .column(JSON, "kind", |kind| kind.kind.clone())
        .column(JSON, "name", move |kind| some(&kind.name))
        .column(JSON, "group", move |kind| some(&kind.group))
        .column(JSON, "rows", |kind| kind.rows)
        .column(JSON, "bytes", |kind| kind.bytes);
    kinds.json().json(object, "kinds", false);
    for of in &source.distributions {
        let mut table = Table::new(&of.rows, false).column(JSON, "object", |row| row.object.clone()).column(
            JSON,
            "signal",
            |row| row.signal.clone(),
        );
        for (at, name) in FIGURES.into_iter().enumerate() {
            table = table.column(JSON, name, move |row| figures(&row.distribution)[at]);
        }
        table.json().json(object, &of.name, false);
    }
}

const FIGURES: [&str; 5] = ["count", "min", "median", "p95", "max"];

fn figures(s: &Distribution) -> [u64; 5] {
    [s.count, s.least(), s.percentile(50), s.percentile(95), s.greatest()]
}

/// A table as text, at most 80 characters wide.
pub fn lines(table: &distribution::DistributionTable) -> Vec<String> {
    let distribution::DistributionTable { name, title, unit, heads: [object, signal], .. } = table;
    let [n, least, median, p95, greatest] = FIGURES;
    let mut lines = vec![
        format!("{title}, {unit} ({name})"),
        format!("{object:<16} {signal:<16} {n:>7} {least:>7} {median:>7} {p95:>7} {greatest:>7}"),
    ];
    lines.extend(table.rows.iter().map(|row| {
        let [n, least, median, p95, greatest] = figures(&row.distribution).map(short_count);
        let (object, signal) = (cut(&row.object, 16), cut(&row.signal, 16));
        format!("{object:<16} {signal:<16} {n:>7} {least:>7} {median:>7} {p95:>7} {greatest:>7}")
    }));
    lines
}

/// Rows and bytes of each kind as text, at most 80 characters wide; `fed` = bytes received.
pub fn kind_lines(kinds: &[NamedKind], fed: u64) -> Vec<String> {
    let line = |name: &str, group: &str, rows: &str, bytes: &str, share: &str| {
        format!("{:<36} {group:<5} {rows:>11} {bytes:>13} {share:>7}", cut(name, 36))
    };
    let share = |bytes: u64| percent((bytes.saturating_mul(1000) + fed / 2) / fed.max(1));
    let of = |kind: &NamedKind| {
        let name = if kind.name.is_empty() { &kind.kind } else { &kind.name };
        line(&sanitise_text(name), &kind.group, &grouped(kind.rows), &grouped(kind.bytes), &share(kind.bytes))
    };
    std::iter::once(line("kind", "group", "rows", "bytes", "share")).chain(kinds.iter().map(of)).collect()
}

/// Shortens a long name in the middle, because names often differ only at the end.
fn cut(name: &str, most: usize) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= most {
        return name.to_owned();
    }
    let (head, tail) = (&chars[..most / 2], &chars[chars.len() - (most - most / 2 - 1)..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

/// As text; with several sources the sums first, then each source.
pub fn words(info: &Info, sources: &[SourceStats]) -> String {
    if let [one] = sources {
        return text(info, one);
    }
    let counters = Counters::total(info, sources.iter().map(|s| &s.counters));
    let mut out = text(info, &SourceStats { counters, ..SourceStats::default() });
    for (i, source) in sources.iter().enumerate() {
        let own = text(info, source);
        out.push_str(&format!("\nsource {i}: {}\n{own}", sanitise_text(&source.name)));
    }
    out
}

/// As text: byte accounting, non-zero counters, rows and bytes of each kind, and distributions.
pub fn text(info: &Info, source: &SourceStats) -> String {
    let (c, g) = (&source.counters, grouped);
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
        let at_least = if name == LOST && !c.is_lost_exact(info) { "≥" } else { "" };
        let own = format!("{LOST}_{}s", info.loss_unit);
        let name = match name.as_str() {
            LOST if info.counters.iter().any(|counter| counter.name == own) => continue,
            // The unit is not records if the decoder counts otherwise.
            LOST if !info.loss_unit.is_empty() => own.replace('_', " "),
            name => label(name),
        };
        out.push_str(&format!("{name:<16} {:>12}\n", format!("{at_least}{}", g(*val))));
    }
    let kinds = if source.kinds.is_empty() { Vec::new() } else { kind_lines(&source.kinds, c.fed) };
    let paragraphs = std::iter::once(kinds).chain(source.distributions.iter().map(lines));
    for paragraph in paragraphs.filter(|lines| !lines.is_empty()) {
        out.push('\n');
        paragraph.iter().for_each(|line| out.extend([line, "\n"]));
    }
    out
}
