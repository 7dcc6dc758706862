//! Times of rows, as 32-bit offsets to a base; a new base starts where an offset does not fit.

/// The bases.
#[derive(Debug, Clone, Default)]
pub(super) struct Times {
    /// First row and time of each base.
    bases: Vec<(u32, u64)>,
    /// Current base; 0 before the first.
    base: u64,
}

impl Times {
    /// Appends row `i`.
    #[inline]
    pub(super) fn push(&mut self, i: usize, time: u64) -> u32 {
        let dt = time.wrapping_sub(self.base);
        if dt <= u64::from(u32::MAX) { dt as u32 } else { self.rebase(i, time) }
    }

    /// Starts a base in the middle of the range, because times go back at a reset.
    #[inline(never)]
    fn rebase(&mut self, i: usize, time: u64) -> u32 {
        self.base = time.wrapping_sub(1 << 31);
        self.bases.push((i as u32, self.base));
        1 << 31
    }

    /// Time of row `i`.
    pub(super) fn get(&self, i: usize, dt: u32) -> u64 {
        let behind = self.bases.partition_point(|base| base.0 as usize <= i);
        let base = behind.checked_sub(1).and_then(|at| self.bases.get(at)).map_or(0, |base| base.1);
        base.wrapping_add(dt.into())
    }

    /// Memory use in bytes.
    pub(super) fn memory(&self) -> usize {
        self.bases.capacity() * size_of::<(u32, u64)>()
    }

    /// Frees unused capacity.
    pub(super) fn shrink(&mut self) {
        self.bases.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_time_comes_back(rows in prop::collection::vec((any::<u64>(), any::<bool>()), 0..100)) {
            let mut times = Times::default();
            let all: Vec<u64> = rows.iter().map(|&(time, far)| if far { time } else { time % 5_000_000_000 }).collect();
            let kept: Vec<u32> = all.iter().enumerate().map(|(i, &time)| times.push(i, time)).collect();
            let got: Vec<u64> = kept.iter().enumerate().map(|(i, &dt)| times.get(i, dt)).collect();
            prop_assert_eq!(got, all);
        }
    }

    #[test]
    fn times_that_are_near_each_other_share_a_base() {
        let mut times = Times::default();
        (0..1000).for_each(|i| {
            times.push(i, 1 << 40 | (i as u64 * 0x123_4567) & 0x7FFF_FFFF);
        });
        assert_eq!(times.bases.len(), 1);
    }
}
