//! The figures of the sources shown: losses by cause first, now, up to the cursor row, and per minute.

use std::sync::RwLockReadGuard;

use spytui_engine::{
    export::stats,
    link::LinkCounters,
    present::clock::grouped,
    session::decoding::DecodingState,
    store::{Counters, Shape},
};
use spytui_plugin_api::{Info, RowKind, info::DropTotals, row::RowFlags};

use super::{losses::DropsInOrder, row::CounterRow};
use crate::{
    model::{
        Model,
        links::Source,
        screen::{Piece, in_places},
    },
    term::{Role, width},
};

/// Columns of the figures now, and of those up to the cursor row.
const NOW: usize = 38;
const THEN: usize = 18;
const A_MINUTE: usize = 12;

/// One figure.
struct Figure {
    /// Left of the figure.
    label: String,
    /// The figure, now.
    now: String,
    /// The same up to the cursor row; empty if that is not known.
    then: String,
    /// What is lost, if it tells of a loss.
    loss: Option<u64>,
}

/// What the figures are made from.
pub(super) struct Sums<'a> {
    pub(super) model: &'a Model,
    pub(super) info: &'a Info,
    pub(super) states: &'a [RwLockReadGuard<'a, DecodingState>],
    /// Of all sources.
    pub(super) total: &'a Counters,
    /// Drops and their places, if the target tells them.
    pub(super) drops: Option<(u64, u64)>,
    /// Rows of each source above the cursor.
    pub(super) before: &'a [u64],
    pub(super) drops_in_order: &'a DropsInOrder,
    /// Records that only repeat what is known.
    pub(super) repeats: u64,
}

/// The accounting, the figures, and those of each of several sources.
pub(super) fn lines(sums: &Sums<'_>) -> Vec<CounterRow> {
    let minutes = minutes(sums.model, sums.states);
    let mut lines = vec![accounting("", sums.total), heading(minutes.is_some())];
    lines.extend(figures(sums).iter().map(|figure| line(figure, minutes)));
    for (source, state) in sums.model.links.shown().zip(sums.states).filter(|_| sums.states.len() > 1) {
        let c = &state.counters;
        lines.push(accounting(&format!("{}: ", source.name()), c));
        lines.push(of_source(sums.info, c, sums.drops.map(|_| state.drops())));
    }
    lines
}

/// `received 54 716 B = records 54 487 + skipped 229   adds up`
fn accounting(name: &str, c: &Counters) -> CounterRow {
    let mut text = format!(" {name}received {} B = records {}", grouped(c.fed), grouped(c.rows.record_bytes));
    for (word, bytes) in
        [("other", c.rows.other_bytes), ("skipped", c.rows.skipped_bytes), ("pending", c.pending_bytes)]
    {
        if bytes > 0 {
            text.push_str(&format!(" + {word} {}", grouped(bytes)));
        }
    }
    let verdict = if c.adds_up() { ("adds up", Role::Plain) } else { ("DOES NOT ADD UP", Role::Error) };
    CounterRow::of(vec![(format!("{text}   "), Role::Plain), (verdict.0.to_owned(), verdict.1)])
}

fn heading(per_minute: bool) -> CounterRow {
    let a_minute = if per_minute { "per minute" } else { "" };
    let text = format!(" {:<NOW$}{:>THEN$}{a_minute:>A_MINUTE$}", "now", "as of the cursor");
    CounterRow::of(vec![(text.trim_end().to_owned(), Role::Help)])
}

fn line(figure: &Figure, minutes: Option<f64>) -> CounterRow {
    let is_loss = figure.loss.is_some_and(|n| n > 0);
    let a_minute = figure.loss.filter(|_| is_loss).zip(minutes).map(|(n, minutes)| rate(n as f64 / minutes));
    let used = 1 + width(&figure.label) + width(&figure.now);
    let behind = format!(
        "{}{:>THEN$}{:>A_MINUTE$}",
        " ".repeat((NOW + 1).saturating_sub(used)),
        figure.then,
        a_minute.unwrap_or_default()
    );
    CounterRow::of(vec![
        (format!(" {}", figure.label), Role::Plain),
        (figure.now.clone(), if is_loss { Role::Loss } else { Role::Plain }),
        (behind.trim_end().to_owned(), Role::Plain),
    ])
}

fn rate(a_minute: f64) -> String {
    if a_minute < 100.0 { format!("{a_minute:.1}") } else { grouped(a_minute as u64) }
}

