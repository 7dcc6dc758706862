//! Verdicts on rows of which everything that counts is the same: shape, and object and item if need be.

use std::ops::RangeInclusive;

use spytui_plugin_api::Row;

use crate::store::shape::{ShapeKey, Shapes, Span};

/// Size of the cache; a power of two.
const SLOTS: usize = 2048;
/// Number of hashes of keys, of which names change; a power of two.
const KEYS: usize = 256;

/// A cache of verdicts. What they depend on besides the row changes from time to time: these times are counted.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// By a hash of what counts; empty as long as nothing was asked.
    slots: Vec<Slot>,
    /// The last change.
    now: u64,
    /// The last change that all verdicts depend on.
    cleared: u64,
    /// The last change that verdicts on rows with a key depend on, by a hash of the key; empty if there was none.
    renamed: Vec<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    shape: ShapeKey,
    obj: u64,
    item: u64,
    /// The last change before this verdict; `None` = empty.
    since: Option<u64>,
    verdict: Option<bool>,
    /// The first and the last row that it holds for.
    from: u64,
    to: u64,
}

/// A hash of so many bits.
#[inline]
fn hash(mixed: u64, size: usize) -> usize {
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - size.trailing_zeros())) as usize
}

impl Classes {
    /// Forgets all verdicts.
    pub(super) fn clear(&mut self) {
        self.now += 1;
        self.cleared = self.now;
    }

    /// Forgets the verdicts on rows with this object or item.
    pub(super) fn forget(&mut self, key: u64) {
        self.now += 1;
        self.renamed.resize(KEYS, 0);
        self.renamed[hash(key, KEYS)] = self.now;
    }

    /// The last change that a verdict on rows with this key depends on.
    #[inline]
    fn renamed(&self, key: u64) -> u64 {
        self.renamed.get(hash(key, KEYS)).copied().unwrap_or(0)
    }

    /// The verdict on a row, which has a number; `judge` finds it, if it is not known, and says for which rows it holds.
    /// `keyed` = object and item count.
    #[inline]
    pub(super) fn verdict(
        &mut self,
        (row, number): (&Row, u64),
        keyed: bool,
        judge: impl FnOnce() -> (Option<bool>, RangeInclusive<u64>),
    ) -> Option<bool> {
        let shape = Shapes::key(row, Span::None, false);
        let (obj, item) = if keyed { (row.obj, row.item) } else { (0, 0) };
        let place = hash(shape.0 ^ shape.1.rotate_left(24) ^ obj.rotate_left(37) ^ item.rotate_left(11), SLOTS);
        let is_it = |slot: &&Slot| {
            (slot.shape, slot.obj, slot.item) == (shape, obj, item)
                && slot.since >= Some(self.cleared.max(self.renamed(obj)).max(self.renamed(item)))
                && (slot.from..=slot.to).contains(&number)
        };
        if let Some(slot) = self.slots.get(place).filter(is_it) {
            return slot.verdict;
        }
        let (verdict, rows) = judge();
        let (from, to) = rows.into_inner();
        self.slots.resize(SLOTS, Slot::default());
        self.slots[place] = Slot { shape, obj, item, since: Some(self.now), verdict, from, to };
        verdict
    }
}
