//! Paints changes into cells.

use rustc_hash::FxHashMap;

use super::lane::{Cell, LaneValue, TimelineEntry};

/// A span of time in columns of equal width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeWindow {
    /// Start, in ticks of the time axis.
    pub begin: u64,
    /// Ticks per column, at least 1.
    pub ticks: u64,
    pub columns: usize,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Painted {
    /// The cells of each requested lane.
    pub lanes: Vec<Vec<Cell>>,
    /// Ticks of each column in which records are missing, if any.
    pub lost: Vec<Option<u64>>,
    /// Ticks per column.
    pub ticks: u64,
    /// Number of changes and sums read: the cost of painting.
    pub looked_at: u64,
    /// Only sums are left for these columns, each spread over several.
    pub coarse: bool,
}

impl TimeWindow {
    /// End position, exclusive.
    pub fn end(&self) -> u64 {
        self.begin.saturating_add(self.ticks.saturating_mul(self.columns as u64))
    }

    /// The column of a position; may lie beyond the window.
    pub fn column(&self, at: u64) -> usize {
        usize::try_from(at.saturating_sub(self.begin) / self.ticks.max(1)).unwrap_or(usize::MAX)
    }

    /// Position of the start of a column.
    pub fn start(&self, column: usize) -> u64 {
        self.begin.saturating_add(self.ticks.saturating_mul(column as u64))
    }

    /// The columns that an interval overlaps, with its ticks in each.
    pub(super) fn parts(self, from: u64, to: u64) -> impl Iterator<Item = (usize, u64)> {
        let (from, to) = (from.max(self.begin), to.min(self.end()));
        let columns = if from < to { self.column(from)..self.column(to - 1) + 1 } else { 0..0 };
        columns.map(move |column| {
            let (begin, end) = (self.start(column), self.start(column + 1));
            (column, end.min(to) - begin.max(from))
        })
    }
}

/// The state that a lane shows, and since when.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pen {
    pub(super) shown: LaneValue,
    pub(super) unsure: bool,
    pub(super) since: u64,
}

#[derive(Debug)]
pub(super) struct Painter {
    window: TimeWindow,
    /// Index of each requested lane among them.
    slots: FxHashMap<u32, usize>,
    pens: Vec<Pen>,
    painted: Painted,
    lost_since: Option<u64>,
}

impl Painter {
    /// `pens` = what the lanes show at the start of the window.
    pub(super) fn new(window: TimeWindow, lanes: &[u32], pens: Vec<Pen>) -> Painter {
        let slots = lanes.iter().copied().zip(0..).collect();
        let cells = vec![vec![Cell::default(); window.columns]; lanes.len()];
        let (lost, ticks) = (vec![None; window.columns], window.ticks);
        let painted = Painted { lanes: cells, lost, ticks, ..Painted::default() };
        Painter { window, slots, pens, painted, lost_since: None }
    }

    pub(super) fn entry(&mut self, at: u64, entry: TimelineEntry) {
        self.painted.looked_at += 1;
        match entry {
            TimelineEntry::Lane { lane, shown, unsure } => {
                if let Some(slot) = self.slots.get(&lane) {
                    self.set(*slot, at, shown, unsure);
                }
            }
            TimelineEntry::LossBegins => self.loses(at),
            TimelineEntry::LossEnds => self.found(at),
        }
    }

    fn set(&mut self, slot: usize, at: u64, shown: LaneValue, unsure: bool) {
        self.advance(slot, at);
        let Some(pen) = self.pens.get_mut(slot) else { return };
        let changes = pen.shown != shown;
        (pen.shown, pen.unsure) = (shown, unsure);
        self.mark(slot, at, |cell| {
            cell.changes += u32::from(changes);
            cell.add(shown, 0, unsure);
        });
    }

    /// Paints what a lane showed until now.
    fn advance(&mut self, slot: usize, to: u64) {
        let (Some(pen), Some(cells)) = (self.pens.get_mut(slot), self.painted.lanes.get_mut(slot)) else { return };
        if pen.shown != LaneValue::Unknown {
            for (column, ticks) in self.window.parts(pen.since, to) {
                if let Some(cell) = cells.get_mut(column) {
                    cell.add(pen.shown, ticks, pen.unsure);
                }
            }
        }
        pen.since = pen.since.max(to);
    }

    fn loses(&mut self, at: u64) {
        self.doubt(at);
        self.lost_sum((at, at), 0);
        self.lost_since.get_or_insert(at);
    }

    /// Makes lanes uncertain from here on.
    pub(super) fn doubt(&mut self, at: u64) {
        for slot in 0..self.pens.len() {
            self.advance(slot, at);
            if let Some(pen) = self.pens.get_mut(slot).filter(|pen| pen.shown != LaneValue::Unknown) {
                pen.unsure = true;
                self.mark(slot, at, |cell| cell.unsure = true);
            }
        }
    }

    /// Changes the cell of a position, if in the window.
    fn mark(&mut self, slot: usize, at: u64, change: impl FnOnce(&mut Cell)) {
        let cells = self.painted.lanes.get_mut(slot).filter(|_| at >= self.window.begin);
        if let Some(cell) = cells.and_then(|cells| cells.get_mut(self.window.column(at))) {
            change(cell);
        }
    }

    fn found(&mut self, at: u64) {
        if let Some(since) = self.lost_since.take() {
            self.lost_sum((since, at), at.saturating_sub(since));
        }
    }

    /// Adds the sum of an interval of a lane, including what it showed at the start.
    pub(super) fn sum(&mut self, lane: u32, (from, to): (u64, u64), cell: &Cell, unsure: bool) {
        self.painted.looked_at += 1;
        let Some(&slot) = self.slots.get(&lane) else { return };
        self.advance(slot, from);
        let Some(pen) = self.pens.get_mut(slot) else { return };
        *pen = Pen { shown: cell.last, unsure, since: to.max(pen.since) };
        if from == to {
            return self.mark(slot, from, |here| here.join(cell, (1, 1)));
        }
        let Some(cells) = self.painted.lanes.get_mut(slot) else { return };
        let whole = to - from.min(to);
        for (column, ticks) in self.window.parts(from, to) {
            if let Some(here) = cells.get_mut(column) {
                here.join(cell, (ticks, whole));
                self.painted.coarse |= ticks < whole;
            }
        }
    }

    /// Records are missing for `lost` ticks of an interval.
    pub(super) fn lost_sum(&mut self, (from, to): (u64, u64), lost: u64) {
        let whole = (to - from.min(to)).max(1);
        if from >= self.window.begin
            && let Some(lost) = self.painted.lost.get_mut(self.window.column(from))
        {
            lost.get_or_insert(0);
        }
        for (column, ticks) in self.window.parts(from, to) {
            if let Some(sum) = self.painted.lost.get_mut(column) {
                let part = u128::from(lost) * u128::from(ticks) / u128::from(whole);
                *sum = Some(sum.unwrap_or(0).saturating_add(u64::try_from(part).unwrap_or(u64::MAX)));
            }
        }
    }

    /// Paints up to the end of the data.
    pub(super) fn finish(mut self, end: u64) -> (Painted, Vec<Pen>) {
        for slot in 0..self.pens.len() {
            self.advance(slot, end);
        }
        self.found(end);
        (self.painted, self.pens)
    }
}
