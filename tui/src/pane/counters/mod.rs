//! The Counters pane: the accounting, every counter, bandwidth by group, the list of losses.

mod figures;
mod sums;
mod verdict;

use std::{
    collections::{BTreeMap, BTreeSet},
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
        link::LinkState,
        log::format::{percent, size_text},
    },
    present::{
        clock::grouped,
        words::{group_tag, tag_of},
    },
    store::{BlockNames, Counters, Dictionary, View},
    trace::session::decoding::DecodingState,
};
use spytui_plugin_api::Info;

use super::{live, table::TableCursor};
use crate::{
    input::{Action, Hint, PaneAction, PaneId, PaneKeys, PromptKind, RECORDS},
    model::{Model, jump, panes::Pane, screen::Piece, target},
    term::{Role, cut_middle},
    widget::TitleRule,
};
use figures::{CounterFigures, figure_lines};
use sums::Place;
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
    signs: "≥: at least: the number is not known exactly; ?: unknown",
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
    rows.extend(figure_lines(&CounterFigures { model, info, states: &states, now: &now, then: then.as_ref(), own }));
    let refused = states.iter().map(|state| state.dictionary.refused).sum();
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
    let tables = state.distributions.tables(info, &BlockNames::newest(&state.dictionary, View::Effective, true));
    let lines = tables.iter().flat_map(|table| stats::lines(table).into_iter().chain([String::new()]));
    lines.map(|line| CounterRow::plain(&format!(" {line}"))).collect()
}

/// Width of names.
const NAME: usize = 14;

/// The section; empty unless a target sends bytes.
fn bandwidth(model: &Model, costs: &Prices, unfolded: &BTreeSet<String>) -> Vec<CounterRow> {
    let source = model.links.addressed();
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
