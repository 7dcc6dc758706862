//! The Counters pane: the accounting, every counter, bandwidth by group, the list of losses.

mod verdict;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::RwLockReadGuard,
    time::Instant,
};

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::Widget,
};
use spytui_engine::{
    device::advise::{Price, Prices},
    export::stats,
    io::{
        link::{LinkCounters, LinkState},
        log::format::{percent, size_text},
    },
    present::{
        clock::grouped,
        words::{group_tag, tag_of},
    },
    store::{BlockNames, Counters, Dictionary, Sums, View},
    trace::{list::RowList, session::decoding::DecodingState},
};
use spytui_plugin_api::{Info, RowKind, info::CounterInfo, row::RowFlags};
use spytui_plugin_host::RowCounters;

use super::live::{self, TableCursor};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, PromptKind, RECORDS},
    model::{
        Model, jump,
        links::Source,
        list::List,
        loss_words::{self, drops as drops_text, loss_unit, units},
        panes::Pane,
        screen::Piece,
        target,
    },
    term::{Role, cut_middle, width},
    widget::TitleRule,
};
use verdict::{DropsInOrder, VerdictInput, listed, losses, verdict};

const ID: PaneId = PaneId("counters");

const KEYS: PaneKeys = PaneKeys {
    id: ID,
    title: "counters",
    tab: Some("Cnt"),
    actions: &[UNFOLD, FOLD],
    hints: &[
        Hint(&[Action::Open], "goes there"),
        Hint(&[Action::OfPane(ID, UNFOLD)], "kinds of a group"),
        Hint(&[Action::Advise], "advice"),
    ],
};

const UNFOLD: PaneAction = PaneAction::new("unfold-kinds", "kinds of this group", "zoom");
const FOLD: PaneAction = PaneAction::new("fold-kinds", "this group in one line", "zoom");

#[derive(Debug, Default)]
pub(super) struct CountersPane {
    lines: Vec<CounterRow>,
    cursor: TableCursor,
    made_at: Option<Instant>,
    unfolded: BTreeSet<String>,
}

