//! The Counters pane: the accounting, every counter by cause, bandwidth by group, the list of losses.

use std::collections::BTreeMap;

use spytui_engine::{
    export::stats,
    present::{clock::grouped, word::group_name},
    session::decoded::State,
    store::{Counters, Names, View},
};
use spytui_plugin_api::{Info, batch::count};

use super::state::App;
use crate::term::wrap;

/// Losses listed.
const LISTED: usize = 500;

/// One line of the pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CounterRow {
    /// Text.
    pub text: String,
    /// It tells of a loss.
    pub loss: bool,
    /// A row to go to with Enter.
    pub row: Option<u64>,
}

impl App {
    pub(super) fn make_counters(&mut self, width: usize) {
        let state = self.decoded.read();
        let info = &self.decoded.decoder.info;
        let c = &state.counters;
        let mut lines = vec![(sums(c), false), (records(c), c.lost() > 0)];
        let cursor = if self.list.follow { state.rows.len().saturating_sub(1) } else { self.list.cursor };
        lines.push((then(&state, cursor), false));
        lines.push((others(info, c), false));
        lines.push((self.of_the_link(), false));
        let host = self.source().log().lost();
        if host > 0 {
            lines.push((format!("lost on this side {} B", grouped(host)), true));
        }
        let mut rows: Vec<CounterRow> = Vec::new();
        for (text, loss) in lines.into_iter().filter(|l| !l.0.is_empty()) {
            let parts = wrap(&text, width.saturating_sub(3));
            let indent = |i: usize| if i == 0 { " " } else { "   " };
            rows.extend(parts.into_iter().enumerate().map(|(i, part)| CounterRow {
                text: format!("{}{part}", indent(i)),
                loss,
                row: None,
            }));
        }
        let plain = |text: String| CounterRow { text, ..CounterRow::default() };
        rows.push(plain(String::new()));
        rows.push(plain(" group        rec        bytes    share".to_owned()));
        rows.extend(groups(info, &state).into_iter().map(plain));
        rows.push(plain(String::new()));
        rows.extend(spreads(info, &state));
        rows.extend(losses(&state));
        drop(state);
        self.shown.counters = rows;
    }

    fn of_the_link(&self) -> String {
        let link = self.source().link_counters();
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
}

/// Where every received byte went.
fn sums(c: &Counters) -> String {
    let mut text = format!("received {} B = records {}", grouped(c.fed), grouped(c.record_bytes));
    for (word, bytes) in [("other", c.other_bytes), ("skipped", c.skipped_bytes), ("pending", c.pending_bytes)] {
        if bytes > 0 {
            text.push_str(&format!(" + {word} {}", grouped(bytes)));
        }
    }
    text + if c.adds_up() { "   adds up" } else { "   DOES NOT ADD UP" }
}

fn records(c: &Counters) -> String {
    let lost = if c.lost() > 0 { format!("≥{}", grouped(c.lost())) } else { "0".to_owned() };
    let places = if c.gaps() == 1 { "place" } else { "places" };
    format!(
        "records {}   lost {lost} in {} {places}   bad frames {}   unknown ids {}",
        grouped(c.records),
        grouped(c.gaps()),
        grouped(c.bad()),
        grouped(c.get(count::UNKNOWN))
    )
}

/// The same as of the cursor row.
fn then(state: &State, cursor: u64) -> String {
    let Some(records) = state.rows.records_before(cursor) else { return String::new() };
    let is_all = state.losses.len() as u64 == state.counters.gaps();
    let (mut lost, mut places) = (0, 0_u64);
    for (_, n, _) in state.losses.iter().filter(|l| l.0 <= cursor) {
        (lost, places) = (lost + n, places + 1);
    }
    let lost = match (is_all, lost) {
        (false, _) => "n/a".to_owned(),
        (true, 0) => "0".to_owned(),
        (true, _) => format!("≥{} in {}", grouped(lost), grouped(places)),
    };
    format!("above the cursor row: records {}   lost {lost}", grouped(records))
}

/// Counters that are not 0 and have not been told.
fn others(info: &Info, c: &Counters) -> String {
    let all = stats::counters(info, c).into_iter().skip(8).filter(|(name, val)| *val != 0 && name != "unknown");
    let words: Vec<String> = all.map(|(name, val)| format!("{} {}", name.replace('_', " "), grouped(val))).collect();
    words.join("   ")
}

/// Bandwidth by group.
fn groups(info: &Info, state: &State) -> Vec<String> {
    let mut sums: BTreeMap<u8, (u64, u64)> = BTreeMap::new();
    for (shape, rows, bytes) in state.rows.tables().shapes.tally().filter(|(s, ..)| s.row().is_record()) {
        let sum = sums.entry(shape.group).or_default();
        *sum = (sum.0 + rows, sum.1 + bytes);
    }
    let total: u64 = sums.values().map(|s| s.1).sum::<u64>().max(1);
    let mut list: Vec<(u8, (u64, u64))> = sums.into_iter().filter(|g| g.1.0 > 0).collect();
    list.sort_by_key(|g| std::cmp::Reverse(g.1.1));
    let line = |(group, (rows, bytes)): (u8, (u64, u64))| {
        let permille = bytes * 1000 / total;
        let name = match group_name(info, group) {
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

/// What the decoder measured: response times.
fn spreads(info: &Info, state: &State) -> Vec<CounterRow> {
    let names = Names {
        dictionary: &state.dictionary,
        others: &[],
        first: u64::MAX,
        fixed: true,
        view: View::Effective,
        short: true,
    };
    let tables = state.spreads.tables(info, &names);
    let lines = tables.iter().flat_map(|table| stats::lines(table).into_iter().chain([String::new()]));
    lines.map(|line| CounterRow { text: format!(" {line}"), ..CounterRow::default() }).collect()
}

/// The newest losses, each with its row.
fn losses(state: &State) -> Vec<CounterRow> {
    let title = match state.losses.len() {
        0 => " no losses".to_owned(),
        n if n > LISTED => format!(" the newest {LISTED} losses   Enter goes to"),
        _ => " losses   Enter goes to".to_owned(),
    };
    let mut rows = vec![CounterRow { text: title, ..CounterRow::default() }];
    rows.extend(state.losses.iter().rev().take(LISTED).map(|&(row, lost, exact)| {
        let at_least = if exact { "" } else { "≥" };
        let records = if lost == 1 { "record" } else { "records" };
        let n = state.rows.records_before(row).map_or_else(|| "?".to_owned(), |n| format!("#{n}"));
        let text = format!("   after {n:<9} {at_least}{} {records}", grouped(lost));
        CounterRow { text, loss: true, row: Some(row) }
    }));
    rows
}
