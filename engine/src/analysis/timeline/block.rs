//! The changes of some thousand rows, encoded in about five bytes each as there is one per record, and their sums.

use indexmap::IndexMap;
use prost::encoding::{decode_varint, encode_varint};
use rustc_hash::FxBuildHasher;

use super::{
    lane::{Cell, LaneValue, TimelineEntry},
    painter::{Painter, TimeWindow},
};

#[derive(Debug, Clone, Default)]
pub(super) struct Entries {
    bytes: Vec<u8>,
    /// Position of the last entry.
    last: u64,
}

const STATE: u64 = 1;
const INTEGER: u64 = 2;
const DOUBLE: u64 = 3;
const UNSURE: u64 = 4;
/// Larger integers don't fit a double exactly.
const EXACT: f64 = 9e15;

impl Entries {
    /// Empty; positions are relative to `begin`.
    pub(super) fn new(begin: u64) -> Entries {
        Entries { bytes: Vec::new(), last: begin }
    }

    /// Adds an entry; an earlier position than the last one counts as that.
    pub(super) fn add(&mut self, at: u64, entry: TimelineEntry) {
        let step = at.saturating_sub(self.last);
        self.last += step;
        encode_varint(step, &mut self.bytes);
        let (lane, shown, unsure) = match entry {
            TimelineEntry::LossBegins => return self.bytes.push(0),
            TimelineEntry::LossEnds => return self.bytes.push(1),
            TimelineEntry::Lane { lane, shown, unsure } => (lane, shown, unsure),
        };
        let head = (u64::from(lane) + 1) << 3 | if unsure { UNSURE } else { 0 };
        let (kind, number) = match shown {
            LaneValue::Unknown => return encode_varint(head, &mut self.bytes),
            LaneValue::State(state) => (STATE, state.into()),
            LaneValue::Number(value) if value.fract() == 0.0 && value.abs() < EXACT => {
                let value = value as i64;
                (INTEGER, (value << 1 ^ value >> 63) as u64)
            }
            LaneValue::Number(value) => (DOUBLE, value.to_bits()),
        };
        encode_varint(head | kind, &mut self.bytes);
        match kind {
            DOUBLE => self.bytes.extend_from_slice(&number.to_le_bytes()),
            _ => encode_varint(number, &mut self.bytes),
        }
    }

    /// All entries with their positions; `begin` as in [`Entries::new`].
    pub(super) fn iter(&self, begin: u64) -> impl Iterator<Item = (u64, TimelineEntry)> {
        let (mut rest, mut at) = (self.bytes.as_slice(), begin);
        std::iter::from_fn(move || {
            at += decode_varint(&mut rest).ok()?;
            Some((at, entry(&mut rest)?))
        })
    }
}

/// Reads an entry, except for its position.
fn entry(rest: &mut &[u8]) -> Option<TimelineEntry> {
    let head = decode_varint(rest).ok()?;
    let Some(lane) = (head >> 3).checked_sub(1) else {
        return Some(if head == 0 { TimelineEntry::LossBegins } else { TimelineEntry::LossEnds });
    };
    let shown = match head & 3 {
        STATE => LaneValue::State(decode_varint(rest).ok()? as u32),
        INTEGER => {
            let number = decode_varint(rest).ok()?;
            LaneValue::Number(((number >> 1) as i64 ^ -((number & 1) as i64)) as f64)
        }
        DOUBLE => LaneValue::Number(f64::from_le_bytes(*rest.split_off(..8)?.first_chunk()?)),
        _ => LaneValue::Unknown,
    };
    Some(TimelineEntry::Lane { lane: lane as u32, shown, unsure: head & UNSURE != 0 })
}

/// Sums by lane.
pub(super) type LaneSums = IndexMap<u32, LaneSum, FxBuildHasher>;

#[derive(Debug, Clone, Default)]
pub(super) struct LaneSum {
    /// Includes what the lane showed when the block began.
    pub(super) cell: Cell,
    /// Missing records may have changed its state at the end.
    pub(super) unsure: bool,
}