impl Pane for CountersPane {
    fn keys(&self) -> &'static PaneKeys {
        &KEYS
    }

    fn handle(&mut self, action: Action, model: &mut Model) {
        // Effects of keys must be visible at once.
        self.made_at = None;
        if self.cursor.handle(action, model.screen.front_height()) {
            return;
        }
        let Some(line) = self.lines.get(self.cursor.at) else { return };
        match (action, &line.group) {
            (Action::OfPane(_, UNFOLD), Some(group)) => {
                self.unfolded.insert(group.clone());
            }
            (Action::OfPane(_, FOLD), Some(group)) => {
                self.unfolded.remove(group);
            }
            (Action::Open, _) => open(line, model),
            _ => {}
        }
    }

    fn forget_rows(&mut self) {
        self.made_at = None;
    }

    fn click(&mut self, at: Position, model: &mut Model) {
        self.cursor.click(at, 0, model);
    }

    fn prepare(&mut self, model: &Model, width: u16, height: u16) {
        if !live::is_live(model) || !live::is_recent(model, self.made_at, live::PAUSE, self.lines.len() as u64) {
            self.lines = lines(model, &self.unfolded, usize::from(width));
            self.made_at = Some(model.now);
        }
        self.cursor.fit(self.lines.len(), usize::from(height));
    }

    fn draw(&self, model: &Model, area: Rect, buffer: &mut Buffer) {
        let look = &model.screen.look;
        TitleRule { title: "Counters", right: "now │ as of the cursor", look }.render(area, buffer);
        let area = super::below_title(area);
        self.cursor.draw_lines(&self.lines, |row| row.pieces.clone(), look, area, buffer);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct CounterRow {
    pieces: Vec<Piece>,
    row: Option<u64>,
    /// The command that Enter puts into the command line.
    line: Option<String>,
    group: Option<String>,
}

impl CounterRow {
    fn of(pieces: Vec<Piece>) -> CounterRow {
        CounterRow { pieces, ..CounterRow::default() }
    }

    fn plain(text: &str) -> CounterRow {
        CounterRow::of(vec![(text.to_owned(), Role::Plain)])
    }
}

/// Goes to the row of a line, or puts its command into the command line.
fn open(line: &CounterRow, model: &mut Model) {
    if let Some(row) = line.row {
        model.panes.show(RECORDS);
        jump::to_row(model, row);
    } else if let Some(command) = &line.line {
        model.prompt.open(PromptKind::Command, command);
    }
}

fn lines(model: &Model, unfolded: &BTreeSet<String>, width: usize) -> Vec<CounterRow> {
    let list = &model.list;
    let info = &list.decoding().decoder.info;
    let place = Place::of_cursor(list);
    let drops_in_order = &DropsInOrder::of(&list.rows);
    // Prices also lock a source: with a waiting writer, a second lock on this thread would deadlock.
    let costs = target::costs(model);
    let states = list.rows.read_all();
    let (now, then) = place.sums(info, &states);
    let own = &Counters::total(info, states.iter().map(|state| &state.counters));
    let losses = losses(&states, drops_in_order);
    let found = VerdictInput { model, info, now: own, drops: now.drops, listed: losses.len(), costs: &costs, width };
    let mut rows = verdict(&found);
    rows.extend(figure_lines(&Figures { model, info, states: &states, now: &now, then: then.as_ref(), own }));
    let refused = states.iter().map(|state| state.dictionary.refused()).sum();
    rows.extend(Dictionary::refusal(refused).map(|text| CounterRow::of(vec![(format!(" {text}"), Role::Warning)])));
    let groups = groups(info, &now.groups, then.as_ref().map(|then| then.groups.as_slice()));
    let times: Vec<CounterRow> = states.iter().flat_map(|state| distributions(info, state)).collect();
    // The list must not be used while its sources are locked.
    drop(states);
    let (newest, others) = listed(&list.rows, losses);
    let blank = || CounterRow::plain("");
    rows.push(blank());
    rows.extend(newest);
    rows.push(blank());
    rows.push(CounterRow::of(vec![(GROUPS.to_owned(), Role::Help)]));
    rows.extend(groups);
    for part in [bandwidth(model, &costs, unfolded), others, times].into_iter().filter(|part| !part.is_empty()) {
        rows.push(blank());
        rows.extend(part);
    }
    rows
}

/// The first two figures are now, the others as of the cursor.
const GROUPS: &str = " group    rec now   bytes now   share   at cursor       bytes";
/// A group with more than nine tenths of the bytes has no longer bar.
const LONGEST_BAR: u64 = 18;

type Groups = [(u8, (u64, u64))];

/// Records and bytes by tag. Groups that share a tag are one line, because the filter with that name matches them all.
fn by_tag<'a>(info: &'a Info, groups: &Groups) -> BTreeMap<&'a str, (u64, u64)> {
    let mut sums = BTreeMap::<&str, (u64, u64)>::new();
    for (group, (rows, bytes)) in groups {
        let sum = sums.entry(group_tag(info, *group)).or_default();
        sum.0 += rows;
        sum.1 += bytes;
    }
    sums
}

/// Records and bytes by group, now and as of the cursor row.
fn groups(info: &Info, now: &Groups, then: Option<&Groups>) -> Vec<CounterRow> {
    let total: u64 = now.iter().map(|group| group.1.1).sum::<u64>().max(1);
    let then = then.map(|then| by_tag(info, then));
    let mut list: Vec<_> = by_tag(info, now).into_iter().collect();
    list.sort_by_key(|(_, (_, bytes))| std::cmp::Reverse(*bytes));
    let line = |(tag, (rows, bytes)): (&str, (u64, u64))| {
        let permille = bytes * 1000 / total;
        let name = if tag.is_empty() { "other" } else { tag };
        let (rows_then, bytes_then) = match &then {
            Some(then) => {
                let (rows, bytes) = then.get(tag).copied().unwrap_or_default();
                (grouped(rows), grouped(bytes))
            }
            None => ("n/a".to_owned(), "n/a".to_owned()),
        };
        let bar = "█".repeat((permille / 50).min(LONGEST_BAR) as usize);
        let (rows, bytes) = (grouped(rows), grouped(bytes));
        let part = percent(permille);
        let line = format!(" {name:<6} {rows:>9} {bytes:>11}  {part:>6} {rows_then:>10} {bytes_then:>11}  ");
        CounterRow::of(vec![(line, Role::Plain), (bar, Role::Bar)])
    };
    list.into_iter().map(line).collect()
}

