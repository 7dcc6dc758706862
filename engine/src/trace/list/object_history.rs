//! What every object was doing at any row of a list. A walk over all rows keeps tables at intervals; the state at a row
//! is found by replaying from the last table before it.

use spytui_plugin_api::Activity;

use super::{
    Direction, RowList,
    walk::{PIECE, RowFeed, Walk, Walking, worded},
};
use crate::{
    analysis::{
        objects::{ObjectLine, ObjectTable},
        timeline::{Recorder, recorder::Limits},
    },
    replay::{FedRow, Key},
    store::rows::ROWS,
};

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
pub enum Change {
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
        self.walk.reader()
    }

    /// All objects after a row; `None` if the row was not read yet or can't be decoded again.
    pub fn at(&mut self, list: &RowList, row: u64) -> Option<&ObjectTable> {
        if row >= self.walked() || row < list.first_kept() {
            return None;
        }
        if row + 1 == self.walked() {
            return Some(self.walk.reader());
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

    /// All objects after a row as text, with the list's names; `None` if the row was not read yet or can't be decoded
    /// again.
    pub fn lines(&mut self, list: &RowList, row: u64, short: bool) -> Option<Vec<ObjectLine>> {
        let table = self.at(list, row)?;
        Some(worded(list, row, short, |wording| wording.lines(table)))
    }

    /// Where an object's next or previous state begins.
    pub fn change(&mut self, list: &RowList, row: u64, key: Key, direction: Direction) -> Change {
        if row >= self.walked() {
            return Change::NotRead;
        }
        let found = match direction {
            Direction::Forward => self.change_after(list, row, key),
            Direction::Backward => self.change_before(list, row, key),
        };
        match found {
            Some(row) => Change::At(row),
            None if direction == Direction::Forward && self.walked() < list.len() => Change::NotRead,
            None => Change::None,
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
        marks.push((self.walked(), self.walk.reader().sign_of_change(key)));
        let mut low = (row + 1, self.at(list, row)?.sign_of_change(key));
        for high in marks {
            if high.1 != low.1
                && let Some(found) = self.search(list, low.0, high.0, key)
            {
                return Some(found);
            }
            low = high;
        }
        None
    }

    /// The first row of a range where a state of an object begins.
    fn search(&mut self, list: &RowList, low: u64, high: u64, key: Key) -> Option<u64> {
        (low..high).find(|row| {
            let table = self.at(list, *row);
            table.and_then(|table| table.object(key)?.began()) == Some(*row)
        })
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
        if !is_all {
            return Err("the rows are not decoded yet".to_owned());
        }
        Ok(())
    }
}

pub type TimelineHistory = Walk<Recorder>;

impl TimelineHistory {
    pub fn within(list: &RowList, limits: Limits) -> TimelineHistory {
        let info = list.parts().first().map(|part| part.decoder.info.clone()).unwrap_or_default();
        Walk::with(list, Recorder::within(&info, limits))
    }

    pub fn recorder(&self) -> &Recorder {
        self.reader()
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
