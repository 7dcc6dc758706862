//! What was lost, why, and what to do about it; the list of losses.

use std::{collections::HashMap, sync::RwLockReadGuard};

use spytui_engine::{
    device::{advise::Prices, traffic::records_not_sent},
    io::{link::LinkKind, log::format::size_text},
    present::{clock::grouped, words::counted},
    store::Counters,
    trace::{
        list::{OrderedDrop, RowList, row_list::number_text},
        session::{
            decoding::DecodingState,
            news::{Loss, LossSize},
        },
    },
};
use spytui_plugin_api::Info;

use super::CounterRow;
use crate::{
    input::Action,
    model::{
        Model,
        loss_words::{cause_words, loss_words, unchecked},
    },
    term::{Role, width, wrap},
};

pub(super) struct VerdictInput<'a> {
    pub(super) model: &'a Model,
    pub(super) info: &'a Info,
    pub(super) now: &'a Counters,
    /// Records dropped by the target, and number of places.
    pub(super) drops: Option<(u64, u64)>,
    /// Number of losses in the list below.
    pub(super) listed: usize,
    pub(super) costs: &'a Prices,
    pub(super) width: usize,
}

/// One line per cause; without causes, a line about the list of losses, or that no loss was detected, as far as
/// detectable.
pub(super) fn verdict(found: &VerdictInput<'_>) -> Vec<CounterRow> {
    let VerdictInput { model, info, now, listed, .. } = *found;
    let mut lines: Vec<CounterRow> = not_received(found).into_iter().collect();
    if now.bad() > 0 {
        let pattern = model.links.addressed().autodetect.pattern;
        let cause = pattern.map_or_else(|| line_advice(model).to_owned(), |pattern| format!(": {pattern}"));
        let text = format!("{} damaged on the line{cause}", grouped(now.bad()));
        lines.extend(wrap(&text, found.width.saturating_sub(1)).iter().map(|line| loss(line)));
    } else if now.rows.skipped_bytes > 0 {
        let skipped = grouped(now.rows.skipped_bytes);
        lines.push(CounterRow::plain(&format!(" {skipped} B skipped: in no whole frame")));
    }
    lines.extend(on_this_side(model).iter().map(|text| loss(text)));
    if lines.is_empty() && listed > 0 {
        let places = match listed {
            1..=LISTED => counted(listed as u64, "place"),
            _ => format!("more than {} places", grouped(LISTED as u64)),
        };
        lines.push(loss(&format!("losses in {places}, listed below")));
    } else if lines.is_empty() && now.rows.lost == 0 {
        lines.push(CounterRow::plain(&format!(" {}", no_losses(info, now))));
    }
    lines
}

/// Records that did not arrive. Targets report the number of some drops, but only the place of others.
fn not_received(found: &VerdictInput<'_>) -> Option<CounterRow> {
    let (dropped, places) = found.drops.unwrap_or_default();
    let gaps = records_not_sent(found.info, found.now);
    let most = gaps.max(dropped).max(places);
    let is_exact = match most {
        _ if dropped == most => true,
        // Their number is unknown.
        _ if dropped == 0 && places > 0 => false,
        _ if gaps == most => found.now.is_lost_exact(found.info),
        _ => false,
    };
    let lost = format!("{}{}", if is_exact { "" } else { "≥" }, counted(most, "record"));
    (most > 0).then(|| loss(&of_target(found, &lost, dropped.max(places))))
}

/// What was lost between the link and the log.
fn on_this_side(model: &Model) -> Vec<String> {
    let mut texts = Vec::new();
    let unread: u64 = model.links.shown().filter_map(|source| source.status.counters.kernel_drops).sum();
    if unread > 0 {
        texts
            .push(format!("{} lost on this side: this machine did not read them in time", counted(unread, "datagram")));
    }
    let bytes: u64 = model.links.shown().map(|source| source.log().lost()).sum();
    if bytes > 0 {
        texts.push(format!("{} B lost on this side: no memory, no disk", grouped(bytes)));
    }
    texts
}

/// Message if no loss was detected: `nothing noticed: most losses can't be seen (no checksum, no seq)`.
fn no_losses(info: &Info, now: &Counters) -> String {
    if !now.reports_losses(info) {
        return "this stream does not report losses".to_owned();
    }
    let missing = unchecked(info);
    match (info.has_checksum, info.has_sequence()) {
        (true, true) if !now.is_lost_exact(info) => "no loss was seen".to_owned(),
        (true, true) => "nothing was lost".to_owned(),
        (false, true) => format!("nothing was lost; most damage can't be seen ({missing})"),
        (_, false) => format!("none detected; this protocol hides most losses ({missing})"),
    }
}

fn loss(text: &str) -> CounterRow {
    CounterRow::of(vec![(" ".to_owned(), Role::Plain), (text.to_owned(), Role::Loss)])
}

/// `482 records lost in the target: its buffer was full, link 250 of 491 B/s → A`
fn of_target(found: &VerdictInput<'_>, lost: &str, dropped: u64) -> String {
    let VerdictInput { model, costs, .. } = found;
    let is_live = !model.links.is_over() && costs.made > 0;
    // The capacity of the link, if the target produces more.
    let too_much = costs.capacity.filter(|carries| is_live && costs.made > *carries);
    let cause = match (dropped, &too_much) {
        (0, None) if found.now.bad() > 0 => return format!("{lost} lost in the target or on the line"),
        (0, None) => return format!("{lost} lost in the target or on the line: no damaged frames"),
        _ => format!("{lost} lost in the target: its buffer was full"),
    };
    let keys = model.settings.keymap.keys(model.panes.front(), Action::Advise);
    let key = keys.first().map_or(String::new(), |key| format!(" → {key}"));
    match too_much {
        Some(carries) => {
            format!("{cause}, link {} of {}/s{key}", without_unit(carries, costs.made), size_text(costs.made))
        }
        None if is_live => format!("{cause}{key}"),
        None => cause,
    }
}

