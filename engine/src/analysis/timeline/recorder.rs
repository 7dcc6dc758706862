//! Records lanes row by row and paints windows.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use spytui_plugin_api::{Activity, Info};

use super::{
    block::{ChangeBlock, LaneSum, LaneSums},
    lane::{Cell, LaneKey, LaneValue, States, TimelineEntry},
    painter::{Painted, Painter, Pen, TimeWindow},
};
use crate::{
    analysis::{
        objects::{ObjectState, ObjectTable},
        time_axis::{EpochScale, TimeAxis, begins_epoch},
    },
    replay::{FedRow, Reader},
};

/// Maximum number of lanes.
const LANES: usize = 1 << 15;

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Rows per block, or twice the number of its changes: a window paints about one block per column change by change.
    pub rows: u64,
    /// Memory for changes and sums, bytes. Beyond it, the oldest blocks keep sums only; when sums take half of it,
    /// neighbouring blocks are joined.
    pub memory: usize,
    /// Maximum number of blocks; beyond it, neighbours are joined.
    pub blocks: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { rows: 4096, memory: 64 << 20, blocks: 1 << 15 }
    }
}

/// Records the lanes of all objects from the first row on.
#[derive(Debug, Clone, Default)]
pub struct TimelineRecorder {
    /// The objects after the last row.
    pub table: ObjectTable,
    axis: TimeAxis,
    scales: Vec<(u64, EpochScale)>,
    states: States,
    lanes: IndexMap<LaneKey, Lane, FxBuildHasher>,
    losses: u64,
    /// Records are missing from this position to the next row with a time.
    lost_since: Option<u64>,
    has_time: bool,
    blocks: Vec<ChangeBlock>,
    open: ChangeBlock,
    /// Number of changes in the open block.
    changes: u64,
    /// Sums of the lanes that changed in the open block, up to their last change.
    sums: LaneSums,
    pub limits: Limits,
    /// Memory of all changes, bytes.
    memory: usize,
    memory_of_sums: usize,
    /// Index of the first block that still has its changes.
    summed: usize,
    /// What lanes show since it was last taken, if somebody takes it; from the first record with a time on.
    pub kept: Option<Vec<LaneChange>>,
}

/// What a lane shows from a position on. What missing records may have changed is unknown.
#[derive(Debug, Clone, Copy)]
pub struct LaneChange {
    pub at: u64,
    pub lane: u32,
    pub shown: LaneValue,
}

#[derive(Debug, Clone, Default)]
struct Lane {
    shown: LaneValue,
    unsure: bool,
    /// Losses before it was shown.
    losses: u64,
    /// Position where it began.
    since: u64,
    counts_free: bool,
    changes: u64,
}

impl Lane {
    fn is_unsure(&self, losses: u64) -> bool {
        self.shown != LaneValue::Unknown && (self.unsure || self.losses != losses)
    }

    /// What it shows for certain.
    fn known(&self, losses: u64) -> LaneValue {
        if self.is_unsure(losses) { LaneValue::Unknown } else { self.shown }
    }

    /// Adds what it showed between two positions to its sum in the open block.
    fn add_up(&self, (from, to): (u64, u64), losses: u64, cell: &mut Cell) {
        let ticks = to.saturating_sub(self.since.max(from));
        if self.shown != LaneValue::Unknown && ticks > 0 {
            cell.add(self.shown, ticks, self.is_unsure(losses));
        }
    }
}

impl Reader for TimelineRecorder {
    fn new(info: &Info) -> TimelineRecorder {
        let (table, open) = (ObjectTable::new(info), ChangeBlock::new(0, 0));
        TimelineRecorder { table, open, ..TimelineRecorder::default() }
    }

    fn begin_at(self, row: u64) -> TimelineRecorder {
        TimelineRecorder { table: self.table.begin_at(row), open: ChangeBlock::new(row, 0), ..self }
    }

    fn rows(&self) -> u64 {
        self.table.rows()
    }

