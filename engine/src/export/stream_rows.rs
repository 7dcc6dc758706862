//! The rows of a stream as analyses take them: numbered, in merged order, with times that can be compared.

use std::collections::HashMap;

use crate::{
    analysis::objects::{FedRow, Moment},
    row::RowView,
};

/// Numbers rows as they come.
#[derive(Debug, Default)]
pub(super) struct StreamRows {
    /// Records of each source.
    records: HashMap<u16, u64>,
    rows: u64,
}

impl StreamRows {
    /// The next row, and its time in nanoseconds if the unit of its clock is known.
    pub(super) fn next(&mut self, view: &RowView<'_>) -> (FedRow, Option<u64>) {
        let source = view.source.unwrap_or(0);
        let n = self.records.entry(source).or_default();
        *n += u64::from(view.row.is_record());
        let ticks = view.row.has_time().then_some(view.row.time);
        let ns = ticks.and_then(|ticks| view.clock.ns(ticks));
        // Sources may have different rates.
        let time = view.source.and(ns).or(ticks);
        let at = Moment { row: self.rows, n: *n, source, time };
        self.rows += 1;
        (FedRow::new(view.row, at, view.epoch), ns)
    }

    /// Number of records of all sources.
    pub(super) fn records(&self) -> u64 {
        self.records.values().sum()
    }
}
