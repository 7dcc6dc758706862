//! The tables that all segments of a source share: a row's shape and keys as numbers, and how often each came.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Row, row::flag};

use super::{
    counters::is_plain,
    intern::Intern,
    shape::{Key, Shapes, Span},
};

/// Shapes and keys of a source.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    /// Shapes.
    pub shapes: Shapes,
    /// Keys of `Row::obj`.
    pub objs: Intern,
    /// Keys of `Row::aux`.
    pub auxs: Intern,
    recent: Recent,
}

/// Shape and keys of a row as numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct RowClass {
    pub(super) shape: u16,
    pub(super) obj: u16,
    pub(super) aux: u16,
}

/// The combinations of shape and keys in some columns, as 16-bit numbers: of their own, so that those of a long stream
/// do not run out.
#[derive(Debug, Clone, Default)]
pub(super) struct RowClasses {
    list: Vec<RowClass>,
    numbers: FxHashMap<RowClass, u16>,
    /// Which columns; 0 = not known yet.
    owner: u32,
}

impl RowClasses {
    /// The combination with this number.
    #[inline]
    pub(super) fn get(&self, number: u16) -> RowClass {
        self.list.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// Which columns they are of.
    pub(super) fn owner(&self) -> u32 {
        self.owner
    }

    /// All combinations, by number.
    pub(super) fn all(&self) -> &[RowClass] {
        &self.list
    }

    /// The number of a combination; `None` when there are too many.
    fn number(&mut self, numbers: RowClass) -> Option<u16> {
        if let Some(&number) = self.numbers.get(&numbers) {
            return Some(number);
        }
        let number = u16::try_from(self.list.len()).ok().filter(|&n| n < u16::MAX)?;
        self.list.push(numbers);
        self.numbers.insert(numbers, number);
        Some(number)
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.list.capacity() * size_of::<RowClass>() + self.numbers.capacity() * size_of::<(RowClass, u16)>()
    }

    /// No combination will come any more.
    pub(super) fn shrink(&mut self) {
        self.list.shrink_to_fit();
        self.numbers = FxHashMap::default();
    }
}

/// Combinations that came lately: most rows have one of few.
#[derive(Debug, Clone)]
struct Recent {
    slots: Box<[Slot; SLOTS]>,
    /// Places of slots with rows that are not counted in the tables yet.
    counting: Vec<u16>,
    /// Columns that have combinations.
    owners: u32,
}

/// One combination, with its rows that are not counted in the tables yet. It fills a line of the cache.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Slot {
    shape: Key,
    obj: u64,
    aux: u64,
    bytes: u64,
    rows: u32,
    /// Whose combination it is; 0 = none's yet.
    owner: u32,
    combo: u16,
    numbers: RowClass,
}

const SLOTS: usize = 2048;

impl Default for Recent {
    fn default() -> Self {
        Recent { slots: Box::new([Slot::default(); SLOTS]), counting: Vec::new(), owners: 0 }
    }
}

impl Slot {
    /// 0 if a row has this combination. One comparison of all is quicker than one of each.
    #[inline]
    pub(super) fn differs(&self, owner: u32, row: &Row, at: (Span, bool)) -> u64 {
        let shape = Shapes::key(row, at.0, at.1);
        let shapes = (self.shape.0 ^ shape.0) | (self.shape.1 ^ shape.1);
        shapes | (self.obj ^ row.obj) | (self.aux ^ row.aux) | u64::from(self.owner ^ owner)
    }

    /// Whether it has rows that [`Tables::settle`] will find; they are plain.
    #[inline]
    pub(super) fn is_counting(&self) -> bool {
        self.rows > 0
    }

    /// Counts a row.
    #[inline]
    pub(super) fn count(&mut self, row: &Row) {
        self.rows += 1;
        self.bytes += u64::from(row.len);
    }

    /// Number of the combination.
    #[inline]
    pub(super) fn combo(&self) -> u16 {
        self.combo
    }
}

impl Tables {
    /// Tells the combinations of some columns from those of others.
    pub(super) fn number(&mut self, combos: &mut RowClasses) {
        if combos.owner == 0 {
            self.recent.owners += 1;
            combos.owner = self.recent.owners;
        }
    }

    /// Where a row's combination is, if it came lately.
    #[inline]
    pub(super) fn slot(&mut self, row: &Row, at: (Span, bool)) -> &mut Slot {
        &mut self.recent.slots[place(row, at) % SLOTS]
    }

