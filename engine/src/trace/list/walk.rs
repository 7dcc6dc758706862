//! Reads all rows of a list in pieces. New rows are added; nothing is read twice.

use std::sync::Arc;

use spytui_plugin_api::{Activity, Row};

use super::{
    RowList,
    row_renderer::{Locked, names_at},
};
use crate::{
    analysis::{
        findings::{FindingTable, Findings},
        objects::Wording,
        statistics::{Columns, Measure, Statistics, StatisticsTable, Tables},
    },
    present::Clock,
    replay::{FedRow, Key, Moment, Reader},
    store::View,
    trace::{
        order::Scales,
        session::{Decoding, activity_reader::ActivityReader},
    },
};

pub trait Walking {
    fn new(list: &RowList) -> Self;

    fn is_of(&self, list: &RowList) -> bool;

    /// Number of the next row.
    fn walked(&self) -> u64;

    /// Why no more rows can be read.
    fn failure(&self) -> Option<&str>;

    /// Reads some more rows; `true` if there are more.
    fn work(&mut self, list: &RowList) -> bool;

    /// Approximate memory that grows with the rows, bytes.
    fn memory(&self) -> usize {
        0
    }
}

/// A reader with its progress over the rows of a list.
#[derive(Debug)]
pub struct Walk<R> {
    reader: R,
    /// The reader before the first row.
    blank: R,
    pub(super) rows: RowFeed,
    missed: u64,
}

pub type FindingWalk = Walk<FindingTable>;
pub type StatisticsWalk = Walk<Statistics>;

impl<R: Reader> Walk<R> {
    pub fn with(list: &RowList, blank: R) -> Walk<R> {
        let missed = list.first_kept();
        Walk { reader: blank.clone().begin_at(missed), blank, rows: RowFeed::new(list, R::NEEDS_NS), missed }
    }

    /// The reader after the last row read.
    pub fn reader(&self) -> &R {
        &self.reader
    }

    /// Number of rows dropped before they were read.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    pub fn clock(&self, list: &RowList) -> Clock {
        if self.rows.scales.are_plain() { list.clock() } else { Clock::nanoseconds() }
    }

    /// Reads some more rows; `true` if there are more. `before` sees the reader before each row.
    pub(super) fn work_with(&mut self, list: &RowList, mut before: impl FnMut(&R)) -> bool {
        if self.rows.has_missed(list, self.walked()) {
            *self = Walk::with(list, self.blank.clone());
        }
        let reader = &mut self.reader;
        self.rows.piece(list, reader.rows(), |row, activities| {
            before(reader);
            reader.row(row, activities);
        })
    }
}

impl<R: Reader> Walking for Walk<R> {
    fn new(list: &RowList) -> Walk<R> {
        let info = list.parts().first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        Walk::with(list, R::new(&info))
    }

    fn is_of(&self, list: &RowList) -> bool {
        self.rows.is_of(list)
    }

    fn walked(&self) -> u64 {
        self.reader.rows()
    }

    fn failure(&self) -> Option<&str> {
        self.rows.failure()
    }

    fn work(&mut self, list: &RowList) -> bool {
        self.work_with(list, |_| {})
    }
}

impl FindingWalk {
    /// The findings so far, with the names that the last row sees.
    pub fn findings(&self, list: &RowList, short: bool) -> Findings {
        let last = self.walked().saturating_sub(1);
        worded(list, last, short, |wording| Findings::new(&self.reader, wording))
    }
}

impl StatisticsWalk {
    /// Figures of a measure by columns, with the names that the newest row of the list sees.
    pub fn table(&self, list: &RowList, (measure, by): (Measure, Columns), short: bool) -> StatisticsTable {
        let row = self.walked().saturating_sub(1);
        worded(list, row, short, |wording| {
            let (statistics, wording, clock) = (&self.reader, *wording, self.clock(list));
            Tables { statistics, wording, clock }.table(measure, by)
        })
    }
}

/// Rows read at once.
pub(super) const PIECE: u64 = 4096;

/// Reads rows of a list with their activities, in order.
#[derive(Debug)]
pub(super) struct RowFeed {
    parts: Vec<Arc<Decoding>>,
    readers: Vec<Option<ActivityReader>>,
    /// Why no more rows can be read.
    failure: Option<String>,
    /// Makes times of several sources comparable.
    scales: Scales,
    clocks: Vec<Clock>,
    needs_ns: bool,
}

impl RowFeed {
    /// Starts at the first requested row.
    pub(super) fn new(list: &RowList, needs_ns: bool) -> RowFeed {
        let clocks: Vec<_> = list.parts().iter().map(|part| part.read().clock()).collect();
        let scales = if clocks.len() > 1 { Scales::new(&clocks) } else { Scales::default() };
        let readers = list.parts().iter().map(|_| None).collect();
        RowFeed { parts: list.parts().to_vec(), readers, failure: None, scales, clocks, needs_ns }
    }

    pub(super) fn is_of(&self, list: &RowList) -> bool {
        list.is_of(&self.parts)
    }

    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether the log dropped the bytes of rows from `next` on before they were read.
    pub(super) fn has_missed(&self, list: &RowList, next: u64) -> bool {
        self.failure.is_none() && next < list.first_kept()
    }

    /// Time of a row of a source, comparable with the others.
    pub(super) fn time(&self, source: usize, epoch: u32, row: &Row) -> Option<u64> {
        row.has_time().then(|| self.scales.time(source, epoch, row.time)).flatten()
    }

    /// Passes on a piece of rows from `first` on; `true` if there are more. See [`RowFeed::pass`].
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

    /// Passes on the rows from `first` to before `end`; `false` if not all of them exist yet. Successive calls must be
    /// for successive rows.
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
                    // A loss that another source reported before is not a new one.
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

/// Calls `word` with the names that a row of the list sees.
pub fn worded<T>(list: &RowList, row: u64, short: bool, word: impl FnOnce(&Wording<'_>) -> T) -> T {
    let (source, number) = list.locate(row).unwrap_or((0, row));
    let locked = Locked::new(list, &[]);
    let others = locked.others(source);
    let names = names_at(&locked, source, &others, (View::Effective, short), number);
    let decoder = &list.source(source).decoder;
    let of_formats = |key: Key| decoder.formatting.track_name(key.space, key.key);
    word(&Wording { info: &decoder.info, names: &names, of_formats: &of_formats })
}
