//! The list of losses; Enter goes to one.

use std::{collections::HashMap, sync::RwLockReadGuard};

use spytui_engine::{
    present::clock::grouped,
    trace::list::{OrderedDrop, RowList, row_list::number_text},
    trace::session::{
        decoding::DecodingState,
        losses::{Loss, LossSize},
    },
};

use super::CounterRow;
use crate::{
    model::loss_words::{cause_words, loss_words},
    term::{Role, width},
};

/// Columns of how much was lost.
const WORDS: usize = 16;
/// Losses listed.
pub(super) const LISTED: usize = 500;
/// Losses listed before everything else.
const FIRST: usize = 4;

/// A loss of a source: the source, the loss there, records before it if known.
pub(super) struct LossPlace {
    source: usize,
    loss: Loss,
    after: Option<u64>,
}

/// All losses that are kept, the newest of each source first.
pub(super) fn losses(states: &[RwLockReadGuard<'_, DecodingState>], drops: &DropsInOrder) -> Vec<LossPlace> {
    let mut all = Vec::new();
    for (source, state) in states.iter().enumerate() {
        let shown = state.losses.iter().rev().filter_map(|&loss| {
            let size = match loss.size {
                LossSize::Units { lost, exact } => {
                    // Where nothing was lost, a frame came twice.
                    let lost = drops.lost(source, loss.row, lost).filter(|&lost| lost > 0 || !exact)?;
                    LossSize::Units { lost, exact }
                }
                size => size,
            };
            let after = state.rows.records_before(loss.row);
            Some(LossPlace { source, loss: Loss { size, ..loss }, after })
        });
        all.extend(shown.take(LISTED + 1));
    }
    all
}

/// Records dropped by source and row, where the order of several sources makes a difference; `None` = another source
/// reported the same before.
pub(super) struct DropsInOrder(HashMap<(usize, u64), Option<u64>>);

impl DropsInOrder {
    pub(super) fn of(rows: &RowList) -> DropsInOrder {
        let lost = |drop: &OrderedDrop| (!drop.is_left_out).then(|| drop.drop.lost());
        DropsInOrder(rows.ordered_drops().iter().map(|drop| (drop.at, lost(drop))).collect())
    }

    /// Records lost at a row that alone reports `lost`; `None` if the row is not shown.
    pub(super) fn lost(&self, source: usize, row: u64, lost: u64) -> Option<u64> {
        self.0.get(&(source, row)).copied().unwrap_or(Some(lost))
    }
}

/// The newest losses, each with its row in the list: the first lines of the list, and the others.
pub(super) fn listed(rows: &RowList, losses: Vec<LossPlace>) -> (Vec<CounterRow>, Vec<CounterRow>) {
    let all = losses.len().min(LISTED);
    let is_sure = rows.parts().iter().all(|part| part.decoder.info.has_sequence());
    let title = match losses.len() {
        0 if is_sure => return (vec![CounterRow::plain(" no losses")], Vec::new()),
        0 => return (vec![CounterRow::plain(" no losses detected")], Vec::new()),
        n if n > LISTED => format!(" the newest {LISTED} losses · Enter goes there"),
        _ => " losses · Enter goes there".to_owned(),
    };
    let several = rows.sources() > 1;
    let mut placed: Vec<(Option<u64>, LossPlace)> =
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
    // One line more is no longer than the line that says that there are more.
    if all <= FIRST + 1 {
        return (lines, Vec::new());
    }
    let mut others = lines.split_off(1 + FIRST);
    lines.push(CounterRow::plain(&format!("   {} earlier losses below", grouped(others.len() as u64))));
    others.insert(0, CounterRow::plain(" earlier losses"));
    (lines, others)
}
