//! Positions of rows. Most rows start where the previous one ends, so only the positions of every 64th row and of the
//! exceptions are stored.

use super::packed_rows::PackedRow;

/// Rows between two stored positions.
const STEP: usize = 64;

/// Positions relative to a base, modulo 2³².
#[derive(Debug, Clone, Default)]
pub(super) struct Positions {
    every: Vec<u32>,
    /// Rows that do not start where the previous one ends, by index.
    jumps: Vec<(u32, u32)>,
    /// Expected position of the next row.
    next: u32,
}

impl Positions {
    pub(super) fn with_capacity(rows: usize) -> Positions {
        Positions { every: Vec::with_capacity(rows.div_ceil(STEP)), ..Positions::default() }
    }

    /// Appends row `i`.
    #[inline]
    pub(super) fn push(&mut self, i: usize, pos: u32, len: u16) {
        if i.is_multiple_of(STEP) {
            self.every.push(pos);
        } else if pos != self.next {
            self.jumps.push((i as u32, pos));
        }
        self.next = pos.wrapping_add(len.into());
    }

    /// Position of row `i`; `packed` = all rows with their lengths.
    pub(super) fn get(&self, i: usize, packed: &[PackedRow]) -> u32 {
        let step = i / STEP;
        let mut from = (step * STEP, self.every.get(step).copied().unwrap_or(0));
        let before = self.jumps.partition_point(|&(row, _)| row as usize <= i);
        if let Some(&(row, pos)) = before.checked_sub(1).and_then(|j| self.jumps.get(j))
            && row as usize > from.0
        {
            from = (row as usize, pos);
        }
        let before = packed.get(from.0..i).unwrap_or_default();
        before.iter().fold(from.1, |pos, row| pos.wrapping_add(row.len.into()))
    }

    /// Memory use in bytes.
    pub(super) fn memory(&self) -> usize {
        self.every.capacity() * 4 + self.jumps.capacity() * 8
    }

    /// Frees unused capacity.
    pub(super) fn shrink(&mut self) {
        self.every.shrink_to_fit();
        self.jumps.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_position_comes_back(rows in prop::collection::vec((any::<u16>(), 0..4u8, any::<u32>()), 0..300)) {
            let (mut positions, mut packed, mut expected, mut end) = (Positions::default(), Vec::new(), Vec::new(), 7u32);
            for (i, &(len, jumps, elsewhere)) in rows.iter().enumerate() {
                let pos = if jumps == 0 { elsewhere } else { end };
                positions.push(i, pos, len);
                packed.push(PackedRow { dt: 0, len, class: 0 });
                expected.push(pos);
                end = pos.wrapping_add(len.into());
            }
            let got: Vec<u32> = (0..rows.len()).map(|i| positions.get(i, &packed)).collect();
            prop_assert_eq!(got, expected);
        }
    }

    #[test]
    fn rows_that_follow_each_other_cost_nothing() {
        let mut positions = Positions::default();
        (0..1000).for_each(|i| positions.push(i, 5 * i as u32, 5));
        assert_eq!((positions.every.len(), positions.jumps.len()), (16, 0));
    }
}