fn distributions(info: &Info, state: &DecodingState) -> Vec<CounterRow> {
    let names = BlockNames {
        dictionary: &state.dictionary,
        others: &[],
        row: u64::MAX,
        rows: &[],
        view: View::Effective,
        short: true,
    };
    let tables = state.distributions.tables(info, &names);
    let lines = tables.iter().flat_map(|table| stats::lines(table).into_iter().chain([String::new()]));
    lines.map(|line| CounterRow::plain(&format!(" {line}"))).collect()
}

/// Width of the present figures, and of those up to the cursor row.
const NOW: usize = 38;
const THEN: usize = 18;
const A_MINUTE: usize = 12;

struct Figure {
    label: String,
    now: String,
    /// The figure as of the cursor row; `n/a` if unknown.
    then: String,
    /// The amount, if it is a loss.
    loss: Option<u64>,
}

impl Figure {
    /// A figure counted without a place in the stream.
    fn without_place(label: &str, now: String) -> Figure {
        Figure { label: format!("{label} "), now, then: "n/a".to_owned(), loss: None }
    }
}

struct Figures<'a> {
    model: &'a Model,
    info: &'a Info,
    states: &'a [RwLockReadGuard<'a, DecodingState>],
    now: &'a SumsOfAll,
    /// As of the cursor row, if its rows are loaded.
    then: Option<&'a SumsOfAll>,
    /// The decoders' own counters, which have no place in the stream.
    own: &'a Counters,
}

