//! Contents of the pane: the accounting, every counter by cause, bandwidth by group, the list of losses.

use std::{
    collections::{BTreeMap, HashMap},
    sync::RwLockReadGuard,
};

use spytui_engine::{
    export::stats,
    link::LinkCounters,
    list::{OrderedDrop, RowList, RowSource, row_list::number_text},
    present::{clock::grouped, words::group_tag},
    session::decoding::DecodingState,
    store::{Counters, Names, Shape, View},
};
use spytui_plugin_api::{Info, info::DropTotals, row::RowFlags};

use crate::{
    model::{Model, links::Source, screen::in_places},
    term::wrap,
};

/// Losses listed.
const LISTED: usize = 500;

/// One line of the pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CounterRow {
    /// Text.
    pub(super) text: String,
    /// It reports a loss.
    pub(super) loss: bool,
    /// A row to go to with Enter.
    pub(super) row: Option<u64>,
}

/// All lines of the pane for a given width.
pub(super) fn lines(model: &Model, width: usize) -> Vec<CounterRow> {
    let list = &model.list;
    let info = &list.decoding().decoder.info;
    let cursor = if list.page.follow { list.rows.len().saturating_sub(1) } else { list.page.cursor };
    let (before, drops, repeats) = (list.rows.before(cursor), list.rows.drops(), list.rows.rows_of(is_repeat));
    let drops_in_order = DropsInOrder::of(&list.rows);
    let states = list.rows.read_all();
    let total = Counters::total(info, states.iter().map(|state| &state.counters));
    let mut lines = vec![(sums(&total), false), records(info, &total, drops)];
    lines.push((then(&states, &before, &drops_in_order), false));
    lines.push((others(info, &total, repeats), false));
    lines.push((of_the_links(model), false));
    lines.extend(of_each_source(model, &states, drops));
    let mut rows = wrapped(lines, width.saturating_sub(3));
    let plain = |text: String| CounterRow { text, ..CounterRow::default() };
    rows.push(plain(String::new()));
    rows.push(plain(" group        rec        bytes    share".to_owned()));
    rows.extend(groups(info, &states).into_iter().map(plain));
    rows.push(plain(String::new()));
    states.iter().for_each(|state| rows.extend(distributions(info, state)));
    let losses = losses(&states, &drops_in_order);
    // The list may not be asked while its sources are read.
    drop(states);
    rows.extend(listed(&list.rows, losses));
    rows
}