    fn row(&mut self, row: &FedRow, activities: &[Activity]) {
        let begins_epoch = begins_epoch(&row.row);
        let before = self.axis.last;
        self.axis.at(row.epoch, row.at.time.map(Some), begins_epoch);
        let at = self.axis.last;
        if !self.has_time && begins_epoch {
            self.begin_at(at);
        }
        if self.scales.last().is_none_or(|last| last.1 != self.axis.scale) {
            self.scales.push((row.at.row, self.axis.scale));
        }
        if row.loses {
            self.loses(before.max(self.open.span.0));
        } else if row.at.time.is_some() {
            self.finds(at);
        }
        self.open.span.1 = self.open.span.1.max(at);
        self.table.row(row, activities);
        if self.table.forgot {
            self.forget(at);
        }
        self.take_changes(at);
        let size = (self.rows() - self.open.first).max(2 * self.changes);
        if size >= self.limits.rows && (self.lost_since.is_none() || size >= 2 * self.limits.rows) {
            self.close(row.at.row + 1);
        }
    }
}

impl TimelineRecorder {
    /// Positions of the first and the last row.
    pub fn span(&self) -> (u64, u64) {
        (self.blocks.first().unwrap_or(&self.open).span.0, self.axis.last)
    }

    /// Ordered by number.
    pub fn lanes(&self) -> impl Iterator<Item = LaneKey> {
        self.lanes.keys().copied()
    }

    /// Whether a lane's numbers count free elements.
    pub fn counts_free(&self, lane: u32) -> bool {
        self.lanes.get_index(lane as usize).is_some_and(|(_, lane)| lane.counts_free)
    }

    pub fn changes(&self, lane: u32) -> u64 {
        self.lanes.get_index(lane as usize).map_or(0, |(_, lane)| lane.changes)
    }

    pub fn state(&self, number: u32) -> Option<&ObjectState> {
        self.states.get(number)
    }

    /// Approximate memory of the changes and sums, bytes.
    pub fn memory(&self) -> usize {
        self.memory + self.memory_of_sums + self.open.memory()
    }

    /// The first record with a time: moves all earlier ones here.
    fn begin_at(&mut self, at: u64) {
        self.has_time = true;
        self.blocks.iter_mut().chain([&mut self.open]).for_each(|block| block.move_to(at));
        self.lost_since = self.lost_since.map(|_| at);
        if let Some(kept) = &mut self.kept {
            let lanes = (0..).zip(self.lanes.values());
            kept.extend(lanes.map(|(lane, of)| LaneChange { at, lane, shown: of.known(self.losses) }));
        }
    }

    fn loses(&mut self, at: u64) {
        if let Some(kept) = self.kept.as_mut().filter(|_| self.has_time) {
            let known = (0..).zip(self.lanes.values()).filter(|(_, of)| of.known(self.losses) != LaneValue::Unknown);
            kept.extend(known.map(|(lane, _)| LaneChange { at, lane, shown: LaneValue::Unknown }));
        }
        self.losses += 1;
        self.add(at, TimelineEntry::LossBegins);
        self.open.lost.get_or_insert(0);
        self.lost_since.get_or_insert(at);
    }

    /// Records are complete again.
    fn finds(&mut self, at: u64) {
        let Some(since) = self.lost_since.take() else { return };
        self.add(at, TimelineEntry::LossEnds);
        let lost = self.open.lost.get_or_insert(0);
        *lost = lost.saturating_add(at.saturating_sub(since));
    }

    fn add(&mut self, at: u64, entry: TimelineEntry) {
        if let Some(entries) = &mut self.open.entries {
            entries.add(at, entry);
        }
    }

    fn take_changes(&mut self, at: u64) {
        let mut next = 0;
        while let Some((id, object)) = self.table.touched(next) {
            next += 1;
            let key = self.table.key(id);
            let shown = self.states.of(object);
            let unsure = self.table.is_unsure(object);
            let has_level = object.level.is_some() || matches!(object.state, ObjectState::Level(_));
            let counts_free = object.level.as_ref().map(|level| level.counts_free);
            let level = has_level.then(|| match &object.level {
                Some(level) => {
                    let number = level.number().map_or(f64::INFINITY, |number| number as f64);
                    (LaneValue::Number(number), self.table.is_level_unsure(level))
                }
                None => (LaneValue::Unknown, false),
            });
            self.show_of(LaneKey { object: key, is_level: false }, at, (shown, unsure));
            let of_level = LaneKey { object: key, is_level: true };
            if let Some(level) = level {
                self.show_of(of_level, at, level);
            }
            // A reset makes the level unknown, but not how it is counted.
            if let (Some(lane), Some(counts_free)) = (self.lanes.get_mut(&of_level), counts_free) {
                lane.counts_free = counts_free;
            }
        }
    }

