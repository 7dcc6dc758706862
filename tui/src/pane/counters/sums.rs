//! The sums of all sources, now and as of the cursor row.

use std::sync::RwLockReadGuard;

use spytui_engine::{
    store::{Counters, Sums},
    trace::{list::RowList, session::decoding::DecodingState},
};
use spytui_plugin_api::{Info, RowKind};

use crate::model::list::List;

/// Maximum number of sources whose dropped rows are decoded again for this.
const MOST_RELOADED: usize = 8;

pub(super) struct SumsOfAll {
    pub(super) counters: Counters,
    /// Drops and their places, if the target reports them.
    pub(super) drops: Option<(u64, u64)>,
    /// Records that only repeat known information.
    pub(super) repeats: u64,
    pub(super) groups: Vec<(u8, (u64, u64))>,
}

impl SumsOfAll {
    /// Sums of these sources; `drops` = in the order of all if they share them; `reports_drops` = the target reports
    /// drops.
    fn new(info: &Info, each: &[Sums], drops: Option<(u64, u64)>, reports_drops: bool) -> SumsOfAll {
        let counters = Counters::total(info, each.iter().map(|sums| &sums.counters));
        let mut all = Sums::default();
        each.iter().for_each(|sums| all.join(sums));
        let places = each.iter().map(|sums| sums.drop_rows + sums.counters.rows.dropped_gaps).sum();
        let dropped = each.iter().map(|sums| sums.counters.rows.dropped).sum();
        let drops = reports_drops.then(|| drops.unwrap_or((dropped, places)));
        SumsOfAll { counters, drops, repeats: all.repeats, groups: all.groups().collect() }
    }
}

/// The range up to the cursor, including its line.
pub(super) struct Place {
    /// Rows of each source before the first row after the cursor's line.
    before: Vec<u64>,
    /// Drops before that row, if all sources share them.
    drops: Option<(u64, u64)>,
    /// All drops of the list, if all sources share them.
    all_drops: Option<(u64, u64)>,
}

impl Place {
    /// The cursor row of a list; its rows are loaded.
    pub(super) fn of_cursor(list: &List) -> Place {
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
    pub(super) fn sums(
        &self,
        info: &Info,
        states: &[RwLockReadGuard<'_, DecodingState>],
    ) -> (SumsOfAll, Option<SumsOfAll>) {
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
        shape.is_some_and(|shape| shape.row.kind.is_loss() && shape.row.kind != RowKind::HOST_LOSS)
    };
    if !folds(row) {
        return len.min(row + 1);
    }
    (row + 1..len).find(|row| !folds(*row)).unwrap_or(len)
}
