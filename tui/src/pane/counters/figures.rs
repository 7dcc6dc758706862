//! The accounting, and every counter: now and as of the cursor row.

use std::sync::RwLockReadGuard;

use spytui_engine::{
    export::stats,
    io::link::LinkCounters,
    present::{clock::grouped, words::counted},
    store::Counters,
    trace::session::decoding::DecodingState,
};
use spytui_plugin_api::{Info, info::CounterInfo, row::RowFlags};
use spytui_plugin_host::RowCounters;

use super::{CounterRow, sums::SumsOfAll};
use crate::{
    model::{
        Model,
        links::Source,
        loss_words::{self, drops as drops_text, loss_unit},
        screen::Piece,
    },
    term::{Role, width},
};

/// Width of the present figures, and of those up to the cursor row.
const NOW: usize = 38;
const THEN: usize = 18;
const A_MINUTE: usize = 12;

struct Figure {
    label: String,
    text: String,
    /// The amount, if it is a loss.
    loss: Option<u64>,
    /// Unknown, or counted without a place in the stream.
    has_no_place: bool,
}

impl Figure {
    fn new(label: &str, text: String) -> Figure {
        Figure { label: format!("{label} "), text, loss: None, has_no_place: false }
    }

    fn number(label: &str, n: u64) -> Figure {
        Figure::new(label, grouped(n))
    }

    fn lost(self, n: u64) -> Figure {
        Figure { loss: Some(n), ..self }
    }

    /// The text without its unit, if that is places.
    fn short(&self) -> &str {
        self.text.trim_end_matches('s').trim_end_matches(" place")
    }
}

pub(super) struct CounterFigures<'a> {
    pub(super) model: &'a Model,
    pub(super) info: &'a Info,
    pub(super) states: &'a [RwLockReadGuard<'a, DecodingState>],
    pub(super) now: &'a SumsOfAll,
    /// As of the cursor row, if its rows are loaded.
    pub(super) then: Option<&'a SumsOfAll>,
    /// The decoders' own counters, which have no place in the stream.
    pub(super) own: &'a Counters,
}