    /// Updates what a lane shows, and whether it is certain; there is none before it has something to show.
    fn show_of(&mut self, key: LaneKey, at: u64, (shown, unsure): (LaneValue, bool)) {
        let number = match self.lanes.get_index_of(&key) {
            Some(number) => number,
            None if shown == LaneValue::Unknown || self.lanes.len() >= LANES => return,
            None => self.lanes.insert_full(key, Lane { losses: self.losses, ..Lane::default() }).0,
        };
        self.show(number as u32, at, shown, unsure);
    }

    fn show(&mut self, number: u32, at: u64, shown: LaneValue, unsure: bool) {
        let losses = self.losses;
        let Some((_, lane)) = self.lanes.get_index_mut(number as usize) else { return };
        if lane.shown == shown && lane.is_unsure(losses) == unsure {
            return;
        }
        let LaneSum { cell, .. } = self.sums.entry(number).or_default();
        lane.add_up((self.open.span.0, at), losses, cell);
        cell.changes += u32::from(lane.shown != shown);
        cell.add(shown, 0, unsure);
        lane.changes += u64::from(lane.shown != shown);
        let before = lane.known(losses);
        (lane.shown, lane.unsure, lane.losses, lane.since) = (shown, unsure, losses, at);
        let known = lane.known(losses);
        if let Some(kept) = self.kept.as_mut().filter(|_| self.has_time && before != known) {
            kept.push(LaneChange { at, lane: number, shown: known });
        }
        self.changes += 1;
        self.add(at, TimelineEntry::Lane { lane: number, shown, unsure });
    }

    /// Makes all lanes unknown from here on.
    fn forget(&mut self, at: u64) {
        for number in 0..self.lanes.len() {
            self.show(number as u32, at, LaneValue::Unknown, false);
        }
    }

    /// Begins a new block with this row.
    fn close(&mut self, row: u64) {
        let end = self.open.span.1;
        // Otherwise a loss that continues would make later reports uncertain.
        self.finds(end);
        let mut sums = std::mem::take(&mut self.sums);
        for (number, sum) in &mut sums {
            let Some((_, lane)) = self.lanes.get_index(*number as usize) else { continue };
            lane.add_up((self.open.span.0, end), self.losses, &mut sum.cell);
            sum.unsure = lane.is_unsure(self.losses);
        }
        let mut block = std::mem::replace(&mut self.open, ChangeBlock::new(row, end));
        self.changes = 0;
        block.finish(sums);
        self.memory += block.memory();
        self.memory_of_sums += block.memory_of_sums();
        self.blocks.push(block);
        self.bound();
    }

    fn bound(&mut self) {
        while self.memory + self.memory_of_sums > self.limits.memory && self.summed < self.blocks.len() {
            self.keep_sums_of_next();
        }
        if self.blocks.len() < self.limits.blocks && self.memory_of_sums <= self.limits.memory / 2 {
            return;
        }
        if self.summed <= self.blocks.len() / 2 {
            self.limits.rows *= 2;
            while self.summed <= self.blocks.len() / 2 && self.summed < self.blocks.len() {
                self.keep_sums_of_next();
            }
        }
        self.join_summed();
    }

    /// Drops the changes of the oldest block that has them, and keeps its sums.
    fn keep_sums_of_next(&mut self) {
        self.memory -= self.blocks[self.summed].memory();
        self.blocks[self.summed].entries = None;
        self.summed += 1;
    }

