//! Maps the times of all epochs to one axis. If an epoch's clock continues from the previous epoch, its times are kept:
//! the recording was stopped and restarted. If time steps back, as after a reset, the epoch begins where the previous
//! one ended.

use spytui_plugin_api::{Row, row::RowFlags};

/// Latest position: readers of exports use signed 64-bit numbers.
const MOST: u64 = i64::MAX as u64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisPosition {
    At(u64),
    /// No row has had a time yet.
    Nowhere,
    /// Its time does not fit; it counts as the latest earlier position.
    Beyond,
}

#[derive(Debug, Clone, Default)]
pub struct TimeAxis {
    epoch: u32,
    pub scale: EpochScale,
    /// The epoch has no event yet.
    begins: bool,
    /// Latest position returned.
    pub last: u64,
}

/// Position and time of the start of an epoch, enough to place all its times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EpochScale {
    /// Position of the epoch's start.
    base: u64,
    /// Time at the epoch's start.
    first: u64,
}

/// Whether the time of a row decides where its epoch begins. Names and cores don't: a starting recorder reports 0 for
/// them, whatever the time is.
pub fn begins_epoch(row: &Row) -> bool {
    row.has(RowFlags::TIME_OWN) && !row.has(RowFlags::NAMING)
}

impl EpochScale {
    /// Position of a time; `None` if it does not fit.
    pub fn place(&self, time: u64) -> Option<u64> {
        self.base.checked_add(time.saturating_sub(self.first)).filter(|&at| at <= MOST)
    }
}

impl TimeAxis {
    /// Position of a row by its time: `Some(None)` = a time that does not fit, `None` = no time. `begins` = the time
    /// may decide where an epoch begins.
    #[inline]
    pub fn at(&mut self, epoch: u32, time: Option<Option<u64>>, begins: bool) -> AxisPosition {
        if epoch != self.epoch {
            self.epoch = epoch;
            self.begins = true;
        }
        let Some(time) = time else {
            return if epoch > 0 { AxisPosition::At(self.last) } else { AxisPosition::Nowhere };
        };
        if let Some(time) = time.filter(|_| self.begins)
            && !self.starts(time, begins)
        {
            return AxisPosition::At(self.last);
        }
        let Some(at) = time.and_then(|time| self.scale.place(time)) else { return AxisPosition::Beyond };
        self.last = self.last.max(at);
        AxisPosition::At(at)
    }

    /// Whether a row is the first event of its epoch. Its time then decides whether the scale is kept.
    #[cold]
    fn starts(&mut self, time: u64, begins: bool) -> bool {
        if !begins {
            return false;
        }
        let goes_on = time >= self.scale.first && self.scale.place(time).is_some_and(|at| at >= self.last);
        if !goes_on {
            self.scale = EpochScale { base: self.last, first: time };
        }
        self.begins = false;
        true
    }
}
