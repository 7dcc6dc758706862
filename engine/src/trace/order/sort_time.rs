//! Sort time of rows: the running maximum of their ticks within an epoch.

use spytui_plugin_api::{Info, Row, info::Order, row::NONE};

use crate::decode::Epochs;

/// Sort time of a row. Sort times of different sources are comparable once their ticks have the same scale.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortTime {
    /// Target epoch, from 0; the same for all sources of a target.
    pub epoch: u32,
    /// Highest ticks so far in the epoch; `None` before the first.
    pub ticks: Option<u64>,
}

/// Assigns sort times to the rows of one source, in order.
#[derive(Debug, Clone)]
pub struct SortTimes {
    by_core: bool,
    epochs: Epochs,
    /// Highest ticks by core; one entry if the rows of the whole source are in order.
    highest: Vec<(u16, u64)>,
    last: SortTime,
}

impl SortTimes {
    /// For a decoder, which declares whether rows are in order of time by source or by core.
    pub fn new(info: &Info) -> SortTimes {
        SortTimes {
            by_core: info.order == Order::WITHIN_CORE,
            epochs: Epochs::default(),
            highest: Vec::new(),
            last: SortTime::default(),
        }
    }

    /// Sort time of the next row. A row without a time gets that of the row before it.
    pub fn of(&mut self, row: &Row) -> SortTime {
        self.pass(row);
        let of_all = self.by_core && row.core == NONE;
        if row.has_time() && !of_all {
            self.last.ticks = Some(self.highest(if self.by_core { row.core } else { 0 }, row.time));
        }
        self.last
    }

    /// Passes a row that needs no sort time, but may start an epoch.
    pub fn pass(&mut self, row: &Row) {
        if self.epochs.step(row) {
            self.highest.clear();
            self.last = SortTime { epoch: self.epochs.epoch, ticks: None };
        }
    }

    fn highest(&mut self, core: u16, ticks: u64) -> u64 {
        match self.highest.iter_mut().find(|h| h.0 == core) {
            Some(highest) => {
                highest.1 = highest.1.max(ticks);
                highest.1
            }
            None => {
                self.highest.push((core, ticks));
                ticks
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use spytui_plugin_api::RowFlags;

    use super::*;

    fn stamps(order: Order, rows: &[(u16, RowFlags, u64)]) -> Vec<(u32, Option<u64>)> {
        let mut stamps = SortTimes::new(&Info { order, ..Info::default() });
        let rows = rows.iter().map(|&(core, flags, time)| Row { core, flags, time, ..Row::default() });
        rows.map(|row| stamps.of(&row)).map(|s| (s.epoch, s.ticks)).collect()
    }

    const NONE: RowFlags = RowFlags::empty();
    const KNOWN: RowFlags = RowFlags::TIME_INHERITED;

    #[test]
    fn time_never_goes_back() {
        let rows = [(0, NONE, 0), (0, KNOWN, 5), (1, KNOWN, 3), (0, NONE, 0), (0, KNOWN, 9)];
        assert_eq!(
            stamps(Order::WITHIN_STREAM, &rows),
            [(0, None), (0, Some(5)), (0, Some(5)), (0, Some(5)), (0, Some(9))]
        );
    }

    #[test]
    fn lanes_have_times_of_their_own_where_the_decoder_says_so() {
        let rows = [(0, KNOWN, 5), (1, KNOWN, 3), (u16::MAX, KNOWN, 99), (0, KNOWN, 4), (1, KNOWN, 6)];
        assert_eq!(
            stamps(Order::WITHIN_CORE, &rows),
            [(0, Some(5)), (0, Some(3)), (0, Some(3)), (0, Some(5)), (0, Some(6))]
        );
    }

    #[test]
    fn a_reset_begins_again_unless_it_is_the_first_thing() {
        let reset = KNOWN | RowFlags::EPOCH;
        let rows = [(0, RowFlags::EPOCH, 0), (0, KNOWN, 500), (0, RowFlags::EPOCH, 0), (0, KNOWN, 7), (0, reset, 2)];
        assert_eq!(
            stamps(Order::WITHIN_STREAM, &rows),
            [(0, None), (0, Some(500)), (1, None), (1, Some(7)), (2, Some(2))]
        );
    }
}
