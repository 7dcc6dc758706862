//! Intervals, and what could not be measured.

use spytui_plugin_api::RowKind;

use super::{
    measure::{self, Measure},
    tally::{Subject, Tally},
};
use crate::replay::{Id, Key, Moment, Stamp};

/// The current row.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Here {
    /// Its own time, not that of an earlier row.
    pub(super) at: Moment,
    pub(super) kind: RowKind,
    pub(super) group: u8,
    /// The moment as the start of an interval.
    pub(super) stamp: Stamp,
    pub(super) item: Option<Key>,
}

impl Here {
    pub(super) fn subject(&self, object: Option<Key>, signal: Option<Key>, core: u16) -> Subject {
        Subject { kind: self.kind, group: self.group, core, object, signal }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct OpenInterval {
    pub(super) measure: Measure,
    pub(super) object: Option<Id>,
    pub(super) signal: Option<Key>,
    /// The core, if the interval stays on it.
    pub(super) core: Option<u16>,
    pub(super) begin: Stamp,
}

/// Beginnings of a measure, and those that could not be measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub begun: u64,
    /// Records were lost between begin and end.
    pub cut: u64,
    /// Begin or end has no time stamp, or the clock went back.
    pub untimed: u64,
    /// The end matches several beginnings.
    pub unsure: u64,
}

/// The sums, and what could not be measured.
#[derive(Debug, Clone, Default)]
pub(super) struct Book {
    pub(super) tally: Tally,
    counts: [Counts; measure::ALL.len()],
}

impl Book {
    pub(super) fn counts(&self, measure: Measure) -> Counts {
        self.counts[measure as usize]
    }

    pub(super) fn count(&mut self, measure: Measure) -> &mut Counts {
        &mut self.counts[measure as usize]
    }

    /// An interval ends here.
    pub(super) fn ends(&mut self, measure: Measure, begin: Stamp, here: &Here, subject: &Subject) {
        if begin.is_cut(&here.stamp) {
            self.count(measure).cut += 1;
            return;
        }
        match begin.until(&here.stamp) {
            Some(ticks) => self.tally.add(measure, subject, ticks, &here.at),
            None => self.count(measure).untimed += 1,
        }
    }
}
