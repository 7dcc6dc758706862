//! Makes the times of different sources comparable.

use super::sort_time::SortTime;
use crate::present::Clock;

/// Sort key of a row: epoch, then time; rows before the first time stamp first.
pub type SortKey = (u32, Option<i128>);

/// Makes the ticks of different sources comparable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scales(Vec<Clock>);

impl Scales {
    /// From the clocks of all sources. If all clocks are alike, ticks are compared directly, so that a rate reported
    /// late does not change the order. A source without a rate uses that of the others.
    pub fn new(clocks: &[Clock]) -> Scales {
        let mut known = clocks.iter().copied().filter(Clock::known);
        let Some(first) = known.next() else { return Scales::default() };
        if clocks.iter().all(|c| !c.known() || c.runs_like(&first)) {
            return Scales::default();
        }
        Scales(clocks.iter().map(|&c| if c.known() { c } else { first }).collect())
    }

    /// Whether times are those of the sources, not in a common unit.
    pub fn are_plain(&self) -> bool {
        self.0.is_empty()
    }

    /// Sort key of a source's sort time.
    pub fn key(&self, source: usize, stamp: SortTime) -> SortKey {
        let time = |ticks| self.0.get(source).map_or_else(|| i128::from(ticks), |clock| clock.position(ticks));
        (stamp.epoch, stamp.ticks.map(time))
    }

    /// A time of a source in the common unit; `None` if it is before zero or too large.
    pub fn time(&self, source: usize, epoch: u32, ticks: u64) -> Option<u64> {
        if self.are_plain() {
            return Some(ticks);
        }
        let (_, time) = self.key(source, SortTime { epoch, ticks: Some(ticks) });
        u64::try_from(time?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::{ClockEvent, batch::ClockFlags};

    fn clock(num: u64, den: u64, flags: u16, zero: i64) -> Clock {
        let flags = ClockFlags::from_bits_retain(flags);
        Clock::new(&ClockEvent { num, den, flags, zero, ..ClockEvent::default() })
    }

    #[test]
    fn ticks_compare_while_clocks_run_alike() {
        let unknown = Clock::default();
        assert_eq!(Scales::new(&[unknown, unknown]), Scales::default());
        assert_eq!(Scales::new(&[clock(25, 1, 0, 0), unknown, clock(50, 2, 0, 0)]), Scales::default());
        let scales = Scales::new(&[clock(10, 1, 0, 0), clock(25, 1, 0, 0), unknown]);
        let key = |source| scales.key(source, SortTime { epoch: 0, ticks: Some(100) }).1;
        assert_eq!([key(0), key(1), key(2)], [Some(1000), Some(2500), Some(1000)]);
    }

    #[test]
    fn a_clock_of_its_own_counts_from_its_own_zero() {
        let scales = Scales::new(&[clock(1, 1, 3, 1_000_000), clock(1, 1, 3, -5)]);
        let key = |source, ticks| scales.key(source, SortTime { epoch: 0, ticks: Some(ticks) }).1;
        assert_eq!((key(0, 7), key(1, 7)), (Some(1_000_007), Some(2)));
    }
}
