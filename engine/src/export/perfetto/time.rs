//! Ticks of all epochs on one line of nanoseconds: each epoch continues after the one before.

use spytui_plugin_api::{Row, row::flag};

use crate::present::Clock;

/// Times beyond this are no times: readers count in signed 64 bits.
const MOST: u64 = i64::MAX as u64;

/// Places rows in time.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    epoch: u32,
    /// Where the epoch begins on the line, and what its clock shows there.
    base: u64,
    first: Option<u64>,
    /// The latest time given out.
    last: u64,
    /// Rows whose time does not fit.
    beyond: u64,
}

impl Timeline {
    /// Time of a row in ns; `None` before the first time of all. Without a rate one tick is one nanosecond.
    #[inline]
    pub(super) fn at(&mut self, row: &Row, epoch: u32, clock: &Clock) -> Option<u64> {
        if epoch != self.epoch {
            (self.epoch, self.base, self.first) = (epoch, self.last, None);
        }
        if !row.has(flag::TIME_KNOWN) {
            return (epoch > 0).then_some(self.base);
        }
        let ns = if clock.known() { clock.ns(row.time) } else { Some(row.time) };
        let since = match (ns, epoch) {
            (Some(ns), 0) => Some(ns),
            (Some(ns), _) => Some(ns.saturating_sub(*self.first.get_or_insert(ns))),
            (None, _) => None,
        };
        let Some(at) = since.and_then(|ns| self.base.checked_add(ns)).filter(|&ns| ns <= MOST) else {
            self.beyond += 1;
            return Some(self.last);
        };
        self.last = self.last.max(at);
        Some(at)
    }

    /// The latest time so far.
    #[must_use]
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Rows whose time does not fit; they stand at the latest time before them.
    #[must_use]
    pub(super) fn beyond(&self) -> u64 {
        self.beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::ClockEvent;

    fn row(time: u64) -> Row {
        Row { time, flags: flag::TIME_KNOWN | flag::TIME_OWN, ..Row::default() }
    }

    #[test]
    fn each_epoch_continues_after_the_one_before() {
        let clock = Clock::new(&ClockEvent { num: 10, den: 1, ..ClockEvent::default() });
        let mut line = Timeline::default();
        let none = Row::default();
        assert_eq!(line.at(&none, 0, &clock), None);
        assert_eq!([line.at(&row(100), 0, &clock), line.at(&row(130), 0, &clock)], [Some(1000), Some(1300)]);
        assert_eq!(line.at(&none, 1, &clock), Some(1300));
        assert_eq!([line.at(&row(5), 1, &clock), line.at(&row(9), 1, &clock)], [Some(1300), Some(1340)]);
        assert_eq!(line.at(&row(2), 2, &clock), Some(1340));
    }

    #[test]
    fn what_does_not_fit_stands_where_the_row_before_does() {
        let clock = Clock::new(&ClockEvent { num: 1 << 40, den: 1, ..ClockEvent::default() });
        let mut line = Timeline::default();
        assert_eq!(line.at(&row(1), 0, &clock), Some(1 << 40));
        assert_eq!(line.at(&row(u64::MAX), 0, &clock), Some(1 << 40));
        assert_eq!((line.beyond(), line.last()), (1, 1 << 40));
        assert_eq!(line.at(&row(7), 0, &Clock::default()), Some(7));
    }
}