    /// Joins pairs of blocks that keep only sums.
    fn join_summed(&mut self) {
        let kept = self.blocks.split_off(self.summed);
        let mut summed = std::mem::take(&mut self.blocks).into_iter();
        while let Some(mut block) = summed.next() {
            if let Some(next) = summed.next() {
                block.join(next);
            }
            block.entries = None;
            self.blocks.push(block);
        }
        self.summed = self.blocks.len();
        self.blocks.extend(kept);
        self.memory = self.blocks.iter().map(ChangeBlock::memory).sum();
        self.memory_of_sums = self.blocks.iter().map(ChangeBlock::memory_of_sums).sum();
    }

    pub fn paint(&self, window: TimeWindow, lanes: &[u32]) -> Painted {
        self.painter(window, lanes).finish(self.axis.last).0
    }

    /// What lanes show after all rows at a position, and whether missing records may have changed it.
    pub fn at(&self, lanes: &[u32], at: u64) -> Vec<(LaneValue, bool)> {
        let pens = self.painter(TimeWindow { begin: at, ticks: 1, columns: 1 }, lanes).finish(at).1;
        pens.iter().map(|pen| (pen.shown, pen.unsure && pen.shown != LaneValue::Unknown)).collect()
    }

    fn painter(&self, window: TimeWindow, lanes: &[u32]) -> Painter {
        let first = self.blocks.partition_point(|block| block.span.1 < window.begin);
        let pens = lanes.iter().map(|lane| self.pen_before(first, *lane)).collect();
        let mut painter = Painter::new(window, lanes, pens);
        for block in self.blocks_from(first).take_while(|block| block.span.0 < window.end()) {
            block.paint(&window, &mut painter);
        }
        painter
    }

    fn blocks_from(&self, first: usize) -> impl Iterator<Item = &ChangeBlock> {
        self.blocks.iter().skip(first).chain([&self.open])
    }

    /// What a lane shows at the start of a block.
    fn pen_before(&self, block: usize, lane: u32) -> Pen {
        let mut unsure = false;
        for block in self.blocks.iter().take(block).rev() {
            if let Some(sum) = block.sums.get(&lane) {
                return Pen { shown: sum.cell.last, unsure: sum.unsure || unsure, since: 0 };
            }
            unsure |= block.lost.is_some();
        }
        Pen::default()
    }

    /// Position of the next change of a lane.
    pub fn change_after(&self, lane: u32, at: u64) -> Option<u64> {
        let first = self.blocks.partition_point(|block| block.span.1 <= at);
        let mut pen = self.pen_before(first, lane).shown;
        self.blocks_from(first).find_map(|block| block.changes(lane, &mut pen).into_iter().find(|change| *change > at))
    }

    /// Position of the previous change of a lane.
    pub fn change_before(&self, lane: u32, at: u64) -> Option<u64> {
        let behind = self.blocks.partition_point(|block| block.span.0 < at);
        (0..=behind).rev().find_map(|number| {
            let block = self.blocks.get(number).unwrap_or(&self.open);
            let mut pen = self.pen_before(number, lane).shown;
            block.changes(lane, &mut pen).into_iter().rev().find(|change| *change < at)
        })
    }

    /// A range of rows, end exclusive, that contains those at a position.
    pub fn rows_near(&self, at: u64) -> (u64, u64) {
        let behind = self.blocks.partition_point(|block| block.span.1 < at);
        let first = self.blocks.get(behind).unwrap_or(&self.open).first;
        let end = self.blocks_from(behind).find(|block| block.span.0 > at);
        (first, end.map_or(self.rows(), |block| block.first))
    }

    /// Position of a row with this time, within its block; `None` if not recorded.
    pub fn place(&self, row: u64, time: Option<u64>) -> Option<u64> {
        if row >= self.rows() {
            return None;
        }
        let behind = self.blocks.partition_point(|block| block.first <= row);
        let is_open = self.open.first <= row;
        let block = if is_open { &self.open } else { self.blocks.get(behind.checked_sub(1)?)? };
        let scale = self.scales.get(self.scales.partition_point(|scale| scale.0 <= row).checked_sub(1)?)?.1;
        let at = time.and_then(|time| scale.place(time)).unwrap_or(block.span.0);
        Some(at.clamp(block.span.0, block.span.1))
    }
}
