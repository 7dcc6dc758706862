//! The changes of some thousand rows, and their sums.

use super::{
    cell::Cell,
    entries::{Entries, Entry},
    lane::Shown,
    painter::{Painter, Window},
};

/// Summary of a lane within a block.
#[derive(Debug, Clone, Default)]
pub(super) struct LaneSum {
    pub(super) lane: u32,
    /// Includes what the lane showed when the block began.
    pub(super) cell: Cell,
    /// Missing records may have changed its state at the end.
    pub(super) unsure: bool,
}

/// Changes of successive rows.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// The block's first row in the list.
    pub(super) first: u64,
    /// Positions of its start and of its last row.
    pub(super) span: (u64, u64),
    pub(super) losses_before: u64,
    /// Ticks in which records are missing.
    pub(super) lost: Option<u64>,
    /// `None` if only sums are kept.
    pub(super) entries: Option<Entries>,
    /// Sums of the changed lanes, sorted by lane; empty while the block is open.
    pub(super) sums: Vec<LaneSum>,
}

impl Block {
    pub(super) fn new(first: u64, at: u64) -> Block {
        let entries = Some(Entries::new(at));
        Block { first, span: (at, at), losses_before: 0, lost: None, entries, sums: Vec::new() }
    }

    /// Moves the block and all its entries to one position.
    pub(super) fn move_to(&mut self, at: u64) {
        self.span = (at, at);
        self.entries.iter_mut().for_each(|entries| entries.move_to(at));
    }

    /// Closes the block with its sums.
    pub(super) fn finish(&mut self, mut sums: Vec<LaneSum>) {
        self.entries.iter_mut().for_each(Entries::finish);
        sums.sort_unstable_by_key(|sum| sum.lane);
        sums.shrink_to_fit();
        self.sums = sums;
    }

    /// The sum of a lane, if it changed.
    pub(super) fn sum(&self, lane: u32) -> Option<&LaneSum> {
        let at = self.sums.binary_search_by_key(&lane, |sum| sum.lane).ok()?;
        self.sums.get(at)
    }

    /// Appends the next block; only sums are kept.
    pub(super) fn join(&mut self, next: Block) {
        let (whole, lost) = ((1, 1), [self.lost, next.lost]);
        let mut sums = Vec::with_capacity(self.sums.len().max(next.sums.len()));
        let mut later = next.sums.into_iter().peekable();
        for mut sum in std::mem::take(&mut self.sums) {
            while let Some(other) = later.next_if(|other| other.lane < sum.lane) {
                sums.push(other);
            }
            if let Some(other) = later.next_if(|other| other.lane == sum.lane) {
                sum.cell.join(&other.cell, whole);
                sum.unsure = other.unsure;
            } else {
                // It stays unchanged.
                sum.cell.add(sum.cell.last, next.span.1 - next.span.0, sum.unsure || next.lost.is_some());
                sum.unsure |= next.lost.is_some();
            }
            sums.push(sum);
        }
        sums.extend(later);
        sums.shrink_to_fit();
        self.sums = sums;
        self.span.1 = next.span.1;
        self.lost = lost.into_iter().flatten().reduce(u64::saturating_add);
        self.entries = None;
    }

    /// Positions where a lane changes; if only sums are kept, the block's start if it changed.
    pub(super) fn changes(&self, lane: u32, shown: &mut Shown) -> Vec<u64> {
        let mut changes = Vec::new();
        let mut change = |at, now: Shown| {
            if now != std::mem::replace(shown, now) {
                changes.push(at);
            }
        };
        let sum = self.sum(lane);
        if sum.is_none() && !self.sums.is_empty() {
            return changes;
        }
        match (&self.entries, sum) {
            (Some(entries), _) => {
                for (at, entry) in entries.iter(self.span.0) {
                    if let Entry::Lane { lane: other, shown, .. } = entry
                        && other == lane
                    {
                        change(at, shown);
                    }
                }
            }
            (None, Some(sum)) => change(self.span.0, sum.cell.last),
            (None, None) => {}
        }
        changes
    }

    /// Memory of its entries, bytes.
    pub(super) fn memory(&self) -> usize {
        self.entries.as_ref().map_or(0, Entries::memory)
    }

    /// Memory of its sums, bytes.
    pub(super) fn memory_of_sums(&self) -> usize {
        self.sums.iter().map(|sum| size_of::<LaneSum>() + sum.cell.memory()).sum()
    }

    pub(super) fn paint(&self, window: &Window, painter: &mut Painter) {
        let (from, to) = self.span;
        let is_in_one = from >= window.begin && to < window.end() && window.column(from) == window.column(to);
        match &self.entries {
            Some(entries) if self.sums.is_empty() || !is_in_one => {
                for (at, entry) in entries.iter(from).take_while(|(at, _)| *at < window.end()) {
                    painter.entry(at, entry);
                }
            }
            _ => {
                if let Some(lost) = self.lost {
                    painter.doubt(from);
                    painter.lost_sum(self.span, lost);
                }
                for sum in &self.sums {
                    painter.sum(sum.lane, self.span, &sum.cell, sum.unsure);
                }
            }
        }
    }
}
