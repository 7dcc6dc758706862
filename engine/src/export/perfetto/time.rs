//! Puts the ticks of all epochs on one time line in nanoseconds. An epoch whose clock goes on from the previous one's
//! keeps its times, as if a recording was stopped and started again; one whose time steps back, as after a reset of the
//! target, begins where the previous one ended.

use spytui_plugin_api::{Row, row::RowFlags};

use crate::present::Clock;

/// Latest time that readers accept: they use signed 64-bit numbers.
const MOST: u64 = i64::MAX as u64;

/// Converts ticks to trace time.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    epoch: u32,
    /// Trace time and clock value at the start of the epoch.
    base: u64,
    first: u64,
    /// The epoch has no event yet.
    begins: bool,
    /// Latest time returned.
    last: u64,
    /// Number of rows with a time that does not fit.
    beyond: u64,
}

impl Timeline {
    /// Time of a row in ns; `None` before the first time stamp. Without a rate one tick counts as 1 ns.
    #[inline]
    pub(super) fn at(&mut self, row: &Row, epoch: u32, clock: &Clock) -> Option<u64> {
        if epoch != self.epoch {
            self.epoch = epoch;
            self.begins = true;
        }
        if !row.has_time() {
            return (epoch > 0).then_some(self.last);
        }
        let ns = if clock.known() { clock.ns(row.time) } else { Some(row.time) };
        if let Some(ns) = ns.filter(|_| self.begins)
            && !self.starts(row, ns)
        {
            return Some(self.last);
        }
        let Some(at) = ns.and_then(|ns| self.place(ns)) else {
            self.beyond += 1;
            return Some(self.last);
        };
        self.last = self.last.max(at);
        Some(at)
    }

    /// Whether a row is the first event of its epoch. Its time decides whether the time base stays. A name or core is
    /// none: a recording that starts reports 0 there, whatever the time is.
    #[cold]
    fn starts(&mut self, row: &Row, ns: u64) -> bool {
        if !row.has(RowFlags::TIME_OWN) || row.has(RowFlags::NAMING) {
            return false;
        }
        let goes_on = ns >= self.first && self.place(ns).is_some_and(|at| at >= self.last);
        if !goes_on {
            (self.base, self.first) = (self.last, ns);
        }
        self.begins = false;
        true
    }

    fn place(&self, ns: u64) -> Option<u64> {
        self.base.checked_add(ns.saturating_sub(self.first)).filter(|&ns| ns <= MOST)
    }

    /// Latest time so far.
    #[must_use]
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Number of rows whose time does not fit; they are placed at the latest time before them.
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
        Row { time, flags: RowFlags::TIME_OWN, ..Row::default() }
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
    fn an_epoch_whose_clock_goes_on_keeps_its_times() {
        let clock = Clock::new(&ClockEvent { num: 10, den: 1, ..ClockEvent::default() });
        let mut line = Timeline::default();
        assert_eq!([line.at(&row(100), 0, &clock), line.at(&row(130), 0, &clock)], [Some(1000), Some(1300)]);
        assert_eq!([line.at(&row(500), 1, &clock), line.at(&row(510), 1, &clock)], [Some(5000), Some(5100)]);
        // It starts anew, and goes on from there.
        assert_eq!([line.at(&row(3), 2, &clock), line.at(&row(4), 2, &clock)], [Some(5100), Some(5110)]);
        assert_eq!([line.at(&row(9), 3, &clock), line.at(&row(2), 4, &clock)], [Some(5160), Some(5160)]);
    }

    #[test]
    fn what_a_start_of_recording_says_is_no_time() {
        let clock = Clock::new(&ClockEvent { num: 10, den: 1, ..ClockEvent::default() });
        let core = Row { flags: row(0).flags | RowFlags::NAMING, ..row(0) };
        let mut line = Timeline::default();
        assert_eq!([line.at(&core, 0, &clock), line.at(&row(100), 0, &clock)], [Some(0), Some(1000)]);
        // The target went on: so do its times.
        assert_eq!([line.at(&core, 1, &clock), line.at(&row(150), 1, &clock)], [Some(1000), Some(1500)]);
        // It started anew.
        assert_eq!([line.at(&core, 2, &clock), line.at(&row(90), 2, &clock)], [Some(1500), Some(1500)]);
        assert_eq!(line.at(&row(95), 2, &clock), Some(1550));
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
