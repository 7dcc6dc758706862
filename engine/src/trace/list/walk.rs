//! Reads all rows of a list in pieces. New rows are added; nothing is read twice. What every object was doing at any
//! row is found by replaying from the last table before it, which a walk keeps at intervals.

use std::sync::Arc;

use spytui_plugin_api::{Activity, Row};

use super::{
    Direction, RowList,
    row_renderer::{Locked, names_at},
};
use crate::{
    analysis::{
        findings::{FindingTable, Findings},
        objects::{ObjectLine, ObjectTable, Wording},
        statistics::{Statistics, StatisticsTables},
        timeline::TimelineRecorder,
    },
    present::Clock,
    replay::{FedRow, Key, Moment, Reader},
    store::{View, rows::ROWS},
    trace::{
        order::Scales,
        session::{Decoding, decoding::ActivityReader},
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
    /// The reader after the last row read.
    pub reader: R,
    /// The reader before the first row.
    blank: R,
    pub(super) rows: RowFeed,
    /// Number of rows dropped before they were read.
    pub missed: u64,
}

pub type FindingWalk = Walk<FindingTable>;
pub type StatisticsWalk = Walk<Statistics>;

impl<R: Reader + Clone> Walk<R> {
    pub fn with(list: &RowList, blank: R) -> Walk<R> {
        let missed = list.first_kept();
        Walk { reader: blank.clone().begin_at(missed), blank, rows: RowFeed::new(list, R::NEEDS_NS), missed }
    }

    pub fn clock(&self, list: &RowList) -> Clock {
        if self.rows.is_plain() { list.clock() } else { Clock::nanoseconds() }
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

impl<R: Reader + Clone> Walking for Walk<R> {
    fn new(list: &RowList) -> Walk<R> {
        let info = list.parts.first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        Walk::with(list, R::new(&info))
    }

    fn is_of(&self, list: &RowList) -> bool {
        list.is_of(&self.rows.parts)
    }

    fn walked(&self) -> u64 {
        self.reader.rows()
    }

    fn failure(&self) -> Option<&str> {
        self.rows.failure.as_deref()
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
    /// Calls `make` with the figures so far, with the names that the newest row of the list sees.
    pub fn tables<T>(&self, list: &RowList, short: bool, make: impl FnOnce(&StatisticsTables<'_>) -> T) -> T {
        let row = self.walked().saturating_sub(1);
        worded(list, row, short, |wording| {
            let (statistics, wording, clock) = (&self.reader, *wording, self.clock(list));
            make(&StatisticsTables { statistics, wording, clock })
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
        let clocks: Vec<_> = list.parts.iter().map(|part| part.read().context.clock).collect();
        let scales = if clocks.len() > 1 { Scales::new(&clocks) } else { Scales::default() };
        let readers = list.parts.iter().map(|_| None).collect();
        RowFeed { parts: list.parts.to_vec(), readers, failure: None, scales, clocks, needs_ns }
    }

    /// Whether times are ticks of the source.
    pub(super) fn is_plain(&self) -> bool {
        self.scales.are_plain()
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
        for (clock, part) in self.clocks.iter_mut().zip(&*list.parts).filter(|(clock, _)| !clock.known()) {
            *clock = part.read().context.clock;
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

    /// Passes on the rows from `first` to before `end`; `false` if some do not exist yet. Must be called in order.
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
            let is_all = reader.pass(decoding, number, |_, _| {})?
                && reader.pass(decoding, number + count, |mut row, activities| {
                    let ticks = row.row.has_time().then_some(row.row.time);
                    let time = ticks.and_then(|ticks| scales.time(source, row.epoch, ticks));
                    row.at = Moment { row: listed, source: source as u16, time, ..row.at };
                    // A loss that another source reported before is not a new one.
                    row.loses = row.loses && (row.row.is_record() || !list.is_left_out(listed));
                    row.ns = ticks.filter(|_| needs_ns).and_then(|ticks| clock.ns(ticks));
                    take(&row, activities);
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
    worded_in(list, list.locate(row).unwrap_or((0, row)), short, word)
}

/// [`worded`] for a row of a source.
pub fn worded_in<T>(
    list: &RowList,
    (source, number): (usize, u64),
    short: bool,
    word: impl FnOnce(&Wording<'_>) -> T,
) -> T {
    let locked = Locked::new(list, &[]);
    let others = locked.others(source);
    let names = names_at(&locked, source, &others, (View::Effective, short), number);
    let decoder = &list.source(source).decoder;
    let of_formats = |key: Key| decoder.formatting.track_name(key.space, key.key);
    word(&Wording { info: &decoder.info, names: &names, of_formats: &of_formats })
}

/// A table of more bytes counts as large.
const LARGE: usize = 256 << 10;
/// Memory for kept tables and for the rows around the requested one, bytes.
const BUDGET: usize = 64 << 20;

#[derive(Debug)]
pub struct ObjectHistory {
    walk: Walk<ObjectTable>,
    kept: KeptTables,
    /// The rows around the last requested one.
    stretch: Option<Stretch>,
}

/// Where an object's state begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectChange {
    At(u64),
    /// Nowhere, as far as known.
    None,
    /// Unknown: not all rows have been read.
    NotRead,
}

/// Tables at some rows.
#[derive(Debug)]
struct KeptTables {
    tables: Vec<(u64, ObjectTable)>,
    /// Rows between kept tables.
    every: u64,
    memory: usize,
    budget: usize,
}

/// Rows with their activities between a kept table and the requested row, and the table at one of them.
#[derive(Debug)]
struct Stretch {
    /// The kept table; a later one if the rows between take too much memory.
    begin: ObjectTable,
    rows: RowFeed,
    fed: Vec<FedRow>,
    activities: Vec<Activity>,
    /// End of each row's activities.
    ends: Vec<usize>,
    /// Tables at every [`PIECE`] rows between, for steps back; none if tables are large.
    marks: Vec<ObjectTable>,
    table: ObjectTable,
    budget: usize,
}

impl Walking for ObjectHistory {
    fn new(list: &RowList) -> ObjectHistory {
        ObjectHistory::keeping(list, ROWS as u64, BUDGET)
    }

    fn is_of(&self, list: &RowList) -> bool {
        self.walk.is_of(list)
    }

    fn walked(&self) -> u64 {
        self.walk.walked()
    }

    fn failure(&self) -> Option<&str> {
        self.walk.failure()
    }

    fn memory(&self) -> usize {
        self.kept.memory + self.stretch.as_ref().map_or(0, Stretch::memory)
    }

    fn work(&mut self, list: &RowList) -> bool {
        if self.walk.rows.has_missed(list, self.walked()) {
            *self = ObjectHistory::keeping(list, self.kept.every, self.kept.budget);
        }
        let kept = &mut self.kept;
        self.walk.work_with(list, |table| {
            if kept.tables.is_empty() || table.rows().is_multiple_of(kept.every) {
                kept.add(table);
            }
        })
    }
}

impl ObjectHistory {
    /// Keeps a table every `every` rows, or fewer if they exceed `budget` bytes.
    pub fn keeping(list: &RowList, every: u64, budget: usize) -> ObjectHistory {
        ObjectHistory {
            walk: Walk::new(list),
            kept: KeptTables { tables: Vec::new(), every: every.max(1), memory: 0, budget },
            stretch: None,
        }
    }

    /// The table after the last row read.
    pub fn newest(&self) -> &ObjectTable {
        &self.walk.reader
    }

    /// All objects after a row; `None` if the row was not read yet or can't be decoded again.
    pub fn at(&mut self, list: &RowList, row: u64) -> Option<&ObjectTable> {
        if row >= self.walked() || row < list.first_kept() {
            return None;
        }
        if row + 1 == self.walked() {
            return Some(&self.walk.reader);
        }
        let begin = self.kept.before(row)?;
        let serves = |stretch: &Stretch| (begin.rows()..=row).contains(&stretch.begin.rows());
        if !self.stretch.as_ref().is_some_and(serves) {
            self.stretch = Some(Stretch::new(list, begin, self.kept.budget / 4));
        }
        let stretch = self.stretch.as_mut()?;
        stretch.go_to(list, row).ok()?;
        Some(&stretch.table)
    }

    /// [`Self::at`] as text, with the list's names.
    pub fn lines(&mut self, list: &RowList, row: u64, short: bool) -> Option<Vec<ObjectLine>> {
        let table = self.at(list, row)?;
        Some(worded(list, row, short, |wording| wording.lines(table)))
    }

    /// Where an object's next or previous state begins.
    pub fn change(&mut self, list: &RowList, row: u64, key: Key, direction: Direction) -> ObjectChange {
        if row >= self.walked() {
            return ObjectChange::NotRead;
        }
        let found = match direction {
            Direction::Forward => self.change_after(list, row, key),
            Direction::Backward => self.change_before(list, row, key),
        };
        match found {
            Some(row) => ObjectChange::At(row),
            None if direction == Direction::Forward && self.walked() < list.len() => ObjectChange::NotRead,
            None => ObjectChange::None,
        }
    }

    /// The row before `row` where an object's state began.
    pub fn change_before(&mut self, list: &RowList, row: u64, key: Key) -> Option<u64> {
        let before = row.checked_sub(1)?;
        self.at(list, before)?.object(key)?.began()
    }

    /// The first row after `row` where a state of an object begins; `None` if none was read yet.
    pub fn change_after(&mut self, list: &RowList, row: u64, key: Key) -> Option<u64> {
        let kept = self.kept.tables.iter().map(|(begin, table)| (*begin, table.sign_of_change(key)));
        let mut marks: Vec<(u64, (u64, u64))> = kept.filter(|(begin, _)| *begin > row + 1).collect();
        marks.push((self.walked(), self.walk.reader.sign_of_change(key)));
        let mut low = (row + 1, self.at(list, row)?.sign_of_change(key));
        for high in marks {
            if high.1 != low.1
                && let Some(found) = (low.0..high.0).find(|row| self.change_before(list, row + 1, key) == Some(*row))
            {
                return Some(found);
            }
            low = high;
        }
        None
    }
}

impl KeptTables {
    fn add(&mut self, table: &ObjectTable) {
        if self.tables.last().is_some_and(|(row, _)| *row == table.rows()) {
            return;
        }
        self.memory += table.memory();
        self.tables.push((table.rows(), table.clone()));
        // The rest of the budget is for the rows around the requested one.
        if self.memory > self.budget / 4 * 3 {
            // Drops every second table; replaying from the previous one takes longer.
            self.every *= 2;
            let (every, first) = (self.every, self.tables.first().map_or(0, |(row, _)| *row));
            self.tables.retain(|(row, _)| row.is_multiple_of(every) || *row == first);
            self.memory = self.tables.iter().map(|(_, table)| table.memory()).sum();
        }
    }

    /// The last table before a row.
    fn before(&self, row: u64) -> Option<&ObjectTable> {
        let behind = self.tables.partition_point(|(begin, _)| *begin <= row);
        self.tables.get(behind.checked_sub(1)?).map(|(_, table)| table)
    }
}

impl Stretch {
    fn new(list: &RowList, begin: &ObjectTable, budget: usize) -> Stretch {
        Stretch {
            begin: begin.clone(),
            table: begin.clone(),
            rows: RowFeed::new(list, false),
            fed: Vec::new(),
            activities: Vec::new(),
            ends: Vec::new(),
            marks: Vec::new(),
            budget,
        }
    }

    fn memory(&self) -> usize {
        let rows = self.fed.capacity() * size_of::<FedRow>() + self.ends.capacity() * size_of::<usize>();
        let marks: usize = self.marks.iter().map(ObjectTable::memory).sum();
        rows + self.activities.capacity() * size_of::<Activity>() + marks
    }

    /// Moves the table to after a row.
    fn go_to(&mut self, list: &RowList, row: u64) -> Result<(), String> {
        if self.table.rows() > row + 1 {
            let before = self.marks.iter().rev().find(|mark| mark.rows() <= row + 1).unwrap_or(&self.begin);
            self.table = before.clone();
        }
        while self.table.rows() <= row {
            if self.table.rows() == self.begin.rows() + self.fed.len() as u64 {
                self.read(list, row)?;
            }
            let passed = self.table.rows() - self.begin.rows();
            let is_mark = passed.is_multiple_of(PIECE) && self.marks.len() as u64 * PIECE < passed;
            if is_mark && self.table.memory() <= LARGE {
                self.marks.push(self.table.clone());
            }
            let index = passed as usize;
            let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
            self.table.row(&self.fed[index], &self.activities[begin..self.ends[index]]);
        }
        Ok(())
    }

    /// Reads the rows up to this one; starts over here if the rows between take too much memory.
    fn read(&mut self, list: &RowList, row: u64) -> Result<(), String> {
        if self.memory() > self.budget {
            self.begin.clone_from(&self.table);
            (self.fed, self.activities, self.ends, self.marks) = Default::default();
        }
        let next = self.table.rows();
        let Stretch { rows, fed, activities, ends, .. } = self;
        let is_all = rows.pass(list, (next, (row + 1).min(next + PIECE)), |row, own| {
            fed.push(*row);
            activities.extend_from_slice(own);
            ends.push(activities.len());
        })?;
        if is_all { Ok(()) } else { Err("the rows are not decoded yet".to_owned()) }
    }
}

pub type TimelineHistory = Walk<TimelineRecorder>;

impl TimelineHistory {
    pub fn recorder(&self) -> &TimelineRecorder {
        &self.reader
    }

    /// Position of a row on the time axis: that of the last row up to it with a time. `None` if not read yet.
    pub fn place(&self, list: &RowList, row: u64) -> Option<u64> {
        let back = |row: &u64| self.time(list, *row).map(|time| (*row, time));
        let timed = (row.saturating_sub(PIECE)..=row).rev().find_map(|row| back(&row));
        let (row, time) = timed.map_or((row, None), |(timed, time)| (timed, Some(time)));
        self.recorder().place(row, time)
    }

    fn time(&self, list: &RowList, row: u64) -> Option<u64> {
        list.ensure_loaded(row);
        let (source, _) = list.locate(row)?;
        self.rows.time(source, list.epoch_of(row)?, &list.row(row)?)
    }

    /// The first row at or after a position; the last row if there is none.
    pub fn row_at(&self, list: &RowList, at: u64) -> Option<u64> {
        let (mut low, mut high) = self.recorder().rows_near(at);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.place(list, middle)? < at { low = middle + 1 } else { high = middle }
        }
        Some(low.min(self.recorder().rows().checked_sub(1)?))
    }
}