/// The accounting, the figures, and those of each of several sources.
fn figure_lines(all: &Figures<'_>) -> Vec<CounterRow> {
    let minutes = minutes(all.model, all.states);
    let mut lines = vec![accounting("", all.own), heading(minutes.is_some())];
    lines.extend(figures(all).iter().map(|figure| line(figure, minutes)));
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

/// A cause of bad frames, with its name.
type Cause = (&'static str, fn(&RowCounters) -> u64);

const CAUSES: [Cause; 4] = [
    ("bad checksum", |rows| rows.bad_checksum),
    ("malformed", |rows| rows.bad_frame),
    ("too short", |rows| rows.too_short),
    ("too long", |rows| rows.too_long),
];

impl Figures<'_> {
    /// A figure with its text, now and as of the cursor.
    fn of(&self, label: &str, text: impl Fn(&SumsOfAll) -> String) -> Figure {
        let then = self.then.map_or_else(|| "n/a".to_owned(), &text);
        Figure { label: format!("{label} "), now: text(self.now), then, loss: None }
    }

    /// A figure for losses with their places; the one as of the cursor is short.
    fn in_places(&self, label: &str, text: impl Fn(&SumsOfAll) -> String) -> Figure {
        let figure = self.of(label, text);
        let then = figure.then.trim_end_matches('s').trim_end_matches(" place").to_owned();
        Figure { then, ..figure }
    }

    fn number(&self, label: &str, number: impl Fn(&SumsOfAll) -> u64) -> Figure {
        self.of(label, |sums| grouped(number(sums)))
    }

    fn loss(&self, figure: Figure, number: impl Fn(&SumsOfAll) -> u64) -> Figure {
        Figure { loss: Some(number(self.now)), ..figure }
    }

    /// A loss that the stream may or may not report.
    fn reported_loss(&self, figure: Figure, number: impl Fn(&SumsOfAll) -> u64) -> Figure {
        if number(self.now) == 0 && !self.own.reports_losses(self.info) {
            return Figure { now: "n/a".to_owned(), then: "n/a".to_owned(), ..figure };
        }
        self.loss(figure, number)
    }
}

fn figures(all: &Figures<'_>) -> Vec<Figure> {
    let mut list = Vec::new();
    if all.info.has_sequence() {
        let label = match loss_unit(all.info) {
            "record" => "lost".to_owned(),
            unit => format!("{unit}s lost"),
        };
        list.push(all.reported_loss(all.in_places(&label, |sums| lost(all.info, &sums.counters)), |sums| {
            sums.counters.rows.lost
        }));
    }
    // Losses reported by the stream, by cause.
    let own = own_counters(all).filter(|(counter, _)| is_loss(counter));
    let own: Vec<Figure> = own.map(|(counter, n)| Figure { loss: Some(n), ..own_figure(counter, n) }).collect();
    let has_own = !own.is_empty();
    list.extend(own);
    if all.now.drops.is_some() {
        let drops = |sums: &SumsOfAll| sums.drops.unwrap_or_default();
        let text = |sums: &SumsOfAll| drops_text(drops(sums));
        list.push(all.loss(all.in_places("target drops", text), |sums| drops(sums).0.max(drops(sums).1)));
    }
    // A decoder with other kinds of damage shows those instead.
    if !has_own || all.now.counters.bad() > 0 {
        list.push(all.reported_loss(all.number("bad frames", |sums| sums.counters.bad()), |sums| sums.counters.bad()));
    }
    let causes = CAUSES.iter().filter(|(_, number)| number(&all.now.counters.rows) > 0);
    list.extend(causes.map(|(word, number)| all.number(&format!("   {word}"), |sums| number(&sums.counters.rows))));
    let skipped = |sums: &SumsOfAll| sums.counters.rows.skipped_bytes;
    list.push(all.loss(all.of("skipped", |sums| format!("{} B", grouped(skipped(sums)))), skipped));
    list.extend(of_this_side(all.model));
    list.push(all.number("records", |sums| sums.counters.rows.records));
    if !has_own || all.now.counters.rows.unknown > 0 {
        list.push(all.number("unknown ids", |sums| sums.counters.rows.unknown));
    }
    list.extend(others(all));
    list
}

/// `≥58 in 14 places`
fn lost(info: &Info, c: &Counters) -> String {
    match c.rows.gaps {
        0 => loss_words::lost(info, c),
        places => format!("{} in {}", loss_words::lost(info, c), units(places, "place")),
    }
}

/// What was lost on this machine, and what the links count.
fn of_this_side(model: &Model) -> Vec<Figure> {
    let sum = |of: fn(&LinkCounters) -> u64| model.links.shown().map(|source| of(&source.status.counters)).sum();
    let host: u64 = model.links.shown().map(|source| source.log().lost()).sum();
    let figure = |label: &str, n: u64, unit: &str, is_loss: bool| Figure {
        loss: is_loss.then_some(n),
        ..Figure::without_place(label, format!("{}{unit}", grouped(n)))
    };
    let all = [
        figure("lost on this side", host, " B", true),
        figure("datagrams dropped here", sum(|link| link.kernel_drops.unwrap_or(0)), "", true),
        figure("line errors", sum(|link| link.line_errors), "", true),
        figure("breaks", sum(|link| link.breaks), "", false),
        figure("senders refused", sum(|link| link.refused), "", false),
        figure("packets without a frame", sum(|link| link.frameless), "", false),
    ];
    all.into_iter().filter(|figure| !figure.now.starts_with("0")).collect()
}

/// Non-zero counters that are not listed yet.
fn others(all: &Figures<'_>) -> Vec<Figure> {
    const LISTED: [&str; 5] = ["bad_checksum", "bad_frame", "too_short", "too_long", "unknown"];
    let info = all.info;
    let dropped = if all.now.drops.is_some() { "dropped" } else { "" };
    let counters = |sums: &SumsOfAll| {
        let counters = stats::counters(info, &sums.counters).into_iter().skip(8);
        counters.chain([("repeats".to_owned(), sums.repeats)]).collect::<Vec<_>>()
    };
    let news = counters(all.now).into_iter().enumerate();
    let news = news.filter(|(_, (name, n))| *n != 0 && *name != dropped && !LISTED.contains(&name.as_str()));
    let of_rows = news.map(|(i, (name, _))| {
        let number = |sums: &SumsOfAll| counters(sums).get(i).map_or(0, |counter| counter.1);
        all.number(&stats::label(&name), number)
    });
    // Lost units are the first figure.
    let lost = format!("lost_{}s", loss_unit(info));
    let own = own_counters(all).filter(|(counter, n)| !is_loss(counter) && *n > 0 && counter.name != lost.as_str());
    of_rows.chain(own.map(|(counter, n)| own_figure(counter, n))).collect()
}

fn own_counters<'a>(all: &Figures<'a>) -> impl Iterator<Item = (&'a CounterInfo, u64)> {
    let own = &all.own.own;
    let value = |id| own.iter().find(|own| own.0 == id).map(|own| own.1);
    all.info.counters.iter().filter_map(move |counter| Some((counter, value(counter.id)?)))
}

