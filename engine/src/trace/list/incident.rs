//! What led to a failure at a row of a list.

use std::collections::VecDeque;

use spytui_plugin_api::{RowFlags, render::Want};

use super::{
    ObjectHistory, RenderRequest, RowList, RowRenderer,
    walk::{RowFeed, worded},
};
use crate::{
    analysis::{
        incident::{
            Incident, IncidentReader,
            page::{BEFORE, IncidentWording},
            reader::{MOST_ROWS, is_failure},
        },
        objects::ObjectTable,
    },
    present::{Clock, sanitise::text_of},
    replay::{Moment, Reader},
    store::{Shape, View},
};

impl RowList {
    /// Whether a row is a failure: an error such as an assertion, or a reset of the target.
    pub fn is_failure(&self, row: u64, shape: &Shape) -> bool {
        is_failure(&shape.row, self.epoch_of(row).unwrap_or(0))
    }
}

impl ObjectHistory {
    /// What led to a row; `look_back` = how far it looks back, ns. `None` if the rows before it were not read yet or can't
    /// be decoded again.
    pub fn incident(&mut self, list: &RowList, row: u64, look_back: u64, short: bool) -> Option<Incident> {
        list.ensure_loaded(row);
        let shape = list.shape(row)?;
        // A reset makes unknown what is asked for.
        let is_reset = shape.row.flags.contains(RowFlags::EPOCH) && list.is_failure(row, &shape);
        let last = if is_reset { row.checked_sub(1)? } else { row };
        let first = last.saturating_sub(MOST_ROWS).max(list.first_kept());
        let table = match first.checked_sub(1).filter(|before| *before >= list.first_kept()) {
            Some(before) => self.at(list, before)?.clone(),
            None => ObjectTable::new(&list.source(0).decoder.info).begin_at(first),
        };
        let mut reader = IncidentReader::from(table, look_back);
        let mut feed = RowFeed::new(list, true);
        let mut rows: VecDeque<Moment> = VecDeque::new();
        let is_all = feed.pass(list, (first, last + 1), |fed, activities| {
            reader.row(fed, activities);
            rows.push_back(reader.table.last());
            if rows.len() > BEFORE + usize::from(!is_reset) {
                rows.pop_front();
            }
        });
        if !is_all.is_ok_and(|is_all| is_all) {
            return None;
        }
        if is_reset {
            rows.push_back(Moment { row, ..reader.table.last() });
        }
        let clock = if feed.is_plain() { list.clock() } else { Clock::nanoseconds() };
        let rows = with_texts(list, rows, short);
        let (table, recent) = (&reader.table, &reader.recent);
        Some(worded(list, last, short, |wording| IncidentWording { table, recent, wording, clock }.incident(&rows)))
    }
}

fn with_texts(list: &RowList, rows: VecDeque<Moment>, short: bool) -> Vec<(Moment, String)> {
    let ask = RenderRequest { want: Want::TEXT, view: View::Effective, short, before: None };
    let mut texts: Vec<(Moment, String)> = rows.into_iter().map(|at| (at, String::new())).collect();
    let numbers: Vec<u64> = texts.iter().map(|(at, _)| at.row).collect();
    RowRenderer::default().views(list, numbers, ask, |row, view| {
        let mut text = Vec::new();
        view.push_words(&mut text);
        if let Some(own) = texts.iter_mut().find(|(at, _)| at.row == row) {
            own.1 = text_of(text);
        }
        true
    });
    texts
}