fn figures(sums: &Sums<'_>) -> Vec<Figure> {
    let (c, rows) = (sums.total, &sums.total.rows);
    let plain =
        |label: &str, n: u64| Figure { label: format!("{label} "), now: grouped(n), then: String::new(), loss: None };
    let loss = |label: &str, n: u64| Figure { loss: Some(n), ..plain(label, n) };
    let then = Then::of(sums);
    let mut list = Vec::new();
    if sums.info.has_sequence() {
        list.push(Figure { now: lost(c), then: then.lost(rows.lost > 0 || rows.gaps > 0), ..loss("lost", rows.lost) });
    }
    if let Some((dropped, places)) = sums.drops {
        let then = if sums.info.has_sequence() { String::new() } else { then.lost(true) };
        list.push(Figure { now: in_places(dropped, places), then, ..loss("target drops", dropped) });
    }
    list.push(loss("bad frames", c.bad()));
    let causes = [
        ("bad checksum", rows.bad_checksum),
        ("malformed", rows.bad_frame),
        ("too short", rows.too_short),
        ("too long", rows.too_long),
    ];
    list.extend(causes.into_iter().filter(|cause| cause.1 > 0).map(|(word, n)| plain(&format!("   {word}"), n)));
    let skipped = rows.skipped_bytes;
    list.push(Figure { now: format!("{} B", grouped(skipped)), ..loss("skipped", skipped) });
    list.extend(of_this_side(sums.model));
    list.push(Figure { then: then.records(), ..plain("records", rows.records) });
    list.push(plain("unknown ids", rows.unknown));
    list.extend(others(sums).into_iter().map(|(name, n)| plain(&name, n)));
    list
}

/// `≥58 in 14 places`
fn lost(c: &Counters) -> String {
    let at_least = if c.rows.lost > 0 && !c.is_lost_exact() { "≥" } else { "" };
    if c.rows.gaps == 0 { "0".to_owned() } else { format!("{at_least}{}", in_places(c.rows.lost, c.rows.gaps)) }
}

/// What was lost here, and what the links count.
fn of_this_side(model: &Model) -> Vec<Figure> {
    let mut link = LinkCounters::default();
    for one in model.links.shown().map(|source: &Source| &source.status.counters) {
        link.line_errors += one.line_errors;
        link.breaks += one.breaks;
        link.refused += one.refused;
        link.frameless += one.frameless;
        link.kernel_drops = one.kernel_drops.map(|n| n + link.kernel_drops.unwrap_or(0)).or(link.kernel_drops);
    }
    let host: u64 = model.links.shown().map(|source| source.log().lost()).sum();
    let figure = |label: &str, n: u64, unit: &str, is_loss: bool| Figure {
        label: format!("{label} "),
        now: format!("{}{unit}", grouped(n)),
        then: String::new(),
        loss: is_loss.then_some(n),
    };
    let all = [
        figure("lost on this side", host, " B", true),
        figure("datagrams dropped here", link.kernel_drops.unwrap_or(0), "", true),
        figure("line errors", link.line_errors, "", true),
        figure("breaks", link.breaks, "", false),
        figure("senders refused", link.refused, "", false),
        figure("packets without a frame", link.frameless, "", false),
    ];
    all.into_iter().filter(|figure| !figure.now.starts_with("0")).collect()
}

/// Counters that are not 0 and not yet listed.
fn others(sums: &Sums<'_>) -> Vec<(String, u64)> {
    const LISTED: [&str; 5] = ["bad_checksum", "bad_frame", "too_short", "too_long", "unknown"];
    let dropped = if sums.info.drop_totals != DropTotals::NONE { "dropped" } else { "" };
    let counters = stats::counters(sums.info, sums.total).into_iter().skip(8);
    let all = counters.chain([("repeats".to_owned(), sums.repeats)]);
    let news = all.filter(|(name, n)| *n != 0 && *name != dropped && !LISTED.contains(&name.as_str()));
    news.map(|(name, n)| (name.replace('_', " "), n)).collect()
}

/// Records and losses of one of several sources.
fn of_source(info: &Info, c: &Counters, drops: Option<(u64, u64)>) -> CounterRow {
    let mut pieces: Vec<Piece> = vec![(format!("   records {}   ", grouped(c.rows.records)), Role::Plain)];
    let mut add = |label: &str, n: u64, text: String| {
        pieces.push((format!("{label} "), Role::Plain));
        pieces.push((text, if n > 0 { Role::Loss } else { Role::Plain }));
        pieces.push(("   ".to_owned(), Role::Plain));
    };
    if info.has_sequence() {
        add("lost", c.rows.lost, lost(c));
    }
    if let Some((dropped, places)) = drops {
        add("target drops", dropped, in_places(dropped, places));
    }
    add("bad frames", c.bad(), grouped(c.bad()));
    CounterRow::of(pieces)
}