fn is_loss(counter: &CounterInfo) -> bool {
    !counter.header.is_empty()
}

fn own_figure(counter: &CounterInfo, n: u64) -> Figure {
    Figure::without_place(&counter.name.replace('_', " "), grouped(n))
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
        state.clock().ns(last.checked_sub(first)?)
    };
    let of_links = model.links.shown().filter_map(host).max();
    let ns = of_links.or_else(|| states.iter().filter_map(clock).max())?;
    (ns >= LEAST_NS).then(|| ns as f64 / 60e9)
}

/// Minimum duration for figures per minute.
const LEAST_NS: u64 = 1_000_000_000;
/// Rows examined for the first and the last time stamp.
const LOOKS: u64 = 100;

/// Maximum number of sources whose dropped rows are decoded again for this.
const MOST_RELOADED: usize = 8;

struct SumsOfAll {
    counters: Counters,
    /// Drops and their places, if the target reports them.
    drops: Option<(u64, u64)>,
    /// Records that only repeat known information.
    repeats: u64,
    groups: Vec<(u8, (u64, u64))>,
}

impl SumsOfAll {
    /// Sums of these sources; `drops` = in the order of all if they share them; `reports_drops` = the target reports
    /// drops.
    fn new(info: &Info, each: &[Sums], drops: Option<(u64, u64)>, reports_drops: bool) -> SumsOfAll {
        let counters = Counters::total(info, each.iter().map(|sums| &sums.counters));
        let mut all = Sums::default();
        each.iter().for_each(|sums| all.join(sums));
        let places = each.iter().map(Sums::drop_places).sum();
        let dropped = each.iter().map(|sums| sums.counters.rows.dropped).sum();
        let drops = reports_drops.then(|| drops.unwrap_or((dropped, places)));
        SumsOfAll { counters, drops, repeats: all.repeats, groups: all.groups().collect() }
    }
}

/// The range up to the cursor, including its line.
struct Place {
    /// Rows of each source before the first row after the cursor's line.
    before: Vec<u64>,
    /// Drops before that row, if all sources share them.
    drops: Option<(u64, u64)>,
    /// All drops of the list, if all sources share them.
    all_drops: Option<(u64, u64)>,
}

impl Place {
    /// The cursor row of a list; its rows are loaded.
    fn of_cursor(list: &List) -> Place {
        let rows = &list.rows;
        let row = if list.page.follow { rows.len() } else { behind(rows, list.page.cursor) };
        let before = rows.before(row);
        for (source, row) in before.iter().enumerate().filter(|_| before.len() <= MOST_RELOADED) {
            rows.source(source).ensure_loaded(*row);
        }
        let drops = rows.ordered_drops_before(row);
        Place { before, drops, all_drops: rows.ordered_drops_before(u64::MAX) }
    }