    /// The number of a row's combination at a place; `None` = a table is full. With `count` the row is counted, once
    /// [`Tables::settle`] is called.
    pub(super) fn combo(&mut self, combos: &mut RowClasses, row: &Row, at: (Span, bool), count: bool) -> Option<u16> {
        let place = place(row, at);
        // Two that want the same place live side by side.
        let is_there = |p: &usize| self.recent.slots[p % SLOTS].differs(combos.owner, row, at) == 0;
        let Some(place) = [place, place ^ 1].into_iter().find(is_there) else {
            return self.look_up(place, combos, row, at, count);
        };
        let slot = &mut self.recent.slots[place % SLOTS];
        let (combo, numbers) = (slot.combo, slot.numbers);
        if is_plain(row) {
            if !slot.is_counting() {
                self.recent.counting.push(place as u16);
            }
            slot.count(row);
        } else if count {
            self.count(numbers, row.flags, 1, row.len.into());
        }
        Some(combo)
    }

    fn look_up(
        &mut self,
        place: usize,
        combos: &mut RowClasses,
        row: &Row,
        at: (Span, bool),
        count: bool,
    ) -> Option<u16> {
        let number = self.shapes.number(row, at.0, at.1);
        let (obj, aux) = (self.objs.number(row.obj), self.auxs.number(row.aux));
        if count {
            number.into_iter().for_each(|n| self.shapes.count(n, 1, row.len.into()));
            obj.filter(|_| row.has(flag::HAS_OBJ)).into_iter().for_each(|n| self.objs.count(n, 1));
            aux.filter(|_| row.has(flag::HAS_AUX)).into_iter().for_each(|n| self.auxs.count(n, 1));
        }
        let numbers = RowClass { shape: number?, obj: obj?, aux: aux? };
        let (combo, owner) = (combos.number(numbers)?, combos.owner);
        let taken = |p: usize| self.recent.slots[p % SLOTS].owner == owner;
        let place = if taken(place) && !taken(place ^ 1) { place ^ 1 } else { place };
        if count {
            self.count_slot(place);
        }
        let shape = Shapes::key(row, at.0, at.1);
        let (obj, aux) = (row.obj, row.aux);
        self.recent.slots[place % SLOTS] = Slot { shape, obj, aux, owner, combo, numbers, ..Slot::default() };
        Some(combo)
    }

    /// Takes the rows seen over into the tables.
    pub fn settle(&mut self) {
        while let Some(place) = self.recent.counting.pop() {
            self.count_slot(place.into());
        }
    }

    /// The rows seen since [`Tables::settle`] were counted before.
    pub(super) fn forget(&mut self) {
        for place in self.recent.counting.drain(..) {
            let slot = &mut self.recent.slots[usize::from(place) % SLOTS];
            (slot.rows, slot.bytes) = (0, 0);
        }
    }

    fn count_slot(&mut self, place: usize) {
        let slot = &mut self.recent.slots[place % SLOTS];
        let (rows, bytes) = (std::mem::take(&mut slot.rows).into(), std::mem::take(&mut slot.bytes));
        let (numbers, flags) = (slot.numbers, slot.shape.1 as u32);
        self.count(numbers, flags, rows, bytes);
    }

    fn count(&mut self, numbers: RowClass, flags: u32, rows: u64, bytes: u64) {
        self.shapes.count(numbers.shape, rows, bytes);
        if flags & flag::HAS_OBJ != 0 {
            self.objs.count(numbers.obj, rows);
        }
        if flags & flag::HAS_AUX != 0 {
            self.auxs.count(numbers.aux, rows);
        }
    }
}

#[inline]
fn place(row: &Row, at: (Span, bool)) -> usize {
    let shape = Shapes::key(row, at.0, at.1);
    let mixed = shape.0 ^ shape.1.rotate_left(24) ^ row.obj.rotate_left(37) ^ row.aux.rotate_left(11);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize & (SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_counted_once_however_combinations_change() {
        let mut tables = Tables::default();
        let mut combos = [RowClasses::default(), RowClasses::default()];
        combos.iter_mut().for_each(|combos| tables.number(combos));
        for n in 0..50_000u64 {
            let flags = flag::HAS_OBJ | if n % 2 == 0 { flag::HAS_AUX } else { 0 };
            let row = Row { kind: (n % 7) as u16, obj: n % 1000, aux: n % 3, len: 2, flags, ..Row::default() };
            let combos = &mut combos[(n % 5 == 0) as usize];
            let combo = tables.combo(combos, &row, (Span::None, false), true).expect("room for all");
            let numbers = combos.get(combo);
            assert_eq!((tables.objs.key(numbers.obj), tables.auxs.key(numbers.aux)), (row.obj, row.aux));
            assert_eq!(tables.shapes.get(numbers.shape).row().kind, row.kind);
            if n % 999 == 0 {
                tables.settle();
            }
        }
        tables.settle();
        assert_eq!(tables.shapes.tally().map(|t| t.1).sum::<u64>(), 50_000);
        assert_eq!(tables.shapes.tally().map(|t| t.2).sum::<u64>(), 100_000);
        assert!(tables.objs.iter().all(|(_, uses)| uses == 50));
        assert_eq!(tables.auxs.iter().map(|k| k.1).sum::<u64>(), 25_000);
    }
}
