//! Verdicts on rows of which everything that counts is the same: shape, and object and item if need be.

use std::ops::RangeInclusive;

use spytui_plugin_api::Row;

use crate::store::shape::{ShapeKey, Shapes, Span};

/// Size of the cache; a power of two.
const SLOTS: usize = 512;

/// A cache of verdicts. What they depend on besides the row has a number, its version.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// By a hash of what counts; empty as long as nothing was asked.
    slots: Vec<Slot>,
    version: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    shape: ShapeKey,
    obj: u64,
    item: u64,
    /// 0 = empty.
    version: u32,
    verdict: Option<bool>,
    /// The first and the last row that it holds for.
    from: u64,
    to: u64,
}

impl Classes {
    /// Forgets all verdicts.
    pub(super) fn clear(&mut self) {
        self.version = self.version.wrapping_add(1);
        if self.version == 0 {
            self.slots.clear();
            self.version = 1;
        }
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
        let mixed = shape.0 ^ shape.1.rotate_left(24) ^ obj.rotate_left(37) ^ item.rotate_left(11);
        let place = (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize % SLOTS;
        let is_it = |slot: &&Slot| {
            (slot.shape, slot.obj, slot.item, slot.version) == (shape, obj, item, self.version)
                && (slot.from..=slot.to).contains(&number)
        };
        if let Some(slot) = self.slots.get(place).filter(is_it) {
            return slot.verdict;
        }
        let (verdict, rows) = judge();
        let (from, to) = rows.into_inner();
        self.slots.resize(SLOTS, Slot::default());
        self.slots[place] = Slot { shape, obj, item, version: self.version, verdict, from, to };
        verdict
    }
}
