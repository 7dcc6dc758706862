//! What each group of records takes of the link, and what the line carries without it.

use std::collections::BTreeSet;

use spytui_engine::{
    device::advise::{Price, Prices},
    io::link::LinkState,
    io::log::format::size_text,
    present::{clock::grouped, words::tag_of},
};

use super::CounterRow;
use crate::{
    model::Model,
    term::{Role, cut_middle},
};

/// Columns of names.
const NAME: usize = 14;

/// The section; empty unless bytes come from a target.
pub(super) fn bandwidth(model: &Model, costs: &Prices, unfolded: &BTreeSet<String>) -> Vec<CounterRow> {
    let source = model.links.first();
    if !matches!(source.status.state, LinkState::Live | LinkState::Quiet(_)) || costs.made == 0 {
        return Vec::new();
    }
    let share = |bytes: u64| costs.share_without(bytes).map_or_else(|| "n/a".to_owned(), |share| format!("{share} %"));
    let line = |name: &str, bytes: u64, rest: &str| {
        let permille = bytes * 1000 / costs.made.max(1);
        let part = format!("{}.{} %", permille / 10, permille % 10);
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

/// Heads the columns.
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