/// Bytes lost by the host, and the sums of each of several sources.
fn of_each_source(
    model: &Model,
    states: &[RwLockReadGuard<'_, DecodingState>],
    drops: Option<(u64, u64)>,
) -> Vec<(String, bool)> {
    let mut lines = Vec::new();
    let host: u64 = model.links.shown().map(|source| source.log().lost()).sum();
    if host > 0 {
        lines.push((format!("lost on this side {} B", grouped(host)), true));
    }
    let info = &model.list.decoding().decoder.info;
    for (source, state) in model.links.shown().zip(states).filter(|_| states.len() > 1) {
        let c = &state.counters;
        let (text, loss) = records(info, c, drops.map(|_| state.drops()));
        lines.push((format!("{}: {text}; {}", source.name(), sums(c)), loss));
    }
    lines
}

fn of_the_links(model: &Model) -> String {
    let mut link = LinkCounters::default();
    for one in model.links.shown().map(|source: &Source| &source.status.counters) {
        link.line_errors += one.line_errors;
        link.breaks += one.breaks;
        link.refused += one.refused;
        link.kernel_drops = one.kernel_drops.map(|n| n + link.kernel_drops.unwrap_or(0)).or(link.kernel_drops);
    }
    if link.line_errors + link.breaks + link.refused + link.kernel_drops.unwrap_or(0) == 0 {
        return String::new();
    }
    format!(
        "line errors {}   breaks {}   datagrams dropped here {}   senders refused {}",
        grouped(link.line_errors),
        grouped(link.breaks),
        link.kernel_drops.map_or("n/a".to_owned(), grouped),
        grouped(link.refused)
    )
}

/// Wraps lines; empty ones are left out.
fn wrapped(lines: Vec<(String, bool)>, room: usize) -> Vec<CounterRow> {
    let mut rows = Vec::new();
    for (text, loss) in lines.into_iter().filter(|l| !l.0.is_empty()) {
        let indent = |i: usize| if i == 0 { " " } else { "   " };
        rows.extend(wrap(&text, room).into_iter().enumerate().map(|(i, part)| CounterRow {
            text: format!("{}{part}", indent(i)),
            loss,
            row: None,
        }));
    }
    rows
}

/// The accounting of received bytes.
fn sums(c: &Counters) -> String {
    let mut text = format!("received {} B = records {}", grouped(c.fed), grouped(c.rows.record_bytes));
    for (word, bytes) in
        [("other", c.rows.other_bytes), ("skipped", c.rows.skipped_bytes), ("pending", c.pending_bytes)]
    {
        if bytes > 0 {
            text.push_str(&format!(" + {word} {}", grouped(bytes)));
        }
    }
    text + if c.adds_up() { "   adds up" } else { "   DOES NOT ADD UP" }
}

/// Records and losses as far as the protocol shows them; `true` if something is lost.
fn records(info: &Info, c: &Counters, drops: Option<(u64, u64)>) -> (String, bool) {
    let at_least = if c.rows.lost > 0 { "≥" } else { "" };
    let gaps = info.has_sequence().then(|| format!("lost {at_least}{}", in_places(c.rows.lost, c.rows.gaps)));
    let drops = drops.map(|(dropped, places)| (dropped, format!("target drops {}", in_places(dropped, places))));
    let loss = c.rows.lost > 0 || drops.as_ref().is_some_and(|d| d.0 > 0);
    let mut parts = vec![format!("records {}", grouped(c.rows.records))];
    parts.extend(gaps.into_iter().chain(drops.map(|d| d.1)));
    parts.push(format!("bad frames {}", grouped(c.bad())));
    parts.push(format!("unknown ids {}", grouped(c.rows.unknown)));
    (parts.join("   "), loss)
}

fn is_repeat(shape: &Shape) -> bool {
    shape.flags.intersects(RowFlags::UNCHANGED)
}

/// The same up to the cursor row, by the row of each source.
fn then(states: &[RwLockReadGuard<'_, DecodingState>], before: &[u64], drops: &DropsInOrder) -> String {
    let (mut all, mut lost, mut places, mut is_all) = (0, 0, 0_u64, true);
    for (source, (state, &row)) in states.iter().zip(before).enumerate() {
        let Some(records) = state.rows.records_before(row).or_else(|| all_records(state, row)) else {
            return String::new();
        };
        all += records;
        is_all &= state.losses.len() as u64 == state.counters.rows.gaps + state.drops().1;
        // In a single source, a loss under the cursor counts too.
        let upto = if states.len() == 1 { row + 1 } else { row };
        let above = state.losses.iter().filter(|loss| loss.0 < upto);
        for n in above.filter_map(|loss| drops.lost(source, loss.0, loss.1)) {
            (lost, places) = (lost + n, places + 1);
        }
    }
    let lost = match (is_all, lost) {
        (false, _) => "n/a".to_owned(),
        (true, 0) => "0".to_owned(),
        (true, _) => format!("≥{} in {}", grouped(lost), grouped(places)),
    };
    format!("above the cursor row: records {}   lost {lost}", grouped(all))
}

/// Number of records of a source whose rows are all above the cursor.
fn all_records(state: &DecodingState, row: u64) -> Option<u64> {
    (row > 0 && row >= state.rows.len()).then(|| state.rows.records()).or((state.rows.is_empty()).then_some(0))
}

/// Counters that are not 0 and not yet listed.
fn others(info: &Info, c: &Counters, repeats: u64) -> String {
    let listed = ["unknown", if info.drop_totals != DropTotals::NONE { "dropped" } else { "" }];
    let counters = stats::counters(info, c).into_iter().skip(8).chain([("repeats".to_owned(), repeats)]);
    let all = counters.filter(|(name, val)| *val != 0 && !listed.contains(&name.as_str()));
    let words: Vec<String> = all.map(|(name, val)| format!("{} {}", name.replace('_', " "), grouped(val))).collect();
    words.join("   ")
}

/// Bandwidth by group.
fn groups(info: &Info, states: &[RwLockReadGuard<'_, DecodingState>]) -> Vec<String> {
    let mut sums: BTreeMap<u8, (u64, u64)> = BTreeMap::new();
    let tally = states.iter().flat_map(|state| state.rows.tables().shapes.tally());
    for (shape, rows, bytes) in tally.filter(|(s, ..)| s.row().is_record()) {
        let sum = sums.entry(shape.group).or_default();
        *sum = (sum.0 + rows, sum.1 + bytes);
    }
    let total: u64 = sums.values().map(|s| s.1).sum::<u64>().max(1);
    let mut list: Vec<(u8, (u64, u64))> = sums.into_iter().filter(|g| g.1.0 > 0).collect();
    list.sort_by_key(|g| std::cmp::Reverse(g.1.1));
    let line = |(group, (rows, bytes)): (u8, (u64, u64))| {
        let permille = bytes * 1000 / total;
        let name = match group_tag(info, group) {
            "" => "other",
            name => name,
        };
        let bar = "█".repeat((permille / 50) as usize);
        let (rows, bytes) = (grouped(rows), grouped(bytes));
        let line = format!(" {name:<6} {rows:>9} {bytes:>12}   {:>2}.{} %  {bar}", permille / 10, permille % 10);
        line.trim_end().to_owned()
    };
    list.into_iter().map(line).collect()
}

/// Response times.
fn distributions(info: &Info, state: &DecodingState) -> Vec<CounterRow> {
    let names = Names {
        dictionary: &state.dictionary,
        others: &[],
        first: u64::MAX,
        fixed: true,
        view: View::Effective,
        short: true,
    };
    let tables = state.distributions.tables(info, &names);
    let lines = tables.iter().flat_map(|table| stats::lines(table).into_iter().chain([String::new()]));
    lines.map(|line| CounterRow { text: format!(" {line}"), ..CounterRow::default() }).collect()
}

/// A loss of a source: the source, its row there, records before it if known, records lost, whether that is exact.
struct LossPlace {
    source: usize,
    row: u64,
    after: Option<u64>,
    lost: u64,
    exact: bool,
}

/// All losses that are kept, the newest of each source first.
fn losses(states: &[RwLockReadGuard<'_, DecodingState>], drops: &DropsInOrder) -> Vec<LossPlace> {
    let mut all = Vec::new();
    for (source, state) in states.iter().enumerate() {
        let shown = state.losses.iter().rev().filter_map(|&(row, lost, exact)| {
            let lost = drops.lost(source, row, lost)?;
            let after = state.rows.records_before(row);
            Some(LossPlace { source, row, after, lost, exact })
        });
        all.extend(shown.take(LISTED + 1));
    }
    all
}

/// Records dropped by source and row, where the order of several sources makes a difference; `None` = another source
/// told the same before.
struct DropsInOrder(HashMap<(usize, u64), Option<u64>>);

impl DropsInOrder {
    fn of(rows: &RowList) -> DropsInOrder {
        let lost = |drop: &OrderedDrop| (!drop.is_left_out).then(|| drop.told.lost());
        DropsInOrder(rows.ordered_drops().iter().map(|drop| (drop.at, lost(drop))).collect())
    }

    /// Records lost at a row that alone tells of `lost`; `None` if the row is not shown.
    fn lost(&self, source: usize, row: u64, lost: u64) -> Option<u64> {
        self.0.get(&(source, row)).copied().unwrap_or(Some(lost))
    }
}

/// The newest losses, each with its row in the list.
fn listed(rows: &RowList, losses: Vec<LossPlace>) -> Vec<CounterRow> {
    let title = match losses.len() {
        0 => " no losses".to_owned(),
        n if n > LISTED => format!(" the newest {LISTED} losses   Enter goes to"),
        _ => " losses   Enter goes to".to_owned(),
    };
    let several = rows.sources() > 1;
    let mut placed: Vec<(Option<u64>, LossPlace)> =
        losses.into_iter().map(|loss| (rows.place(loss.source, loss.row), loss)).collect();
    placed.sort_by_key(|(row, _)| std::cmp::Reverse(*row));
    let mut lines = vec![CounterRow { text: title, ..CounterRow::default() }];
    lines.extend(placed.into_iter().take(LISTED).map(|(row, loss)| {
        let at_least = if loss.exact { "" } else { "≥" };
        let records = if loss.lost == 1 { "record" } else { "records" };
        let source = several.then_some(loss.source as u16);
        let n = loss.after.map_or_else(|| "?".to_owned(), |n| number_text(source, n));
        let text = format!("   after {n:<9} {at_least}{} {records}", grouped(loss.lost));
        CounterRow { text, loss: true, row }
    }));
    lines
}