/// Changes of successive rows.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangeBlock {
    /// The block's first row in the list.
    pub(super) first: u64,
    /// Positions of its start and of its last row.
    pub(super) span: (u64, u64),
    /// Ticks in which records are missing.
    pub(super) lost: Option<u64>,
    /// `None` if only sums are kept.
    pub(super) entries: Option<Entries>,
    /// Sums of the changed lanes; empty while the block is open.
    pub(super) sums: LaneSums,
}

impl ChangeBlock {
    pub(super) fn new(first: u64, at: u64) -> ChangeBlock {
        let entries = Some(Entries::new(at));
        ChangeBlock { first, span: (at, at), lost: None, entries, sums: LaneSums::default() }
    }

    /// Moves the block and all its entries to one position.
    pub(super) fn move_to(&mut self, at: u64) {
        self.span = (at, at);
        self.entries.iter_mut().for_each(|entries| entries.last = at);
    }

    pub(super) fn finish(&mut self, sums: LaneSums) {
        self.entries.iter_mut().for_each(|entries| entries.bytes.shrink_to_fit());
        self.sums = sums;
        self.sums.shrink_to_fit();
    }

    /// Appends the next block; only sums are kept.
    pub(super) fn join(&mut self, mut next: ChangeBlock) {
        for (lane, sum) in &mut self.sums {
            if let Some(other) = next.sums.swap_remove(lane) {
                sum.cell.join(&other.cell, (1, 1));
                sum.unsure = other.unsure;
            } else {
                // It stays unchanged.
                sum.cell.add(sum.cell.last, next.span.1 - next.span.0, sum.unsure || next.lost.is_some());
                sum.unsure |= next.lost.is_some();
            }
        }
        self.sums.append(&mut next.sums);
        self.sums.shrink_to_fit();
        self.span.1 = next.span.1;
        self.lost = [self.lost, next.lost].into_iter().flatten().reduce(u64::saturating_add);
        self.entries = None;
    }

    /// Positions where a lane changes; if only sums are kept, the block's start if it changed.
    pub(super) fn changes(&self, lane: u32, shown: &mut LaneValue) -> Vec<u64> {
        let mut changes = Vec::new();
        let mut change = |at, now: LaneValue| {
            if now != std::mem::replace(shown, now) {
                changes.push(at);
            }
        };
        let sum = self.sums.get(&lane);
        if sum.is_none() && !self.sums.is_empty() {
            return changes;
        }
        match (&self.entries, sum) {
            (Some(entries), _) => {
                for (at, entry) in entries.iter(self.span.0) {
                    if let TimelineEntry::Lane { lane: other, shown, .. } = entry
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
        self.entries.as_ref().map_or(0, |entries| entries.bytes.capacity())
    }

    /// Memory of its sums, bytes.
    pub(super) fn memory_of_sums(&self) -> usize {
        self.sums.values().map(|sum| size_of::<(u32, LaneSum)>() + sum.cell.memory()).sum()
    }

    pub(super) fn paint(&self, window: &TimeWindow, painter: &mut Painter) {
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
                for (lane, sum) in &self.sums {
                    painter.sum(*lane, self.span, &sum.cell, sum.unsure);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let lane = |lane, shown, unsure| TimelineEntry::Lane { lane, shown, unsure };
        let all = [
            (100, lane(0, LaneValue::State(3), false)),
            (100, TimelineEntry::LossBegins),
            (70_000, lane(40_000, LaneValue::Number(-2.0), true)),
            (70_000, lane(1, LaneValue::Number(0.25), false)),
            (u64::MAX >> 1, TimelineEntry::LossEnds),
            (u64::MAX >> 1, lane(2, LaneValue::Number(f64::INFINITY), false)),
            (u64::MAX >> 1, lane(2, LaneValue::Unknown, true)),
        ];
        let mut entries = Entries::new(90);
        all.iter().for_each(|(at, entry)| entries.add(*at, *entry));
        assert_eq!(entries.iter(90).collect::<Vec<_>>(), all);
        // Time does not go back.
        entries.add(5, TimelineEntry::LossBegins);
        assert_eq!(entries.iter(90).last(), Some((u64::MAX >> 1, TimelineEntry::LossBegins)));
    }
}
