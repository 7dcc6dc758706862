//! The rows that show a finding, one after the other. There may be too many to keep: the rows are read again.

use std::collections::VecDeque;

use super::{Direction, FindingWalk, RowList, Walking, walk::PIECE};
use crate::{
    analysis::findings::{Finding, FindingTable},
    replay::Moment,
};

/// Rows kept of those found, for steps back: more than a piece of rows has.
const KEPT: usize = 2 * PIECE as usize;

#[derive(Debug)]
pub struct Occurrences {
    finding: Finding,
    walk: FindingWalk,
    /// All of that many rows were read.
    ended: Option<u64>,
    /// The last ones found, each with its number.
    kept: VecDeque<(u64, Moment)>,
}

impl Occurrences {
    pub fn new(list: &RowList, finding: Finding) -> Occurrences {
        Occurrences { finding, walk: FindingWalk::new(list), ended: None, kept: VecDeque::new() }
    }

    /// The next or previous row of the finding from a row, with its number. Reads a piece of the rows at most; `None` = it
    /// was not found yet.
    pub fn seek(&mut self, list: &RowList, from: u64, direction: Direction) -> Option<Option<(u64, Moment)>> {
        let is_cut = self.kept.len() == KEPT && self.kept.front().is_some_and(|(_, at)| at.row >= from);
        if is_cut || !self.walk.is_of(list) {
            *self = Occurrences::new(list, self.finding.clone());
        }
        let is_read =
            |own: &Self| own.kept.back().is_some_and(|(_, at)| at.row > from) || own.ended == Some(list.len());
        if !is_read(self) {
            self.read(list);
        }
        let found = match direction {
            Direction::Forward => self.kept.iter().find(|(_, at)| at.row > from),
            Direction::Backward => self.kept.iter().rev().find(|(_, at)| at.row < from),
        };
        is_read(self).then_some(found.copied())
    }

    fn read(&mut self, list: &RowList) {
        let Occurrences { finding, kept, .. } = self;
        // Before the first one, less bad ones may be taken for it.
        let first = finding.evidence.first().map_or(0, |(_, at)| at.row);
        let mut note = |table: &FindingTable| {
            let latest = table.latest(finding.rule, finding.key, finding.item);
            let is_new = |at: &Moment| at.row >= first && kept.back().is_none_or(|(_, last)| last.row < at.row);
            if let Some(latest) = latest.filter(|(_, at)| is_new(at)) {
                kept.push_back(latest);
                kept.drain(..kept.len().saturating_sub(KEPT));
            }
        };
        let has_more = self.walk.work_with(list, &mut note);
        note(&self.walk.reader);
        self.ended = (!has_more).then_some(list.len());
    }
}
