//! Contents of the pane: the accounting, losses by cause, the newest losses, bandwidth by group, all losses, response
//! times.

use std::{collections::BTreeMap, sync::RwLockReadGuard};

use spytui_engine::{
    export::stats,
    list::RowSource,
    present::{clock::grouped, words::group_tag},
    session::decoding::DecodingState,
    store::{Counters, Dictionary, Names, View},
};
use spytui_plugin_api::Info;

use super::{
    figures::{self, Sums, is_repeat},
    losses::{DropsInOrder, listed, losses},
    row::CounterRow,
};
use crate::{model::Model, term::Role};

/// All lines of the pane.
pub(super) fn lines(model: &Model) -> Vec<CounterRow> {
    let list = &model.list;
    let info = &list.decoding().decoder.info;
    let cursor = if list.page.follow { list.rows.len().saturating_sub(1) } else { list.page.cursor };
    let (before, drops, repeats) = (list.rows.before(cursor), list.rows.drops(), list.rows.rows_of(is_repeat));
    let drops_in_order = DropsInOrder::of(&list.rows);
    let states = list.rows.read_all();
    let total = &Counters::total(info, states.iter().map(|state| &state.counters));
    let (before, drops_in_order) = (&before, &drops_in_order);
    let sums = Sums { model, info, states: &states, total, drops, before, drops_in_order, repeats };
    let mut rows = figures::lines(&sums);
    let refused = states.iter().map(|state| state.dictionary.refused()).sum();
    rows.extend(Dictionary::refusal(refused).map(|text| CounterRow::of(vec![(format!(" {text}"), Role::Warning)])));
    let losses = losses(&states, drops_in_order);
    let groups = groups(info, &states);
    let times: Vec<CounterRow> = states.iter().flat_map(|state| distributions(info, state)).collect();
    // The list may not be asked while its sources are read.
    drop(states);
    let (newest, others) = listed(&list.rows, losses);
    let blank = || CounterRow::plain("");
    rows.push(blank());
    rows.extend(newest);
    rows.push(blank());
    rows.push(CounterRow::plain(" group        rec        bytes    share"));
    rows.extend(groups.iter().map(|line| CounterRow::plain(line)));
    for part in [others, times].into_iter().filter(|part| !part.is_empty()) {
        rows.push(blank());
        rows.extend(part);
    }
    rows
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
    lines.map(|line| CounterRow::plain(&format!(" {line}"))).collect()
}
