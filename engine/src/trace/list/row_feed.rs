//! The rows of a list with their activities, which the store does not keep: decoded once more, or taken from the decoding
//! while it is live.

use std::sync::Arc;

use spytui_plugin_api::{Activity, Row};

use super::RowList;
use crate::{
    present::Clock,
    replay::{FedRow, Moment},
    trace::{
        order::Scales,
        session::{Decoding, activity_reader::ActivityReader},
    },
};

/// Rows passed on at once.
pub(super) const PIECE: u64 = 4096;

/// Rows of a list with their activities, in order.
#[derive(Debug)]
pub(super) struct RowFeed {
    parts: Vec<Arc<Decoding>>,
    readers: Vec<Option<ActivityReader>>,
    /// Why no more rows can be passed on.
    failure: Option<String>,
    /// Makes times of several sources comparable.
    scales: Scales,
    clocks: Vec<Clock>,
    /// Times in nanoseconds are needed.
    needs_ns: bool,
}

impl RowFeed {
    /// From the first row that is asked for.
    pub(super) fn new(list: &RowList, needs_ns: bool) -> RowFeed {
        let clocks: Vec<_> = list.parts().iter().map(|part| part.read().clock()).collect();
        let scales = if clocks.len() > 1 { Scales::new(&clocks) } else { Scales::default() };
        let readers = list.parts().iter().map(|_| None).collect();
        RowFeed { parts: list.parts().to_vec(), readers, failure: None, scales, clocks, needs_ns }
    }

    /// Whether it is that of a list.
    pub(super) fn is_of(&self, list: &RowList) -> bool {
        list.is_of(&self.parts)
    }

    /// Why no more rows can be passed on.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether rows from this one on are gone, as the log has dropped their bytes before they were passed on.
    pub(super) fn has_missed(&self, list: &RowList, next: u64) -> bool {
        self.failure.is_none() && next < list.first_kept()
    }

    /// Whether times are ticks of the sources, not in a common unit.
    pub(super) fn is_in_ticks(&self) -> bool {
        self.scales.are_plain()
    }

    /// Time of a row of a source, comparable with the others.
    pub(super) fn time(&self, source: usize, epoch: u32, row: &Row) -> Option<u64> {
        row.has_time().then(|| self.scales.time(source, epoch, row.time)).flatten()
    }

    /// Passes rows on from this one, a piece of them; `true` if there are more. See [`RowFeed::pass`].
    pub(super) fn piece(&mut self, list: &RowList, first: u64, take: impl FnMut(&FedRow, &[Activity])) -> bool {
        if self.failure.is_some() {
            return false;
        }
        for (clock, part) in self.clocks.iter_mut().zip(list.parts()).filter(|(clock, _)| !clock.known()) {
            *clock = part.read().clock();
        }
        let rows = list.len();
        let end = rows.min(first + PIECE);
        match self.pass(list, (first, end), take) {
            Ok(is_all) => is_all && end < rows,
            Err(failure) => {
                self.failure = Some(failure);
                false
            }
        }
    }

    /// Passes the rows of a list from `first` to before `end` on; `false` if not all of them are there yet. It is always the
    /// same order: rows follow each other.
    ///
    /// # Errors
    /// If they can't be decoded again.
    pub(super) fn pass(
        &mut self,
        list: &RowList,
        (first, end): (u64, u64),
        mut take: impl FnMut(&FedRow, &[Activity]),
    ) -> Result<bool, String> {
        let mut listed = first;
        while let Some((source, number, count)) = list.run(listed, end) {
            let decoding = list.source(source);
            let (Some(slot), Some(clock)) = (self.readers.get_mut(source), self.clocks.get(source)) else {
                return Ok(false);
            };
            let reader = match slot {
                Some(reader) => reader,
                None => slot.insert(ActivityReader::open(decoding, number)?),
            };
            let (scales, needs_ns) = (&self.scales, self.needs_ns);
            let is_all = reader.pass(decoding, number, |_| {})?
                && reader.pass(decoding, number + count, |own| {
                    let ticks = own.row.has_time().then_some(own.row.time);
                    let time = ticks.and_then(|ticks| scales.time(source, own.epoch, ticks));
                    let at = Moment { row: listed, n: own.n, source: source as u16, time };
                    // What another source reported before is no loss of its own.
                    let is_news = own.row.is_record() || !list.is_left_out(listed);
                    let loses = own.row.may_hide_records() && is_news;
                    let ns = ticks.filter(|_| needs_ns).and_then(|ticks| clock.ns(ticks));
                    let (row, epoch, bytes) = (*own.row, own.epoch, own.bytes);
                    take(&FedRow { row, at, ns, epoch, loses, bytes }, own.activities);
                    listed += 1;
                })?;
            if !is_all {
                return Ok(false);
            }
        }
        Ok(listed >= end)
    }
}