/// A record that only repeats what is known.
pub(super) fn is_repeat(shape: &Shape) -> bool {
    shape.flags.intersects(RowFlags::UNCHANGED)
}

/// Up to the cursor row.
struct Then {
    /// Records, if they are known.
    records: Option<u64>,
    /// Lost records and places, if all of them are still listed.
    lost: Option<(u64, u64)>,
    /// Whether the number of lost records is exact.
    is_exact: bool,
}

impl Then {
    fn of(sums: &Sums<'_>) -> Then {
        let (mut all, mut lost, mut places, mut is_all) = (Some(0), 0, 0_u64, true);
        let mut is_exact = true;
        for (source, (state, &row)) in sums.states.iter().zip(sums.before).enumerate() {
            let records = state.rows.records_before(row).or_else(|| all_records(state, row));
            all = all.zip(records).map(|(all, records)| all + records);
            is_all &= state.losses.len() as u64 == state.counters.rows.gaps + state.drops().1;
            // In a single source, a loss under the cursor counts too.
            let upto = if sums.states.len() == 1 { behind(state, row) } else { row };
            for &(at, told, exact) in state.losses.iter().filter(|loss| loss.0 < upto) {
                if let Some(n) = sums.drops_in_order.lost(source, at, told) {
                    lost += n;
                    places += 1;
                    is_exact &= exact;
                }
            }
        }
        Then { records: all, lost: is_all.then_some((lost, places)), is_exact }
    }

    fn records(&self) -> String {
        self.records.map_or("n/a".to_owned(), grouped)
    }

    /// `≥12 in 2`, `44 in 1`
    fn lost(&self, is_any: bool) -> String {
        match self.lost {
            _ if !is_any => "0".to_owned(),
            None => "n/a".to_owned(),
            Some((0, _)) => "0".to_owned(),
            Some((lost, places)) => {
                let at_least = if self.is_exact { "" } else { "≥" };
                format!("{at_least}{} in {}", grouped(lost), grouped(places))
            }
        }
    }
}

/// The first row behind the line of a row: neighbouring losses, as a damaged frame and its gap, share a line.
fn behind(state: &DecodingState, row: u64) -> u64 {
    let folds = |row: u64| state.rows.row(row).is_some_and(|row| row.kind.is_loss() && row.kind != RowKind::HOST_LOSS);
    if !folds(row) {
        return row + 1;
    }
    (row + 1..state.rows.len()).find(|row| !folds(*row)).unwrap_or(state.rows.len())
}

/// Number of records of a source whose rows are all above the cursor.
fn all_records(state: &DecodingState, row: u64) -> Option<u64> {
    (row > 0 && row >= state.rows.len()).then(|| state.rows.records()).or((state.rows.is_empty()).then_some(0))
}

/// Minutes that the figures are of: by the times of arrival, otherwise by the target's clock.
fn minutes(model: &Model, states: &[RwLockReadGuard<'_, DecodingState>]) -> Option<f64> {
    let host = |source: &Source| {
        let log = source.log();
        let (first, last) = (log.host_time_at(log.first())?, log.host_time_at(log.len().checked_sub(1)?)?);
        last.checked_sub(first).filter(|ns| *ns > 0)
    };
    let clock = |state: &RwLockReadGuard<'_, DecodingState>| {
        let stamped = |row: &u64| state.rows.row(*row).filter(|row| row.has(RowFlags::TIME_OWN)).map(|row| row.time);
        let len = state.rows.len();
        let first = (0..len.min(LOOKS)).find_map(|row| stamped(&row))?;
        let last = (len.saturating_sub(LOOKS)..len).rev().find_map(|row| stamped(&row))?;
        state.clock().ns(last.checked_sub(first)?)
    };
    let of_links = model.links.shown().filter_map(host).max();
    let ns = of_links.or_else(|| states.iter().filter_map(clock).max())?;
    (ns >= LEAST_NS).then(|| ns as f64 / 60e9)
}

/// Less is too short to tell of a minute.
const LEAST_NS: u64 = 1_000_000_000;
/// Rows looked at for the first and the last time stamp.
const LOOKS: u64 = 100;