/// The accounting, the figures, and those of each of several sources.
pub(super) fn figure_lines(all: &CounterFigures<'_>) -> Vec<CounterRow> {
    let list = figures(all, all.now);
    let is_any_loss = list.iter().any(|figure| figure.loss.is_some_and(|n| n > 0));
    let minutes = minutes(all.model, all.states).filter(|_| is_any_loss);
    let mut lines = vec![accounting("", all.own), heading(minutes.is_some())];
    let then = all.then.map(|then| figures(all, then));
    for (i, figure) in list.iter().enumerate() {
        let then = then.as_ref().and_then(|then| then.get(i)).filter(|_| !figure.has_no_place);
        lines.push(line(figure, then.map_or("n/a", Figure::short), minutes));
    }
    for (source, state) in all.model.links.shown().zip(all.states).filter(|_| all.states.len() > 1) {
        let c = &state.counters;
        lines.push(accounting(&format!("{}: ", source.name()), c));
        lines.push(of_source(all.info, c, all.now.drops.map(|_| state.drops())));
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

fn line(figure: &Figure, then: &str, minutes: Option<f64>) -> CounterRow {
    let is_loss = figure.loss.is_some_and(|n| n > 0);
    let a_minute = figure.loss.filter(|_| is_loss).zip(minutes).map(|(n, minutes)| rate(n as f64 / minutes));
    let gap = (NOW + 1).saturating_sub(1 + width(&figure.label) + width(&figure.text));
    let behind = format!("{}{then:>THEN$}{:>A_MINUTE$}", " ".repeat(gap), a_minute.unwrap_or_default());
    CounterRow::of(vec![
        (format!(" {}", figure.label), Role::Plain),
        (figure.text.clone(), if is_loss { Role::Loss } else { Role::Plain }),
        (behind.trim_end().to_owned(), Role::Plain),
    ])
}

fn rate(a_minute: f64) -> String {
    if a_minute < 100.0 { format!("{a_minute:.1}") } else { grouped(a_minute as u64) }
}

/// A cause of bad frames, with its name.
type Cause = (&'static str, fn(&RowCounters) -> u64);

const CAUSES: [Cause; 4] = [
    ("bad checksum", |rows| rows.bad_checksum),
    ("malformed", |rows| rows.bad_frame),
    ("too short", |rows| rows.too_short),
    ("too long", |rows| rows.too_long),
];

/// The figures of these sums; which ones there are depends on the sums now.
fn figures(all: &CounterFigures<'_>, sums: &SumsOfAll) -> Vec<Figure> {
    let (now, c) = (&all.now.counters, &sums.counters);
    // The stream may not report losses.
    let reported = |figure: Figure, n_now: u64| match n_now {
        0 if !all.own.reports_losses(all.info) => {
            Figure { loss: None, has_no_place: true, text: "n/a".to_owned(), ..figure }
        }
        _ => figure,
    };
    let mut list = Vec::new();
    if all.info.has_sequence() {
        let label = match loss_unit(all.info) {
            "record" => "lost".to_owned(),
            unit => format!("{unit}s lost"),
        };
        list.push(reported(Figure::new(&label, lost(all.info, c)).lost(c.rows.lost), now.rows.lost));
    }
    // Losses reported by the stream, by cause.
    let own = own_counters(all).filter(|(counter, _)| is_loss(counter));
    let own: Vec<Figure> = own.map(|(counter, n)| own_figure(counter, n).lost(n)).collect();
    let has_own = !own.is_empty();
    list.extend(own);
    if all.now.drops.is_some() {
        let drops = sums.drops.unwrap_or_default();
        list.push(Figure::new("target drops", drops_text(drops)).lost(drops.0.max(drops.1)));
    }
    // A decoder with other kinds of damage shows those instead.
    if !has_own || now.bad() > 0 {
        list.push(reported(Figure::number("bad frames", c.bad()).lost(c.bad()), now.bad()));
    }
    let causes = CAUSES.iter().filter(|(_, number)| number(&now.rows) > 0);
    list.extend(causes.map(|(word, number)| Figure::number(&format!("   {word}"), number(&c.rows))));
    let skipped = c.rows.skipped_bytes;
    list.push(Figure::new("skipped", format!("{} B", grouped(skipped))).lost(skipped));
    list.extend(of_this_side(all.model));
    list.push(Figure::number("records", c.rows.records));
    if !has_own || now.rows.unknown > 0 {
        list.push(Figure::number("unknown ids", c.rows.unknown));
    }
    list.extend(others(all, sums));
    list
}

/// `≥58 in 14 places`
fn lost(info: &Info, c: &Counters) -> String {
    match c.rows.gaps {
        0 => loss_words::lost(info, c),
        places => format!("{} in {}", loss_words::lost(info, c), counted(places, "place")),
    }
}

/// What was lost on this machine, and what the links count.
fn of_this_side(model: &Model) -> Vec<Figure> {
    let sum = |of: fn(&LinkCounters) -> u64| model.links.shown().map(|source| of(&source.status.counters)).sum();
    let host: u64 = model.links.shown().map(|source| source.log().lost()).sum();
    let figure = |label: &str, n: u64, unit: &str, is_loss: bool| Figure {
        loss: is_loss.then_some(n),
        has_no_place: true,
        ..Figure::new(label, format!("{}{unit}", grouped(n)))
    };
    let all = [
        figure("lost on this side", host, " B", true),
        figure("datagrams dropped here", sum(|link| link.kernel_drops.unwrap_or(0)), "", true),
        figure("line errors", sum(|link| link.line_errors), "", true),
        figure("breaks", sum(|link| link.breaks), "", false),
        figure("senders refused", sum(|link| link.refused), "", false),
        figure("packets without a frame", sum(|link| link.frameless), "", false),
    ];
    all.into_iter().filter(|figure| !figure.text.starts_with("0")).collect()
}

/// Non-zero counters that are not listed yet.
fn others(all: &CounterFigures<'_>, sums: &SumsOfAll) -> Vec<Figure> {
    const LISTED: [&str; 5] = ["bad_checksum", "bad_frame", "too_short", "too_long", "unknown"];
    let info = all.info;
    let dropped = if all.now.drops.is_some() { "dropped" } else { "" };
    let counters = |sums: &SumsOfAll| {
        let counters = stats::counters(info, &sums.counters).into_iter().skip(8);
        counters.chain([("repeats".to_owned(), sums.repeats)])
    };
    let is_new = |name: &str| name != dropped && !LISTED.contains(&name);
    let of_rows = counters(all.now).zip(counters(sums)).filter(|((name, now), _)| *now != 0 && is_new(name));
    let of_rows = of_rows.map(|((name, _), (_, n))| Figure::number(&stats::label(&name), n));
    // Lost units are the first figure.
    let lost = format!("lost_{}s", loss_unit(info));
    let own = own_counters(all).filter(|(counter, n)| !is_loss(counter) && *n > 0 && counter.name != lost.as_str());
    of_rows.chain(own.map(|(counter, n)| own_figure(counter, n))).collect()
}

fn own_counters<'a>(all: &CounterFigures<'a>) -> impl Iterator<Item = (&'a CounterInfo, u64)> {
    let own = &all.own.own;
    all.info.counters.iter().filter_map(move |counter| Some((counter, *own.get(&counter.id)?)))
}

fn is_loss(counter: &CounterInfo) -> bool {
    !counter.header.is_empty()
}

fn own_figure(counter: &CounterInfo, n: u64) -> Figure {
    Figure { has_no_place: true, ..Figure::number(&counter.name.replace('_', " "), n) }
}

/// Records and losses of one of several sources.
fn of_source(info: &Info, c: &Counters, drops: Option<(u64, u64)>) -> CounterRow {
    let mut pieces: Vec<Piece> = vec![(format!("   records {}   ", grouped(c.rows.records)), Role::Plain)];
    let untold = |n: u64, text: String| if n == 0 && !c.reports_losses(info) { "n/a".to_owned() } else { text };
    let mut add = |label: &str, n: u64, text: String| {
        pieces.push((format!("{label} "), Role::Plain));
        pieces.push((text, if n > 0 { Role::Loss } else { Role::Plain }));
        pieces.push(("   ".to_owned(), Role::Plain));
    };
    if info.has_sequence() {
        add("lost", c.rows.lost, untold(c.rows.lost, lost(info, c)));
    }
    if let Some((dropped, places)) = drops {
        add("target drops", dropped.max(places), drops_text((dropped, places)));
    }
    add("bad frames", c.bad(), untold(c.bad(), grouped(c.bad())));
    CounterRow::of(pieces)
}

/// Minutes covered by the figures: by arrival times, otherwise by the target's clock.
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
        state.context.clock.shown_ns(last.checked_sub(first)?)
    };
    let of_links = model.links.shown().filter_map(host).max();
    let ns = of_links.or_else(|| states.iter().filter_map(clock).max())?;
    (ns >= LEAST_NS).then(|| ns as f64 / 60e9)
}

/// Minimum duration for figures per minute.
const LEAST_NS: u64 = 1_000_000_000;
/// Rows examined for the first and the last time stamp.
const LOOKS: u64 = 100;