/// A size without its unit, if a second one has the same unit.
fn without_unit(size: u64, other: u64) -> String {
    let (text, other) = (size_text(size), size_text(other));
    let unit = |text: &str| text.rsplit(' ').next().map(str::to_owned);
    match text.rsplit_once(' ') {
        Some((number, own)) if unit(&other).as_deref() == Some(own) => number.to_owned(),
        _ => text,
    }
}

/// What to check if frames are damaged.
fn line_advice(model: &Model) -> &'static str {
    let kinds = model.links.shown().filter_map(|source| source.link().map(|spec| &spec.kind));
    let mut kinds = kinds.filter(|_| !model.links.is_over()).peekable();
    match kinds.peek() {
        Some(LinkKind::Serial(_)) => ": check cable, baud rate, ground",
        Some(_) => ": check what is between the target and this link",
        None => "",
    }
}

const WORDS: usize = 16;
pub(super) const LISTED: usize = 500;
/// Number of losses listed before everything else.
const FIRST: usize = 4;

/// A loss of a source: the source, the loss there, records before it if known.
pub(super) struct SourceLoss {
    source: usize,
    loss: Loss,
    after: Option<u64>,
}

/// All losses kept, the newest of each source first.
pub(super) fn losses(states: &[RwLockReadGuard<'_, DecodingState>], drops: &DropsInOrder) -> Vec<SourceLoss> {
    let mut all = Vec::new();
    for (source, state) in states.iter().enumerate() {
        let shown = state.losses.iter().rev().filter_map(|&loss| {
            let size = match loss.size {
                LossSize::Units { lost, exact } => {
                    // If nothing was lost, a frame arrived twice.
                    let lost = drops.lost(source, loss.row, lost).filter(|&lost| lost > 0 || !exact)?;
                    LossSize::Units { lost, exact }
                }
                size => size,
            };
            let after = state.rows.records_before(loss.row);
            Some(SourceLoss { source, loss: Loss { size, ..loss }, after })
        });
        all.extend(shown.take(LISTED + 1));
    }
    all
}

/// Records dropped by source and row, if the order of several sources matters; `None` = another source reported the
/// same before.
pub(super) struct DropsInOrder(HashMap<(usize, u64), Option<u64>>);

impl DropsInOrder {
    pub(super) fn of(rows: &RowList) -> DropsInOrder {
        let lost = |drop: &OrderedDrop| (!drop.is_left_out).then(|| drop.drop.lost());
        DropsInOrder(rows.ordered_drops().iter().map(|drop| (drop.at, lost(drop))).collect())
    }

    /// Records lost at a row that by itself reports `lost`; `None` if the row is not shown.
    pub(super) fn lost(&self, source: usize, row: u64, lost: u64) -> Option<u64> {
        self.0.get(&(source, row)).copied().unwrap_or(Some(lost))
    }
}

/// The newest losses, each with its list row: the first lines of the list, and the others.
pub(super) fn listed(rows: &RowList, losses: Vec<SourceLoss>) -> (Vec<CounterRow>, Vec<CounterRow>) {
    let all = losses.len().min(LISTED);
    let is_sure = rows.parts.iter().all(|part| {
        let info = &part.decoder.info;
        info.has_sequence() && part.read().counters.reports_losses(info)
    });
    let title = match losses.len() {
        0 if is_sure => return (vec![CounterRow::plain(" no losses")], Vec::new()),
        0 => return (vec![CounterRow::plain(" no losses detected")], Vec::new()),
        n if n > LISTED => format!(" the newest {LISTED} losses · Enter goes there"),
        _ => " losses · Enter goes there".to_owned(),
    };
    let several = rows.sources() > 1;
    let mut placed: Vec<(Option<u64>, SourceLoss)> =
        losses.into_iter().map(|place| (rows.place(place.source, place.loss.row), place)).collect();
    placed.sort_by_key(|(row, _)| std::cmp::Reverse(*row));
    let mut lines = vec![CounterRow::plain(&title)];
    lines.extend(placed.into_iter().take(LISTED).map(|(row, place)| {
        let source = several.then_some(place.source as u16);
        let n = place.after.map_or_else(|| "?".to_owned(), |n| number_text(source, n));
        let words = loss_words(&rows.source(place.source).decoder.info, &place.loss);
        let pad = WORDS.saturating_sub(width(&words)) + 2;
        let pieces = vec![
            (format!("   after {n:<9} "), Role::Plain),
            (words, Role::Loss),
            (format!("{}{}", " ".repeat(pad), cause_words(&place.loss)), Role::Help),
        ];
        CounterRow { row, ..CounterRow::of(pieces) }
    }));
    // One more line takes no more room than the line saying that there are more.
    if all <= FIRST + 1 {
        return (lines, Vec::new());
    }
    let mut others = lines.split_off(1 + FIRST);
    lines.push(CounterRow::plain(&format!("   {} earlier losses below", grouped(others.len() as u64))));
    others.insert(0, CounterRow::plain(" earlier losses"));
    (lines, others)
}
