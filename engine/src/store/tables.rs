//! The tables that all segments of a source share: a row's shape and keys as numbers, and how often each came.

use rustc_hash::FxHashMap;
use spytui_plugin_api::{Row, row::flag};

use super::{
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
pub(super) struct Numbers {
    pub(super) shape: u16,
    pub(super) obj: u16,
    pub(super) aux: u16,
}

/// The combinations of shape and keys in some columns, as 16-bit numbers: of their own, so that those of a long stream
/// do not run out.
#[derive(Debug, Clone, Default)]
pub(super) struct Combos {
    list: Vec<Numbers>,
    numbers: FxHashMap<Numbers, u16>,
    /// Which columns; 0 = not known yet.
    owner: u32,
}

impl Combos {
    /// The combination with this number.
    #[inline]
    pub(super) fn get(&self, number: u16) -> Numbers {
        self.list.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// All combinations, by number.
    pub(super) fn all(&self) -> &[Numbers] {
        &self.list
    }

    /// The number of a combination; `None` when there are too many.
    fn number(&mut self, numbers: Numbers) -> Option<u16> {
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
        self.list.capacity() * size_of::<Numbers>() + self.numbers.capacity() * size_of::<(Numbers, u16)>()
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
    /// Slots with rows that are not counted in the tables yet.
    counting: Vec<u16>,
    /// Columns that have combinations.
    owners: u32,
}

/// One combination, with its rows that are not counted in the tables yet. It fills a line of the cache.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Slot {
    shape: Key,
    obj: u64,
    aux: u64,
    bytes: u64,
    rows: u32,
    /// Whose combination it is; 0 = none's yet.
    owner: u32,
    combo: u16,
    numbers: Numbers,
}

const SLOTS: usize = 2048;

impl Slot {
    /// Whether a row has this combination. One comparison of all is quicker than one of each.
    #[inline]
    fn is_of(&self, owner: u32, shape: Key, row: &Row) -> bool {
        let shapes = (self.shape.0 ^ shape.0) | (self.shape.1 ^ shape.1);
        let keys = (self.obj ^ row.obj) | (self.aux ^ row.aux);
        shapes | keys | u64::from(self.owner ^ owner) == 0
    }
}

impl Default for Recent {
    fn default() -> Self {
        Recent { slots: Box::new([Slot::default(); SLOTS]), counting: Vec::new(), owners: 0 }
    }
}

impl Tables {
    /// Tells the combinations of some columns from those of others.
    pub(super) fn number(&mut self, combos: &mut Combos) {
        if combos.owner == 0 {
            self.recent.owners += 1;
            combos.owner = self.recent.owners;
        }
    }

    /// The number of a row's combination at a place; `None` = a table is full. With `count` the row is counted, once
    /// [`Tables::counted`] is called.
    #[inline]
    pub(super) fn combo(&mut self, combos: &mut Combos, row: &Row, at: (Span, bool), count: bool) -> Option<u16> {
        let shape = Shapes::key(row, at.0, at.1);
        let place = place(shape, row);
        let slot = &mut self.recent.slots[place % SLOTS];
        if !slot.is_of(combos.owner, shape, row) {
            return self.look_up(place, combos, row, at, count);
        }
        if slot.rows == 0 {
            self.recent.counting.push(place as u16);
        }
        slot.rows += 1;
        slot.bytes += u64::from(row.len);
        Some(slot.combo)
    }

    #[inline(never)]
    fn look_up(&mut self, place: usize, combos: &mut Combos, row: &Row, at: (Span, bool), count: bool) -> Option<u16> {
        let shape = self.shapes.number(row, at.0, at.1);
        let (obj, aux) = (self.objs.number(row.obj), self.auxs.number(row.aux));
        if count {
            shape.into_iter().for_each(|n| self.shapes.count(n, 1, row.len.into()));
            obj.filter(|_| row.has(flag::HAS_OBJ)).into_iter().for_each(|n| self.objs.count(n, 1));
            aux.filter(|_| row.has(flag::HAS_AUX)).into_iter().for_each(|n| self.auxs.count(n, 1));
        }
        let numbers = Numbers { shape: shape?, obj: obj?, aux: aux? };
        let combo = combos.number(numbers)?;
        if count {
            self.count_slot(place);
        }
        let shape = Shapes::key(row, at.0, at.1);
        self.recent.slots[place % SLOTS] =
            Slot { shape, obj: row.obj, aux: row.aux, owner: combos.owner, combo, numbers, ..Slot::default() };
        Some(combo)
    }

    /// Takes the rows seen over into the tables; without `count` they have been counted before.
    pub(super) fn counted(&mut self, count: bool) {
        while let Some(place) = self.recent.counting.pop() {
            if count {
                self.count_slot(place.into());
            } else {
                let slot = &mut self.recent.slots[usize::from(place) % SLOTS];
                (slot.rows, slot.bytes) = (0, 0);
            }
        }
    }

    fn count_slot(&mut self, place: usize) {
        let slot = &mut self.recent.slots[place % SLOTS];
        let (rows, bytes) = (std::mem::take(&mut slot.rows).into(), std::mem::take(&mut slot.bytes));
        let (numbers, flags) = (slot.numbers, slot.shape.1 as u32);
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
fn place(shape: Key, row: &Row) -> usize {
    let mixed = shape.0 ^ shape.1.rotate_left(24) ^ row.obj.rotate_left(37) ^ row.aux.rotate_left(11);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize & (SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_counted_once_however_combinations_change() {
        let mut tables = Tables::default();
        let mut combos = [Combos::default(), Combos::default()];
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
                tables.counted(true);
            }
        }
        tables.counted(true);
        assert_eq!(tables.shapes.tally().map(|t| t.1).sum::<u64>(), 50_000);
        assert_eq!(tables.shapes.tally().map(|t| t.2).sum::<u64>(), 100_000);
        assert!(tables.objs.iter().all(|(_, uses)| uses == 50));
        assert_eq!(tables.auxs.iter().map(|k| k.1).sum::<u64>(), 25_000);
    }
}
