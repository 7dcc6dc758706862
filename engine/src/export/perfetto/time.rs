//! Puts the ticks of all epochs on one time axis in nanoseconds.

use spytui_plugin_api::Row;

use crate::{
    analysis::time_axis::{Place, TimeAxis, begins_epoch},
    present::Clock,
};

#[derive(Debug, Default)]
pub(super) struct Timeline {
    axis: TimeAxis,
    beyond: u64,
}

impl Timeline {
    /// Time of a row in ns; `None` before the first time stamp. Without a clock rate one tick counts as 1 ns.
    #[inline]
    pub(super) fn at(&mut self, row: &Row, epoch: u32, clock: &Clock) -> Option<u64> {
        let ns = |time| if clock.known() { clock.ns(time) } else { Some(time) };
        match self.axis.at(epoch, row.has_time().then(|| ns(row.time)), begins_epoch(row)) {
            Place::At(at) => Some(at),
            Place::Nowhere => None,
            Place::Beyond => {
                self.beyond += 1;
                Some(self.axis.last())
            }
        }
    }

    pub(super) fn last(&self) -> u64 {
        self.axis.last()
    }

    /// Number of rows whose time does not fit; they count as the latest earlier time.
    pub(super) fn beyond(&self) -> u64 {
        self.beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spytui_plugin_api::{ClockEvent, row::RowFlags};

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
        // Its time restarts and continues from there.
        assert_eq!([line.at(&row(3), 2, &clock), line.at(&row(4), 2, &clock)], [Some(5100), Some(5110)]);
        assert_eq!([line.at(&row(9), 3, &clock), line.at(&row(2), 4, &clock)], [Some(5160), Some(5160)]);
    }

    #[test]
    fn what_a_start_of_recording_says_is_no_time() {
        let clock = Clock::new(&ClockEvent { num: 10, den: 1, ..ClockEvent::default() });
        let core = Row { flags: row(0).flags | RowFlags::NAMING, ..row(0) };
        let mut line = Timeline::default();
        assert_eq!([line.at(&core, 0, &clock), line.at(&row(100), 0, &clock)], [Some(0), Some(1000)]);
        // The target kept running, and so do its times.
        assert_eq!([line.at(&core, 1, &clock), line.at(&row(150), 1, &clock)], [Some(1000), Some(1500)]);
        // It restarted.
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