    /// The sums now and as of the cursor; `None` if rows are not loaded.
    fn sums(&self, info: &Info, states: &[RwLockReadGuard<'_, DecodingState>]) -> (SumsOfAll, Option<SumsOfAll>) {
        let reports_drops = states.iter().any(|state| state.counters.report_drops(info));
        let now: Vec<Sums> = states.iter().map(|state| state.sums()).collect();
        let then: Option<Vec<Sums>> =
            states.iter().zip(&self.before).map(|(state, row)| state.sums_before(*row)).collect();
        let then = then.map(|then| SumsOfAll::new(info, &then, self.drops, reports_drops));
        (SumsOfAll::new(info, &now, self.all_drops, reports_drops), then)
    }
}

/// The first row after the line of a row: neighbouring losses, such as a damaged frame and its gap, share a line.
fn behind(rows: &RowList, row: u64) -> u64 {
    let len = rows.len();
    let folds = |row: u64| {
        let shape = rows.shape(row);
        shape.is_some_and(|shape| shape.kind.is_loss() && shape.kind != RowKind::HOST_LOSS)
    };
    if !folds(row) {
        return len.min(row + 1);
    }
    (row + 1..len).find(|row| !folds(*row)).unwrap_or(len)
}

/// Width of names.
const NAME: usize = 14;

/// The section; empty unless a target sends bytes.
fn bandwidth(model: &Model, costs: &Prices, unfolded: &BTreeSet<String>) -> Vec<CounterRow> {
    let source = model.links.first();
    if !matches!(source.status.state, LinkState::Live | LinkState::Quiet(_)) || costs.made == 0 {
        return Vec::new();
    }
    let share = |bytes: u64| costs.share_without(bytes).map_or_else(|| "n/a".to_owned(), |share| format!("{share} %"));
    let line = |name: &str, bytes: u64, rest: &str| {
        let part = percent(bytes * 1000 / costs.made.max(1));
        let name = cut_middle(name, NAME, "…");
        format!(" {name:<NAME$} {:>9} {part:>8} {:>15}  {rest}", grouped(bytes), share(bytes)).trim_end().to_owned()
    };
    let info = &source.decoding().decoder.info;
    let mut rows =
        vec![title(&costs.capacity, costs.made, share(0)), CounterRow::of(vec![(HEAD.to_owned(), Role::Help)])];
    for price in &costs.groups {
        let is_open = unfolded.contains(&price.name);
        let sign = if is_open { "v" } else { ">" };
        let name = if price.name.is_empty() { "other" } else { &price.name };
        rows.push(CounterRow {
            line: price.line.as_ref().map(|line| format!("target {line}")),
            group: Some(price.name.clone()),
            ..CounterRow::plain(&line(&format!("{sign} {name}"), price.bytes, &offer(price)))
        });
        for (kind, bytes) in price.kinds.iter().filter(|_| is_open) {
            let group = Some(price.name.clone());
            rows.push(CounterRow {
                group,
                ..CounterRow::plain(&line(&format!("    {}", tag_of(info, *kind)), *bytes, ""))
            });
        }
    }
    rows
}

const HEAD: &str = " group                B/s    share line without it";

fn title(capacity: &Option<u64>, made: u64, share: String) -> CounterRow {
    let text = match capacity {
        Some(capacity) => {
            format!(" bandwidth   {}/s of {}/s, {share} of the line", size_text(made), size_text(*capacity))
        }
        None => format!(" bandwidth   {}/s; link speed unknown", size_text(made)),
    };
    CounterRow::plain(&format!("{text}   A proposes a filter"))
}

fn offer(price: &Price) -> String {
    match &price.line {
        Some(line) => format!("Enter: :target {line}"),
        None => "always sent".to_owned(),
    }
}
